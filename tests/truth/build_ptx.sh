#!/usr/bin/env bash
# Compiles the suite's kernels anew (needs nvcc): the PTX is committed, so that every device gets the same.
set -euo pipefail
cd "$(dirname "$0")"
for source in *.cu; do nvcc -ptx -arch=compute_90 -o "ptx/${source%.cu}.ptx" "$source"; done
