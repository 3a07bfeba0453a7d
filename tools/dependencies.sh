#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs the Debian packages the build needs and that are missing. Asks nothing; quick when all is there.
set -eu

packages="gcc g++ binutils pkg-config meson ninja-build python3 libopenblas-pthread-dev liblapacke-dev
libsundials-dev libnetcdf-dev libcairo2-dev libjansson-dev libcmocka-dev fonts-dejavu-core clang llvm"

# Without dpkg there is nothing to ask: meson names what it does not find.
command -v dpkg-query >/dev/null 2>&1 || exit 0

# shellcheck disable=SC2086
present=$(dpkg-query -W -f='${Package} ${Status}\n' $packages 2>/dev/null | sed -n 's/ install ok installed$//p' || true)
missing=""
for package in $packages; do
  case "
$present
" in
  *"
$package
"*) ;;
  *) missing="$missing $package" ;;
  esac
done
[ -n "$missing" ] || exit 0

run=""
if [ "$(id -u)" != 0 ]; then
  run="sudo"
  if ! command -v sudo >/dev/null 2>&1; then
    echo "These packages are needed; install them as root:$missing" >&2
    exit 1
  fi
fi
echo "Installing:$missing" >&2
$run apt-get update -qq
# shellcheck disable=SC2086
$run env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null
