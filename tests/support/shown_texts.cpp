#include "tests/support/shown_texts.h"

#include <algorithm>
#include <cctype>
#include <set>

#include "kernels/experiments/experiment.h"
#include "kernels/export/formats.h"
#include "kernels/metrics/achieved.h"
#include "kernels/metrics/counters.h"
#include "kernels/metrics/metric.h"
#include "kernels/metrics/streams.h"
#include "kernels/run/lane_log.h"
#include "kernels/run/samples.h"
#include "kernels/run/stream_log.h"
#include "kernels/run/warp_state.h"
#include "viz/text/words.h"

namespace warpscope::testing {
namespace {

bool hasWord(std::string_view text) {
  size_t letters = 0, longest = 0;
  for (const char c : text) {
    letters = std::isalpha(static_cast<unsigned char>(c)) != 0 ? letters + 1 : 0;
    longest = std::max(longest, letters);
  }
  return longest >= 2;
}

class Collector {
 public:
  void add(const std::string& text, const std::string& where) { add(ShownText{text, where, "", false}); }
  void add(ShownText text) {
    if (hasWord(text.text) &&
        seen_.insert((text.finished ? "message" : text.context) + '\4' + text.text).second)
      texts_.push_back(std::move(text));
  }
  std::vector<ShownText> take() { return std::move(texts_); }

 private:
  std::set<std::string> seen_;
  std::vector<ShownText> texts_;
};

void addParameter(Collector& collector, const std::string& where, const ParameterSpec& spec) {
  collector.add(spec.label, where + ".label");
  collector.add(spec.unit, where + ".unit");
  collector.add(spec.help, where + ".help");
  collector.add(spec.zero_means, where + ".zero_means");
  for (const std::string& choice : spec.choices) collector.add(choice, where + ".choices");
}

// The values at which a family's predictions may change: both ends and, in between, all values if they are
// few, or else the powers of two with their neighbours.
std::vector<int64_t> tellingValues(const ParameterSpec& spec) {
  if (spec.kind == ParameterKind::kChoice || spec.max - spec.min <= 64) {
    const int64_t end =
        spec.kind == ParameterKind::kChoice ? static_cast<int64_t>(spec.choices.size()) - 1 : spec.max;
    std::vector<int64_t> all;
    for (int64_t value = spec.kind == ParameterKind::kChoice ? 0 : spec.min; value <= end; value += spec.step)
      all.push_back(value);
    return all;
  }
  std::vector<int64_t> values{spec.min, spec.default_value, spec.max};
  for (int64_t power = 1; power < spec.max; power *= 2) {
    for (const int64_t value : {power - 1, power, power + 1}) {
      if (value > spec.min && value < spec.max && (value - spec.min) % spec.step == 0)
        values.push_back(value);
    }
  }
  return values;
}

// Of devices that a family tells apart: by managed memory, by graphs' conditional nodes, by how many GPUs
// they have, and whether these reach each other's memory.
std::vector<DeviceLimits> tellingLimits() {
  std::vector<DeviceLimits> all(4);
  for (DeviceLimits& limits : all) limits.max_threads_per_block = 1024;
  all[1].gpus = all[2].gpus = 2;
  all[2].peer_access = true;
  for (const size_t i : {2U, 3U}) {
    all[i].concurrent_managed_access = all[i].memory_pools = true;
    all[i].conditional_nodes = all[i].device_runtime = true;
  }
  return all;
}

void addPredictions(Collector& collector, const Experiment& experiment, const std::string& variant) {
  const FamilyInfo& family = experiment.info();
  const std::string where = family.name + "." + variant + ".prediction";
  const auto add_on = [&](const RunRequest& request, const DeviceLimits& limits) {
    for (const Prediction& prediction : experiment.predictions(request, limits)) {
      collector.add({prediction.label, where, "", true});
      collector.add(prediction.unit, where);
      collector.add({prediction.reason, where, "", true});
    }
  };
  const auto add = [&](const RunRequest& asked) {
    const auto request = completeRequest(family, asked);
    if (!request) return;
    for (const DeviceLimits& limits : tellingLimits()) add_on(*request, limits);
  };
  RunRequest request;
  request.family = family.name;
  request.variant = variant;
  add(request);
  for (const ParameterSpec* spec : parametersOf(family, variant)) {
    for (const int64_t value : tellingValues(*spec)) {
      request.parameters = {{spec->name, value}};
      add(request);
    }
  }
}

// The names of streams and of parts of the work, which end in numbers: "chunk {}".
void addOperations(Collector& collector, const Experiment& experiment, const std::string& variant,
                   const ParameterValues& parameters, const DeviceLimits& limits) {
  const auto request = completeRequest(
      experiment.info(), {.family = experiment.info().name, .variant = variant, .parameters = parameters});
  const auto plan = request ? experiment.plan(*request, limits) : tl::unexpected(request.error());
  if (!plan) return;
  const std::string where = experiment.info().name + "." + variant + ".operation";
  const auto add = [&](const std::string& name) {
    const size_t digits = name.find_last_not_of("0123456789") + 1;
    collector.add(digits == name.size() ? name : name.substr(0, digits) + "{}", where);
  };
  for (const StreamInfo& stream : plan->streams) add(stream.name);
  for (const PlannedOperation& operation : plan->operations) add(operation.name);
  for (const StreamGraph& graph : plan->graphs) add(graph.name);
}

// With each of a variant's choices.
void addOperations(Collector& collector, const Experiment& experiment, const std::string& variant) {
  for (const DeviceLimits& limits : tellingLimits())
    addOperations(collector, experiment, variant, {}, limits);
  for (const ParameterSpec* spec : parametersOf(experiment.info(), variant)) {
    for (size_t choice = 0; choice < spec->choices.size(); ++choice) {
      addOperations(collector, experiment, variant, {{spec->name, static_cast<int64_t>(choice)}},
                    tellingLimits().back());
    }
  }
}

void addFamily(Collector& collector, const Experiment& experiment) {
  const FamilyInfo& family = experiment.info();
  collector.add(family.title, family.name + ".title");
  collector.add(family.summary, family.name + ".summary");
  for (const VariantInfo& variant : family.variants) {
    const std::string where = family.name + "." + variant.name;
    collector.add(variant.title, where + ".title");
    collector.add(variant.summary, where + ".summary");
    addOperations(collector, experiment, variant.name);
    const auto regions = experiment.regions(variant.name);
    for (const Region& region : regions.value_or(std::vector<Region>{}))
      collector.add(region.name, where + ".region");
    addPredictions(collector, experiment, variant.name);
  }
  for (const ParameterSpec& spec : family.parameters)
    addParameter(collector, family.name + "." + spec.name, spec);
}

}  // namespace

std::vector<ShownText> shownTexts() {
  Collector collector;
  for (const Experiment* experiment : allExperiments()) addFamily(collector, *experiment);
  for (const Provenance provenance : {Provenance::kMeasured, Provenance::kModelled})
    collector.add(provenanceName(provenance), "provenance");
  for (size_t i = 0; i < kWarpStates; ++i) {
    const auto state = static_cast<WarpState>(i);
    collector.add({warpStateTitle(state), "warp_state.title", kStateContext, false});
    collector.add(warpStateHelp(state), "warp_state.help");
  }
  for (size_t i = 0; i < kActivityKinds; ++i) {
    collector.add(activityTitle(static_cast<ActivityKind>(i)), "activity.title");
    collector.add(activityHelp(static_cast<ActivityKind>(i)), "activity.help");
  }
  for (int kind = 0; kind <= static_cast<int>(ExchangeKind::kActiveMask); ++kind)
    collector.add(exchangeName(static_cast<ExchangeKind>(kind)), "lanes.exchange");
  for (int kind = 0; kind <= static_cast<int>(OperationKind::kWait); ++kind)
    collector.add(operationKindName(static_cast<OperationKind>(kind)), "operation.kind");
  for (int wait = 0; wait <= static_cast<int>(StreamWait::kTrigger); ++wait)
    collector.add(streamWaitSentence(static_cast<StreamWait>(wait)), "operation.wait");
  collector.add(kHeldSentence, "operation.wait");
  for (int kind = 0; kind <= static_cast<int>(StreamKind::kNonBlocking); ++kind)
    collector.add(streamKindName(static_cast<StreamKind>(kind)), "stream.kind");
  for (const GraphMaking making : {GraphMaking::kCaptured, GraphMaking::kExplicit})
    collector.add(graphMakingName(making), "graph.making");
  for (const StreamClock clock : {StreamClock::kActivity, StreamClock::kEvents})
    collector.add(streamClockName(clock), "stream.clock");
  for (const HostMemory memory : {HostMemory::kPinned, HostMemory::kPageable, HostMemory::kManaged})
    collector.add(hostMemoryName(memory), "host_memory");
  for (const StreamUnit unit : {StreamUnit::kCopyToDevice, StreamUnit::kPeerCopy, StreamUnit::kSms,
                                StreamUnit::kCopyToHost, StreamUnit::kHost})
    collector.add(streamUnitName(unit), "stream.unit");
  // Units are written with the numbers; these are symbols, not words.
  const std::set<std::string_view> signs{"ns"};
  for (const CounterText& counter : counterTexts()) {
    collector.add(std::string(counter.title), "counter.title");
    collector.add(std::string(counter.group), "counter.group");
    if (!signs.contains(counter.unit)) collector.add(std::string(counter.unit), "counter.unit");
  }
  for (const Metric& metric : metrics()) {
    collector.add(std::string(metric.title), "metric.title");
    collector.add(std::string(metric.axis), "metric.axis");
    collector.add(std::string(metric.help), "metric.help");
  }
  for (const AchievedFrom from :
       {AchievedFrom::kCounter, AchievedFrom::kResidency, AchievedFrom::kRecordedWarps}) {
    collector.add(achievedHow(from), "achievedHow");
  }
  for (const ExportFormat& format : exportFormats()) {
    collector.add(format.label, "export.label");
    collector.add(format.menu_help, "export.menu_help");
  }
  for (const TableInfo& table : tables()) collector.add(table.label, "export.table");
  return collector.take();
}

}  // namespace warpscope::testing
