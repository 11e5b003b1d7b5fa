#!/usr/bin/env bash
# Sets up, builds and starts warpscope. Arguments are passed to the program: ./run.sh run reduction --block 256
# Without arguments it opens the window or, without a display, gives a tour of the experiments with screenshots in out/.
set -euo pipefail
root=$(cd "$(dirname "$0")" && pwd)
"$root/third_party/build.sh" default warpscope
warpscope="$root/build/default/bin/warpscope"

if [ $# -gt 0 ] || [ -n "${DISPLAY:-}" ] || [ -n "${WAYLAND_DISPLAY:-}" ]; then
  exec "$warpscope" "$@"
fi

echo "warpscope: there is no display, so here is a tour."
"$warpscope" devices
for family in $("$warpscope" list --names); do
  echo
  "$warpscope" run "$family" --variant all || echo "(exit status $?)"  # `broken` fails on purpose
done
out="$PWD/out"
echo
echo "Screenshots of the window, rendered under Xvfb:"
xvfb-run -a -s "-screen 0 1920x1200x24" "$warpscope" screenshot --all "$out"
echo
echo "For the window itself, run ./run.sh with a display (a desktop, or ssh -X)."
