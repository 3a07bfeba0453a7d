#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs the Debian packages the build needs and that are missing. Asks nothing; quick when all is there.
set -eu

packages="gcc pkg-config meson ninja-build python3 libopenblas-pthread-dev liblapacke-dev libfftw3-dev libsundials-dev
libnetcdf-dev libcairo2-dev libjansson-dev libcmocka-dev fonts-dejavu-core clang llvm"

missing=""
for package in $packages; do
  [ "$(dpkg-query -W -f='${Status}' "$package" 2>/dev/null)" = "install ok installed" ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

if ! command -v apt-get >/dev/null 2>&1; then
  echo "These packages are needed and apt-get is not here to install them:$missing" >&2
  exit 1
fi
run=""
[ "$(id -u)" = 0 ] || run="sudo"
echo "Installing:$missing" >&2
export DEBIAN_FRONTEND=noninteractive
$run apt-get update -qq
# shellcheck disable=SC2086
$run apt-get install -y -qq --no-install-recommends $missing >/dev/null
