// Brings a line of the host's memory into its caches before it is needed.
#pragma once

#include <cstddef>

namespace warpscope::sim {

inline void prefetchHost(const void* at) {
  // Into the second-level cache: what waits for the first one's few places is dropped if there are many.
  __builtin_prefetch(at, 0, 2);
  // To a compiler, a function that does nothing but prefetch has no effect, and calls of it are left out.
  asm volatile("" : : "r"(at));
}

inline void prefetchHost(const void* from, size_t bytes) {
  constexpr size_t kHostLine = 64;
  const auto* at = static_cast<const std::byte*>(from);
  for (size_t i = 0; i < bytes; i += kHostLine) prefetchHost(at + i);
  if (bytes > 0) prefetchHost(at + bytes - 1);
}

}  // namespace warpscope::sim
