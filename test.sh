#!/usr/bin/env bash
# Sets up, builds and runs all tests. Arguments are passed to ctest: ./test.sh -L unit, ./test.sh -R recording
# Tests that need a GPU (label gpu) are skipped, with the reason, if there is none.
# WARPSCOPE_PRESET=asan ./test.sh: the same under AddressSanitizer and UndefinedBehaviorSanitizer.
set -euo pipefail
root=$(cd "$(dirname "$0")" && pwd)
preset=${WARPSCOPE_PRESET:-default}
# Tests of compiling CUDA C++ without CUDA need clang; without it they are skipped.
"$root/third_party/setup.sh" clang || echo "warpscope: clang could not be installed, so its tests are skipped" >&2
"$root/third_party/build.sh" "$preset"
cd "$root"
exec ctest --test-dir "build/$preset" --output-on-failure --no-tests=error -j "$(nproc)" "$@"
