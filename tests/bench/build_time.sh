#!/usr/bin/env bash
# How long a build from scratch takes, and where the time goes:
#   tests/bench/build_time.sh [TARGET...]          default: warpscope
# Builds the working tree's preset "default" in a folder of its own, without the compiler cache, and prints wall and CPU
# seconds, step seconds by folder (steps run side by side, so their sum exceeds the wall seconds) and the twenty most
# expensive steps. WARPSCOPE_NVCC=none measures a machine without CUDA. Compare only figures of an idle machine.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(mktemp -d "${TMPDIR:-/tmp}/warpscope_build_time.XXXXXX")
trap 'rm -rf "$build"' EXIT
[ $# -gt 0 ] || set -- warpscope

cd "$root"
export CCACHE_DISABLE=1
TIMEFORMAT='%R %U %S'
{ time cmake --preset default -B "$build" -DWARPSCOPE_NVCC="${WARPSCOPE_NVCC:-}" >"$build.log" 2>&1; } 2>"$build/configure.time"
{ time cmake --build "$build" --target "$@" >>"$build.log" 2>&1; } 2>"$build/build.time" ||
  { tail -n 40 "$build.log" >&2; echo "build_time.sh: the build failed" >&2; exit 1; }
rm -f "$build.log"

python3 - "$build" "$*" <<'PYTHON'
import collections, os, sys

folder, targets = sys.argv[1:]
def seconds(name):
    return [float(x) for x in open(os.path.join(folder, name)).read().split()[-3:]]
configure, build = seconds("configure.time"), seconds("build.time")
steps = {}  # output -> seconds; the last line of an output counts
for line in open(os.path.join(folder, ".ninja_log")):
    fields = line.rstrip("\n").split("\t")
    if len(fields) >= 5:
        steps[fields[3]] = (int(fields[1]) - int(fields[0])) / 1000
print(f"targets {targets}, {os.cpu_count()} cores, load before this {os.getloadavg()[2]:.1f} (15 minutes)")
print(f"{'':10} {'wall s':>8} {'CPU s':>8}")
for name, (wall, user, system) in (("configure", configure), ("build", build)):
    print(f"{name:10} {wall:8.1f} {user + system:8.1f}")
print(f"{len(steps)} steps, {sum(steps.values()):.0f} step seconds\n")

folders = collections.defaultdict(lambda: [0.0, 0])
for output, took in steps.items():
    where = output.split("CMakeFiles/")[0].strip("/") or "(top)"
    folders[where][0] += took
    folders[where][1] += 1
print(f"{'step s':>8} {'steps':>6}  folder")
for where, (took, count) in sorted(folders.items(), key=lambda entry: -entry[1][0]):
    if took >= 1: print(f"{took:8.1f} {count:6d}  {where}")
print(f"\n{'step s':>8}  the twenty most expensive steps")
for output, took in sorted(steps.items(), key=lambda entry: -entry[1])[:20]:
    print(f"{took:8.1f}  {output}")
PYTHON
