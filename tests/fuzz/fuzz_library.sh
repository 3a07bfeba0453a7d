#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# fuzz_library.sh CLANG OUTPUT.a - the whole library with the coverage that libFuzzer wants and both sanitizers; without
# OpenBLAS, whose code is not ours.
set -eu
export CC="$1" CFLAGS="-g -O1 -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer"
# The kernels read no file. Conversions are not checked there and branches not counted: clang takes minutes for each of their objects.
export KERNEL_CFLAGS="-g -O1 -fsanitize=address -fno-omit-frame-pointer"
exec "$(dirname "$0")/../../tools/plain.sh" "$2"
