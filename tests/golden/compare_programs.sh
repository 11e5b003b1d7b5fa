#!/usr/bin/env bash
# Holds what one build of warpscope prints and writes against another, byte by byte: before and after a change that must not
# show. Both read this tree's assets.
#   tests/golden/compare_programs.sh OLD NEW     paths of two programs; prints what differs; exit status 1 if anything does
#
# Compared: `run --json` of every variant on sim:h100 and on the bundled recordings; `show --json` of every bundled recording;
# every format and table of `export` (but pictures, which tests/gui compares), for a bundled recording and for one that OLD makes;
# what `merge` writes; and sessions that OLD saves: what `export` and the window say of them.
# Left out is the time of day, in `created` of new recordings and sessions: that is why NEW rewrites OLD's recording, with its
# time, instead of making one of its own. Sentences for people may be put better: where two JSON values are equal but for those
# (reasons and names of predictions, messages of hazards), the script says `reworded`, and that is not a difference.
# Sessions are left out where xvfb-run or xdotool is missing; the script says so.
set -euo pipefail
if [ -z "${WARPSCOPE_COMPARES:-}" ] && command -v xvfb-run >/dev/null; then
  WARPSCOPE_COMPARES=1 exec xvfb-run -a -s "-screen 0 1600x1000x24" "$0" "$@"
fi
old=$(realpath "$1") new=$(realpath "$2")
root=$(cd "$(dirname "$0")/../.." && pwd)
export WARPSCOPE_ASSETS="$root/assets" LC_ALL=C.UTF-8 LIBGL_ALWAYS_SOFTWARE=1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
mkdir old new
export XDG_CONFIG_HOME="$work/config"
compared=0 reworded=0 different=0

# The JSON value FILE without its sentences
without_sentences() {
  python3 - "$1" <<'PYTHON'
import json, sys

def stripped(value, inside=""):
    if isinstance(value, list):
        return [stripped(item, inside) for item in value]
    if isinstance(value, dict):
        sentences = {"predictions": ["name", "reason"], "hazards": ["message"]}.get(inside, [])
        return {key: stripped(item, key) for key, item in value.items() if key not in sentences}
    return value

value, end = json.JSONDecoder().raw_decode(text := open(sys.argv[1]).read())
print(json.dumps(stripped(value), indent=1), text[end:])
PYTHON
}

# same NAME: old/NAME and new/NAME
same() {
  compared=$((compared + 1))
  ! cmp -s "old/$1" "new/$1" || return 0
  if without_sentences "old/$1" >old/data 2>/dev/null && without_sentences "new/$1" >new/data 2>/dev/null && cmp -s old/data new/data; then
    reworded=$((reworded + 1))
    echo "reworded: $1"
    return 0
  fi
  different=$((different + 1))
  echo "DIFFERENT: $1"
  diff <(head -c 2000000 "old/$1") <(head -c 2000000 "new/$1") | cut -c 1-300 | head -n 12 || true
}

# both NAME ARGUMENT...: standard output and exit status of both programs
both() {
  local name=$1 status
  shift
  for side in old new; do
    status=0
    "${!side}" "$@" >"$side/$name" 2>"$side/errors" </dev/null || status=$?
    [ "$status" -le 1 ] || echo "$side: exit status $status of ${*:1:4}"
    echo "exit status $status" >>"$side/$name"
  done
  same "$name"
}

# written NAME ARGUMENT...: the file NAME that both write
written() {
  local name=$1
  shift
  for side in old new; do
    (cd "$side" && "${!side}" "$@") >/dev/null 2>"$side/errors" </dev/null || cat "$side/errors"
  done
  same "$name"
}

both list.json list --json
both devices.json devices --json
for family in $("$old" list --names); do
  for device in sim:h100 recorded; do
    both "run_${family}_$device.json" run "$family" --variant all --device "$device" --json
  done
done
for recording in "$WARPSCOPE_ASSETS"/recordings/*.wsrec; do
  both "show_$(basename "$recording" .wsrec).json" show "$recording" --json
done

made="$work/made.wsrec"
"$old" record divergence --variant even_odd --device sim:h100 --output "$made" >/dev/null 2>&1
both show_made.json show "$made" --json
written merged.wsrec merge merged.wsrec "$made" "$WARPSCOPE_ASSETS/recordings/transpose_shared.wsrec"
for recording in "$made" "$WARPSCOPE_ASSETS/recordings/divergence_nested.wsrec"; do
  name=$(basename "$recording" .wsrec)
  for format in json csv html; do
    written "$name.$format" export "$recording" --format "$format" --output "$name.$format"
  done
  written "$name.chrome" export "$recording" --format chrome --index 0 --output "$name.chrome"
  for table in runs regions spans instructions counters residency; do
    for format in csv json; do
      written "$name.$table.$format" export "$recording" --format "$format" --table "$table" --output "$name.$table.$format"
    done
  done
done

# waits FILE PATTERN: until a line of the window's report matches
waits() {
  for _ in $(seq 600); do
    grep -q "$2" "$1" 2>/dev/null && return
    sleep 0.05
  done
  echo "the window's report $1 never said $2" >&2
  exit 1
}

# window PROGRAM REPORT ARGUMENT...: starts it, waits until its run is shown
window() {
  local program=$1 report=$2
  shift 2
  rm -f "$report"
  "$program" gui --report "$report" "$@" >/dev/null 2>&1 &
  waits "$report" '"run": {'
  waits "$report" '"outdated": false'
}

# session DEVICE FAMILY VARIANT ARGUMENT...: OLD's window saves what it shows; both show it
session() {
  # The dialog offers this name, in the working directory.
  local file="$work/$2-$3.wssession" report="$work/report.json"
  window "$old" "$report" --device "$1" --family "$2" --variant "$3" "${@:4}"
  local pid=$!
  xdotool key ctrl+shift+s
  waits "$report" "\"dialog.path\": \"$file\""
  xdotool key Return
  waits "$report" '"dialog": false'
  kill -TERM "$pid"
  wait "$pid"
  local name
  name=$(basename "$file")
  both "export_$name.json" export "$file" --format json --output -
  for side in old new; do
    window "${!side}" "$report" "$file"
    kill -TERM $!
    wait $!
    python3 -c '
import json, sys
state = json.load(open(sys.argv[1]))["state"]
print({key: state[key] for key in ["family", "variant", "parameters", "page", "tabs", "visible", "selected_warp", "notes"]})
' "$report" >"$side/$name.state"
  done
  same "$name.state"
}

if [ -z "${WARPSCOPE_COMPARES:-}" ] || ! command -v xdotool >/dev/null; then
  echo "left out: sessions (xvfb-run or xdotool is not installed)"
else
  session recorded transpose shared
  session sim:h100 reduction shuffle --block 128
fi
echo "$compared outputs compared: $reworded reworded, $different different"
[ "$different" -eq 0 ]
