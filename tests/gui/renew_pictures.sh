#!/usr/bin/env bash
# Draws every view in every theme anew, shows what changed, and puts the new pictures into tests/gui/pictures:
#   tests/gui/renew_pictures.sh [BUILD_FOLDER]     BUILD_FOLDER: build/default, where view_snapshot is built
# Look at the pages that it names before you commit the pictures.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=${1:-build/default}
out=$build/pictures
cmake --build "$build" --target view_snapshot >&2
rm -rf "$out"
status=0
WARPSCOPE_PICTURES_OUT=$out "$build/bin/view_snapshot" --gtest_filter='*EveryViewIsAsItsPicture*' --gtest_brief=1 >"$build/view_snapshot.log" || status=$?
if ! ls "$out"/after/*.png >/dev/null 2>&1; then
  cat "$build/view_snapshot.log" >&2
  exit 1
fi
if ((status == 0)); then
  echo "All pictures are as before: nothing is renewed."
  exit 0
fi
changed=0
for picture in "$out"/after/*.png; do
  committed=tests/gui/pictures/${picture##*/}
  if [[ ! -e $committed || -e $out/difference/${picture##*/} || -e $out/before/${picture##*/} ]]; then
    mkdir -p tests/gui/pictures
    cp "$picture" "$committed"
    changed=$((changed + 1))
  fi
done
echo "$changed pictures are renewed. Before, after and difference:"
printf '  %s\n' "$PWD/$out"/*.html
