#include "app/gui/model/side_by_side.h"

#include <algorithm>
#include <utility>

#include "viz/layout/trace_layout.h"

namespace warpscope {

bool SideBySide::allHaveClocks() const {
  return std::ranges::all_of(runs, [](const ComparedRun& compared) {
    return compared.run->trace.warps.empty() || compared.run->trace.clocks.cycles_per_ns > 0;
  });
}

TimeExtent SideBySide::extent(AxisUnit unit) const {
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

std::shared_ptr<const SideBySide> makeSideBySide(std::vector<ComparedRun> runs, uint64_t baseline, bool race,
                                                 const LayoutBuilder& build_layout) {
  auto side_by_side = std::make_shared<SideBySide>();
  ComparedRuns bare;
  size_t index = 0;
  for (ComparedRun& compared : runs) {
    if (compared.id == baseline) index = bare.size();
    bare.push_back(compared.run);
    if (!race && compared.layout == nullptr) compared.layout = build_layout(compared.run);
  }
  side_by_side->runs = std::move(runs);
  side_by_side->cycles = alignAxis(bare, AxisUnit::kCycles);
  side_by_side->ns = alignAxis(bare, AxisUnit::kNs);
  if (!race) side_by_side->common = commonWarps(bare);
  auto comparison = compareRuns(bare, {.baseline = index, .race = race});
  if (comparison) {
    side_by_side->comparison = std::move(*comparison);
  } else {
    side_by_side->comparison.facts = factsOf(bare);
    side_by_side->comparison.ranking = rankRuns(bare, index);
    side_by_side->comparison.regions = compareRegions(bare, index);
    side_by_side->comparison.baseline = index;
    side_by_side->comparison.runs = std::move(bare);
  }
  return side_by_side;
}

}  // namespace warpscope
