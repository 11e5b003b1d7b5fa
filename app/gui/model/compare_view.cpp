#include "app/gui/model/compare_view.h"

#include <utility>

namespace warpscope {

AxisUnit unitOf(const CompareView& look, const SideBySide& runs) {
  return look.unit.value_or(runs.allHaveClocks() ? AxisUnit::kNs : AxisUnit::kCycles);
}

void changeUnit(CompareView& look, const SideBySide& runs, AxisUnit unit) {
  const AxisUnit before = unitOf(look, runs);
  look.unit = unit;
  if (before == unit) return;
  const size_t baseline = runs.comparison.baseline;
  const auto from = runs.axis(before).runs[baseline].units_per_cycle;
  const auto to = runs.axis(unit).runs[baseline].units_per_cycle;
  look.view.zoom_history.clear();  // it was in the other unit
  if (!from || !to) {
    look.view.fitted = true;
    look.view.selection = {};
    return;
  }
  look.view.begin_cycles *= *to / *from;
  look.view.end_cycles *= *to / *from;
  look.view.selection = scaled(std::move(look.view.selection), *to / *from);
}

std::optional<TraceSelection> selectionOf(const CompareView& look, const SideBySide& runs, size_t run) {
  const auto units = runs.axis(unitOf(look, runs)).runs[run].units_per_cycle;
  if (!units) return std::nullopt;
  return scaled(look.view.selection, 1 / *units);
}

std::optional<size_t> otherRun(const CompareView& look, const SideBySide& runs) {
  const size_t baseline = runs.comparison.baseline;
  std::optional<size_t> first;
  for (size_t i = 0; i < runs.runs.size(); ++i) {
    if (i == baseline) continue;
    if (runs.runs[i].id == look.other) return i;
    if (!first) first = i;
  }
  return first;
}

}  // namespace warpscope
