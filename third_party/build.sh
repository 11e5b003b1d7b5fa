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

report_failure() {
  echo "warpscope: the build failed; the end of $log:" >&2
  tail -n 40 "$log" >&2
  exit 1
}
run_logged() {
  "$@" >>"$log" 2>&1 || report_failure
}

: >"$log"
if [ ! -e "$build/bin/warpscope" ]; then
  echo "warpscope: building for the first time: about four minutes on two idle cores, the tests as long again (log: $log)" >&2
fi
cd "$root"
# Configure anew only when asked for the first time or when the choice of nvcc changed; ninja re-runs CMake by itself.
choice="nvcc=${WARPSCOPE_NVCC:-auto}"
if [ ! -e "$build/build.ninja" ] || [ "$(cat "$build/choice" 2>/dev/null)" != "$choice" ]; then
  run_logged cmake --preset "$preset" -DWARPSCOPE_NVCC="${WARPSCOPE_NVCC:-}"
  echo "$choice" >"$build/choice"
fi

# Ninja begins each line with "[steps done/all steps]". A terminal shows them as one line that renews itself; a log
# shows nothing while all goes well.
show_progress() {
  local line steps="" shown=""
  while IFS= read -r line; do
    printf '%s\n' "$line" >>"$log"
    [ -t 2 ] && [[ $line =~ ^\[([0-9]+)/([0-9]+)\] ]] || continue
    steps="${BASH_REMATCH[1]} of ${BASH_REMATCH[2]} steps, $SECONDS s"
    printf '\r\033[Kwarpscope: building: %s' "$steps" >&2
    shown=yes
  done
  [ -z "$shown" ] || printf '\r\033[K' >&2
}

SECONDS=0
if ! cmake --build --preset "$preset" ${@:+--target "$@"} 2>&1 | show_progress; then
  report_failure
fi
