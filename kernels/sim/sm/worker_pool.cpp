#include "kernels/sim/sm/worker_pool.h"

#include <algorithm>

namespace warpscope::sim {
namespace {

constexpr uint32_t kItemBits = 20;
constexpr uint64_t kItemMask = (uint64_t{1} << kItemBits) - 1;
constexpr uint64_t kRoundMask = (uint64_t{1} << (64 - 2 * kItemBits)) - 1;
constexpr uint32_t kSpins = 4000;  // about 20 microseconds

void pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#else
  std::this_thread::yield();
#endif
}

}  // namespace

WorkerPool::WorkerPool(uint32_t threads)
    : shares_(threads == 0 ? std::max(std::thread::hardware_concurrency(), 1U) : threads) {
  for (uint32_t i = 1; i < shares_.size(); ++i) workers_.emplace_back([this, i] { workerLoop(i); });
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
  const uint64_t shares = shares_.size();
  for (uint64_t i = 0; i < shares; ++i) {
    const uint64_t begin = count * i / shares, end = count * (i + 1) / shares;
    shares_[i].left.store(uint64_t{round} << (2 * kItemBits) | end << kItemBits | begin,
                          std::memory_order_release);
  }
  round_.store(round, std::memory_order_release);
  round_.notify_all();
  work(0, round);
  for (uint32_t spins = 0; done_.load(std::memory_order_acquire) != count; ++spins) {
    if (spins < kSpins) {
      pause();
    } else {
      std::this_thread::yield();
    }
  }
}

// Its own share first, then what others have left.
void WorkerPool::work(uint32_t thread, uint32_t round) {
  const auto threads = static_cast<uint32_t>(shares_.size());
  uint32_t done = 0;
  for (uint32_t i = 0; i < threads; ++i) done += workThrough(shares_[(thread + i) % threads], round, i == 0);
  if (done > 0) done_.fetch_add(done, std::memory_order_acq_rel);
}

// Claims and executes items of the round one by one, until none is left or another round has begun. Returns
// how many.
uint32_t WorkerPool::workThrough(Share& share, uint32_t round, bool own) {
  uint32_t done = 0;
  uint64_t left = share.left.load(std::memory_order_acquire);
  while (true) {
    const uint64_t next = left & kItemMask, end = left >> kItemBits & kItemMask;
    if (left >> (2 * kItemBits) != (round & kRoundMask) || next >= end) return done;
    const uint64_t claimed = own ? left + 1 : left - (kItemMask + 1);
    if (!share.left.compare_exchange_weak(left, claimed, std::memory_order_acq_rel)) continue;
    call_(context_, static_cast<uint32_t>(own ? next : end - 1));
    ++done;
    left = share.left.load(std::memory_order_acquire);
  }
}

void WorkerPool::workerLoop(uint32_t thread) {
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
    work(thread, round);
  }
}

}  // namespace warpscope::sim
