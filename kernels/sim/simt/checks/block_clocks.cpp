#include "kernels/sim/simt/checks/block_clocks.h"

#include <algorithm>
#include <utility>

namespace warpscope::sim {
namespace {

template <class Function>
void forThreads(std::span<const BlockClocks::Part> parts, Function&& function) {
  for (const BlockClocks::Part& part : parts) {
    forLanes(part.mask, [&](uint32_t lane) { function(part.warp * 32 + lane, part.waits); });
  }
}

}  // namespace

BlockClocks::BlockClocks(uint32_t threads)
    : threads_((threads + 31) / 32 * 32),
      self_(threads_),
      floor_(threads_),
      rows_(size_t{threads_} * 32),
      far_(threads_),
      strong_(threads_),
      fenced_(threads_) {
  restart(0);
}

void BlockClocks::restart(uint32_t block) {
  block_ = block;
  std::fill(self_.begin(), self_.end(), 1);
  std::fill(floor_.begin(), floor_.end(), 0);
  std::fill(rows_.begin(), rows_.end(), 0);
  std::fill(far_.begin(), far_.end(), Knowledge());
  std::fill(strong_.begin(), strong_.end(), Strong());
  std::fill(fenced_.begin(), fenced_.end(), uint8_t{0});
}

uint32_t BlockClocks::unordered(const AccessRecord& earlier, uint32_t thread) const {
  uint32_t open = earlier.mask;
  if (earlier.block == block_) {
    if (earlier.clock <= floor_[thread]) return 0;
    if (earlier.warp == thread / 32) {
      open &= ~(1U << (thread % 32));
      const uint32_t* known = row(thread);
      forLanes(open, [&](uint32_t lane) {
        if (earlier.clock <= known[lane]) open &= ~(1U << lane);
      });
    }
  }
  if (open == 0 || far_[thread].empty()) return open;
  const BlockKnowledge* known = far_[thread].of(earlier.block);
  if (known == nullptr) return open;
  if (earlier.clock <= known->floor) return 0;
  forLanes(open, [&](uint32_t lane) {
    if (earlier.clock <= known->clockOf(earlier.warp * 32U + lane)) open &= ~(1U << lane);
  });
  return open;
}

void BlockClocks::warpBarrier(uint32_t warp, uint32_t mask) {
  const uint32_t first = warp * 32;
  uint32_t joined[32] = {};
  uint32_t floor = 0, clock = 0;
  bool simple = true;
  forLanes(mask, [&](uint32_t lane) {
    const uint32_t* known = row(first + lane);
    for (uint32_t i = 0; i < 32; ++i) joined[i] = std::max(joined[i], known[i]);
    floor = std::max(floor, floor_[first + lane]);
    clock = std::max(clock, self_[first + lane]);
    acquire(first + lane, Scope::kDevice);
    simple = simple && far_[first + lane].empty() && strong_[first + lane].empty();
  });
  forLanes(mask, [&](uint32_t lane) { joined[lane] = std::max(joined[lane], self_[first + lane]); });
  Knowledge far;
  Strong strong;
  forLanes(mask, [&](uint32_t lane) {
    strong.block.floor = std::max(strong.block.floor, strong_[first + lane].block.floor);
    if (simple) return;
    far = join(far, far_[first + lane]);
    strong.device = join(strong.device, strong_[first + lane].device);
    strong.block.more = join(strong.block.more, strong_[first + lane].block.more);
  });
  forLanes(mask, [&](uint32_t lane) {
    const uint32_t thread = first + lane;
    std::copy(joined, joined + 32, row(thread));
    floor_[thread] = floor;
    self_[thread] = clock + 1;
    strong_[thread].block.floor = strong.block.floor;
    if (simple) return;
    far_[thread] = far;
    strong_[thread] = strong;
  });
}

void BlockClocks::wholeBarrier() {
  uint32_t clock = 0;
  Strong strong;
  Knowledge far;
  for (uint32_t t = 0; t < threads_; ++t) {
    acquire(t, Scope::kDevice);
    clock = std::max(clock, self_[t]);
    far = join(far, far_[t]);
    strong.device = join(strong.device, strong_[t].device);
  }
  // All of this block is known up to `clock`; individual clocks of it in `far` add nothing.
  far = far.without(block_);
  strong.block = {clock, far};
  std::fill(self_.begin(), self_.end(), clock + 1);
  std::fill(floor_.begin(), floor_.end(), clock);
  std::fill(far_.begin(), far_.end(), far);
  std::fill(strong_.begin(), strong_.end(), strong);
}

Knowledge BlockClocks::knowledgeOfAll() const {
  BlockKnowledge own;
  own.floor = floor_.front();
  return join(far_.front(), Knowledge(block_, std::move(own)));
}

void BlockClocks::learnAll(const Knowledge& others) {
  const Knowledge far = join(far_.front(), others.without(block_));
  std::fill(far_.begin(), far_.end(), far);
  for (Strong& strong : strong_) strong.block.more = far;
}

Knowledge BlockClocks::knowledgeOf(std::span<const Part> parts) const {
  std::vector<uint32_t> clocks(threads_, 0);
  BlockKnowledge own;
  Knowledge far;
  forThreads(parts, [&](uint32_t thread, bool) {
    own.floor = std::max(own.floor, floor_[thread]);
    clocks[thread] = std::max(clocks[thread], self_[thread]);
    const uint32_t first = thread / 32 * 32;
    for (uint32_t i = 0; i < 32; ++i) clocks[first + i] = std::max(clocks[first + i], row(thread)[i]);
    far = join(far, far_[thread]);
  });
  for (uint32_t t = 0; t < threads_; ++t) {
    if (clocks[t] > own.floor) own.threads.push_back({t, clocks[t]});
  }
  return join(far, Knowledge(block_, std::move(own)));
}

void BlockClocks::partialBarrier(std::span<const Part> parts) {
  forThreads(parts, [&](uint32_t thread, bool) { acquire(thread, Scope::kDevice); });
  const Knowledge known = knowledgeOf(parts);
  Knowledge device;
  uint32_t clock = 0;
  forThreads(parts, [&](uint32_t thread, bool) {
    device = join(device, strong_[thread].device);
    clock = std::max(clock, self_[thread]);
  });
  forThreads(parts, [&](uint32_t thread, bool waits) {
    self_[thread] = clock + 1;
    if (!waits) return;
    learn(thread, known);
    strong_[thread].device = device;
    strong_[thread].block.more = known;
  });
}

Knowledge BlockClocks::all(uint32_t thread) const {
  const Part self{thread / 32, 1U << (thread % 32), true};
  BlockKnowledge own;
  own.floor = floor_[thread];
  for (uint32_t lane = 0; lane < 32; ++lane) {
    const uint32_t other = self.warp * 32 + lane;
    const uint32_t clock = other == thread ? self_[thread] : row(thread)[lane];
    if (clock > own.floor) own.threads.push_back({other, clock});
  }
  return join(far_[thread], Knowledge(block_, std::move(own)));
}

void BlockClocks::learn(uint32_t thread, const Knowledge& knowledge) {
  far_[thread] = join(far_[thread], knowledge);
  if (const BlockKnowledge* own = far_[thread].of(block_))
    floor_[thread] = std::max(floor_[thread], own->floor);
}

void BlockClocks::acquire(uint32_t thread, Scope scope) {
  Strong& strong = strong_[thread];
  floor_[thread] = std::max(floor_[thread], std::exchange(strong.pending_block.floor, 0));
  if (!strong.pending_block.more.empty()) learn(thread, std::exchange(strong.pending_block.more, {}));
  if (scope == Scope::kDevice && !strong.pending.empty()) learn(thread, std::exchange(strong.pending, {}));
}

void BlockClocks::release(uint32_t thread, Scope scope) {
  Strong& strong = strong_[thread];
  strong.block.more = all(thread);
  if (scope == Scope::kDevice) strong.device = strong.block.more;
  ++self_[thread];
  fenced_[thread] = 1;
}

void BlockClocks::strongRead(uint32_t thread, Scope scope, const Published& published) {
  Strong& strong = strong_[thread];
  if (const auto own = published.block.find(block_); own != published.block.end()) {
    strong.pending_block.floor = std::max(strong.pending_block.floor, own->second.floor);
    strong.pending_block.more = join(strong.pending_block.more, own->second.more);
  }
  if (scope == Scope::kDevice) strong.pending = join(strong.pending, published.device);
}

bool BlockClocks::publishes(uint32_t thread) const {
  const Strong& strong = strong_[thread];
  return !strong.device.empty() || !strong.block.more.empty() || strong.block.floor != 0;
}

void BlockClocks::strongWrite(uint32_t thread, Scope scope, bool keep, Published& published) const {
  const Strong& strong = strong_[thread];
  if (!keep) published = {};
  if (scope == Scope::kDevice) published.device = join(published.device, strong.device);
  if (!publishes(thread)) return;
  Published::ToBlock& own = published.block[block_];
  own.floor = std::max(own.floor, strong.block.floor);
  own.more = join(own.more, join(strong.block.more, strong.device));
}

}  // namespace warpscope::sim
