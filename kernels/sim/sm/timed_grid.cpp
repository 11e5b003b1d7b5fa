#include "kernels/sim/sm/timed_grid.h"

#include <algorithm>
#include <cmath>
#include <thread>

#include "kernels/sim/sm/l2_cache.h"
#include "kernels/sim/sm/launch_model.h"
#include "kernels/sim/sm/sm_core.h"
#include "kernels/sim/sm/sm_counters.h"
#include "kernels/sim/sm/worker_pool.h"

namespace warpscope::sim {

struct DeviceCaches::State {
  explicit State(const DeviceProfile& profile) : l2(profile) {}
  L2Cache l2;
};

DeviceCaches::DeviceCaches(const DeviceProfile& profile) : state_(std::make_unique<State>(profile)) {}
DeviceCaches::~DeviceCaches() = default;
void DeviceCaches::clear() {
  state_->l2.clear();
}
void DeviceCaches::setPeerMemory(const std::vector<AddressRange>& ranges) {
  state_->l2.setPeerMemory(ranges);
}
void DeviceCaches::touchL2(uint64_t address, uint64_t bytes, bool written, double share) {
  state_->l2.touch(address, bytes, written, share);
}
bool DeviceCaches::hasLost() const {
  return state_->l2.hasLost();
}
double DeviceCaches::usedShareOf(uint64_t address) const {
  return state_->l2.usedShareOf(address);
}

namespace {

// Runs epoch after epoch: the SMs run in parallel, then whatever concerns several of them is done in an order
// that does not depend on threads.
class TimedGrid {
 public:
  TimedGrid(const LaunchModel& model, L2Cache& l2, const std::stop_token& stop)
      : model_(model),
        l2_(l2),
        stop_(stop),
        pools_(model.options.pools != nullptr ? *model.options.pools : own_pools_),
        grid_(model.launch.grid.count()) {
    const uint32_t sms = smsInUse(grid_, model.profile.limits.sm_count);
    const uint32_t sampled = model.options.sampled_sms;
    sampled_ = sampled != 0 && sampled < sms;
    if (sampled_) selection_ = timedBlocks(model.options, sms, grid_);
    total_ = sampled_ ? selection_.count(grid_) : grid_;
    if (sampled_ && model.options.most_rounds > 0) {
      selection_.skip_from = selection_.skip_until = 0;
      total_ = std::min(selection_.count(grid_), model.options.most_rounds * sampled);
    }
    cluster_blocks_ = static_cast<uint32_t>(model.launch.cluster.count());
    cores_.resize(cluster_blocks_ > 1 ? model.profile.limits.sm_count : sampled_ ? sampled : sms);
    pool_ = &pools_.withThreads(threadsFor(cores_.size()));
    pool_->forEach(static_cast<uint32_t>(cores_.size()),
                   [&](uint32_t i) { cores_[i] = std::make_unique<SmCore>(model, smidOf(i)); });
    if (cluster_blocks_ > 1) makeGpcs();
    // Counts are taken at certain moments if rounds are left out, and dependents let go on at others.
    may_run_ahead_ = model.options.run_ahead && cluster_blocks_ == 1 && selection_.skippedRounds() == 0 &&
                     !model.options.dependent;
    steady_from_.block = selection_.steady_from * cores_.size();
    steady_until_.block = selection_.skip_from * cores_.size();
  }

  // In a short launch, creating and freeing the SMs' state takes a tenth of the time.
  ~TimedGrid() {
    pool_->forEach(static_cast<uint32_t>(cores_.size()), [&](uint32_t i) { cores_[i].reset(); });
  }
  TimedGrid(const TimedGrid&) = delete;
  TimedGrid& operator=(const TimedGrid&) = delete;

  Expected<TimedResult> run() {
    cluster_blocks_ > 1 ? handOutClusters(0) : handOutFirstBlocks();
    reportAll();
    while (true) {
      const auto more = runEpoch();
      if (!more) return tl::unexpected(more.error());
      if (!*more) break;
    }
    return result();
  }

 private:
  // Each has an SM to simulate.
  uint32_t threadsFor(size_t sms) const {
    const uint32_t wanted = model_.options.threads;
    const uint32_t all = wanted == 0 ? std::max(std::thread::hardware_concurrency(), 1U) : wanted;
    return static_cast<uint32_t>(std::min<size_t>(all, sms));
  }

  // When a block is handed out, and what has been counted until then.
  struct Moment {
    uint64_t block = 0;  // its number among the simulated ones
    uint64_t cycle = 0;
    SmCounters sms;
    L2Counters l2;
  };

  // Returns false when everything is done.
  Expected<bool> runEpoch() {
    uint64_t next = kNever;
    for (const EpochReport& report : reports_) next = std::min(next, report.next_event);
    if (!waiters_.empty()) next = std::min(next, waiters_.front().cycle);
    if (next == kNever) {
      if (next_block_ == total_ && !anyResident()) return false;
      if (openGridDependency() || timeOutWaits()) {
        reportAll();
        return true;
      }
      return fail(ErrorKind::kWorkFailed, "deadlock in {}: {}", model_.code.kernel, waiting());
    }
    const uint64_t end = std::max(next, now_) + model_.epoch_cycles;
    active_.clear();
    for (uint32_t i = 0; i < cores_.size(); ++i) {
      if (cluster_blocks_ > 1 || reports_[i].next_event < end) active_.push_back(i);
    }
    now_ = end;
    runActive();
    std::erase_if(active_, [this](uint32_t i) { return reports_[i].is_ahead; });
    if (auto fault = firstFault()) return tl::unexpected(std::move(*fault));
    serveRequests();
    finishMemory();
    if (auto fault = firstFault()) return tl::unexpected(std::move(*fault));
    handOutBlocks();
    // Others may spin until those that stand go on.
    constexpr uint64_t kLongestWaitCycles = 1 << 22;
    if (model_.options.dependent && now_ > kLongestWaitCycles && openGridDependency()) reportAll();
    return checkLimits();
  }

  void runActive() {
    if (cluster_blocks_ > 1) {
      pool_->forEach(static_cast<uint32_t>(gpcs_.size()),
                     [&](uint32_t i) { SmCore::runTogether(gpcs_[i], now_); });
      return reportAll();
    }
    const auto count = static_cast<uint32_t>(active_.size());
    // The state of so few SMs stays in a processor's caches until the next epoch.
    constexpr uint32_t kFewSms = 8;
    const bool prefetches = count > kFewSms * pool_->threads();
    pool_->forEach(count, [&](uint32_t i) {
      SmCore& core = *cores_[active_[i]];
      core.runEpoch(now_, may_run_ahead_, prefetches);
      reports_[active_[i]] = core.report(now_);
    });
  }

  void reportAll() {
    reports_.resize(cores_.size());
    pool_->forEach(static_cast<uint32_t>(cores_.size()),
                   [&](uint32_t i) { reports_[i] = cores_[i]->report(now_); });
  }

  Expected<bool> checkLimits() {
    if (stop_.stop_requested()) {
      return fail(ErrorKind::kCancelled, "{} was stopped", model_.code.kernel);
    }
    if (model_.options.step_limit > 0) {
      uint64_t instructions = 0;
      for (const EpochReport& report : reports_) instructions += report.ptx_instructions;
      if (instructions > model_.options.step_limit) {
        return fail(ErrorKind::kWorkFailed, "{} exceeded the limit of {} warp-instructions: {}",
                    model_.code.kernel, model_.options.step_limit, waiting());
      }
    }
    if (model_.options.progress && done_blocks_ != reported_blocks_) {
      reported_blocks_ = done_blocks_;
      model_.options.progress(static_cast<double>(done_blocks_) / static_cast<double>(total_));
    }
    return true;
  }

  // Distributes blocks breadth first over the SMs, as hardware does.
  void handOutFirstBlocks() {
    for (uint32_t round = 0; round < model_.options.blocks_per_sm; ++round) {
      for (const auto& core : cores_) {
        if (next_block_ < total_) give(*core, 0);
      }
    }
  }

  // The SMs of a sampled grid are the first and the last ones.
  uint32_t smidOf(uint32_t core) const {
    const uint64_t skipped = sampled_ ? selection_.stride - cores_.size() : 0;
    return core < selection_.first || !sampled_ ? core : core + static_cast<uint32_t>(skipped);
  }
  size_t indexOf(uint32_t smid) const {
    const uint64_t skipped = sampled_ ? selection_.stride - cores_.size() : 0;
    return smid < selection_.first || !sampled_ ? smid : smid - skipped;
  }

  // Selected blocks in ascending order.
  uint64_t selectedBlock(uint64_t number) const {
    uint64_t round = number / cores_.size();
    if (round >= selection_.skip_from) round += selection_.skippedRounds();
    return round * selection_.stride + smidOf(static_cast<uint32_t>(number % cores_.size()));
  }

  // Blocks go to the SM that had room first.
  void handOutBlocks() {
    freed_.clear();
    for (const uint32_t i : active_) {
      if (!reports_[i].has_freed) continue;
      std::vector<FreedBlock>& freed = cores_[i]->freed();
      freed_.insert(freed_.end(), freed.begin(), freed.end());
      freed.clear();
    }
    done_blocks_ += freed_.size();
    std::sort(freed_.begin(), freed_.end(), [](const FreedBlock& a, const FreedBlock& b) {
      return a.cycle != b.cycle ? a.cycle < b.cycle : a.sm < b.sm;
    });
    // Each of the simulated SMs stands for several.
    const double done_cycles = model_.profile.block_launch_interval_cycles *
                               (sampled_ ? static_cast<double>(selection_.stride) : 1.0) /
                               (sampled_ ? static_cast<double>(cores_.size()) : 1.0);
    const auto launched = static_cast<uint64_t>(model_.profile.block_launch_cycles);
    for (const FreedBlock& freed : freed_) {
      done_with_ = std::max(done_with_, static_cast<double>(freed.cycle)) + done_cycles;
      if (next_block_ == total_ || cluster_blocks_ > 1) continue;
      if (selection_.skippedRounds() > 0) {
        note(steady_from_, freed.cycle);
        note(steady_until_, freed.cycle);
      }
      const size_t core = indexOf(freed.sm);
      give(*cores_[core], std::max(now_, static_cast<uint64_t>(done_with_) + launched));
      reports_[core] = cores_[core]->report(now_);
    }
    if (cluster_blocks_ > 1 && !freed_.empty()) {
      handOutClusters(std::max(now_, static_cast<uint64_t>(done_with_) + launched));
      reportAll();
    }
  }

  // Which SMs a GPC has is not documented; pairs of SMs (TPCs) are dealt out to the GPCs in turn here.
  void makeGpcs() {
    constexpr uint32_t kSmsOfTpc = 2;
    gpcs_.resize(std::clamp<uint32_t>(model_.profile.gpc_count, 1, static_cast<uint32_t>(cores_.size())));
    for (uint32_t sm = 0; sm < cores_.size(); ++sm)
      gpcs_[sm / kSmsOfTpc % gpcs_.size()].push_back(cores_[sm].get());
    std::erase_if(gpcs_, [](const auto& gpc) { return gpc.empty(); });
  }

  // A cluster begins as a whole, in the next GPC that has room for it; its blocks go to the SMs that have the
  // most room.
  void handOutClusters(uint64_t earliest) {
    const double interval = model_.profile.block_launch_interval_cycles / kHandedOutFaster;
    for (size_t tried = 0; tried < gpcs_.size() && next_block_ < total_; ++tried, ++next_gpc_) {
      std::vector<SmCore*>& gpc = gpcs_[next_gpc_ % gpcs_.size()];
      uint32_t room = 0;
      for (const SmCore* core : gpc) room += core->freeBlocks();
      if (room < cluster_blocks_) continue;
      next_begin_ = std::max(next_begin_, static_cast<double>(earliest));
      auto cluster = std::make_shared<PlacedCluster>();
      cluster->places.resize(cluster_blocks_);
      cluster->to_start = cluster_blocks_;
      for (uint32_t rank = 0; rank < cluster_blocks_; ++rank) {
        SmCore* core = *std::ranges::max_element(gpc, {}, &SmCore::freeBlocks);
        const uint32_t index = blockOfCluster(model_.launch, next_block_ / cluster_blocks_, rank);
        core->addBlockOfCluster(static_cast<uint64_t>(next_begin_), index, cluster, rank);
      }
      next_block_ += cluster_blocks_;
      next_begin_ += interval * cluster_blocks_;
      tried = 0;
    }
  }

  // False: no warp stands there.
  bool openGridDependency() {
    bool any = false;
    for (const auto& core : cores_) any = core->standsAtGridDependency() || any;
    if (!any) return false;
    for (const auto& core : cores_) core->openGridDependency(now_);
    return true;
  }

  bool timeOutWaits() {
    bool any = false;
    for (const auto& core : cores_) any = core->timeOutWaits(now_) || any;
    return any;
  }

  void give(SmCore& core, uint64_t earliest) {
    const double interval = model_.profile.block_launch_interval_cycles / kHandedOutFaster;
    const uint64_t number = next_block_++;
    uint64_t index = number;
    if (sampled_) {
      // The blocks in between go to the other SMs, at the same rate.
      index = selectedBlock(number);
      const uint64_t simulated_until = index - (number >= steady_until_.block ? skippedBlocks() : 0);
      next_begin_ = std::max(next_begin_, interval * static_cast<double>(simulated_until));
    }
    next_begin_ = std::max(next_begin_, static_cast<double>(earliest));
    core.addBlock(static_cast<uint64_t>(next_begin_), static_cast<uint32_t>(index), skipped_cycles_);
    next_begin_ += interval;
  }

  uint64_t skippedBlocks() const { return selection_.skippedRounds() * selection_.stride; }

  // Takes note of the counts when the block that it is about is handed out. Between the first block after the
  // SMs were filled and the last one before the blocks that are left out, the launch is steady.
  void note(Moment& moment, uint64_t cycle) {
    if (next_block_ != moment.block) return;
    moment.cycle = cycle;
    for (const auto& core : cores_) moment.sms += core->counters();
    moment.l2 = l2_.counters();
    if (&moment != &steady_until_) return l2_.noteUse();
    const auto steady = static_cast<double>(steady_until_.cycle - steady_from_.cycle);
    skipped_cycles_ = static_cast<uint64_t>(std::llround(steady * timesSkipped()));
    // Even if nothing else takes time, blocks begin one after another.
    const double least = model_.profile.block_launch_interval_cycles * static_cast<double>(skippedBlocks());
    skipped_cycles_ = std::max(skipped_cycles_, static_cast<uint64_t>(least));
    l2_.skip(timesSkipped(), skipped_cycles_);
  }

  // How much longer the recorded rounds take than those that stand for the rounds that are left out.
  uint64_t cyclesOfRecording() const {
    if (model_.options.recorded_rounds == 0 || selection_.skippedRounds() == 0) return 0;
    const double of_block = static_cast<double>(steady_until_.cycle - steady_from_.cycle) /
                            static_cast<double>(steady_until_.block - steady_from_.block);
    const auto usual = static_cast<uint64_t>(of_block * static_cast<double>(steady_from_.block));
    return steady_from_.cycle - std::min(usual, steady_from_.cycle);
  }

  uint64_t skippedBlocksOfCores() const { return selection_.skippedRounds() * cores_.size(); }

  // How many times the steady part would follow itself in place of the blocks that are left out.
  double timesSkipped() const {
    return static_cast<double>(skippedBlocksOfCores()) /
           static_cast<double>(steady_until_.block - steady_from_.block);
  }

  // Those of later epochs come after what has an effect before this one's end.
  void finishMemory() {
    const size_t known = waiters_.size();
    for (const uint32_t i : active_) {
      if (!reports_[i].has_waiters) continue;
      cores_[i]->orderWaiters();
      std::vector<MemoryWaiter>& waiters = cores_[i]->memoryWaiters();
      waiters_.insert(waiters_.end(), waiters.begin(), waiters.end());
      waiters.clear();
    }
    if (waiters_.empty()) return;
    const auto earlier = [](const MemoryWaiter& a, const MemoryWaiter& b) {
      if (a.cycle != b.cycle) return a.cycle < b.cycle;
      return a.sm != b.sm ? a.sm < b.sm : a.order < b.order;
    };
    const auto fresh = waiters_.begin() + static_cast<std::ptrdiff_t>(known);
    std::sort(fresh, waiters_.end(), earlier);
    std::inplace_merge(waiters_.begin(), fresh, waiters_.end(), earlier);
    const auto later = std::ranges::find_if(waiters_, [&](const MemoryWaiter& w) { return w.cycle >= now_; });
    if (later == waiters_.begin()) return;
    for (auto waiter = waiters_.begin(); waiter != later; ++waiter) {
      const size_t core = indexOf(waiter->sm);
      cores_[core]->finishMemory(*waiter, now_);
      reports_[core].has_waiters = true;  // its report is out of date, see below
    }
    waiters_.erase(waiters_.begin(), later);
    if (cluster_blocks_ > 1) return reportAll();  // warps of other SMs may go on, too
    for (size_t i = 0; i < cores_.size(); ++i) {
      if (reports_[i].has_waiters) reports_[i] = cores_[i]->report(now_);
    }
  }

  void serveRequests() {
    size_t requests = 0;
    sent_.clear();
    for (const uint32_t i : active_) {
      if (reports_[i].requests == 0) continue;
      requests += reports_[i].requests;
      sent_.push_back({i, &cores_[i]->batch()});
    }
    if (requests == 0) return;
    constexpr size_t kWorthSharing = 256;
    if (requests < kWorthSharing) return l2_.serveAll(sent_);
    const uint32_t parts = std::min(pool_->threads(), L2Cache::kMostParts);
    pool_->forEach(parts, [&](uint32_t part) {
      const size_t begin = sent_.size() * part / parts, end = sent_.size() * (part + 1) / parts;
      l2_.take(std::span(sent_).subspan(begin, end - begin), part);
    });
    pool_->forEach(l2_.groupCount(), [&](uint32_t group) { l2_.serve(group, parts); });
  }

  std::optional<Error> firstFault() const {
    const SmCore* first = nullptr;
    for (const uint32_t i : active_) {
      const SmCore* core = cores_[i].get();
      if (reports_[i].has_fault && (first == nullptr || core->faultCycle() < first->faultCycle()))
        first = core;
    }
    if (first == nullptr) return std::nullopt;
    return Error{ErrorKind::kWorkFailed, *first->fault()};
  }

  bool anyResident() const {
    return std::any_of(cores_.begin(), cores_.end(), [](const auto& core) { return core->resident(); });
  }

  std::string waiting() const {
    std::string text;
    for (const auto& core : cores_) {
      text += core->waiting();
      constexpr size_t kEnough = 2000;
      if (text.size() > kEnough) return text + " ...";
    }
    return text;
  }

  double demandOf(const SmCounters& sum, const std::vector<BlockStay>& stays) const {
    double cycles = 0;
    for (const BlockStay& stay : stays) cycles += static_cast<double>(stay.end - stay.begin);
    return cycles > 0 ? sum.busiestCycles() / model_.profile.sub_partitions / cycles : 0;
  }

  TimedResult result() {
    TimedResult result;
    SmCounters sum;
    result.cycles = static_cast<uint64_t>(done_with_);
    for (const auto& core : cores_) {
      sum += core->counters();
      result.cycles = std::max(result.cycles, core->lastCycle());
      result.work += core->work();
      result.stays.insert(result.stays.end(), core->stays().begin(), core->stays().end());
      result.log.insert(result.log.end(), core->log().begin(), core->log().end());
      result.log_dropped += core->logDropped();
    }
    std::stable_sort(result.log.begin(), result.log.end(),
                     [](const auto& a, const auto& b) { return a.cycle < b.cycle; });
    if (result.log.size() > model_.options.log_limit) {
      result.log_dropped += result.log.size() - model_.options.log_limit;
      result.log.resize(model_.options.log_limit);
    }
    std::ranges::sort(result.stays, {}, &BlockStay::block);
    result.demand = demandOf(sum, result.stays);
    result.warp_instructions = sum.ptx_instructions;
    result.blocks = total_;
    L2Counters l2 = l2_.counters();
    if (selection_.skippedRounds() > 0) {
      result.cycles += skipped_cycles_;
      sum.extrapolateCycles(steady_from_.sms, steady_until_.sms, timesSkipped());
      if (result.work.most == result.work.fewest) {
        // All blocks do the same, so that no block in flight distorts the counts.
        const auto simulated = static_cast<double>(total_);
        sum.scaleWork((simulated + static_cast<double>(skippedBlocksOfCores())) / simulated);
      } else {
        sum.extrapolateWork(steady_from_.sms, steady_until_.sms, timesSkipped());
      }
      extrapolate(l2, steady_from_.l2, steady_until_.l2, timesSkipped());
    }
    if (model_.options.count) result.counters = countersOf(sum, l2, result.cycles);
    result.time_us = (static_cast<double>(result.cycles - cyclesOfRecording()) / model_.clock_ghz +
                      model_.profile.launch_overhead_ns) /
                     1e3;
    return result;
  }

  std::map<std::string, double> countersOf(const SmCounters& sum, const L2Counters& l2,
                                           uint64_t cycles) const {
    auto counters =
        nsightCounters(sum, l2, model_.profile, model_.profile.limits.max_threads_per_sm / 32, cycles);
    if (sampled_) {
      scaleSums(counters, static_cast<double>(grid_) / static_cast<double>(sum.blocks));
      counters["model.simulated_sms"] = static_cast<double>(cores_.size());
    }
    return counters;
  }

  const LaunchModel& model_;
  L2Cache& l2_;
  const std::stop_token& stop_;
  WorkerPools own_pools_;
  WorkerPools& pools_;
  WorkerPool* pool_ = nullptr;
  std::vector<std::unique_ptr<SmCore>> cores_;
  std::vector<EpochReport> reports_;  // by SM
  std::vector<uint32_t> active_;      // the SMs that are in the current epoch, not ahead of it
  std::vector<SentRequests> sent_;    // their requests
  bool may_run_ahead_ = false;
  uint32_t cluster_blocks_ = 1;
  std::vector<std::vector<SmCore*>> gpcs_;  // where there are clusters
  size_t next_gpc_ = 0;
  std::vector<FreedBlock> freed_;
  std::vector<MemoryWaiter> waiters_;
  uint64_t now_ = 0;  // end of the last epoch
  uint64_t grid_, total_ = 0, next_block_ = 0, done_blocks_ = 0, reported_blocks_ = 0;
  bool sampled_ = false;
  TimedBlocks selection_;  // of a sampled grid: its simulated blocks
  Moment steady_from_, steady_until_;
  uint64_t skipped_cycles_ = 0;  // the time of the blocks that are left out; 0 until they would begin
  double next_begin_ = 0;        // of a block: not before
  double done_with_ = 0;         // when the blocks that have ended so far are done with
};

}  // namespace

TimedBlocks timedBlocks(const TimedOptions& options, uint32_t sms, uint64_t blocks) {
  return sampledBlocks(options.sampled_sms, sms, blocks, options.blocks_per_sm, options.recorded_rounds,
                       options.plain_sms);
}

std::vector<BlockStay> staysOfAll(const std::vector<BlockStay>& simulated, const TimedBlocks& selection,
                                  uint64_t blocks, uint32_t recording) {
  std::vector<BlockStay> all(blocks);
  for (const BlockStay& stay : simulated) all[stay.block] = stay;
  for (uint64_t block = 0; block < blocks; ++block) {
    if (selection.contains(block)) continue;
    all[block] = all[representative(selection, block, blocks, recording)];
    all[block].block = static_cast<uint32_t>(block);
    all[block].sm = static_cast<uint32_t>(block % selection.stride);
  }
  return all;
}

Expected<TimedResult> runTimed(const Launch& launch, const MachineCode& machine, const DeviceProfile& profile,
                               DeviceCaches& caches, const TimedOptions& options,
                               const std::stop_token& stop) {
  if (options.blocks_per_sm == 0 || launch.block.count() == 0) {
    return fail(ErrorKind::kBadRequest, "a block of {} does not fit on a multiprocessor of {}",
                launch.code->kernel, profile.name);
  }
  L2Cache& l2 = caches.state().l2;
  double share = 1;
  if (options.sampled_sms > 0) {
    const uint64_t blocks = launch.grid.count();
    const uint32_t sms = smsInUse(blocks, profile.limits.sm_count);
    BlockSelection sampled = timedBlocks(options, sms, blocks);
    sampled.skip_from = sampled.skip_until = 0;
    share = static_cast<double>(sampled.count(blocks)) / static_cast<double>(blocks);
  }
  const double at_once = static_cast<double>(options.blocks_per_sm) * profile.limits.sm_count;
  l2.beginLaunch(share, options.recording,
                 std::max(0.0, 1 - at_once / static_cast<double>(launch.grid.count())));
  const LaunchModel model(launch, machine, profile, l2, options);
  return TimedGrid(model, l2, stop).run();
}

}  // namespace warpscope::sim
