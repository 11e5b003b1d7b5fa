#!/usr/bin/env bash
# clang-tidy with the checks of .clang-tidy, several files at once, tests included. Prints the findings and how many there are of
# each check; exit status 1 if there are any, 77 where clang is missing.
#   tests/check_tidy.sh                     all sources
#   tests/check_tidy.sh FILE...             these
#   tests/check_tidy.sh --changed [COMMIT]  those that differ from COMMIT (default: main)
# It reads the units that preset `tidy` compiles. Most of them include several sources, so that clang parses the same headers
# once for all of these; findings in other sources than those asked for are not shown.
set -euo pipefail
cd "$(dirname "$0")/.."
for tool in clang-tidy clang++; do
  command -v "$tool" >/dev/null || { echo "$tool is not installed (Debian: clang clang-tidy)" >&2; exit 77; }
done
build=build/tidy
[ -e "$build/build.ninja" ] || cmake --preset tidy >/dev/null
cmake --build "$build" --target ws_glad >/dev/null  # a header that sources include

sources=$(git ls-files --cached --others --exclude-standard -- '*.cpp' '*.h')
if [ "${1:-}" = --changed ]; then
  wanted=$(git diff --name-only --diff-filter=d "${2:-main}" -- '*.cpp' '*.h')
elif [ $# -gt 0 ]; then
  wanted=$(realpath --relative-to=. "$@")
else
  wanted=$sources
fi
# Lines "UNIT SOURCE": a source that is compiled by itself is its own unit.
compiled=$(sed -n 's/^  "file": "\(.*\)",\?$/\1/p' "$build/compile_commands.json" | sort -u | while read -r unit; do
  case $unit in
    */Unity/*) sed -n "s|^#include \"$PWD/\(.*\)\"|$unit \1|p" "$unit" ;;
    "$PWD"/*.cpp) echo "$unit ${unit#"$PWD"/}" ;;
  esac
done)
units=$(grep -E " ($(paste -sd'|' <<<"$wanted" | sed 's/\./\\./g'))\$" <<<"$compiled" | cut -d' ' -f1 | sort -u)
[ -n "$units" ] || { echo "none of these files is compiled"; exit 0; }

log=$(mktemp)
trap 'rm -f "$log"' EXIT
# Sources are headers of the units that include them, so what one defines another may declare again.
xargs -P "$(nproc)" -n 1 clang-tidy --quiet -p "$build" --checks=-bugprone-suspicious-include,-readability-redundant-declaration \
  --header-filter='(kernels|viz|app|tests)/.*\.(h|cpp)$' <<<"$units" >"$log" 2>/dev/null || true
findings=$(grep -E '(warning|error): ' "$log" | grep -E "^$PWD/($(paste -sd'|' <<<"$wanted" | sed 's/\./\\./g')):" | sort -u || true)
broken=$(grep -c 'clang-diagnostic-error' "$log" || true)  # a unit that does not compile is not checked
[ -z "$findings" ] || printf '%s\n' "$findings"
echo "$(wc -l <<<"$wanted") files in $(wc -l <<<"$units") units; findings by check:"
sed -n 's/.*\[\([a-zA-Z0-9.-]*\).*\]$/\1/p' <<<"$findings" | sort | uniq -c | sort -rn
if [ "$broken" -gt 0 ]; then
  grep 'clang-diagnostic-error' "$log" | sort -u
  echo "$broken errors of the compiler: some units were not checked"
fi
[ -z "$findings" ] && [ "$broken" -eq 0 ]
