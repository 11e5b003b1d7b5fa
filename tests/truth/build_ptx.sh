#!/usr/bin/env bash
# Compiles the suite's kernels anew (needs nvcc): the PTX is committed, so that every device gets the same.
#   build_ptx.sh [open|judged|images]
set -euo pipefail
cd "$(dirname "$0")"
PATH=$PATH:/usr/local/cuda/bin
for part in ${1:-open judged images}; do
  for source in "$part"/*.cu; do
    name=$(basename "$source" .cu)
    nvcc -ptx -arch=compute_90 -o "$part/ptx/$name.ptx" "$source"
  done
done
