// A few threads that repeatedly work through numbered items together, microseconds apart: workers spin for a
// while before they sleep. Each thread begins with a share of its own, the same in each round, so that what
// belongs to an item is still in its processor's caches. A thread that is done takes items from the end of
// others' shares. So it is undefined which thread executes which item; items must not depend on it. Owns its
// threads.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

namespace warpscope::sim {

class WorkerPool {
 public:
  // `threads` includes the caller; 0: as many as the host has.
  explicit WorkerPool(uint32_t threads);
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  uint32_t threads() const { return static_cast<uint32_t>(workers_.size()) + 1; }
  // Calls work(i) for each i below `count`, on the caller's thread, too; returns when all calls have
  // returned.
  template <class Work>
  void forEach(uint32_t count, Work&& work) {
    run(
        count, [](void* context, uint32_t i) { (*static_cast<std::remove_reference_t<Work>*>(context))(i); },
        &work);
  }

 private:
  using Call = void (*)(void* context, uint32_t item);
  // Holds what is left of a thread's share: the round (upper 24 bits), where the items end, and the next one
  // (20 bits each). It is a single word, so that a late thread cannot claim an item of a round that it knows
  // nothing of.
  struct alignas(64) Share {
    std::atomic<uint64_t> left{0};
  };
  void run(uint32_t count, Call call, void* context);
  void work(uint32_t thread, uint32_t round);
  uint32_t workThrough(Share& share, uint32_t round, bool own);
  void workerLoop(uint32_t thread);

  std::vector<Share> shares_;
  std::atomic<uint32_t> done_{0};
  std::atomic<uint32_t> round_{0};  // sleeping workers watch it
  std::atomic<bool> stop_{false};
  Call call_ = nullptr;
  void* context_ = nullptr;
  std::vector<std::thread> workers_;
};

// The pool that the latest launch had stays for the next one: threads take longer to begin than a short
// launch takes in all.
class WorkerPools {
 public:
  WorkerPool& withThreads(uint32_t threads) {
    if (!pool_ || threads_ != threads) pool_ = std::make_unique<WorkerPool>(threads);
    threads_ = threads;
    return *pool_;
  }

 private:
  uint32_t threads_ = 0;
  std::unique_ptr<WorkerPool> pool_;
};

}  // namespace warpscope::sim
