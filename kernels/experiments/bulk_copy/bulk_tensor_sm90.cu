// Bulk copies of tensors: the same work as in bulk_copy_sm90.cu, but a tile is a box of a matrix with short
// rows. One instruction brings it, and one takes the results back, by the matrix's tensor map, which may
// swizzle the rows on their way.
#include "kernels/experiments/bulk_copy/mbarrier.cuh"
#include "kernels/experiments/bulk_copy/regions.h"
#include "kernels/probe/probe.cuh"

namespace warpscope {

using namespace bulk_copy;

struct alignas(128) TensorMap {  // CUtensorMap
  uint64_t opaque[16];
};

__device__ __forceinline__ void prefetch(const TensorMap* map) {
  asm volatile("prefetch.tensormap [%0];" ::"l"(map) : "memory");
}
// The box whose first row is `row`.
__device__ __forceinline__ void copyBox(void* to, const TensorMap* map, uint32_t row, uint64_t* barrier) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, "
      "%3}], "
      "[%4];" ::"r"(sharedAddress(to)),
      "l"(map), "r"(0), "r"(row), "r"(sharedAddress(barrier))
      : "memory");
}
__device__ __forceinline__ void storeBox(const TensorMap* map, uint32_t row, const void* from) {
  asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(map),
               "r"(0), "r"(row), "r"(sharedAddress(from))
               : "memory");
}
// Of the threads that compute.
__device__ __forceinline__ void meet(uint32_t threads) {
  asm volatile("bar.sync 1, %0;" ::"r"(threads) : "memory");
}

// Where 16 bytes of a tile's row are: a swizzle exchanges them with others of the row, as bits of the address
// above the lowest seven say. `mask` has as many of these bits as the swizzle uses.
__device__ __forceinline__ uint4* chunkOf(unsigned char* tile, uint32_t byte, uint32_t mask) {
  const uint32_t address = sharedAddress(tile) + byte;
  return reinterpret_cast<uint4*>(tile + (byte ^ (address >> 7 & mask) << 4));
}

// As bulk_both_ways, by tensor maps. Each thread takes 16 bytes of a row, and neighbouring lanes take
// neighbouring rows: the lanes of a warp go down a column of the tile.
template <class Probe>
__global__ void __launch_bounds__(1024)
    tensor(Probe probe, const __grid_constant__ TensorMap in, const __grid_constant__ TensorMap out,
           uint32_t tiles, uint32_t stages, uint32_t row_bytes, uint32_t swizzle_mask) {
  extern __shared__ __align__(1024) unsigned char boxes[];
  auto log = probe.begin();
  log.mark(kPrepare);
  const uint32_t threads = blockDim.x - 32, tile_bytes = threads * kElementsPerThread * 4;
  const uint32_t rows = tile_bytes / row_bytes, copies = (rows + kMostBoxRows - 1) / kMostBoxRows;
  const uint32_t box_rows = rows / copies;
  const uint32_t first = blockIdx.x * kTilesPerBlock, count = min(kTilesPerBlock, tiles - first);
  unsigned char* results = boxes + stages * tile_bytes;
  uint64_t* full = reinterpret_cast<uint64_t*>(results + tile_bytes);
  uint64_t* empty = full + kMostStages;
  if (threadIdx.x == 0) {
    prefetch(&in);
    prefetch(&out);
    for (uint32_t stage = 0; stage < stages; ++stage) {
      initBarrier(&full[stage], 1);
      initBarrier(&empty[stage], threads / 32);
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    for (uint32_t n = 0; n < count; ++n) {
      const uint32_t stage = n % stages, round = n / stages;
      if (round > 0) {
        log.mark(kWaitEmpty);
        waitFor(&empty[stage], (round - 1) & 1);
      }
      log.mark(kCopy);
      arriveExpecting(&full[stage], tile_bytes);
      for (uint32_t row = 0; row < rows; row += box_rows)
        copyBox(boxes + stage * tile_bytes + row * row_bytes, &in, (first + n) * rows + row, &full[stage]);
    }
  }
  if (threadIdx.x < 32) return;
  const uint32_t thread = threadIdx.x - 32;
  const uint32_t byte = thread % rows * row_bytes + thread / rows * 16, mirror_byte = tile_bytes - 16 - byte;
  for (uint32_t n = 0; n < count; ++n) {
    const uint32_t stage = n % stages;
    unsigned char* tile = boxes + stage * tile_bytes;
    log.mark(kWaitFull);
    waitFor(&full[stage], n / stages & 1);
    log.mark(kStore);
    if (thread == 0) asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
    meet(threads);
    log.mark(kCompute);
    const uint4 own = *chunkOf(tile, byte, swizzle_mask);
    const uint4 mirror = *chunkOf(tile, mirror_byte, swizzle_mask);
    *chunkOf(results, byte, swizzle_mask) =
        make_uint4(3 * own.x + mirror.w, 3 * own.y + mirror.z, 3 * own.z + mirror.y, 3 * own.w + mirror.x);
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncwarp();
    if (threadIdx.x % 32 == 0) arrive(&empty[stage]);
    log.mark(kMeet);
    meet(threads);
    if (thread == 0) {
      for (uint32_t row = 0; row < rows; row += box_rows)
        storeBox(&out, (first + n) * rows + row, results + row * row_bytes);
      asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    }
  }
  if (thread == 0) asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}
WARPSCOPE_INSTANTIATE(tensor);

}  // namespace warpscope
