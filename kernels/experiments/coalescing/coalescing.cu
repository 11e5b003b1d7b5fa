// Coalescing: which addresses the lanes of a warp load from together. Every variant writes its output in
// order and loads each element of it once; only where the elements lie in the input differs. A request of a
// warp moves whole sectors of 32 bytes, however little of each is asked for.
#include "kernels/experiments/coalescing/regions.h"
#include "kernels/experiments/coalescing/shape.h"
#include "kernels/experiments/random_index.h"
#include "kernels/probe/probe.cuh"

namespace warpscope {

using namespace coalescing;

__device__ __forceinline__ uint32_t threadOfGrid() {
  return blockIdx.x * blockDim.x + threadIdx.x;
}

// A load as the compiler makes it, or past L1 with ld.global.cg: all of its sectors then come from L2.
template <uint32_t kPastL1, class T>
__device__ __forceinline__ T loadFrom(const T* __restrict__ from) {
  if constexpr (kPastL1 != 0) {
    return __ldcg(from);
  } else {
    return *from;
  }
}

// Neighbouring lanes, neighbouring words, from the start of a line: 128 bytes are 4 sectors.
template <class Probe, uint32_t kPastL1>
__global__ void __launch_bounds__(1024)
    aligned(Probe probe, uint32_t* __restrict__ out, const uint32_t* __restrict__ in, uint32_t count) {
  auto log = probe.begin();
  log.mark(kIndex);
  const uint32_t i = threadOfGrid();
  if (i >= count) return;
  log.mark(kMove);
  out[i] = loadFrom<kPastL1>(in + i);
}
WARPSCOPE_INSTANTIATE_WITH(aligned, 0);
WARPSCOPE_INSTANTIATE_WITH(aligned, 1);

// The same, `offset` elements further: where that is no multiple of 8, the 128 bytes touch a fifth sector.
template <class Probe, uint32_t kPastL1>
__global__ void __launch_bounds__(1024) offset(Probe probe, uint32_t* __restrict__ out,
                                               const uint32_t* __restrict__ in, uint32_t count, int offset) {
  auto log = probe.begin();
  log.mark(kIndex);
  const uint32_t i = threadOfGrid();
  if (i >= count) return;
  log.mark(kMove);
  out[i] = loadFrom<kPastL1>(in + kGuard + i + offset);
}
WARPSCOPE_INSTANTIATE_WITH(offset, 0);
WARPSCOPE_INSTANTIATE_WITH(offset, 1);

// Down the columns of a matrix with `stride` columns: neighbouring lanes are `stride` elements apart.
template <class Probe, uint32_t kPastL1>
__global__ void __launch_bounds__(1024)
    stride(Probe probe, uint32_t* __restrict__ out, const uint32_t* __restrict__ in, uint32_t count,
           uint32_t rows, uint32_t stride) {
  auto log = probe.begin();
  log.mark(kIndex);
  const uint32_t i = threadOfGrid();
  if (i >= count) return;
  const uint32_t column = i / rows;
  const uint32_t row = i - column * rows;
  log.mark(kMove);
  out[i] = loadFrom<kPastL1>(in + row * stride + column);
}
WARPSCOPE_INSTANTIATE_WITH(stride, 0);
WARPSCOPE_INSTANTIATE_WITH(stride, 1);

// The lanes of a warp load its 32 words in another order (the bits of the lane's number reversed): the same
// sectors, so the same cost.
template <class Probe, uint32_t kPastL1>
__global__ void __launch_bounds__(1024)
    permuted(Probe probe, uint32_t* __restrict__ out, const uint32_t* __restrict__ in, uint32_t count) {
  auto log = probe.begin();
  log.mark(kIndex);
  const uint32_t i = threadOfGrid();
  if (i >= count) return;
  const uint32_t lane = i % 32;
  const uint32_t from = i - lane + (__brev(lane) >> 27);
  log.mark(kMove);
  out[i] = loadFrom<kPastL1>(in + from);
}
WARPSCOPE_INSTANTIATE_WITH(permuted, 0);
WARPSCOPE_INSTANTIATE_WITH(permuted, 1);

// From anywhere: nearly every lane needs a sector of its own.
template <class Probe, uint32_t kPastL1>
__global__ void __launch_bounds__(1024)
    random(Probe probe, uint32_t* __restrict__ out, const uint32_t* __restrict__ in, uint32_t count) {
  auto log = probe.begin();
  log.mark(kIndex);
  const uint32_t i = threadOfGrid();
  if (i >= count) return;
  const uint32_t from = randomIndex(i, count);
  log.mark(kMove);
  out[i] = loadFrom<kPastL1>(in + from);
}
WARPSCOPE_INSTANTIATE_WITH(random, 0);
WARPSCOPE_INSTANTIATE_WITH(random, 1);

// An array of records of 4 fields, a thread a record: each load takes one field of 32 records, 4 bytes in 16.
// The other fields of the sectors that came are found in L1 by the next loads; past L1, each of the four
// brings all of its sectors from L2 again.
template <class Probe, uint32_t kPastL1>
__global__ void __launch_bounds__(1024)
    aos(Probe probe, uint32_t* __restrict__ out, const uint32_t* __restrict__ in, uint32_t records) {
  auto log = probe.begin();
  log.mark(kIndex);
  const uint32_t i = threadOfGrid();
  if (i >= records) return;
  log.mark(kMove);
#pragma unroll
  for (uint32_t field = 0; field < kFields; ++field) {
    out[field * records + i] = loadFrom<kPastL1>(in + kFields * i + field);
  }
}
WARPSCOPE_INSTANTIATE_WITH(aos, 0);
WARPSCOPE_INSTANTIATE_WITH(aos, 1);

// An array for each field: the four loads are as good as aligned ones.
template <class Probe, uint32_t kPastL1>
__global__ void __launch_bounds__(1024)
    soa(Probe probe, uint32_t* __restrict__ out, const uint32_t* __restrict__ in, uint32_t records) {
  auto log = probe.begin();
  log.mark(kIndex);
  const uint32_t i = threadOfGrid();
  if (i >= records) return;
  log.mark(kMove);
#pragma unroll
  for (uint32_t field = 0; field < kFields; ++field) {
    out[field * records + i] = loadFrom<kPastL1>(in + field * records + i);
  }
}
WARPSCOPE_INSTANTIATE_WITH(soa, 0);
WARPSCOPE_INSTANTIATE_WITH(soa, 1);

// 8 bytes a lane: half as many requests of 8 sectors.
template <class Probe, uint32_t kPastL1>
__global__ void __launch_bounds__(1024)
    vec2(Probe probe, uint2* __restrict__ out, const uint2* __restrict__ in, uint32_t pairs) {
  auto log = probe.begin();
  log.mark(kIndex);
  const uint32_t i = threadOfGrid();
  if (i >= pairs) return;
  log.mark(kMove);
  out[i] = loadFrom<kPastL1>(in + i);
}
WARPSCOPE_INSTANTIATE_WITH(vec2, 0);
WARPSCOPE_INSTANTIATE_WITH(vec2, 1);

// 16 bytes a lane: a quarter as many requests of 16 sectors.
template <class Probe, uint32_t kPastL1>
__global__ void __launch_bounds__(1024)
    vec4(Probe probe, uint4* __restrict__ out, const uint4* __restrict__ in, uint32_t quads) {
  auto log = probe.begin();
  log.mark(kIndex);
  const uint32_t i = threadOfGrid();
  if (i >= quads) return;
  log.mark(kMove);
  out[i] = loadFrom<kPastL1>(in + i);
}
WARPSCOPE_INSTANTIATE_WITH(vec4, 0);
WARPSCOPE_INSTANTIATE_WITH(vec4, 1);

}  // namespace warpscope
