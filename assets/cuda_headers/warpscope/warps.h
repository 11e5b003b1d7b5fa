// What the lanes of a warp and the warps of a block do together: barriers, shuffles, votes, matches, fences.
#pragma once

#include "warpscope/language.h"

// Barriers are inline assembly that "changes memory". The compiler's own functions for them let clang 14 keep a __shared__
// variable in a register across the barrier, as if no other thread wrote to it (LLVM's analysis of globals whose address
// is not taken holds intrinsics to write none of them): examples/cuda/odd_even_sort.cu then did not sort.
WS_DEVICE void ws_syncthreads() { asm volatile("bar.sync 0;" ::: "memory"); }
#define __syncthreads() ws_syncthreads()
WS_DEVICE int __syncthreads_count(int predicate) {
  int count;
  asm volatile("{ .reg .pred p; setp.ne.s32 p, %1, 0; bar.red.popc.u32 %0, 0, p; }" : "=r"(count) : "r"(predicate) : "memory");
  return count;
}
WS_DEVICE int __syncthreads_and(int predicate) {
  int all;
  asm volatile("{ .reg .pred p, q; setp.ne.s32 p, %1, 0; bar.red.and.pred q, 0, p; selp.s32 %0, 1, 0, q; }" : "=r"(all) : "r"(predicate) : "memory");
  return all;
}
WS_DEVICE int __syncthreads_or(int predicate) {
  int any;
  asm volatile("{ .reg .pred p, q; setp.ne.s32 p, %1, 0; bar.red.or.pred q, 0, p; selp.s32 %0, 1, 0, q; }" : "=r"(any) : "r"(predicate) : "memory");
  return any;
}
WS_DEVICE void __syncwarp(unsigned int mask = 0xffffffffu) { asm volatile("bar.warp.sync %0;" ::"r"(mask) : "memory"); }
WS_DEVICE void __threadfence() { asm volatile("membar.gl;" ::: "memory"); }
WS_DEVICE void __threadfence_block() { asm volatile("membar.cta;" ::: "memory"); }
WS_DEVICE void __threadfence_system() { asm volatile("membar.sys;" ::: "memory"); }

WS_DEVICE unsigned int __activemask() {
  unsigned int mask;
  asm volatile("activemask.b32 %0;" : "=r"(mask));
  return mask;
}
WS_DEVICE int __all_sync(unsigned int mask, int predicate) { return __nvvm_vote_all_sync(mask, predicate != 0); }
WS_DEVICE int __any_sync(unsigned int mask, int predicate) { return __nvvm_vote_any_sync(mask, predicate != 0); }
WS_DEVICE int __uni_sync(unsigned int mask, int predicate) { return __nvvm_vote_uni_sync(mask, predicate != 0); }
WS_DEVICE unsigned int __ballot_sync(unsigned int mask, int predicate) {
  return __nvvm_vote_ballot_sync(mask, predicate != 0);
}

// The bits of any value of 1 to 8 bytes, in 32-bit words.
template <class T>
struct WsWords {
  static_assert(sizeof(T) <= 8, "a shuffle moves values of at most 8 bytes");
  union {
    T value;
    unsigned int words[(sizeof(T) + 3) / 4];
  };
  __attribute__((device)) WsWords() {}
};

// c holds the segment's mask in bits 8 to 12 and the clamp value in bits 0 to 4, as PTX's shfl.sync takes them.
#define WS_SHUFFLE(name, builtin, clamp, argument)                                                     \
  template <class T>                                                                                   \
  WS_DEVICE T name(unsigned int mask, T value, argument, int width = 32) {                             \
    WsWords<T> words;                                                                                  \
    words.value = value;                                                                               \
    for (unsigned int& word : words.words)                                                             \
      word = (unsigned int)builtin(mask, (int)word, (int)amount, ((32 - width) << 8) | (clamp));       \
    return words.value;                                                                                \
  }
WS_SHUFFLE(__shfl_sync, __nvvm_shfl_sync_idx_i32, 31, int amount)
WS_SHUFFLE(__shfl_up_sync, __nvvm_shfl_sync_up_i32, 0, unsigned int amount)
WS_SHUFFLE(__shfl_down_sync, __nvvm_shfl_sync_down_i32, 31, unsigned int amount)
WS_SHUFFLE(__shfl_xor_sync, __nvvm_shfl_sync_bfly_i32, 31, int amount)
#undef WS_SHUFFLE

template <class T>
WS_DEVICE unsigned int __match_any_sync(unsigned int mask, T value) {
  if constexpr (sizeof(T) == 4) return __nvvm_match_any_sync_i32(mask, __builtin_bit_cast(int, value));
  else return __nvvm_match_any_sync_i64(mask, __builtin_bit_cast(long long, value));
}
template <class T>
WS_DEVICE unsigned int __match_all_sync(unsigned int mask, T value, int* all) {
  if constexpr (sizeof(T) == 4) return __nvvm_match_all_sync_i32p(mask, __builtin_bit_cast(int, value), all);
  else return __nvvm_match_all_sync_i64p(mask, __builtin_bit_cast(long long, value), all);
}

#if __CUDA_ARCH__ >= 800
WS_DEVICE unsigned int __reduce_add_sync(unsigned int mask, unsigned int v) { return __nvvm_redux_sync_add(v, mask); }
WS_DEVICE int __reduce_add_sync(unsigned int mask, int v) { return __nvvm_redux_sync_add(v, mask); }
WS_DEVICE unsigned int __reduce_min_sync(unsigned int mask, unsigned int v) { return __nvvm_redux_sync_umin(v, mask); }
WS_DEVICE int __reduce_min_sync(unsigned int mask, int v) { return __nvvm_redux_sync_min(v, mask); }
WS_DEVICE unsigned int __reduce_max_sync(unsigned int mask, unsigned int v) { return __nvvm_redux_sync_umax(v, mask); }
WS_DEVICE int __reduce_max_sync(unsigned int mask, int v) { return __nvvm_redux_sync_max(v, mask); }
WS_DEVICE unsigned int __reduce_and_sync(unsigned int mask, unsigned int v) { return __nvvm_redux_sync_and(v, mask); }
WS_DEVICE unsigned int __reduce_or_sync(unsigned int mask, unsigned int v) { return __nvvm_redux_sync_or(v, mask); }
WS_DEVICE unsigned int __reduce_xor_sync(unsigned int mask, unsigned int v) { return __nvvm_redux_sync_xor(v, mask); }
#endif

WS_DEVICE void __nanosleep(unsigned int ns) {
#if __CUDA_ARCH__ >= 700
  asm volatile("nanosleep.u32 %0;" ::"r"(ns));
#endif
}
WS_DEVICE long long clock64() { return __nvvm_read_ptx_sreg_clock64(); }
WS_DEVICE int clock() { return __nvvm_read_ptx_sreg_clock(); }
WS_DEVICE unsigned long long globaltimer() {
  unsigned long long ns;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
  return ns;
}
WS_DEVICE void __trap() { asm volatile("trap;"); }
WS_DEVICE void __brkpt() { asm volatile("brkpt;"); }
