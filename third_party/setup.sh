#!/usr/bin/env bash
# Installs the Debian packages of packages.txt that are missing, and those named as arguments. Returns at once if all are installed.
# All messages go to stderr: stdout belongs to the program that run.sh starts.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)

wanted=$(sed -e 's/#.*//' -e '/^\s*$/d' "$here/packages.txt" | awk '{print $1}')
for package in "$@"; do wanted+=$'\n'"$package"; done
if ! command -v dpkg-query >/dev/null; then
  echo "warpscope: this is not a Debian system (no dpkg); please install the equivalents of:" $wanted >&2
  exit 0  # the build says what it misses
fi
installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' $wanted 2>/dev/null | awk '$1 == "installed" {print $2}' || true)
missing=$(comm -23 <(sort -u <<<"$wanted") <(sort -u <<<"$installed"))
[ -n "$missing" ] || exit 0

echo "warpscope: installing Debian packages:" $missing >&2
sudo=""
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || { echo "warpscope: not root and no sudo; as root run: apt-get install" $missing >&2; exit 1; }
  sudo="sudo"
fi
export DEBIAN_FRONTEND=noninteractive
install() { $sudo apt-get install -y -qq --no-install-recommends $missing >/dev/null; }
# The package lists may be old or absent: fetch them when the first try fails.
install 2>/dev/null || { $sudo apt-get update -qq >&2; install >&2; }
