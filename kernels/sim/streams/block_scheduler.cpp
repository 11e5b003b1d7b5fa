#include "kernels/sim/streams/block_scheduler.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace warpscope::sim {

BlockScheduler::BlockScheduler(const DeviceProfile& profile)
    : done_interval_(profile.block_launch_interval_cycles),
      block_launch_(static_cast<uint64_t>(profile.block_launch_cycles)),
      sms_(profile.limits.sm_count) {}

void BlockScheduler::add(QueuedKernel kernel) {
  const size_t index = kernels_.size();
  const auto behind = std::ranges::find_if(
      queue_, [&](size_t other) { return kernels_[other].queued.priority > kernel.priority; });
  queue_.insert(behind, index);
  kernels_.push_back({std::move(kernel)});
}

bool BlockScheduler::fits(const Sm& sm, const Kernel& kernel, size_t index) const {
  if (index < sm.of_operation.size() && sm.of_operation[index] >= kernel.queued.blocks_per_sm) return false;
  return std::ranges::all_of(kernel.queued.needs, [&](const ResourceBudget& need) {
    return sm.used[static_cast<size_t>(need.resource)] + need.per_block <= need.capacity;
  });
}

void BlockScheduler::take(Sm& sm, const Kernel& kernel, size_t index, bool back) {
  for (const ResourceBudget& need : kernel.queued.needs) {
    uint64_t& used = sm.used[static_cast<size_t>(need.resource)];
    used = back ? used - need.per_block : used + need.per_block;
  }
  if (sm.of_operation.size() <= index) sm.of_operation.resize(index + 1);
  sm.of_operation[index] += back ? ~0U : 1U;
}

// The SM that has the fewest warps; among equals the first. On an empty GPU that is breadth first.
BlockScheduler::Sm* BlockScheduler::roomFor(const Kernel& kernel) {
  constexpr auto kWarps = static_cast<size_t>(OccupancyLimiter::kWarps);
  const auto index = static_cast<size_t>(&kernel - kernels_.data());
  Sm* best = nullptr;
  for (Sm& sm : sms_) {
    if ((best == nullptr || sm.used[kWarps] < best->used[kWarps]) && fits(sm, kernel, index)) best = &sm;
  }
  return best;
}

void BlockScheduler::place(uint64_t now) {
  while (!queue_.empty()) {
    const size_t index = queue_.front();
    Kernel& kernel = kernels_[index];
    const auto total = static_cast<uint32_t>(kernel.queued.block_cycles.size());
    while (kernel.next < total) {
      Sm* sm = roomFor(kernel);
      if (sm == nullptr) return;
      next_begin_ = std::max(next_begin_, static_cast<double>(std::max(now, sm->ready)));
      const auto cycle = static_cast<uint64_t>(next_begin_);
      next_begin_ += done_interval_ / kHandedOutFaster;
      take(*sm, kernel, index, false);
      begin(kernel, index, static_cast<uint32_t>(sm - sms_.data()), cycle);
    }
    queue_.erase(queue_.begin());
  }
}

void BlockScheduler::begin(Kernel& kernel, size_t index, uint32_t sm, uint64_t cycle) {
  const uint32_t block = kernel.next++;
  ++kernel.running;
  stays_.push_back({.operation = kernel.queued.operation, .block = block, .sm = sm, .begin = cycle});
  const bool waits =
      kernel.queued.primary && block < kernel.queued.controls.size() && kernel.queued.controls[block].waits();
  if (!waits) return settle(kernel, index, stays_.back(), std::nullopt);
  const auto completed = completed_.find(*kernel.queued.primary);
  if (completed != completed_.end()) return settle(kernel, index, stays_.back(), completed->second);
  kernel.held.push_back(stays_.size() - 1);
  const GridControl& control = kernel.queued.controls[block];
  if (control.triggersFirst()) {
    kernel.triggered = std::max(kernel.triggered, cycle + control.triggered);
  } else {
    ++kernel.to_trigger;
  }
}

// `completed`: when its waits are over, if it waits for anything.
void BlockScheduler::settle(Kernel& kernel, size_t index, PlacedStay& stay,
                            std::optional<uint64_t> completed) {
  const GridControl control =
      stay.block < kernel.queued.controls.size() ? kernel.queued.controls[stay.block] : GridControl();
  stay.end = stay.begin + std::max<uint64_t>(kernel.queued.block_cycles[stay.block], 1);
  uint64_t triggered = control.triggered == GridControl::kNever ? stay.end : stay.begin + control.triggered;
  if (completed && *completed > stay.begin + control.first_wait) {
    const uint64_t last = stay.begin + control.last_wait;
    stay.held_until = *completed;
    stay.held_cycles = *completed > last ? *completed - last : 0;
    if (!control.triggersFirst()) triggered = std::max(triggered + stay.held_cycles, *completed);
    stay.end = std::max(stay.end + stay.held_cycles, *completed);
  }
  kernel.triggered = std::max(kernel.triggered, triggered);
  running_.push({stay.end, stay.sm, index});
}

void BlockScheduler::complete(uint32_t operation, uint64_t cycle) {
  completed_[operation] = cycle;
  for (size_t index = 0; index < kernels_.size(); ++index) {
    Kernel& kernel = kernels_[index];
    if (kernel.queued.primary != operation) continue;
    for (const size_t stay : std::exchange(kernel.held, {})) settle(kernel, index, stays_[stay], cycle);
    kernel.to_trigger = 0;
  }
}

uint64_t BlockScheduler::triggeredAt(uint32_t operation) const {
  const auto found = std::ranges::find_if(
      kernels_, [&](const Kernel& kernel) { return kernel.queued.operation == operation; });
  if (found == kernels_.end() || found->to_trigger > 0) return kNoBlock;
  return found->next < found->queued.block_cycles.size() ? kNoBlock : found->triggered;
}

uint64_t BlockScheduler::nextEnd() const {
  return running_.empty() ? kNoBlock : running_.top().end;
}

std::vector<BlockScheduler::Ended> BlockScheduler::release(uint64_t now) {
  std::vector<Ended> ended;
  while (!running_.empty() && running_.top().end <= now) {
    const Running done = running_.top();
    running_.pop();
    Kernel& kernel = kernels_[done.kernel];
    Sm& sm = sms_[done.sm];
    take(sm, kernel, done.kernel, true);
    done_with_ = std::max(done_with_, static_cast<double>(done.end)) + done_interval_;
    sm.ready = static_cast<uint64_t>(done_with_) + block_launch_;
    if (--kernel.running == 0 && kernel.next == kernel.queued.block_cycles.size())
      ended.push_back({kernel.queued.operation, static_cast<uint64_t>(done_with_)});
  }
  return ended;
}

}  // namespace warpscope::sim
