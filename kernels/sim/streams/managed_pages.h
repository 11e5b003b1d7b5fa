// Managed memory of a simulated GPU: where each page is, and what it takes to bring those that are touched.
//
// A block that touches pages of the host's memory raises faults and waits. The driver serves faults in
// batches: `page_fault_batch_ns` after the first fault, what has faulted by then moves, at
// `migration_bytes_per_ns`; meanwhile, further faults wait for the next batch, which begins at once as long
// as the driver has not been idle for that time: what it takes for each batch is part of the rate, as
// `calibrate` measures it. With the pages that faulted come those around them that the driver's tree
// prefetcher adds: where more than half of an aligned power of two of pages, up to 2 MiB, is on its way or
// there, the rest follows (Ganguly et al., Interplay between Hardware Prefetcher and Page Eviction Policy in
// CPU-GPU Unified Virtual Memory, ISCA 2019; batches: Allen and Ge, In-Depth Analyses of Unified Virtual
// Memory System for GPU Accelerated Computing, SC 2021). The host's faults are served one by one, and pages
// are then copied to it. Pages of the host's memory that the device has mapped (MemoryAdvice::staysOnHost) do
// not move: the block's bytes pass the link, after those of others.
//
// Which bytes a block touches is not looked at: launches are taken to work through each managed buffer that
// they are passed from its begin to its end, block by block. Times are in SM cycles.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "kernels/backend/backend.h"
#include "kernels/sim/sm/profile.h"

namespace warpscope::sim {

class ManagedPages {
 public:
  static constexpr uint64_t kNever = ~uint64_t{0};
  ManagedPages(std::span<const StreamWork::Managed> memory, const DeviceProfile& profile);

  // Whether it is passed a managed buffer.
  bool usedBy(const LaunchSpec& launch) const;

  // A block that has come to its first access of memory.
  struct Touch {
    uint32_t operation = 0, block = 0, blocks = 0;  // of `blocks` that the launch has
  };
  void touch(const Touch& by, const LaunchSpec& launch, uint64_t now);
  // When a block can go on, or a batch begins to move or has arrived; kNever: nobody waits.
  uint64_t nextChange() const;
  // Goes on to `now`; returns the blocks that can go on, and since when.
  struct GoesOn {
    uint32_t operation = 0, block = 0;
    uint64_t at = 0;
  };
  std::vector<GoesOn> advance(uint64_t now);

  // How long the faults of a host function take that touches these bytes from `now` on; the pages are there
  // then.
  uint64_t hostTouches(uint32_t operation, DeviceAddress address, uint64_t bytes, uint64_t now);
  // The bytes that a prefetch moves, which are not there already.
  uint64_t prefetch(DeviceAddress address, uint64_t bytes, MemoryPlace to);

  // In cycles in place of ns.
  const std::vector<PageMigration>& migrations() const { return migrations_; }

 private:
  static constexpr uint32_t kPagesOfTree = 32;       // 2 MiB
  static constexpr size_t kMostFaultsOfBatch = 256;  // Allen and Ge, SC 2021: the driver's default
  struct Buffer {
    DeviceAddress address = 0;
    uint64_t bytes = 0;
    bool stays = false;         // on the host, mapped
    std::vector<bool> on_host;  // by page
  };
  struct Page {
    uint32_t buffer = 0, number = 0;
    auto operator<=>(const Page&) const = default;
  };
  struct Waiting {
    GoesOn block;      // `at`: no sooner, whatever arrives
    size_t lacks = 0;  // pages that it waits for
  };
  struct Batch {
    uint32_t operation = 0, faults = 0;
    uint64_t begin = 0, taken_at = 0;
    uint64_t end = kNever;  // while the driver still looks at the faults
    std::vector<Page> pages;
  };

  uint64_t cycles(double ns) const { return static_cast<uint64_t>(ns * cycles_per_ns_); }
  uint64_t moving(uint64_t bytes) const;
  uint64_t bytesOf(const Page& page) const;
  uint64_t bytesOf(std::span<const Page> pages) const;
  void fault(const Page& page, uint32_t operation, size_t waiting, uint64_t now);
  void beginBatch(uint64_t now);
  void takeFaults();
  void arrive();
  // The pages that move with these of one tree, which faulted; they are on their way from then on.
  std::vector<Page> withPrefetched(std::span<const Page> faulted, bool to_device) const;

  const DeviceProfile& profile_;
  double cycles_per_ns_;
  std::vector<Buffer> buffers_;
  std::deque<std::pair<Page, uint32_t>> faults_;  // not served yet, with the operation that touched the page
  std::map<Page, std::vector<size_t>> waited_for_;  // by page that faulted: indices into waiting_
  std::vector<Waiting> waiting_;
  std::vector<GoesOn> ready_;  // blocks that lack nothing
  std::optional<Batch> batch_;
  uint64_t link_free_ = 0;
  uint64_t served_until_ = kNever;  // when the last batch had arrived; kNever: there was none
  std::vector<PageMigration> migrations_;
};

}  // namespace warpscope::sim
