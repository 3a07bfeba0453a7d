#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# dist.sh BUILD - a tarball of the installed files that works wherever it is unpacked, and one of the sources.
set -eu
build=$1
version=$("$build/ansatz" --version | cut -d ' ' -f 2)
name=ansatz-$version-$(uname -s | tr '[:upper:]' '[:lower:]')-$(uname -m)
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
mkdir -p "$build/dist"

prefix=$(meson introspect "$build" --buildoptions | python3 -c '
import json, sys
print(next(option["value"] for option in json.load(sys.stdin) if option["name"] == "prefix"))')
DESTDIR=$stage/root meson install -C "$build" --no-rebuild --quiet
mv "$stage/root$prefix" "$stage/$name"
cp README.md LICENSE "$stage/$name"
tar -C "$stage" -czf "$build/dist/$name.tar.gz" "$name"
echo "$build/dist/$name.tar.gz"

if git rev-parse --git-dir >/dev/null 2>&1; then
  git archive --format=tar.gz --prefix="ansatz-$version/" -o "$build/dist/ansatz-$version.tar.gz" HEAD
  echo "$build/dist/ansatz-$version.tar.gz"
fi
