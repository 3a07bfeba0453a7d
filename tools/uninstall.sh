#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# uninstall.sh LIST - removes the files in the list, then the directories in it that are empty.
set -eu
if [ ! -f "$1" ]; then
  echo "Nothing is installed from here: there is no $1." >&2
  exit 1
fi
while IFS= read -r path; do
  [ -d "$path" ] && [ ! -L "$path" ] || rm -f -- "$path"
done <"$1"
sort -r -u "$1" | while IFS= read -r path; do
  [ ! -d "$path" ] || rmdir -- "$path" 2>/dev/null || true
done
rm -f "$1"
