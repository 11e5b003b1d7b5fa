#include "kernels/backend/cuda/counters/pm_sampler.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace warpscope::cuda {
namespace {

// The shortest interval at which an H100 takes even samples of four metrics.
constexpr double kShortestIntervalNs = 500;
constexpr double kSamplesOfLaunch = 64;
// From the start of the sampler to its end 0.25 ms pass besides the launch (H100, driver 580.159.04,
// 2026-11-24). Room for more samples is slow to prepare: 40 kB each.
constexpr double kWindowNs = 450e3, kWindowOfLaunch = 1.5;
constexpr size_t kPmHardwareBytes = size_t{64} << 20;

}  // namespace

PmSampler::~PmSampler() {
  giveBack();
  if (host_ == nullptr) return;
  cupti::HostDeinitialize ending;
  ending.host = host_;
  api_->hostDeinitialize(ending);
}

Expected<void> PmSampler::check(cupti::Result result, const char* doing) const {
  if (result == cupti::kOk) return {};
  return fail(ErrorKind::kNoDevice, "{}: {} failed: {}", session_.description().id, doing,
              api_->describe(result));
}

Expected<void> PmSampler::prepare() {
  if (host_ != nullptr) return {};
  const auto api = cupti::Api::load();
  if (!api) return tl::unexpected(api.error());
  api_ = *api;
  cupti::Initialize initialize;
  cupti::ChipName chip;
  chip.device = static_cast<size_t>(session_.ordinal());
  cupti::PmAvailability available;
  available.device = chip.device;
  cupti::HostInitialize host;
  host.kind = cupti::kPmSampling;
  auto done = check(api_->initialize(initialize), "starting CUPTI")
                  .and_then([&] { return check(api_->chipName(chip), "asking for the chip's name"); })
                  .and_then([&] { return check(api_->pmAvailability(available), "asking for the sampler"); })
                  .and_then([&] {
                    availability_.resize(available.image_bytes);
                    available.image = availability_.data();
                    return check(api_->pmAvailability(available), "asking for the sampler");
                  })
                  .and_then([&] {
                    chip_ = chip.name;
                    host.chip = chip_.c_str();
                    host.availability = availability_.data();
                    return check(api_->hostInitialize(host), "preparing the sampler");
                  });
  if (!done) return done;
  host_ = host.host;
  done = chooseMetrics();
  if (done) return done;
  cupti::HostDeinitialize ending;
  ending.host = std::exchange(host_, nullptr);
  api_->hostDeinitialize(ending);
  return done;
}

Expected<void> PmSampler::chooseMetrics() {
  metrics_.clear();
  for (size_t i = 0; i < kActivityKinds; ++i)
    metrics_.push_back(activityMetric(static_cast<ActivityKind>(i)));
  cupti::AddMetrics add;
  add.host = host_;
  add.metrics = metrics_.data();
  add.count = metrics_.size();
  cupti::ConfigImageSize size;
  size.host = host_;
  cupti::ConfigImage image;
  image.host = host_;
  cupti::PassCount passes;
  auto done = check(api_->addMetrics(add), "choosing what is sampled")
                  .and_then([&] { return check(api_->configImageSize(size), "preparing the sampler"); })
                  .and_then([&] {
                    config_.resize(size.size);
                    image.size = size.size;
                    image.image = config_.data();
                    return check(api_->configImage(image), "preparing the sampler");
                  })
                  .and_then([&] {
                    passes.size = config_.size();
                    passes.image = config_.data();
                    return check(api_->passCount(passes), "preparing the sampler");
                  });
  if (!done || passes.passes <= 1) return done;
  return fail(ErrorKind::kNoDevice, "{} cannot sample SMs, L2 and DRAM at the same time",
              session_.description().name);
}

// An interval is set once; another one needs the sampler to be taken anew.
Expected<void> PmSampler::take(uint64_t interval_ns, uint32_t most_samples) {
  if (sampler_ != nullptr && interval_ns == interval_ns_) return {};
  giveBack();
  cupti::PmEnable enable;
  enable.device = static_cast<size_t>(session_.ordinal());
  if (auto done = check(api_->pmEnable(enable), "taking the sampler"); !done) return done;
  sampler_ = enable.sampler;
  cupti::PmConfig config;
  config.sampler = sampler_;
  config.config = config_.data();
  config.config_size = config_.size();
  config.hardware_bytes = kPmHardwareBytes;
  config.interval = interval_ns_ = interval_ns;
  cupti::PmDataSize size;
  size.sampler = sampler_;
  size.metrics = metrics_.data();
  size.count = metrics_.size();
  size.most_samples = most_samples;
  auto done = check(api_->pmConfigure(config), "setting the sampler's interval").and_then([&] {
    return check(api_->pmDataSize(size), "preparing the sampler");
  });
  if (done) {
    data_.resize(size.size);
  } else {
    giveBack();
  }
  return done;
}

void PmSampler::giveBack() {
  if (sampler_ == nullptr) return;
  cupti::OfPmSampler ending;
  ending.sampler = std::exchange(sampler_, nullptr);
  api_->pmDisable(ending);
}

Expected<void> PmSampler::decode(TimedActivity& activity) {
  cupti::PmDataInitialize empty;
  empty.sampler = sampler_;
  empty.size = data_.size();
  empty.data = data_.data();
  cupti::PmDecode decode;
  decode.sampler = sampler_;
  decode.data = data_.data();
  decode.size = data_.size();
  cupti::PmDataInfo info;
  info.data = data_.data();
  info.size = data_.size();
  auto done = check(api_->pmDataInitialize(empty), "preparing the sampler")
                  .and_then([&] { return check(api_->pmDecode(decode), "reading the sampler"); })
                  .and_then([&] { return check(api_->pmDataInfo(info), "reading the sampler"); });
  for (size_t i = 0; done && i < info.completed; ++i) {
    cupti::PmSampleInfo times;
    times.sampler = sampler_;
    times.data = data_.data();
    times.size = data_.size();
    times.sample = i;
    TimedActivity::Sample sample;
    cupti::Evaluate evaluate;
    evaluate.host = host_;
    evaluate.data = data_.data();
    evaluate.data_size = data_.size();
    evaluate.range = i;
    evaluate.metrics = metrics_.data();
    evaluate.count = metrics_.size();
    evaluate.values = sample.percent.data();
    done = check(api_->pmSampleInfo(times), "reading the sampler").and_then([&] {
      return check(api_->evaluate(evaluate), "reading the sampler");
    });
    sample.begin_ns = times.begin_ns;
    sample.end_ns = times.end_ns;
    if (std::ranges::all_of(sample.percent, [](double value) { return std::isfinite(value); }))
      activity.samples.push_back(sample);
  }
  return done;
}

Expected<TimedActivity> PmSampler::sample(double launch_us, const Work& launch) {
  if (auto ready = prepare(); !ready) return tl::unexpected(ready.error());
  const double launch_ns = std::max(launch_us, 0.0) * 1e3;
  const double interval_ns = std::round(std::max(kShortestIntervalNs, launch_ns / kSamplesOfLaunch));
  TimedActivity activity{.interval_ns = static_cast<uint64_t>(interval_ns)};
  const double room = (kWindowNs + kWindowOfLaunch * launch_ns) / interval_ns;
  // Finishes pending work first, so that the samples contain the launch alone.
  auto done = take(activity.interval_ns, static_cast<uint32_t>(room)).and_then([&] {
    return session_.synchronize("preparing to sample");
  });
  if (!done) return tl::unexpected(done.error());
  cupti::OfPmSampler of;
  of.sampler = sampler_;
  done = check(api_->pmStart(of), "starting the sampler");
  if (done) {
    auto launched = launch();
    done = check(api_->pmStop(of), "stopping the sampler");
    if (!launched) done = std::move(launched);
  }
  if (done) done = decode(activity);
  if (done) return activity;
  giveBack();  // it may be in the middle of something
  return tl::unexpected(done.error());
}

}  // namespace warpscope::cuda
