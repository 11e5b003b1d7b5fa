#include "kernels/backend/cuda/counters/pc_sampler.h"

#include <algorithm>
#include <array>
#include <mutex>
#include <string_view>
#include <utility>

#include "kernels/backend/cuda/counters/cubin_lines.h"

namespace warpscope::cuda {
namespace {

// More often than every 128 cycles an H100 drops a large part of the samples: 40 % at 64 cycles, 0.2 % at 128
// (driver 580.159.04, 2026-11-24).
constexpr uint32_t kShortestInterval = 7, kLongestInterval = 31;  // logarithms, as CUPTI has them
constexpr double kSamplesPerSm = 2048;
constexpr double kLaunchesUs = 3000;
constexpr uint32_t kMostLaunches = 32;
constexpr size_t kRecords = 4096, kScratchBytes = size_t{4} << 20, kPcHardwareBytes = size_t{16} << 20;
constexpr uint32_t kWorkerSleepMs = 1;

// The line tables of modules' code, by the numbers that CUPTI computes of it. CUPTI calls back in whichever
// thread loads a module.
struct Cubins {
  std::mutex mutex;
  const cupti::Api* api = nullptr;
  std::map<uint64_t, CubinLines> by_number;
};
Cubins& cubins() {
  static Cubins all;
  return all;
}

// CUPTI asks for a number of the code; it gets its own, so that modules that it has seen before, of which it
// does not tell, are found, too.
void takeCubin(const void* cubin, size_t bytes, uint64_t* number) {
  const std::lock_guard lock(cubins().mutex);
  cupti::CubinNumber numbering;
  numbering.cubin = cubin;
  numbering.cubin_size = bytes;
  if (cubin == nullptr || cubins().api->cubinNumber(numbering) != cupti::kOk) return;
  *number = numbering.number;
  if (cubins().by_number.contains(numbering.number)) return;
  cubins().by_number.emplace(numbering.number, CubinLines({static_cast<const std::byte*>(cubin), bytes}));
}

// "smsp__pcsamp_warps_issue_stalled_long_scoreboard"; nullopt: it counts something else, or only part of the
// samples ("..._not_issued": those in which the scheduler issued nothing).
std::optional<WarpState> stateOf(std::string_view reason) {
  constexpr std::string_view kPrefix = "smsp__pcsamp_warps_issue_stalled_";
  if (!reason.starts_with(kPrefix) || reason.ends_with("_not_issued")) return std::nullopt;
  reason.remove_prefix(kPrefix.size());
  if (reason == "branch_resolving") return WarpState::kBranchResolve;
  if (reason == "no_instructions") return WarpState::kNoInstruction;
  for (size_t i = 0; i < kWarpStates; ++i) {
    if (reason == warpStateName(static_cast<WarpState>(i))) return static_cast<WarpState>(i);
  }
  return WarpState::kCount;
}

}  // namespace

Expected<void> PcSampler::check(cupti::Result result, const char* doing) const {
  if (result == cupti::kOk) return {};
  return fail(ErrorKind::kNoDevice, "{}: {} failed: {}", session_.description().id, doing,
              api_->describe(result));
}

Expected<void> PcSampler::prepare() {
  if (api_ != nullptr) return {};
  const auto api = cupti::Api::load();
  if (!api) return tl::unexpected(api.error());
  api_ = *api;
  cupti::Initialize initialize;
  {
    const std::lock_guard lock(cubins().mutex);
    cubins().api = api_;
  }
  auto done = check(api_->initialize(initialize), "starting CUPTI").and_then([&] {
    return check(api_->registerCubins(takeCubin), "asking for the code of modules");
  });
  if (!done) api_ = nullptr;
  return done;
}

Expected<void> PcSampler::findReasons() {
  if (!reasons_.empty()) return {};
  size_t count = 0;
  cupti::PcReasonCount counting;
  counting.context = session_.context();
  counting.count = &count;
  if (auto done = check(api_->pcReasonCount(counting), "asking what warps can wait for"); !done) return done;
  std::vector<uint32_t> indices(count);
  std::vector<std::array<char, cupti::kReasonNameBytes>> texts(count);
  std::vector<char*> names;
  names.reserve(count);
  for (auto& text : texts) names.push_back(text.data());
  cupti::PcReasonNames naming;
  naming.context = session_.context();
  naming.count = count;
  naming.indices = indices.data();
  naming.names = names.data();
  if (auto done = check(api_->pcReasonNames(naming), "asking what warps can wait for"); !done) return done;
  for (size_t i = 0; i < count; ++i) {
    const auto state = stateOf(std::string_view(names[i], strnlen(names[i], cupti::kReasonNameBytes)));
    if (!state) continue;
    states_.emplace(indices[i], *state);
    reasons_.push_back(indices[i]);
  }
  return {};
}

PcSampler::Amount PcSampler::amountFor(double launch_us) const {
  const uint32_t khz = session_.description().sm_clock_khz;
  const double us = std::max(launch_us, 1.0);
  Amount amount{kShortestInterval,
                static_cast<uint32_t>(std::clamp(kLaunchesUs / us, 1.0, double{kMostLaunches}))};
  const double cycles = us * amount.launches * (khz == 0 ? 2000.0 : khz / 1e3);
  while (amount.interval_log2 < kLongestInterval &&
         cycles / static_cast<double>(uint64_t{1} << amount.interval_log2) > kSamplesPerSm)
    ++amount.interval_log2;
  return amount;
}

void PcSampler::Buffer::makeRoom(size_t reasons_of_each) {
  records.assign(kRecords, {});
  reasons.assign(kRecords * reasons_of_each, {});
  for (size_t i = 0; i < kRecords; ++i) records[i].reasons = reasons.data() + i * reasons_of_each;
  data = {};
  data.room = kRecords;
  data.records = records.data();
}

Expected<void> PcSampler::configure(const Amount& amount) {
  using cupti::PcAttribute;
  std::vector<cupti::PcSetting> settings;
  const auto add = [&](PcAttribute attribute) -> cupti::PcSetting& {
    cupti::PcSetting setting;
    setting.attribute = attribute;
    return settings.emplace_back(setting);
  };
  add(PcAttribute::kMode).number = cupti::kContinuous;
  add(PcAttribute::kInterval).number = amount.interval_log2;
  add(PcAttribute::kReasons).reasons = {reasons_.size(), reasons_.data()};
  add(PcAttribute::kHardwareBytes).size = kPcHardwareBytes;
  add(PcAttribute::kScratchBytes).size = kScratchBytes;
  add(PcAttribute::kStartStop).number = 1;
  add(PcAttribute::kFormat).number = cupti::kParsed;
  add(PcAttribute::kData).data = &left_.data;
  add(PcAttribute::kWorkerSleepMs).number = kWorkerSleepMs;
  for (cupti::PcSetting& setting : settings) {
    cupti::PcConfigure configure;
    configure.context = session_.context();
    configure.count = 1;
    configure.settings = &setting;
    if (auto done = check(api_->pcConfigure(configure), "preparing the sampler of instructions"); !done)
      return done;
  }
  return {};
}

// What there is of the launches since the sampler was started. CUPTI gives as many records at a time as there
// is room for.
Expected<void> PcSampler::collect(WaitsByPtxLine& waits, uint64_t& of_other_kernels) {
  std::map<std::pair<uint32_t, WarpState>, uint64_t> places;
  for (bool more = true; more;) {
    collected_.makeRoom(reasons_.size());
    const cupti::PcData& data = collected_.data;
    cupti::PcGetData get;
    get.context = session_.context();
    get.data = &collected_.data;
    if (auto done = check(api_->pcGetData(get), "reading the sampler of instructions"); !done) return done;
    waits.taken += data.taken - std::min(data.taken, data.of_other_kernels);
    of_other_kernels += data.of_other_kernels;
    waits.dropped += data.dropped;
    const std::lock_guard lock(cubins().mutex);
    for (const cupti::PcRecord& record :
         std::span(collected_.records).first(std::min(data.count, kRecords))) {
      const auto lines = cubins().by_number.find(record.cubin);
      const uint32_t line = lines == cubins().by_number.end() || record.function == nullptr
                                ? 0
                                : lines->second.lineAt(record.function, record.offset);
      for (size_t i = 0; i < std::min(record.reason_count, reasons_.size()); ++i) {
        const auto state = states_.find(record.reasons[i].reason);
        if (state != states_.end()) places[{line, state->second}] += record.reasons[i].samples;
      }
    }
    more = data.count > 0 && data.remaining > 0;
  }
  for (const auto& [at, samples] : places) waits.places.push_back({at.first, at.second, samples});
  return {};
}

Expected<WaitsByPtxLine> PcSampler::sampleEnabled(const Amount& amount, const Works& works) {
  cupti::PcOfContext of;
  of.context = session_.context();
  WaitsByPtxLine waits{.interval_cycles = 1U << amount.interval_log2, .launches = amount.launches};
  auto done = findReasons();
  left_.makeRoom(reasons_.size());
  if (done) done = configure(amount);
  if (done) done = check(api_->pcStart(of), "starting the sampler of instructions");
  if (!done) return tl::unexpected(done.error());
  for (uint32_t i = 0; i < amount.launches && done; ++i) done = works.restore().and_then(works.launch);
  auto finished = session_.synchronize("running the kernel for its samples");
  if (done) done = std::move(finished);
  auto stopped = check(api_->pcStop(of), "stopping the sampler of instructions");
  if (done) done = std::move(stopped);
  uint64_t of_other_kernels = 0;
  if (done) done = collect(waits, of_other_kernels);
  if (!done) return tl::unexpected(done.error());
  if (waits.taken == 0) {
    return fail(
        ErrorKind::kNoDevice,
        "{}: the sampler of instructions took no samples of this kernel ({} of code that CUPTI does not "
        "know, {} dropped)",
        session_.description().id, of_other_kernels, waits.dropped);
  }
  return waits;
}

Expected<WaitsByPtxLine> PcSampler::sample(double launch_us, const Works& works) {
  if (auto ready = prepare(); !ready) return tl::unexpected(ready.error());
  cupti::PcOfContext of;
  of.context = session_.context();
  if (auto done = check(api_->pcEnable(of), "taking the sampler of instructions"); !done)
    return tl::unexpected(done.error());
  auto waits = works.load().and_then([&] { return sampleEnabled(amountFor(launch_us), works); });
  api_->pcDisable(of);
  works.unload();
  return waits;
}

}  // namespace warpscope::cuda
