#!/usr/bin/env bash
# Updates the catalogues: adds new texts, untranslated, and drops those that no longer exist. The texts come from the
# sources (extract.sh) and from what the built program knows about its families.
#   assets/translations/update.sh [BUILD_FOLDER]
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "${1:-$root/build/default}" && pwd)
cd "$root"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

ninja -C "$build" print_shown_texts >/dev/null
"$build/bin/print_shown_texts" >"$work/engine.pot"
assets/translations/extract.sh >"$work/sources.pot"
msgcat --use-first "$work/sources.pot" "$work/engine.pot" --output-file="$work/all.pot"
for catalogue in assets/translations/*.po; do
  msgmerge --quiet --no-fuzzy-matching --width=120 "$catalogue" "$work/all.pot" --output-file="$work/merged.po"
  msgattrib --no-obsolete --width=120 "$work/merged.po" --output-file="$catalogue"
  echo "$catalogue: $(msgfmt --statistics --output-file=/dev/null "$catalogue" 2>&1)"
done
