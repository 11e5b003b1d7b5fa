#include "app/gui/pages/plots_data.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "app/gui/family_lookup.h"
#include "kernels/metrics/counters.h"
#include "kernels/run/warp_state.h"
#include "viz/text/translate.h"

namespace warpscope {
namespace {

template <class Visit>
void forEachSwept(const Model& model, Visit visit) {
  if (!model.sweep().wish()) return;
  for (const SweepLine& line : model.sweep().lines()) {
    for (const int64_t value : line.values) {
      const SweptRun* run = model.sweep().runs().find(line.at(model.sweep().wish()->parameter, value));
      if (run != nullptr && run->problem.empty()) visit(*run);
    }
  }
}

PlottedQuantity quantityOfCounter(const std::string& name) {
  const CounterText* text = findCounterText(name);
  if (text == nullptr) return {name, name, ""};
  PlottedQuantity quantity{name, tr(std::string(text->title)), std::string(text->unit)};
  if (quantity.unit == "B") quantity.numbers = TickNumbers::kBytes;
  return quantity;
}

// The conversion of a metric's numbers to those of an axis.
struct AxisForm {
  const char* unit;
  double factor;
  TickNumbers numbers = TickNumbers::kPlain;
};

AxisForm axisForm(MetricUnit unit) {
  switch (unit) {
    case MetricUnit::kMicroseconds:
      return {"s", 1e-6, TickNumbers::kSi};
    case MetricUnit::kGbPerS:
      return {"B/s", 1e9, TickNumbers::kSi};
    case MetricUnit::kShare:
      return {"%", 100};
    case MetricUnit::kBytes:
      return {"B", 1, TickNumbers::kBytes};
    case MetricUnit::kTimes:
    case MetricUnit::kCount:
    case MetricUnit::kNumber:
    case MetricUnit::kLanes:
      break;
  }
  return {"", 1};
}

bool isPowerOfTwo(int64_t value) {
  return value > 0 && (value & (value - 1)) == 0;
}

// Up to this many values each have a tick.
constexpr size_t kMostTicks = 12;

}  // namespace

std::vector<PlottedQuantity> plottedQuantities(const Model& model) {
  std::set<const Metric*> told;
  std::set<std::string> counters;
  forEachSwept(model, [&](const SweptRun& run) {
    for (const Metric& metric : metrics()) {
      if (run.metrics[metric]) told.insert(&metric);
    }
    for (const auto& [name, value] : run.counters) counters.insert(name);
  });
  if (told.empty()) told.insert(findMetric("time"));  // there is something to choose before the first run
  std::vector<PlottedQuantity> quantities;
  for (const Metric& metric : metrics()) {
    if (!told.contains(&metric)) continue;
    const AxisForm form = axisForm(metric.unit);
    const std::string title(metric.axis.empty() ? metric.title : metric.axis);
    quantities.push_back({std::string(metric.id), tr(title), form.unit, form.numbers});
  }
  // Counters come in the order of their panel; those that it does not name come last.
  for (const CounterText& text : counterTexts()) {
    if (counters.erase(std::string(text.name)) > 0) {
      quantities.push_back(quantityOfCounter(std::string(text.name)));
    }
  }
  for (const std::string& name : counters) quantities.push_back(quantityOfCounter(name));
  return quantities;
}

std::optional<PlottedValue> valueOf(const SweptRun& run, const std::string& quantity) {
  if (!run.problem.empty()) return std::nullopt;
  if (const Metric* metric = findMetric(quantity)) {
    const auto& known = run.metrics[*metric];
    if (!known) return std::nullopt;
    const double factor = axisForm(metric->unit).factor;
    return PlottedValue{known->value * factor, known->low * factor, known->high * factor};
  }
  const auto counter = run.counters.find(quantity);
  if (counter == run.counters.end()) return std::nullopt;
  return PlottedValue{counter->second, counter->second, counter->second};
}

ControlAxis controlAxis(const ParameterSpec& spec, const std::vector<int64_t>& values) {
  ControlAxis control;
  PlotAxis& axis = control.axis;
  axis.title = tr(spec.label);
  if (values.empty()) return control;
  const auto [least, most] = std::ranges::minmax(values);
  if (spec.kind == ParameterKind::kChoice) {
    for (const int64_t value : values) {
      axis.ticks.push_back(static_cast<double>(value));
      axis.tick_texts.push_back(formatParameter(spec, value));
    }
    axis.min = static_cast<double>(least) - 0.5;
    axis.max = static_cast<double>(most) + 0.5;
    return control;
  }
  axis.unit = tr(spec.unit);
  // "Elements", of elements, in any language.
  axis.unit_in_title = titleWith(spec.label, spec.unit) == spec.label;
  const auto positive = [](int64_t value) { return value > 0; };
  const bool spread = values.size() > 3 && std::ranges::all_of(values, [](int64_t value) {
                        return value == 0 || isPowerOfTwo(value);
                      });
  const bool log = least >= 0 && most > 1 && (spec.kind == ParameterKind::kLog2 || spread);
  if (!log) {
    const double margin = std::max(1e-9, static_cast<double>(most - least)) * 0.03;
    axis.min = static_cast<double>(least) - margin;
    axis.max = static_cast<double>(most) + margin;
    if (values.size() <= kMostTicks) axis.ticks.assign(values.begin(), values.end());
    return control;
  }
  axis.scale = ScaleKind::kLog2;
  axis.numbers = most > 4096 ? TickNumbers::kPowers : TickNumbers::kPlain;
  int64_t first = most;
  for (const int64_t value : values) {
    if (positive(value)) first = std::min(first, value);
  }
  control.zero_at = static_cast<double>(first) / 4;
  axis.min = (least == 0 ? control.zero_at : static_cast<double>(first)) / 1.3;
  axis.max = static_cast<double>(most) * 1.3;
  if (least == 0) {
    // Zero has no logarithm; its tick shows its name.
    for (const int64_t value : values) {
      axis.ticks.push_back(control.place(value));
      axis.tick_texts.push_back(value == 0 && !spec.zero_means.empty() ? tr(spec.zero_means)
                                                                       : formatParameter(spec, value));
    }
  }
  return control;
}

std::string usualControl(Model& model) {
  // A control that only this variant has (a stride, warps per SM) says more than the block, which all have.
  constexpr size_t kTelling = 4;
  const ParameterSpec* usual = nullptr;
  std::pair<bool, size_t> best{false, 1};
  for (const ParameterSpec* spec : model.choice().controls()) {
    const size_t values = model.offeredValues(*spec).size();
    const bool elements = spec->role == ParameterRole::kElements;
    if (elements && values >= 3) return spec->name;
    const bool own = spec->role != ParameterRole::kBlock && !elements && values >= kTelling;
    if (values < 2 || std::pair(own, values) <= best) continue;
    usual = spec;
    best = {own, values};
  }
  return usual == nullptr ? "" : usual->name;
}

MemoryCeilings memoryCeilings(const Model& model) {
  MemoryCeilings ceilings;
  const auto take = [&](const Bandwidth& bandwidth) {
    if (!bandwidth.copy_gb_per_s) return;
    ceilings.copy_gb_per_s = std::max(ceilings.copy_gb_per_s.value_or(0), *bandwidth.copy_gb_per_s);
  };
  // Small copies do not reach the memory's bandwidth, so the best known one counts.
  forEachSwept(model, [&](const SweptRun& run) { take(run.bandwidth); });
  if (model.feed().shown().run != nullptr) take(model.feed().shown().run->bandwidth);
  for (const VariantResult& result : model.feed().variants()) {
    if (result.run != nullptr) take(result.run->bandwidth);
  }
  if (model.devices().description() != nullptr)
    ceilings.peak_gb_per_s = peaksOf(*model.devices().description()).memory_gb_per_s;
  return ceilings;
}

std::string whyNoBytesInFlight(const Model& model) {
  size_t runs = 0, known = 0;
  forEachSwept(model, [&](const SweptRun& run) {
    ++runs;
    if (run.bytes_in_flight && run.bandwidth.gb_per_s > 0) ++known;
  });
  if (known > 0) return "";
  if (runs == 0) return tr("No run of the sweep yet.");
  return tr(
      "How many bytes a warp has asked for before it waits is not known here: a simulated GPU counts "
      "it, and the latency family's bytes_in_flight sets it.");
}

}  // namespace warpscope
