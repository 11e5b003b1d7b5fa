#include "kernels/sim/backend/launch_modelling.h"

#include <algorithm>
#include <utility>

#include "kernels/sim/backend/launch_caches.h"
#include "kernels/sim/sm/other_blocks.h"
#include "kernels/sim/sm/value_recorder.h"

namespace warpscope::sim {
namespace {

// A launch whose blocks wait for each other is given up after so many times the instructions that blocks
// execute until they wait.
constexpr uint64_t kMostSteps = 4, kLeastStepLimit = 500'000;

// The simulated blocks cannot stand for the others: all are to be simulated.
Expected<void> unevenLaunch(ModelledReport& report) {
  report.uneven = true;
  report.complete = false;
  return {};
}

// The bytes of some allocations, to be put back.
class SavedMemory {
 public:
  SavedMemory(GlobalMemory& memory, const std::vector<AddressRange>& ranges) : memory_(memory) {
    for (const AddressRange& range : ranges) {
      const std::byte* bytes = memory.at(range.begin, range.end - range.begin);
      saved_.emplace_back(range.begin, std::vector(bytes, bytes + (range.end - range.begin)));
    }
  }
  void putBack() const {
    for (const auto& [address, bytes] : saved_) {
      std::ranges::copy(bytes, memory_.at(address, bytes.size()));
      memory_.noteWritten(address, bytes.size());
    }
  }

 private:
  GlobalMemory& memory_;
  std::vector<std::pair<uint64_t, std::vector<std::byte>>> saved_;
};

}  // namespace

Expected<ModelledReport> LaunchModelling::run(const LaunchSpec& spec, const ModelledLaunch& how,
                                              const std::stop_token& stop, const LaunchListener& listener) {
  ModelledReport report;
  report.listing = kernels_.of(spec.kernel).listing;
  const Asked asked{spec, how, stop, listener, memory_.pointedAtBy(how.probe_params)};
  auto done = launcher_.forEachLaunch(
      spec, listener, report.printed,
      [&](const LaunchSpec& one, const ReadyLaunch& ready) { return model(asked, one, ready, report); });
  if (!done) return tl::unexpected(done.error());
  return report;
}

Expected<void> LaunchModelling::model(const Asked& asked, const LaunchSpec& one, const ReadyLaunch& ready,
                                      ModelledReport& report) {
  const ModelledLaunch& how = asked.how;
  const bool first = &one == &asked.spec;
  memory_.written().everythingWritten();
  if (first) prepareCaches(caches_, how.caches, one, kernels_.of(one.kernel), asked.recording, memory_);
  TimedOptions options = optionsOf(asked, one, ready);
  if (first && how.caches == ModelledLaunch::Caches::kWarm) {
    auto seen = seeWhatIsUsed(asked, one, options);
    if (!seen) return seen;
  }
  std::optional<ValueRecording> values;
  if (first && how.values) {
    values.emplace(how.values->block, how.values->snapshot_after);
    options.values = &*values;
  }
  const LaunchSpec& plain = first && how.plain ? *how.plain : one;
  const Influence influence = kernels_.of(plain.kernel).influence;
  if (how.outputs && influence == Influence::kBarrier) options.sampled_sms = 0;
  const bool sampled = options.sampled_sms > 0;
  const bool waits = sampled && influence == Influence::kBarrier;
  std::optional<FunctionalResult> others;
  if (sampled && influence != Influence::kNone) {
    auto before = othersBefore(plain, options, how.outputs, asked.stop);
    if (!before) return tl::unexpected(before.error());
    others = before->all;
    // If they do not only wait for the others to arrive, they would wait forever.
    if (waits && !before->foreseen) return unevenLaunch(report);
    if (waits && options.step_limit == 0) options.step_limit = before->step_limit;
  }
  auto timed = launcher_.time(ready, one, options, asked.stop);
  if (!timed && waits && !asked.stop.stop_requested()) return unevenLaunch(report);
  if (!timed) return tl::unexpected(timed.error());
  if (values) {
    report.values = values->take();
    report.values->listing = report.listing;
    report.values->buffers = memory_.buffers();
  }
  if (sampled && how.outputs && !others) {
    auto done = launcher_.executeBlocks(plain, launcher_.timedBlocksOf(plain, options), asked.stop);
    if (!done) return tl::unexpected(done.error());
    others = *done;
  }
  const ModelledBlocks blocks{timed->blocks, timed->work.instructions, timed->work.most, timed->work.fewest};
  const uint64_t all_blocks = one.grid.count();
  if (others && !how.plain && areUneven(blocks, others->warp_instructions, all_blocks - blocks.blocks))
    report.uneven = true;
  // A block that waits executes more the longer it waits, which says nothing about its work.
  report.blocks.push_back(waits ? ModelledBlocks{all_blocks} : blocks);
  report.complete = report.complete && (!sampled || others);
  take(std::move(*timed), report, first);
  return {};
}

// The parts of its buffers that a launch does not touch push nothing out of L2. If the buffers are larger
// than what L2 keeps, this makes the launch once in advance, to see how much of each buffer it uses, and then
// puts memory and caches back. It does nothing where a few SMs stand for all: a moving slider cannot wait for
// two launches.
Expected<void> LaunchModelling::seeWhatIsUsed(const Asked& asked, const LaunchSpec& one,
                                              const TimedOptions& options) {
  constexpr uint64_t kMostBytes = uint64_t{1} << 30;
  constexpr double kNearlyAll = 0.95;
  if (options.sampled_sms > 0 || !caches_.of(0).hasLost()) return {};
  std::vector<AddressRange> ranges = buffersOf(one, memory_);
  for (const DeviceAddress variable : kernels_.of(one.kernel).module->variable_addresses)
    if (const auto range = memory_.allocationAt(variable)) ranges.push_back(*range);
  uint64_t bytes = 0;
  for (const AddressRange& range : ranges) bytes += range.end - range.begin;
  if (bytes > kMostBytes) return {};
  const SavedMemory saved(memory_.global(), ranges);
  const auto ready = launcher_.prepare(one);
  if (!ready) return tl::unexpected(ready.error());
  TimedOptions trial = options;
  trial.log_first_blocks = 0;
  trial.log_sms = 0;
  trial.progress = {};
  const auto timed = launcher_.time(*ready, one, trial, asked.stop);
  const UsedShares shares = usedSharesOf(one, asked.recording, memory_, caches_);
  saved.putBack();
  if (!timed) return tl::unexpected(timed.error());
  const bool parts = std::ranges::any_of(shares, [](const auto& share) { return share.second < kNearlyAll; });
  prepareCaches(caches_, asked.how.caches, one, kernels_.of(one.kernel), asked.recording, memory_,
                parts ? shares : UsedShares{});
  return {};
}

TimedOptions LaunchModelling::optionsOf(const Asked& asked, const LaunchSpec& one, const ReadyLaunch& ready) {
  const ModelledLaunch& how = asked.how;
  const bool first = &one == &asked.spec;
  TimedOptions options = launcher_.timedOptions(ready);
  options.step_limit = how.step_limit;
  options.code_is_cold = first && how.caches == ModelledLaunch::Caches::kCold;
  if (how.sampled_sms > 0 && ready.launch.cluster.count() == 1)
    options.sampled_sms = first ? how.sampled_sms : launcher_.sampledSms(one, 0);
  if (first && how.log) {
    options.log_first_blocks = how.log->first_blocks;
    options.log_sms = how.log->sms;
    options.log_limit = how.log->limit;
  }
  options.recorded_rounds = how.recorded_rounds;
  if (how.recorded_rounds > 0) {
    for (const AddressRange& range : asked.recording)
      options.recording.push_back(caches_.seen(range, range.end - range.begin));
  }
  options.progress = asked.listener.progress;
  return options;
}

// Brings memory to where the blocks that runTimed() leaves out would leave it, as far as that matters to the
// others; they are all executed if outputs are wanted, or if a few do not show what all would do.
Expected<LaunchModelling::OthersBefore> LaunchModelling::othersBefore(const LaunchSpec& spec,
                                                                      const TimedOptions& timed, bool outputs,
                                                                      const std::stop_token& stop) {
  OthersBefore before;
  const TimedBlocks blocks = launcher_.timedBlocksOf(spec, timed);
  uint64_t begin_block = 0;
  FunctionalResult executed;
  if (!outputs) {
    const auto ready = launcher_.prepare(spec);
    if (!ready) return tl::unexpected(ready.error());
    const auto few = foreseeOthers(ready->launch, blocks, {.threads = launcher_.threads()}, stop);
    if (!few) return tl::unexpected(few.error());
    const uint64_t of_block = few->executed.warp_instructions / std::max<uint64_t>(few->executed_blocks, 1);
    before.step_limit = kLeastStepLimit + kMostSteps * of_block * blocks.count(spec.grid.count());
    before.foreseen = few->foreseen;
    if (few->foreseen || kernels_.of(spec.kernel).influence == Influence::kBarrier) return before;
    begin_block = few->executed_until;
    executed = few->executed;
  }
  const auto rest = launcher_.executeBlocks(spec, blocks, stop, begin_block);
  if (!rest) return tl::unexpected(rest.error());
  before.all = FunctionalResult{executed.warp_instructions + rest->warp_instructions,
                                executed.thread_instructions + rest->thread_instructions};
  return before;
}

// Times add up over the launches of a spec; everything else is from the first.
void LaunchModelling::take(TimedResult timed, ModelledReport& report, bool first) {
  launcher_.advanceClock(timed.cycles +
                         static_cast<uint64_t>(profile_.launch_overhead_ns * profile_.sm_clock_mhz / 1e3));
  report.cycles += timed.cycles;
  report.time_us += timed.time_us;
  if (!first) return;
  report.counters = std::move(timed.counters);
  report.log_dropped = timed.log_dropped;
  report.log.reserve(timed.log.size());
  for (const IssuedInstruction& issued : timed.log) {
    report.log.push_back({issued.cycle, BlockId{issued.block}, issued.warp_in_block, issued.pc,
                          LaneMask{issued.mask}, issued.waited_for, issued.waited_cycles});
  }
}

}  // namespace warpscope::sim
