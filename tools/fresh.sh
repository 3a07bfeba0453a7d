#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# fresh.sh SUITE - both commands of the README on a bare system: `make run`, then `make test`.
# fresh.sh --python SUITE - `pip install .` on a bare system with a C compiler, then the first example of python/README.md.
#
# Makes a root file system of the Debian release SUITE (bookworm, trixie) that holds make and git and nothing else,
# clones the committed state of this work tree into it, runs the commands there and prints what they took. The mirror
# is the one that this machine's apt uses. Needs root and debootstrap; about 2 GB below ${TMPDIR:-/tmp} while it runs.
set -euo pipefail

what=program
if [ "${1:-}" = --python ]; then what=package; shift; fi
suite=${1:?usage: fresh.sh [--python] SUITE}
source_tree=$(git -C "$(dirname "$0")" rev-parse --show-toplevel)
[ "$(id -u)" = 0 ] || { echo "fresh.sh needs root: it makes a root file system" >&2; exit 1; }
command -v debootstrap >/dev/null || { echo "fresh.sh needs debootstrap: apt-get install debootstrap" >&2; exit 1; }

folder=$(mktemp -d "${TMPDIR:-/tmp}/fresh-$suite-XXXXXX")
root=$folder/root
child=""
clean_up() {
  trap - EXIT INT TERM HUP
  [ -z "$child" ] || kill -- "-$child" 2>/dev/null || true
  local mounted
  for mounted in "$root/proc" "$root/dev/pts" "$root/dev"; do
    if mountpoint -q "$mounted"; then umount -l "$mounted"; fi
  done
  # Never across a mount that would not go away.
  rm -rf --one-file-system "$folder"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
trap 'exit 129' HUP

# In a process group of its own, so that an interruption reaches what runs inside.
supervised() {
  set -m
  "$@" &
  child=$!
  set +m
  local code=0
  wait "$child" || code=$?
  child=""
  return "$code"
}

# The mirror of the release that this machine runs, whatever its sources look like.
mirror=$(apt-get indextargets --format '$(ORIGIN) $(REPO_URI)' 'Created-By: Packages' | awk '$1 == "Debian" && !/security/ {print $2; exit}')
security=$(apt-get indextargets --format '$(ORIGIN) $(REPO_URI)' 'Created-By: Packages' | awk '$1 == "Debian" && /security/ {print $2; exit}')
[ -n "$mirror" ] || { echo "fresh.sh found no Debian mirror in apt's sources; apt-get update first?" >&2; exit 1; }

echo "$suite: making a bare root" >&2
supervised debootstrap --variant=minbase "$suite" "$root" "$mirror" >"$folder/debootstrap.log" 2>&1 || {
  tail -n 20 "$folder/debootstrap.log" >&2
  exit 1
}
{
  echo "deb $mirror $suite main"
  [ -z "$security" ] || echo "deb $security $suite-security main"
} >"$root/etc/apt/sources.list"
cp /etc/resolv.conf "$root/etc/resolv.conf"
for file in /etc/apt/apt.conf.d/*proxy*; do [ ! -e "$file" ] || cp "$file" "$root/etc/apt/apt.conf.d/"; done
mount -t proc proc "$root/proc"
mount --bind /dev "$root/dev"
# The tests of a terminal need terminals of this root.
mount -t devpts -o newinstance,ptmxmode=0666 devpts "$root/dev/pts"

inside() {
  supervised env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/srv LANG=C.UTF-8 ${http_proxy:+http_proxy="$http_proxy"} \
    chroot "$root" /bin/sh -c "cd /srv && $1"
}
packages() { chroot "$root" dpkg-query -W -f='${Package}\n' | wc -l; }

# Every package file stays in apt's cache, and is what was fetched.
echo 'APT::Keep-Downloaded-Packages "true"; Binary::apt-get::APT::Keep-Downloaded-Packages "true";' >"$root/etc/apt/apt.conf.d/01keep"
rm -f "$root/etc/apt/apt.conf.d/docker-clean"
inside "apt-get update -qq && apt-get install -y -qq --no-install-recommends make git >/dev/null 2>&1"
rm -f "$root"/var/cache/apt/archives/*.deb
git clone -q "$source_tree" "$root/srv/ansatz"

# step NAME COMMAND: runs it, shows its output, prints one line of what it took.
failed=0
step() {
  local name=$1 before begin outcome=passed
  before=$(packages)
  begin=$(date +%s)
  inside "cd ansatz && $2" || { outcome=FAILED; failed=1; }
  printf '%s: %-9s %-6s %4d s, %3d packages, %3d MB fetched%s\n' "$suite" "$name" "$outcome" $(($(date +%s) - begin)) \
    $(($(packages) - before)) $(($(cat "$root"/var/cache/apt/archives/*.deb 2>/dev/null | wc -c) / 1000000)) \
    "${3:+, $(inside "$3")}" | tee -a "$folder/summary"
  rm -f "$root"/var/cache/apt/archives/*.deb
}

# What pip needs to reach its registry from inside is what it has out here.
package() {
  local settings=() name
  for name in $(compgen -e PIP_); do settings+=("$name='${!name}'"); done
  [ ! -e /etc/pip.conf ] || cp /etc/pip.conf "$root/etc/pip.conf"
  if [ -n "${PIP_CERT:-}" ]; then
    cp -L "$PIP_CERT" "$root/srv/authorities.pem"
    settings+=("PIP_CERT=/srv/authorities.pem")
  fi
  step 'packages' 'apt-get install -y -qq --no-install-recommends gcc libc6-dev python3-dev python3-venv >/dev/null 2>&1'
  step 'pip' "python3 -m venv /srv/venv && ${settings[*]} /srv/venv/bin/pip install -q ."
  # xarray, which the example ends with, is of the user's choice.
  step 'xarray' "${settings[*]} /srv/venv/bin/pip install -q xarray"
  awk '/^```python run/ {on = 1; next} /^```/ && on {exit} on' "$source_tree/python/README.md" >"$root/srv/example.py"
  step 'example' 'cd / && /srv/venv/bin/python /srv/example.py'
}

if [ $what = package ]; then
  package
  echo
  cat "$folder/summary"
  exit $failed
fi

step 'make run' 'make run && test -s output/fisher-H1.png'
step 'make test' 'make test'
# What the program alone costs to build: once more, on one core, from nothing.
if [ $failed = 0 ]; then
  inside 'cd ansatz && meson setup /srv/once -Dprogram=enabled -Dtests=disabled >/dev/null &&
    bash -c "TIMEFORMAT=\"%U %S\"; time ninja --quiet -j 1 -C /srv/once product >/dev/null" 2>/srv/cpu' || failed=1
  awk -v suite="$suite" 'END {printf "%s: the program takes %.0f s of CPU time to build\n", suite, $1 + $2}' "$root/srv/cpu" | tee -a "$folder/summary"
fi

echo
cat "$folder/summary"
exit $failed
