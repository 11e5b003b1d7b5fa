#!/usr/bin/env bash
# Rebuilds the committed PTX of every kernel module, and beside it the hashes of what it was made from:
#   kernels/experiments/build_ptx.sh [FOLDER]      default: assets/ptx; NVCC=... picks the compiler
# compute_75 is the oldest architecture that CUDA 13 compiles for; drivers compile it for everything newer. A family's
# kernels that need compute capability 8.0 stand in its source behind #ifdef WARPSCOPE_SM80: with that defined, the source is
# compiled once more, for compute_80, as module FAMILY_sm80. The same compiler makes the same bytes in any folder on any
# machine, which a test relies on.
set -euo pipefail
cd "$(dirname "$0")/../.."
out=${1:-assets/ptx}
nvcc=${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
common=(-std=c++17 -O3 -lineinfo -I. -Werror all-warnings -Wno-deprecated-gpu-targets)
mkdir -p "$out"

# nvcc writes its own PTX version, which only drivers as new as itself read. Nothing in the kernels needs more than
# 7.8 (CUDA 11.8), those for compute capability 9.0 8.0 (CUDA 12.0), and st.async 8.1 (CUDA 12.1); ptxas, which refuses features newer than the stated version, checks that below.
# Paths in the line information become relative to the repository, the toolkit's begin with "cuda/". Names of internal
# functions hold a hash of the source's absolute path, in the debug strings (.b8 lists of bytes) too: zeros instead.
neutral() {
  VERSION=$2 FOLDER=$PWD perl -0pe '
    s#^\.version .*$#.version $ENV{VERSION}#m;
    s#^(\s*\.file\s+\d+\s+)"\Q$ENV{FOLDER}\E/(?:\./)*#$1"#mg;
    s#^(\s*\.file\s+\d+\s+)"/[^"]*/include/#$1"cuda/include/#mg;
    sub unhashed { my $text = shift; $text =~ s/(_INTERNAL_|_GLOBAL__N__)[0-9a-f]{8}_/${1}00000000_/g; $text }
    $_ = unhashed($_);
    s{((?:^\.b8 [\d,]+\n)+)}{
      my $block = $1;
      my $text = pack("C*", $block =~ /(\d+)(?=[,\n])/g);
      my $clean = unhashed($text);
      $clean eq $text ? $block : ".b8 " . join(",", unpack("C*", $clean)) . "\n"
    }gem' "$1"
}

build() {
  local name=$1 source=$2 inputs sm=75 version=7.8
  local flags=("${common[@]}") ptxas=()
  if [[ $name == *_sm80 ]]; then
    sm=80
    flags+=(-DWARPSCOPE_SM80)
  elif [[ $name == *_sm90 ]]; then
    sm=90
    version=8.0
    if grep -q st.async "$source"; then version=8.1; fi
  fi
  # Calls of the device runtime library, which is linked when the module is loaded.
  if grep -q cudaGraphSetConditional "$source"; then
    flags+=(-rdc=true)
    ptxas+=(-c)
  fi
  flags+=("-arch=compute_$sm")
  # The seed: names of internal functions would otherwise hold a process id.
  "$nvcc" "${flags[@]}" -frandom-seed "$name" -ptx "$source" -o "$out/$name.ptx.new"
  neutral "$out/$name.ptx.new" "$version" >"$out/$name.ptx"
  rm "$out/$name.ptx.new"
  if grep -n "\"/" "$out/$name.ptx" >&2; then
    echo "build_ptx.sh: $name.ptx names an absolute path" >&2
    exit 1
  fi
  "$(dirname "$(readlink -f "$nvcc")")/ptxas" "${ptxas[@]}" "-arch=sm_$sm" "$out/$name.ptx" -o /dev/null  # it is still valid PTX
  inputs=$("$nvcc" "${flags[@]}" -MM "$source" | tr -d '\\' | tr ' ' '\n' | grep -oE 'kernels/.*' | sort -u)
  {
    # shellcheck disable=SC2086  # one word a file
    sha256sum $inputs kernels/experiments/build_ptx.sh
    echo "$(sha256sum <"$out/$name.ptx" | cut -d' ' -f1)  assets/ptx/$name.ptx"
  } >"$out/$name.sha256"
}

build probe_pack kernels/probe/pack.cu
build calibration kernels/calibrate/calibration.cu
build calibration_conditional kernels/calibrate/calibration_conditional.cu
build calibration_sm90 kernels/calibrate/calibration_sm90.cu
for source in kernels/experiments/*/*.cu; do
  name=$(basename "$source" .cu)
  build "$name" "$source"
  if grep -q WARPSCOPE_SM80 "$source"; then build "${name}_sm80" "$source"; fi
done
