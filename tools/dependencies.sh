#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# dependencies.sh [program|tests|long] - installs the Debian packages that are missing for the program, for `make test`
# or for `make test-long`. Asks nothing; quick when all is there. dependencies.sh --list PART prints the packages.
#
# tests/tree/linked.py compares the list of the program with what the program links.
set -eu

program="gcc libc6-dev binutils pkg-config meson ninja-build
libsundials-dev libnetcdf-dev libcairo2-dev libjansson-dev fonts-dejavu-core"
tests="g++ libcmocka-dev python3 python3-dev python3-venv python3-cffi python3-numpy python3-pytest"
long="clang" # and its runtime, below

list=no
[ "${1:-}" != --list ] || { list=yes; shift; }
part=${1:-program}
case $part in
program) packages=$program ;;
tests) packages="$program $tests" ;;
long) packages="$program $tests $long" ;;
*)
  echo "usage: dependencies.sh [--list] [program|tests|long]" >&2
  exit 2
  ;;
esac
if [ $list = yes ]; then
  echo "$packages" | tr ' ' '\n'
  exit 0
fi

# Without dpkg there is nothing to ask: meson names what it does not find.
command -v dpkg-query >/dev/null 2>&1 || exit 0

# shellcheck disable=SC2086
installed=$(dpkg-query -W -f='${Package} ${db:Status-Status}\n' $packages 2>/dev/null |
  sed -n 's/ installed$//p' || true)
is_installed() { echo "$installed" | grep -qxF "$1"; }

missing=""
for package in $packages; do
  is_installed "$package" || missing="$missing $package"
done

run=""
if [ "$(id -u)" != 0 ]; then run="sudo"; fi
install() {
  echo "Installing: $*" >&2
  $run env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}

if [ -n "$missing" ]; then
  if [ -n "$run" ] && ! command -v sudo >/dev/null 2>&1; then
    echo "These packages are needed; install them as root:$missing" >&2
    exit 1
  fi
  $run apt-get update -qq
  # shellcheck disable=SC2086
  install $missing
fi

# libFuzzer and the sanitizers of the clang that is there: a package of the same version, where they are apart from it.
if [ "$part" = long ]; then
  runtime="libclang-rt-$(clang -dumpversion | cut -d . -f 1)-dev"
  state=$(dpkg-query -W -f='${db:Status-Status}' "$runtime" 2>/dev/null || true)
  if [ "$state" != installed ] && apt-cache show "$runtime" >/dev/null 2>&1; then install "$runtime"; fi
fi
