#!/usr/bin/env bash
# Makes a Debian package of the program, its assets and all that a desktop wants to know of it: builds the program if need be,
# then prints the package's path. Arguments go on to cpack.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
"$root/third_party/build.sh" default warpscope
build="$root/build/default"
# The commit's time as that of every file: the same commit gives the same package.
SOURCE_DATE_EPOCH=$(git -C "$root" log -1 --format=%ct 2>/dev/null || date +%s)
export SOURCE_DATE_EPOCH
cpack --config "$build/CPackConfig.cmake" -B "$build/package" "$@" >"$build/package.log" 2>&1 ||
  { echo "warpscope: the package could not be made; the end of $build/package.log:" >&2; tail -n 20 "$build/package.log" >&2; exit 1; }
ls "$build"/package/*.deb
