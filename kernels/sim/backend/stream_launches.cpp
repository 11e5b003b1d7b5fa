#include "kernels/sim/backend/stream_launches.h"

#include <algorithm>
#include <utility>

#include "kernels/backend/stream_graphs.h"
#include "kernels/occupancy/occupancy.h"

namespace warpscope::sim {

StreamLaunches::StreamLaunches(Launcher& launcher, LoadedKernels& kernels, DeviceMemory& memory,
                               ModelledCaches& caches, const DeviceProfile& profile,
                               const DeviceDescription& gpu, const StreamRequest& request)
    : launcher_(launcher),
      kernels_(kernels),
      memory_(memory),
      caches_(caches),
      profile_(profile),
      gpu_(gpu),
      request_(request) {
  report_.bare.resize(request.work.operations.size());
}

Expected<LaunchedAlone> StreamLaunches::launch(uint32_t operation) {
  const LaunchSpec& spec = request_.work.operations[operation].launch;
  // A launch that decides something must be executed, whatever is known of it.
  const bool decides = decidedBy(request_.work, operation).has_value();
  auto plain = request_.how == nullptr ? std::nullopt : plainOf(operation, !decides);
  if (decides) return launchDeciding(operation, spec, plain);
  if (plain && plain->recording == 0 && plain->known == nullptr) plain->like = likeBefore(operation);
  return launchAlone(spec, plain);
}

std::optional<StreamLaunches::Plain> StreamLaunches::plainOf(uint32_t operation, bool may_be_known) const {
  const ModelledStreams& how = *request_.how;
  const LaunchSpec& bare = how.plain[operation];
  if (kernels_.hasClusters(bare) || kernels_.of(bare.kernel).influence != Influence::kNone)
    return std::nullopt;
  Plain plain{
      .operation = operation, .spec = &bare, .recorded_rounds = how.recorded_rounds, .outputs = how.outputs};
  if (may_be_known && operation < how.known.size()) plain.known = how.known[operation].get();
  const bool records = bare.kernel.value != request_.work.operations[operation].launch.kernel.value;
  if (records) plain.recording = std::max(how.recorded_sms, 1U);
  if (plain.known != nullptr && records) {
    if (how.warps_of_known > 0) {
      const uint64_t of_block = (bare.block.count() + kWarpSize - 1) / kWarpSize;
      const uint64_t recorded = (how.warps_of_known + of_block - 1) / of_block;
      plain.recording = static_cast<uint32_t>(std::min<uint64_t>(plain.recording, recorded));
      plain.most_rounds = (recorded + plain.recording - 1) / plain.recording;
    }
    plain.sms = plain.recording;
  } else {
    plain.sms = launcher_.sampledSms(bare, plain.recording);
    // Where each block has an SM of its own, the first one and the last one show all that there is.
    const bool alone = bare.grid.count() <= gpu_.limits.sm_count;
    if (alone && plain.recording == 0) plain.sms = std::min(plain.sms, 2U);
  }
  return plain;
}

// The latest of the launches before this operation that does the same, elsewhere in memory perhaps.
std::shared_ptr<const BareLaunch> StreamLaunches::likeBefore(uint32_t operation) const {
  const std::vector<LaunchSpec>& plain = request_.how->plain;
  for (uint32_t before = operation; before-- > 0;) {
    if (report_.bare[before] && doTheSame(plain[before], plain[operation])) return report_.bare[before];
  }
  return nullptr;
}

bool StreamLaunches::doTheSame(const LaunchSpec& a, const LaunchSpec& b) const {
  return a.kernel.value == b.kernel.value &&
         sim::doTheSame(a, b, kernels_.shiftingParametersOf(a.kernel),
                        [this](DeviceAddress address) { return memory_.gpuOf(address); });
}

// A launch that decides whether another one of its graph is executed.
Expected<LaunchedAlone> StreamLaunches::launchDeciding(uint32_t operation, LaunchSpec spec,
                                                       std::optional<Plain> plain) {
  spec.parameters.back() = conditionParameter(launcher_.condition().begin(operation));
  LaunchSpec bare;
  if (plain) {
    bare = *plain->spec;
    bare.parameters.back() = spec.parameters.back();
    plain->spec = &bare;
  }
  auto alone = launchAlone(spec, plain);
  const bool continues = launcher_.condition().end();
  if (alone) alone->continues = continues;
  return alone;
}

Expected<LaunchedAlone> StreamLaunches::launchAlone(const LaunchSpec& spec,
                                                    const std::optional<Plain>& plain) {
  if (plain && plain->known != nullptr && plain->recording == 0) return launchKnown(*plain, *plain->known);
  if (plain && plain->like && plain->like->number >= kStandsForOthers) {
    report_.bare[plain->operation] = plain->like;
    return launchKnown(*plain, *plain->like);
  }
  const auto ready = launcher_.prepare(spec, request_.listener, report_.printed);
  if (!ready) return tl::unexpected(ready.error());
  memory_.written().everythingWritten();
  const TimedOptions options = optionsOf(spec, *ready, plain);
  auto timed = launcher_.time(*ready, spec, options, request_.stop);
  if (!timed) return tl::unexpected(timed.error());
  const KernelResources needed = kernels_.resources(spec.kernel, spec.dynamic_shared_bytes);
  LaunchedAlone alone{.stays = std::move(timed->stays),
                      .begin_cycle = launcher_.clock(),
                      .needs = resourceBudgets({.limits = gpu_.limits,
                                                .resources = needed,
                                                .block_threads = static_cast<uint32_t>(spec.block.count())}),
                      .blocks_per_sm = options.blocks_per_sm,
                      .demand = timed->demand};
  launcher_.advanceClock(timed->cycles + profile_.launch_cycles);
  if (!plain) return alone;
  const ModelledBlocks work{timed->blocks, timed->work.instructions, timed->work.most, timed->work.fewest};
  if (auto done = complete(*plain, options, work, alone); !done) return tl::unexpected(done.error());
  if (plain->recording == 0)
    report_.bare[plain->operation] = std::make_shared<const BareLaunch>(
        BareLaunch{alone, work, plain->like ? plain->like->number + 1 : 1});
  return alone;
}

// A launch that need not be modelled again.
Expected<LaunchedAlone> StreamLaunches::launchKnown(const Plain& plain, const BareLaunch& known) {
  if (auto done = executeRest(plain, {}, known.work); !done) return tl::unexpected(done.error());
  return known.alone;
}

TimedOptions StreamLaunches::optionsOf(const LaunchSpec& spec, const ReadyLaunch& ready,
                                       const std::optional<Plain>& plain) {
  TimedOptions options = launcher_.timedOptions(ready);
  options.keep_stays = true;
  options.count = false;
  options.dependent = spec.programmatic;
  if (!plain || plain->sms == 0) return options;
  options.sampled_sms = plain->sms;
  options.recorded_rounds = plain->recorded_rounds;
  if (plain->known == nullptr) options.plain_sms = plain->sms / 2;
  if (plain->most_rounds > 0) options.most_rounds = plain->most_rounds + ready.blocks_per_sm;
  if (plain->recording == 0) return options;
  for (const AddressRange& range : memory_.pointedAtBy(spec.parameters.front()))
    options.recording.push_back(caches_.seen(range, range.end - range.begin));
  return options;
}

// Adds the blocks that were not modelled: they stay as long as those that stand for them, or as without
// probes.
Expected<void> StreamLaunches::complete(const Plain& plain, const TimedOptions& options,
                                        const ModelledBlocks& work, LaunchedAlone& alone) {
  const uint64_t blocks = plain.spec->grid.count();
  if (plain.known == nullptr) {
    if (options.sampled_sms == 0) return {};
    const TimedBlocks selection = launcher_.timedBlocksOf(*plain.spec, options);
    if (auto done = executeRest(plain, selection, work); !done) return done;
    alone.stays = staysOfAll(alone.stays, selection, blocks, plain.recording);
    return {};
  }
  report_.complete = report_.complete && work.blocks == blocks;
  std::vector<BlockStay> stays = plain.known->alone.stays;
  for (BlockStay& stay : alone.stays) stays[stay.block] = std::move(stay);
  alone.stays = std::move(stays);
  alone.demand = plain.known->alone.demand;
  return {};
}

// Executes the blocks that are not modelled, if outputs are wanted. Blocks that record execute more than
// those that do not, and cannot be compared with them.
Expected<void> StreamLaunches::executeRest(const Plain& plain, const BlockSelection& modelled_blocks,
                                           const ModelledBlocks& work) {
  const uint64_t blocks = plain.spec->grid.count();
  const uint64_t rest = blocks - modelled_blocks.count(blocks);
  if (rest == 0) return {};
  report_.complete = report_.complete && plain.outputs;
  if (!plain.outputs) return {};
  const auto others = launcher_.executeBlocks(*plain.spec, modelled_blocks, request_.stop);
  if (!others) return tl::unexpected(others.error());
  if (plain.recording == 0 && areUneven(work, others->warp_instructions, rest)) report_.uneven = true;
  return {};
}

}  // namespace warpscope::sim
