#include "kernels/backend/cuda/counters/counter_reader.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <string_view>
#include <utility>

namespace warpscope::cuda {
namespace {

// Metrics that do not depend on what caches hold, as many as one pass can count.
constexpr std::array<std::string_view, 7> kOfAnyCaches{"sm__ctas_launched.sum",
                                                       "smsp__warps_launched.sum",
                                                       "smsp__inst_executed.sum",
                                                       "smsp__thread_inst_executed.sum",
                                                       "smsp__inst_executed_op_shared_ld.sum",
                                                       "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum",
                                                       "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum"};
constexpr const char* kFirstUnasked = "smsp__inst_executed.sum";  // is counted if none of these is asked for

}  // namespace

CounterReader::~CounterReader() {
  giveBack();
  for (auto& [key, set] : sets_) {
    cupti::HostDeinitialize ending;
    ending.host = set.host;
    api_->hostDeinitialize(ending);
  }
}

Expected<void> CounterReader::check(cupti::Result result, const char* doing) const {
  if (result == cupti::kOk) return {};
  return fail(ErrorKind::kNoDevice, "{}: {} failed: {}", session_.description().id, doing,
              api_->describe(result));
}

Expected<void> CounterReader::prepare() {
  if (api_ != nullptr) return {};
  const auto api = cupti::Api::load();
  if (!api) return tl::unexpected(api.error());
  api_ = *api;
  cupti::Initialize initialize;
  cupti::ChipName chip;
  chip.device = static_cast<size_t>(session_.ordinal());
  cupti::CounterAvailability size;
  size.context = session_.context();
  auto done =
      check(api_->initialize(initialize), "starting CUPTI")
          .and_then([&] { return check(api_->chipName(chip), "asking for the chip's name"); })
          .and_then([&] { return check(api_->counterAvailability(size), "asking for the counters"); });
  if (done) {
    chip_ = chip.name;
    availability_.resize(size.image_bytes);
    size.image = availability_.data();
    done = check(api_->counterAvailability(size), "asking for the counters");
  }
  if (!done) api_ = nullptr;
  return done;
}

Expected<CounterReader::Set> CounterReader::makeSet(const std::vector<std::string>& metrics) {
  Set set;
  cupti::HostInitialize initialize;
  initialize.chip = chip_.c_str();
  initialize.availability = availability_.data();
  if (auto done = check(api_->hostInitialize(initialize), "preparing the counters"); !done)
    return tl::unexpected(done.error());
  set.host = initialize.host;
  for (const std::string& name : metrics) {
    cupti::MetricProperties known;
    known.host = set.host;
    known.metric = name.c_str();
    if (api_->metricProperties(known) == cupti::kOk) set.metrics.push_back(name);
  }
  cupti::ConfigImageSize size;
  size.host = set.host;
  cupti::ConfigImage image;
  image.host = set.host;
  cupti::PassCount passes;
  const auto done =
      addMetrics(set)
          .and_then([&] { return check(api_->configImageSize(size), "preparing the counters"); })
          .and_then([&] {
            set.config.resize(size.size);
            image.size = size.size;
            image.image = set.config.data();
            return check(api_->configImage(image), "preparing the counters");
          })
          .and_then([&] {
            passes.size = set.config.size();
            passes.image = set.config.data();
            return check(api_->passCount(passes), "counting the passes");
          });
  if (!done) {
    cupti::HostDeinitialize ending;
    ending.host = set.host;
    api_->hostDeinitialize(ending);
    return tl::unexpected(done.error());
  }
  set.passes = passes.passes;
  return set;
}

// CUPTI fills passes in the order in which metrics are added, and each call begins a new pass. Before the
// first pass CUPTI prepares the GPU: the launch that follows takes 0.3 µs longer and reads more from L2
// (NVIDIA H200, driver 580.159.04, 2026-11-28). So the first pass counts only metrics that this does not
// change; without those of L1 such a pass takes 2 ms, with them 24. In descending order the rest of the usual
// metrics take seven passes, in the order of the tables eight.
Expected<void> CounterReader::addMetrics(Set& set) {
  std::ranges::sort(set.metrics, std::greater<>{});
  const auto rest = std::stable_partition(
      set.metrics.begin(), set.metrics.end(),
      [](const std::string& name) { return std::ranges::find(kOfAnyCaches, name) != kOfAnyCaches.end(); });
  auto first = static_cast<size_t>(rest - set.metrics.begin());
  if (first == 0) {
    set.names.push_back(kFirstUnasked);
    first = 1;
  }
  for (const std::string& name : set.metrics) set.names.push_back(name.c_str());
  const auto add_next = [&](const char** names, size_t count) {
    cupti::AddMetrics add;
    add.host = set.host;
    add.metrics = names;
    add.count = count;
    return count == 0 ? Expected<void>{} : check(api_->addMetrics(add), "choosing the counters");
  };
  return add_next(set.names.data(), first).and_then([&] {
    return add_next(set.names.data() + first, set.names.size() - first);
  });
}

Expected<CounterReader::Set*> CounterReader::setOf(const std::vector<std::string>& metrics, size_t kernels) {
  const std::pair key{kernels, metrics};
  const auto known = sets_.find(key);
  if (known != sets_.end()) return &known->second;
  auto made = makeSet(metrics);
  if (!made) return tl::unexpected(made.error());
  return &sets_.emplace(key, std::move(*made)).first->second;
}

Expected<std::map<std::string, double>> CounterReader::read(const std::vector<std::string>& metrics,
                                                            size_t kernels, const Work& restore,
                                                            const Work& launch) {
  if (auto ready = prepare(); !ready) return tl::unexpected(ready.error());
  const auto set = setOf(metrics, kernels);
  if (!set) return tl::unexpected(set.error());
  if ((*set)->metrics.empty()) return std::map<std::string, double>{};
  if (auto taken = take(); !taken) return tl::unexpected(taken.error());
  auto values = readSet(**set, kernels, restore, launch);
  if (!values) giveBack();  // it may be in the middle of a pass
  return values;
}

Expected<void> CounterReader::take() {
  if (range_ != nullptr) return {};
  cupti::Enable enable;
  enable.context = session_.context();
  auto done = check(api_->enable(enable), "taking the counters");
  if (done) range_ = enable.range;
  return done;
}

void CounterReader::giveBack() {
  if (range_ == nullptr) return;
  cupti::OfRange ending;
  ending.range = std::exchange(range_, nullptr);
  api_->disable(ending);
}

Expected<std::map<std::string, double>> CounterReader::readSet(Set& set, size_t kernels, const Work& restore,
                                                               const Work& launch) {
  // CUPTI only reads through the array of names.
  auto** const names = const_cast<const char**>(set.names.data());
  cupti::DataSize size;
  size.range = range_;
  size.metrics = names;
  size.count = set.names.size();
  size.most_ranges = kernels;
  size.most_nodes = static_cast<uint32_t>(kernels);
  cupti::DataInitialize empty;
  empty.range = range_;
  cupti::SetConfig config;
  config.range = range_;
  config.config = set.config.data();
  config.config_size = set.config.size();
  config.most_ranges = kernels;
  auto done = check(api_->dataSize(size), "preparing the counters")
                  .and_then([&] {
                    set.data.resize(size.size);
                    empty.data = config.data = set.data.data();
                    empty.size = config.data_size = set.data.size();
                    return check(api_->dataInitialize(empty), "preparing the counters");
                  })
                  .and_then([&] { return check(api_->setConfig(config), "choosing the counters"); });
  cupti::OfRange start;
  start.range = range_;
  cupti::Stop stop;
  stop.range = range_;
  // A few more than it should need, so that a driver that never says it is done does not hang us.
  for (size_t pass = 0; done && stop.all_passes_done == 0 && pass < 2 * set.passes + 2; ++pass) {
    done = restore().and_then([&] { return session_.synchronize("restoring the inputs"); }).and_then([&] {
      return check(api_->start(start), "starting the counters");
    });
    if (!done) break;
    done = launch().and_then([&] { return session_.synchronize("running the kernel for its counters"); });
    const auto stopped = check(api_->stop(stop), "stopping the counters");
    if (done) done = stopped;
  }
  cupti::Decode decode;
  decode.range = range_;
  std::vector<double> values(set.names.size(), std::nan(""));
  cupti::Evaluate evaluate;
  evaluate.host = set.host;
  evaluate.metrics = names;
  evaluate.count = set.names.size();
  evaluate.values = values.data();
  done = done.and_then([&] { return check(api_->decode(decode), "reading the counters"); }).and_then([&] {
    evaluate.data = set.data.data();
    evaluate.data_size = set.data.size();
    return check(api_->evaluate(evaluate), "computing the counters");
  });
  if (!done) return tl::unexpected(done.error());
  std::map<std::string, double> found;
  const size_t unasked = values.size() - set.metrics.size();
  for (size_t i = 0; i < set.metrics.size(); ++i) {
    const double value = values[unasked + i];
    if (!std::isfinite(value)) continue;
    // Its parts are counted in different passes, that is, in different launches.
    const bool is_hit_rate = set.metrics[i].ends_with("hit_rate.pct");
    found.emplace(set.metrics[i], is_hit_rate ? std::min(value, 100.0) : value);
  }
  return found;
}

}  // namespace warpscope::cuda
