// Cooperative groups: the block, tiles of a warp, and the threads that run together.
#pragma once

#include "cuda_pipeline.h"

namespace cooperative_groups {

struct thread_block {
  static WS_CODE void sync() { __syncthreads(); }
  static WS_CODE unsigned int thread_rank() {
    return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  }
  static WS_CODE unsigned int size() { return blockDim.x * blockDim.y * blockDim.z; }
  static WS_CODE unsigned int num_threads() { return size(); }
  static WS_CODE dim3 group_index() { return blockIdx; }
  static WS_CODE dim3 thread_index() { return threadIdx; }
  static WS_CODE dim3 group_dim() { return blockDim; }
  static WS_CODE dim3 dim_threads() { return blockDim; }
};
WS_DEVICE thread_block this_thread_block() { return {}; }

// Counts the blocks that have arrived; its highest bit changes each time that all have. It belongs to the module, so two
// launches of its kernels must not wait at the same time.
static __attribute__((device, used)) unsigned int ws_grid_barrier;

// All blocks of a cooperative launch.
struct grid_group {
  static WS_CODE bool is_valid() { return true; }
  static WS_CODE void sync() {
    __syncthreads();
    if (thread_block::thread_rank() == 0) {
      const unsigned int blocks = gridDim.x * gridDim.y * gridDim.z;
      const bool is_first = blockIdx.x == 0 && blockIdx.y == 0 && blockIdx.z == 0;
      __threadfence();
      const unsigned int before = atomicAdd(&ws_grid_barrier, is_first ? 0x80000000u - (blocks - 1) : 1u);
      while (((before ^ *(volatile unsigned int*)&ws_grid_barrier) & 0x80000000u) == 0) {
      }
      __threadfence();
    }
    __syncthreads();
  }
  static WS_CODE unsigned long long thread_rank() {
    const unsigned long long block = ((unsigned long long)blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    return block * thread_block::size() + thread_block::thread_rank();
  }
  static WS_CODE unsigned long long size() {
    return (unsigned long long)gridDim.x * gridDim.y * gridDim.z * thread_block::size();
  }
  static WS_CODE unsigned long long num_threads() { return size(); }
  static WS_CODE dim3 group_dim() { return gridDim; }
};
WS_DEVICE grid_group this_grid() { return {}; }

// Threads of one warp: `mask` holds their lanes.
class ws_lanes {
 public:
  WS_CODE explicit ws_lanes(unsigned int mask) : mask_(mask) {}
  WS_CODE void sync() const { __syncwarp(mask_); }
  WS_CODE int any(int p) const { return __any_sync(mask_, p); }
  WS_CODE int all(int p) const { return __all_sync(mask_, p); }
  WS_CODE unsigned int ws_mask() const { return mask_; }

 protected:
  static WS_CODE unsigned int lane() { return __nvvm_read_ptx_sreg_laneid(); }
  unsigned int mask_;
};

// `size` neighbouring lanes, a power of two.
template <unsigned int Size, class Parent = void>
class thread_block_tile : public ws_lanes {
  static_assert(Size > 0 && Size <= 32 && (Size & (Size - 1)) == 0, "tiles of 1, 2, 4, 8, 16 or 32 threads are supported");

 public:
  WS_CODE thread_block_tile() : ws_lanes((Size == 32 ? ~0u : (1u << (Size % 32)) - 1u) << (thread_block::thread_rank() % 32 / Size * Size)) {}
  // A tile of any parent is one of no particular parent.
  template <class Other> WS_CODE thread_block_tile(const thread_block_tile<Size, Other>& other) : ws_lanes(other.ws_mask()) {}
  static constexpr WS_CODE unsigned int size() { return Size; }
  static constexpr WS_CODE unsigned int num_threads() { return Size; }
  static WS_CODE unsigned int thread_rank() { return thread_block::thread_rank() % Size; }
  static WS_CODE unsigned int meta_group_rank() { return thread_block::thread_rank() / Size; }
  static WS_CODE unsigned int meta_group_size() { return (thread_block::size() + Size - 1) / Size; }
  template <class T> WS_CODE T shfl(T v, int from) const { return __shfl_sync(mask_, v, from, Size); }
  template <class T> WS_CODE T shfl_up(T v, unsigned int d) const { return __shfl_up_sync(mask_, v, d, Size); }
  template <class T> WS_CODE T shfl_down(T v, unsigned int d) const { return __shfl_down_sync(mask_, v, d, Size); }
  template <class T> WS_CODE T shfl_xor(T v, unsigned int m) const { return __shfl_xor_sync(mask_, v, (int)m, Size); }
  WS_CODE unsigned int ballot(int p) const { return (__ballot_sync(mask_, p) & mask_) >> (lane() / Size * Size); }
  template <class T> WS_CODE unsigned int match_any(T v) const { return __match_any_sync(mask_, v) >> (lane() / Size * Size); }
  template <class T> WS_CODE unsigned int match_all(T v, int& all) const { return __match_all_sync(mask_, v, &all) >> (lane() / Size * Size); }
};
template <unsigned int Size, class Group>
WS_CODE inline thread_block_tile<Size, Group> tiled_partition(const Group&) { return {}; }

class coalesced_group : public ws_lanes {
 public:
  using ws_lanes::ws_lanes;
  WS_CODE unsigned int size() const { return (unsigned int)__popc(mask_); }
  WS_CODE unsigned int num_threads() const { return size(); }
  WS_CODE unsigned int thread_rank() const { return (unsigned int)__popc(mask_ & ((1u << lane()) - 1u)); }
  template <class T> WS_CODE T shfl(T v, unsigned int rank) const { return __shfl_sync(mask_, v, (int)laneOf(rank)); }
  template <class T> WS_CODE T shfl_up(T v, unsigned int d) const {
    const unsigned int rank = thread_rank();
    return __shfl_sync(mask_, v, (int)(rank < d ? lane() : laneOf(rank - d)));
  }
  template <class T> WS_CODE T shfl_down(T v, unsigned int d) const {
    const unsigned int rank = thread_rank() + d;
    return __shfl_sync(mask_, v, (int)(rank < size() ? laneOf(rank) : lane()));
  }
  // A bit for each member, in the order of their ranks.
  WS_CODE unsigned int ballot(int p) const { return packed(__ballot_sync(mask_, p)); }
  template <class T> WS_CODE unsigned int match_any(T v) const { return packed(__match_any_sync(mask_, v)); }

 private:
  WS_CODE unsigned int laneOf(unsigned int rank) const { return __fns(mask_, 0, (int)rank + 1); }
  WS_CODE unsigned int packed(unsigned int lanes) const {
    unsigned int bits = 0, rank = 0;
    for (unsigned int left = mask_; left != 0; left &= left - 1, ++rank) bits |= ((lanes >> (__ffs((int)left) - 1)) & 1u) << rank;
    return bits;
  }
};
WS_DEVICE coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }

template <class Group> WS_CODE inline void sync(const Group& group) { group.sync(); }

// The threads of the group copy together; the copy has ended after wait(group).
template <class Group>
WS_CODE inline void memcpy_async(const Group& group, void* to, const void* from, size_t bytes) {
  const size_t words = (((size_t)to | (size_t)from | bytes) & 3) == 0 ? bytes / 4 : 0;
  for (size_t i = group.thread_rank(); i < words; i += group.size()) {
    if (__isShared(to) && __isGlobal(from)) __pipeline_memcpy_async((unsigned int*)to + i, (const unsigned int*)from + i, 4);
    else ((unsigned int*)to)[i] = ((const unsigned int*)from)[i];
  }
  for (size_t i = 4 * words + group.thread_rank(); i < bytes; i += group.size()) ((char*)to)[i] = ((const char*)from)[i];
  __pipeline_commit();
}
template <class Group, class T>
WS_CODE inline void memcpy_async(const Group& group, T* to, size_t to_count, const T* from, size_t from_count) {
  memcpy_async(group, (void*)to, (const void*)from, (to_count < from_count ? to_count : from_count) * sizeof(T));
}
template <class Group>
WS_CODE inline void wait(const Group& group) {
  __pipeline_wait_prior(0);
  group.sync();
}

template <class T> struct plus { WS_CODE T operator()(T a, T b) const { return a + b; } };
template <class T> struct less { WS_CODE T operator()(T a, T b) const { return b < a ? b : a; } };
template <class T> struct greater { WS_CODE T operator()(T a, T b) const { return a < b ? b : a; } };
template <class T> struct bit_and { WS_CODE T operator()(T a, T b) const { return a & b; } };
template <class T> struct bit_or { WS_CODE T operator()(T a, T b) const { return a | b; } };
template <class T> struct bit_xor { WS_CODE T operator()(T a, T b) const { return a ^ b; } };

// Every member gets the result.
template <unsigned int Size, class Parent, class T, class Operation>
WS_CODE inline T reduce(const thread_block_tile<Size, Parent>& tile, T v, Operation operation) {
  for (unsigned int distance = Size / 2; distance > 0; distance /= 2) v = operation(v, tile.shfl_xor(v, distance));
  return v;
}
template <class T, class Operation>
WS_CODE inline T reduce(const coalesced_group& group, T v, Operation operation) {
  T result = group.shfl(v, 0u);
  for (unsigned int rank = 1; rank < group.size(); ++rank) result = operation(result, group.shfl(v, rank));
  return result;
}
template <unsigned int Size, class Parent, class T, class Operation>
WS_CODE inline T inclusive_scan(const thread_block_tile<Size, Parent>& tile, T v, Operation operation) {
  for (unsigned int distance = 1; distance < Size; distance *= 2) {
    const T other = tile.shfl_up(v, distance);
    if (tile.thread_rank() >= distance) v = operation(other, v);
  }
  return v;
}
template <unsigned int Size, class Parent, class T>
WS_CODE inline T inclusive_scan(const thread_block_tile<Size, Parent>& tile, T v) { return inclusive_scan(tile, v, plus<T>()); }
template <unsigned int Size, class Parent, class T>
WS_CODE inline T exclusive_scan(const thread_block_tile<Size, Parent>& tile, T v) {
  const T before = tile.shfl_up(inclusive_scan(tile, v), 1);
  return tile.thread_rank() == 0 ? T() : before;
}

}  // namespace cooperative_groups
