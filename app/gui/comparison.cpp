#include "app/gui/comparison.h"

#include <algorithm>
#include <utility>

#include "viz/layout/trace_layout.h"

namespace warpscope {

bool RunsBeside::allHaveClocks() const {
  return std::ranges::all_of(runs, [](const ComparedRun& compared) {
    return compared.run->trace.warps.empty() || compared.run->trace.clocks.cycles_per_ns > 0;
  });
}

TimeExtent RunsBeside::extent(AxisUnit unit) const {
  TimeExtent whole{0, 0};
  const ComparisonAxis& all = axis(unit);
  for (size_t i = 0; i < runs.size(); ++i) {
    if (!all.runs[i].units_per_cycle || runs[i].layout == nullptr) continue;
    const double units = *all.runs[i].units_per_cycle;
    whole.begin = std::min(whole.begin, static_cast<double>(runs[i].layout->begin()) * units);
    whole.end = std::max(whole.end, static_cast<double>(runs[i].layout->end()) * units);
  }
  if (whole.end <= whole.begin) whole.end = whole.begin + 1;
  return whole;
}

std::shared_ptr<const RunsBeside> putBeside(std::vector<ComparedRun> runs, uint64_t baseline, bool race,
                                            const LayoutBuilder& build_layout) {
  auto beside = std::make_shared<RunsBeside>();
  ComparedRuns bare;
  size_t index = 0;
  for (ComparedRun& compared : runs) {
    if (compared.id == baseline) index = bare.size();
    bare.push_back(compared.run);
    if (!race && compared.layout == nullptr) compared.layout = build_layout(*compared.run);
  }
  beside->runs = std::move(runs);
  beside->cycles = alignAxis(bare, AxisUnit::kCycles);
  beside->ns = alignAxis(bare, AxisUnit::kNs);
  if (!race) beside->common = commonWarps(bare);
  auto comparison = compareRuns(bare, {.baseline = index, .race = race});
  if (comparison) {
    beside->comparison = std::move(*comparison);
  } else {  // a single run: what is known of it
    beside->comparison.facts = factsOf(bare);
    beside->comparison.ranking = rankRuns(bare, index);
    beside->comparison.regions = compareRegions(bare, index);
    beside->comparison.baseline = index;
    beside->comparison.runs = std::move(bare);
  }
  return beside;
}

ComparisonLoader::ComparisonLoader(LayoutBuilder build_layout, std::function<void()> wake, bool race)
    : build_layout_(std::move(build_layout)), race_(race), news_(std::move(wake)) {}

void ComparisonLoader::want(std::vector<ComparedRun> runs, uint64_t baseline) {
  std::vector<KeptRun> wanted;
  for (const ComparedRun& compared : runs) wanted.push_back({compared.id, compared.run});
  if (wanted == wanted_ && baseline == wanted_baseline_) return;
  wanted_ = std::move(wanted);
  wanted_baseline_ = baseline;
  ++number_;
  pending_ = !runs.empty();
  if (runs.empty()) {
    shown_.reset();
    worker_.dropWish();
    return;
  }
  // Layouts that were built before are taken over.
  for (ComparedRun& compared : runs) {
    if (compared.layout != nullptr || shown_ == nullptr) continue;
    const auto known = std::ranges::find(shown_->runs, compared.run, &ComparedRun::run);
    if (known != shown_->runs.end()) compared.layout = known->layout;
  }
  worker_.wish([this, number = number_, runs = std::move(runs), baseline](const std::stop_token& stop) {
    const auto beside = guarded("the comparison", [&]() -> Expected<std::shared_ptr<const RunsBeside>> {
      return putBeside(runs, baseline, race_, build_layout_);
    });
    if (!stop.stop_requested()) news_.put({number, beside.value_or(nullptr)});
  });
}

bool ComparisonLoader::poll() {
  const auto news = news_.take();
  if (news.empty() || wanted_.empty()) return false;
  const auto& [number, beside] = news.back();
  if (beside != nullptr)
    shown_ = beside;  // of an earlier wish, too: better than nothing while a slider moves
  if (number == number_) pending_ = false;
  return true;
}

AxisUnit unitOf(const ComparisonLook& look, const RunsBeside& beside) {
  return look.unit.value_or(beside.allHaveClocks() ? AxisUnit::kNs : AxisUnit::kCycles);
}

void changeUnit(ComparisonLook& look, const RunsBeside& beside, AxisUnit unit) {
  const AxisUnit before = unitOf(look, beside);
  look.unit = unit;
  if (before == unit) return;
  const size_t baseline = beside.comparison.baseline;
  const auto from = beside.axis(before).runs[baseline].units_per_cycle;
  const auto to = beside.axis(unit).runs[baseline].units_per_cycle;
  look.view.zoom_history.clear();  // it was in the other unit
  if (!from || !to) {
    look.view.fitted = true;
    return;
  }
  look.view.begin_cycles *= *to / *from;
  look.view.end_cycles *= *to / *from;
}

std::optional<size_t> otherRun(const ComparisonLook& look, const RunsBeside& beside) {
  const size_t baseline = beside.comparison.baseline;
  std::optional<size_t> first;
  for (size_t i = 0; i < beside.runs.size(); ++i) {
    if (i == baseline) continue;
    if (beside.runs[i].id == look.other) return i;
    if (!first) first = i;
  }
  return first;
}

}  // namespace warpscope
