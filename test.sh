#!/usr/bin/env bash
# Sets up, builds and runs all tests. Arguments are passed to ctest: ./test.sh -L unit, ./test.sh -R recording
# Tests that need a GPU (label gpu) are skipped, with the reason, if there is none.
# WARPSCOPE_PRESET=asan ./test.sh: the same under AddressSanitizer and UndefinedBehaviorSanitizer.
set -euo pipefail
root=$(cd "$(dirname "$0")" && pwd)
preset=${WARPSCOPE_PRESET:-default}
"$root/third_party/build.sh" "$preset"
cd "$root"
exec ctest --test-dir "build/$preset" --output-on-failure --no-tests=error -j "$(nproc)" "$@"
