// A loop that is divided among the processor's cores, for work on all of a trace.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

namespace warpscope {

// Calls work(i) for each i below `count`, once, in any order and from several threads at a time; returns when
// all are done. `work` must not throw. With one thread, or one piece, no thread is started.
template <class Work>
void forEachInParallel(size_t count, size_t threads, Work&& work) {
  std::atomic<size_t> next{0};
  const auto run = [&] {
    for (size_t i = next++; i < count; i = next++) work(i);
  };
  std::vector<std::jthread> others;
  for (size_t i = 1; i < std::min(threads, count); ++i) others.emplace_back(run);
  run();
}

inline size_t processorCount() {
  return std::max(1U, std::thread::hardware_concurrency());
}

}  // namespace warpscope
