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
      const auto number = static_cast<uint32_t>(sm - sms_.data());
      begin(kernel, index, number, cycle);
      share(number, now);
    }
    queue_.erase(queue_.begin());
  }
}

void BlockScheduler::begin(Kernel& kernel, size_t index, uint32_t sm, uint64_t cycle) {
  const QueuedKernel& queued = kernel.queued;
  const uint32_t block = kernel.next++;
  ++kernel.running;
  const GridControl control = block < queued.controls.size() ? queued.controls[block] : GridControl();
  const bool waits = queued.primary || queued.stands_by_block;
  BlockLife life(cycle, queued.block_cycles[block], control, waits);
  const auto completed = queued.primary ? completed_.find(*queued.primary) : completed_.end();
  if (completed != completed_.end()) life.complete(completed->second);
  stays_.push_back({.operation = queued.operation, .block = block, .sm = sm, .begin = cycle});
  lives_.push_back({std::move(life), index});
  kernel.lives.push_back(lives_.size() - 1);
  sms_[sm].lives.push_back(lives_.size() - 1);
  note(lives_.size() - 1);
}

void BlockScheduler::note(size_t life) {
  const uint64_t next = lives_[life].life.next();
  if (next != BlockLife::kNever) changes_.push({next, stays_[life].sm, life});
}

// The blocks of one kernel have shared the SM in its execution by itself, too.
double BlockScheduler::neededOf(const Sm& sm) {
  needed_.assign(kernels_.size(), 0);
  for (const size_t life : sm.lives) {
    const auto& [own, kernel] = lives_[life];
    if (!own.stands()) needed_[kernel] += kernels_[kernel].queued.demand;
  }
  double sum = 0;
  for (const double needed : needed_) sum += std::min(needed, 1.0);
  return sum;
}

void BlockScheduler::share(uint32_t sm, uint64_t now) {
  Sm& of = sms_[sm];
  const double pace = std::max(1.0, neededOf(of));
  if (pace == 1 && of.pace == 1) return;
  of.pace = pace;
  for (const size_t life : of.lives) {
    if (lives_[life].life.setPace(pace, now)) note(life);
  }
}

void BlockScheduler::complete(uint32_t operation, uint64_t cycle) {
  completed_[operation] = cycle;
  for (Sm& sm : sms_) {
    for (const size_t life : sm.lives) {
      auto& [own, kernel] = lives_[life];
      if (kernels_[kernel].queued.primary == operation && own.complete(cycle)) note(life);
    }
  }
}

void BlockScheduler::goOn(uint32_t operation, uint32_t block, uint64_t cycle) {
  const size_t life = kernelOf(operation)->lives[block];
  if (lives_[life].life.complete(cycle)) note(life);
}

const BlockScheduler::Kernel* BlockScheduler::kernelOf(uint32_t operation) const {
  const auto found = std::ranges::find_if(
      kernels_, [&](const Kernel& kernel) { return kernel.queued.operation == operation; });
  return found == kernels_.end() ? nullptr : &*found;
}

uint64_t BlockScheduler::triggeredAt(uint32_t operation) const {
  const Kernel* kernel = kernelOf(operation);
  if (kernel == nullptr || kernel->next < kernel->queued.block_cycles.size()) return kNoBlock;
  uint64_t latest = kernel->triggered;
  if (kernel->running == 0) return latest;
  for (const Sm& sm : sms_) {
    for (const size_t life : sm.lives) {
      if (&kernels_[lives_[life].kernel] != kernel) continue;
      const auto triggered = lives_[life].life.triggeredAt();
      if (!triggered) return kNoBlock;
      latest = std::max(latest, *triggered);
    }
  }
  return latest;
}

uint64_t BlockScheduler::nextChange() {
  while (!changes_.empty() && lives_[changes_.top().life].life.next() != changes_.top().at) changes_.pop();
  return changes_.empty() ? kNoBlock : changes_.top().at;
}

std::vector<BlockScheduler::Ended> BlockScheduler::release(uint64_t now) {
  std::vector<Ended> ended;
  while (nextChange() <= now && !changes_.empty()) {
    const Change change = changes_.top();
    changes_.pop();
    BlockLife& life = lives_[change.life].life;
    life.step();
    if (life.stands() && kernels_[lives_[change.life].kernel].queued.stands_by_block)
      standing_.push_back({stays_[change.life].operation, stays_[change.life].block, change.at});
    life.ended() ? end(change.life, ended) : note(change.life);
    share(change.sm, change.at);
  }
  return ended;
}

void BlockScheduler::end(size_t index, std::vector<Ended>& ended) {
  const auto& [life, of] = lives_[index];
  PlacedStay& stay = stays_[index];
  Kernel& kernel = kernels_[of];
  Sm& sm = sms_[stay.sm];
  stay.end = life.endedAt();
  stay.held_until = life.heldUntil();
  stay.points = life.points();
  kernel.triggered = std::max(kernel.triggered, life.triggeredAt().value_or(stay.end));
  std::erase(sm.lives, index);
  take(sm, kernel, of, true);
  done_with_ = std::max(done_with_, static_cast<double>(stay.end)) + done_interval_;
  sm.ready = static_cast<uint64_t>(done_with_) + block_launch_;
  if (--kernel.running == 0 && kernel.next == kernel.queued.block_cycles.size())
    ended.push_back({kernel.queued.operation, static_cast<uint64_t>(done_with_)});
}

}  // namespace warpscope::sim
