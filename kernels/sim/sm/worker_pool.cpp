#include "kernels/sim/sm/worker_pool.h"

#include <algorithm>

namespace warpscope::sim {
namespace {

constexpr uint32_t kItemBits = 20;
constexpr uint64_t kItemMask = (uint64_t{1} << kItemBits) - 1;
constexpr uint32_t kSpins = 4000;  // about 20 microseconds

void pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#else
  std::this_thread::yield();
#endif
}

}  // namespace

WorkerPool::WorkerPool(uint32_t threads) {
  if (threads == 0) threads = std::max(std::thread::hardware_concurrency(), 1U);
  for (uint32_t i = 1; i < threads; ++i) workers_.emplace_back([this] { workerLoop(); });
}

WorkerPool::~WorkerPool() {
  stop_.store(true);
  round_.fetch_add(1);
  round_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void WorkerPool::run(uint32_t count, Call call, void* context) {
  if (workers_.empty() || count <= 1 || count > kItemMask) {
    for (uint32_t i = 0; i < count; ++i) call(context, i);
    return;
  }
  call_ = call;
  context_ = context;
  done_.store(0, std::memory_order_relaxed);
  const uint32_t round = round_.load(std::memory_order_relaxed) + 1;
  ticket_.store(uint64_t{round} << (2 * kItemBits) | uint64_t{count} << kItemBits, std::memory_order_release);
  round_.store(round, std::memory_order_release);
  round_.notify_all();
  while (claimAndRun(round)) {
  }
  for (uint32_t spins = 0; done_.load(std::memory_order_acquire) != count; ++spins) {
    if (spins < kSpins) {
      pause();
    } else {
      std::this_thread::yield();
    }
  }
}

// Claims one item of the round and executes it. Returns false if none is left, or if another round has begun.
bool WorkerPool::claimAndRun(uint64_t round) {
  const uint64_t round_bits = (round << (2 * kItemBits)) >> (2 * kItemBits);
  uint64_t ticket = ticket_.load(std::memory_order_acquire);
  do {
    if (ticket >> (2 * kItemBits) != round_bits ||
        (ticket & kItemMask) >= ((ticket >> kItemBits) & kItemMask)) {
      return false;
    }
  } while (!ticket_.compare_exchange_weak(ticket, ticket + 1, std::memory_order_acq_rel));
  call_(context_, static_cast<uint32_t>(ticket & kItemMask));
  done_.fetch_add(1, std::memory_order_acq_rel);
  return true;
}

void WorkerPool::workerLoop() {
  uint32_t seen = 0;
  while (true) {
    uint32_t round = round_.load(std::memory_order_acquire);
    for (uint32_t spins = 0; round == seen && spins < kSpins; ++spins) {
      pause();
      round = round_.load(std::memory_order_acquire);
    }
    if (round == seen) {
      round_.wait(seen, std::memory_order_acquire);
      continue;
    }
    if (stop_.load(std::memory_order_acquire)) return;
    seen = round;
    while (claimAndRun(round)) {
    }
  }
}

}  // namespace warpscope::sim
