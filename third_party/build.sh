#!/usr/bin/env bash
# Sets up and builds a preset (default: "default"); shared by run.sh and test.sh. Says what it does on stderr only.
#   third_party/build.sh PRESET TARGET...
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
preset=${1:-default}
shift || true

"$root/third_party/setup.sh"
build="$root/build/$preset"
mkdir -p "$build"
log="$build/build.log"

run_logged() {
  if ! "$@" >>"$log" 2>&1; then
    echo "warpscope: the build failed; the end of $log:" >&2
    tail -n 40 "$log" >&2
    exit 1
  fi
}

: >"$log"
[ -e "$build/bin/warpscope" ] || echo "warpscope: building for the first time, a few minutes on two cores (log: $log)" >&2
cd "$root"
# Configure anew only when asked for the first time or when the choice of nvcc changed; ninja re-runs CMake by itself.
choice="nvcc=${WARPSCOPE_NVCC:-auto}"
if [ ! -e "$build/build.ninja" ] || [ "$(cat "$build/choice" 2>/dev/null)" != "$choice" ]; then
  run_logged cmake --preset "$preset" -DWARPSCOPE_NVCC="${WARPSCOPE_NVCC:-}"
  echo "$choice" >"$build/choice"
fi
run_logged cmake --build --preset "$preset" ${@:+--target "$@"}
