#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# plain.sh OUTPUT.a - the library by a C compiler and ar alone: no meson, no ninja, no Python, no other library.
#
# For systems that have nothing else, and for those who embed the sources in a build of their own: this is all that
# such a build must do. CC, AR and CFLAGS are used, and KERNEL_CFLAGS for the kernels where they want others; a program
# that links OUTPUT.a adds -lm, and -lpthread where libc
# does not have threads. The lists of files are those of the meson.build files.
set -eu
output=$1
root=$(cd "$(dirname "$0")/.." && pwd)
objects=$(mktemp -d)
trap 'rm -rf "$objects"' EXIT

version=$(sed -n "s/^  version: '\(.*\)',/\1/p" "$root/meson.build")
flags="-std=c11 -D_DEFAULT_SOURCE -ffp-contract=off -I$root/src -I$root/include"

# files NAME: the sources in lists of that name, `once` or `real`; of two with a condition, the one for nothing found.
files() {
  for list in "$root"/src/*/meson.build; do
    tr '\n' ' ' <"$list" | sed "s/[a-z]*\.found() ? '[a-z_]*\.c' : //g" | grep -o "[a-z]*_sources +\{0,1\}= files([^)]*)" |
      sed -n "/^$1/p" | grep -o "'[^']*'" | sed "s|'\(.*\)'|$(dirname "$list")/\1|"
  done
}
compile() { # NAME SOURCE FLAG...
  object=$objects/$1.o source=$2
  shift 2
  # shellcheck disable=SC2086
  ${CC:-cc} $flags ${CFLAGS:--O2} -DANSATZ_VERSION="\"$version\"" "$@" -c "$source" -o "$object"
}
named() { echo "$1" | sed "s|$root/src/||; s|[/.]|_|g"; }

for source in $(files 'once\|base\|text\|protocol\|system'); do compile "$(named "$source")" "$source"; done
for bits in 32 64; do
  for source in $(files real); do compile "$(named "$source")_$bits" "$source" "-DANS_PRECISION=$bits"; done
  kernels="-ffp-contract=fast -fno-math-errno -fno-trapping-math -DANS_PRECISION=$bits"
  # shellcheck disable=SC2086
  (
    CFLAGS=${KERNEL_CFLAGS:-${CFLAGS:--O2}}
    compile baseline_$bits "$root/src/numeric/kernels/baseline.c" $kernels
    if echo __x86_64__ | ${CC:-cc} -E -P - | grep -qx 1; then
      compile avx2_$bits "$root/src/numeric/kernels/avx2.c" $kernels -mavx2 -mfma
      compile avx512_$bits "$root/src/numeric/kernels/avx512.c" $kernels -mavx2 -mfma -mavx512f -mavx512dq -mavx512vl -mavx512bw
    fi
  )
done
rm -f "$output"
${AR:-ar} crs "$output" "$objects"/*.o
