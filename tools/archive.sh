#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# archive.sh OUTPUT.a ARCHIVE... - one static library from several, showing only what the public header declares.
#
# All objects are linked into one and its hidden symbols made local: a user's own graph_build can neither replace
# ours nor clash with it.
set -eu
output=$1
shift
object=$output.o
ld -r -o "$object" --whole-archive "$@"
objcopy --localize-hidden "$object"
rm -f "$output"
ar crs "$output" "$object"
rm -f "$object"
