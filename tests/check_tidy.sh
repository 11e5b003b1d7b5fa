#!/usr/bin/env bash
# clang-tidy with the checks of .clang-tidy, several files at once, tests included. Prints the findings and how many there are of
# each check; exit status 1 if there are any, 77 where clang is missing.
#   tests/check_tidy.sh                     every source that preset `tidy` compiles: an hour on two cores
#   tests/check_tidy.sh FILE...             these
#   tests/check_tidy.sh --changed [COMMIT]  those that differ from COMMIT (default: main)
set -euo pipefail
cd "$(dirname "$0")/.."
for tool in clang-tidy clang++; do
  command -v "$tool" >/dev/null || { echo "$tool is not installed (Debian: clang clang-tidy)" >&2; exit 77; }
done
build=build/tidy
[ -e "$build/build.ninja" ] || cmake --preset tidy >/dev/null
cmake --build "$build" --target ws_glad >/dev/null  # a header that sources include

compiled() { sed -n 's/^  "file": "\(.*\)",\?$/\1/p' "$build/compile_commands.json" | grep '\.cpp$' | sort -u; }
if [ "${1:-}" = --changed ]; then
  wanted=$(git diff --name-only --diff-filter=d "${2:-main}" -- '*.cpp')
else
  wanted=$(printf '%s\n' "$@")
fi
files=$(compiled)
[ $# -eq 0 ] || files=$(comm -12 <(printf '%s\n' "$files") <(printf '%s\n' "$wanted" | sed '/^$/d' | xargs -r realpath | sort -u))
[ -n "$files" ] || { echo "none of these files is compiled"; exit 0; }

log=$(mktemp)
trap 'rm -f "$log"' EXIT
status=0
printf '%s\n' "$files" | xargs -P "$(nproc)" -n 1 clang-tidy --quiet -p "$build" >"$log" 2>/dev/null || status=1
grep -E '(warning|error): ' "$log" | sort -u || true
echo "$(wc -l <<<"$files") files; findings by check:"
{ grep -E '(warning|error): ' "$log" || true; } | sort -u | sed -n 's/.*\[\([a-zA-Z0-9.-]*\).*\]$/\1/p' | sort | uniq -c | sort -rn
exit $status
