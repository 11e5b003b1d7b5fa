#!/usr/bin/env bash
# Builds with the Dear ImGui and GLFW of Debian's later releases, and runs the window's tests: what works with Debian 12 is to work
# there, too. The sources come from Debian's archive and are unpacked beside the build, in build/newer_gui; nothing is installed
# but GLFW's X11 headers. The pictures of view_snapshot are skipped: another version draws text otherwise.
#   third_party/newer_gui.sh [SUITE ...]     default: trixie sid
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
folder="$root/build/newer_gui"
glfw_suite=trixie # Dear ImGui is what differs between the suites
suites=("$@")
[ $# -gt 0 ] || suites=(trixie sid)

"$root/third_party/setup.sh"
headers="libxrandr-dev libxinerama-dev libxcursor-dev libxi-dev"
if ! dpkg -s $headers >/dev/null 2>&1; then
  echo "warpscope: installing Debian packages: $headers" >&2
  sudo=""
  [ "$(id -u)" -eq 0 ] || sudo=sudo
  DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq --no-install-recommends $headers >/dev/null
fi

# apt with sources of its own: the machine's lists stay as they are. The archive is the one that the machine uses.
apt="$folder/apt"
mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial"
archive=$(apt-get indextargets --format '$(LABEL) $(SITE)' 'Identifier: Packages' | awk '$1 == "Debian" {print $2; exit}')
[ -n "$archive" ] || { echo "warpscope: apt knows no archive of Debian: run apt-get update" >&2; exit 1; }
for suite in "${suites[@]}" "$glfw_suite"; do
  echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $archive $suite main"
done | sort -u >"$apt/sources.list"
own_apt() {
  apt-get -qq -o Dir::Etc::SourceList="$apt/sources.list" -o Dir::Etc::SourceParts=/dev/null -o Dir::State::Lists="$apt/lists" \
    -o Dir::Cache="$apt/cache" -o APT::Sandbox::User="$(id -un)" "$@"
}
unpack() { # package, suite: prints the folder of its sources
  local into="$folder/sources/$1-$2"
  if [ ! -d "$into" ]; then
    local packed="$folder/packed/$1-$2"
    mkdir -p "$packed" "$folder/sources"
    (cd "$packed" && own_apt source --download-only "$1/$2" && dpkg-source -x ./*.dsc "$into") >"$packed.log" 2>&1 ||
      { cat "$packed.log" >&2; return 1; }
  fi
  echo "$into"
}
own_apt update

glfw=$(unpack glfw3 "$glfw_suite")
for suite in "${suites[@]}"; do
  imgui=$(unpack imgui "$suite")
  echo "Dear ImGui $(sed -n 's/^#define IMGUI_VERSION  *"\(.*\)"/\1/p' "$imgui/imgui.h") of $suite, GLFW of $glfw_suite:"
  # One build for all, because only the window depends on them.
  build="$folder/build"
  cmake -S "$root" -B "$build" -G Ninja -DWARPSCOPE_IMGUI_SOURCE="$imgui" -DWARPSCOPE_GLFW_SOURCE="$glfw" >"$folder/build.log"
  tests=(plot_test pages_test keyboard_test window_test view_snapshot)
  ninja -C "$build" "${tests[@]}" >>"$folder/build.log" || { tail -n 40 "$folder/build.log" >&2; exit 1; }
  for name in "${tests[@]}"; do
    "$build/bin/$name" --gtest_brief=1 2>&1 | tee "$folder/$name.log"
    # Newer versions show the user what they think is wrong with how they are used.
    if grep -qF "[imgui-error]" "$folder/$name.log"; then exit 1; fi
  done
done
