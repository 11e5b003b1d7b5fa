#include "kernels/export/tables.h"

#include <array>
#include <cmath>
#include <string>

#include "kernels/core/units.h"
#include "kernels/export/run_text.h"
#include "kernels/export/tables_detail.h"
#include "kernels/metrics/metrics.h"

namespace warpscope {
namespace {

constexpr std::array kTables{TableInfo{TableKind::kRuns, "runs", "Runs"},
                             TableInfo{TableKind::kRegions, "regions", "Regions"},
                             TableInfo{TableKind::kSpans, "spans", "Spans"},
                             TableInfo{TableKind::kInstructions, "instructions", "Instructions"},
                             TableInfo{TableKind::kCounters, "counters", "Counters"},
                             TableInfo{TableKind::kResidency, "residency", "Residency"}};

// Which run a row is of; every table but that of runs begins with it.
const std::vector<std::string> kKeyColumns{"run", "family", "variant", "parameters", "provenance"};

// A run's rows, one after the other in one vector of cells.
class RunRows {
 public:
  RunRows(const Run& run, size_t number, RowWriter& out)
      : run_(run), regions_(run), parameters_(parametersText(run)), out_(out) {
    cells_ = {uint64_t{number}, run.request.family, run.request.variant, parameters_,
              provenanceName(run.device.provenance)};
  }

  void regions() {
    for (const RegionMetrics& region : regionMetrics(run_)) {
      write({region.name, known(region.line), region.spans, region.divergent_spans, region.cycles,
             region.share, region.cycles > 0 ? Cell(region.mean_active_lanes) : Cell(),
             region.lost_lane_cycles});
    }
  }

  void spans() {
    for (const TraceWarp& warp : run_.trace.warps) {
      forEachSpan(run_.trace, warp, [&](const Span& span) {
        const std::string lanes = formatMask(span.mask), exited = formatMask(span.exited);
        const int64_t cycles = span.end_cycles - span.begin_cycles;
        write({number(warp.sm.value), number(warp.block.value), number(warp.warp_in_block),
               number(warp.hardware_slot), regions_.name(span.region), known(regions_.line(span.region)),
               span.begin_cycles, span.end_cycles, cycles, ns(span.begin_cycles), ns(cycles), lanes,
               int64_t{span.mask.count()}, exited, span.mask != (warp.live & ~span.exited)});
      });
    }
  }

  void instructions() {
    for (const TraceWarp& warp : run_.trace.warps) {
      for (const TraceInstruction& instruction : run_.trace.instructionsOf(warp)) {
        const std::string lanes = formatMask(instruction.mask);
        const bool listed = run_.listing != nullptr && instruction.listed < run_.listing->size();
        const ListedInstruction* text = listed ? &(*run_.listing)[instruction.listed] : nullptr;
        const bool waited = instruction.waited_for != WarpState::kSelected;
        write(
            {number(warp.sm.value), number(warp.block.value), number(warp.warp_in_block),
             instruction.issue_cycles, ns(instruction.issue_cycles), lanes, int64_t{instruction.mask.count()},
             waited ? Cell(warpStateName(instruction.waited_for)) : Cell(), number(instruction.waited_cycles),
             number(instruction.listed), text == nullptr ? Cell() : Cell(text->text),
             text == nullptr ? Cell() : known(lineIn(run_.source_file, *text))});
      }
    }
  }

  void counters() {
    for (const auto& [name, value] : run_.counters) write({name, value});
  }

  void residency() {
    const SmId* last = nullptr;
    for (const TraceWarp& warp : run_.trace.warps) {  // ascending SM
      if (last != nullptr && *last == warp.sm) continue;
      last = &warp.sm;
      for (const Residency& step : warpscope::residency(run_.trace, warp.sm))
        write({number(warp.sm.value), step.cycles, ns(step.cycles), number(step.blocks), number(step.warps)});
    }
  }

 private:
  static Cell number(uint32_t value) { return uint64_t{value}; }
  static Cell known(uint32_t line) { return line > 0 ? Cell(uint64_t{line}) : Cell(); }
  Cell ns(int64_t cycles) const {
    const double rate = run_.trace.clocks.cycles_per_ns;
    return rate > 0 ? Cell(static_cast<double>(cycles) / rate) : Cell();
  }

  void write(std::initializer_list<Cell> cells) {
    cells_.resize(kKeyColumns.size());
    cells_.insert(cells_.end(), cells);
    out_.row(cells_);
  }

  const Run& run_;
  const RegionNames regions_;
  const std::string parameters_;
  RowWriter& out_;
  std::vector<Cell> cells_;
};

struct RunTable {
  std::vector<std::string> columns;  // behind the key
  void (RunRows::*write)();
};

const RunTable& runTable(TableKind kind) {
  static const RunTable kRegions{{"region", "line", "spans", "divergent_spans", "warp_cycles",
                                  "share_of_time", "mean_active_lanes", "lost_lane_cycles"},
                                 &RunRows::regions};
  static const RunTable kSpans{
      {"sm", "block", "warp", "hardware_slot", "region", "line", "begin_cycles", "end_cycles", "cycles",
       "begin_ns", "duration_ns", "lanes", "active_lanes", "exited_lanes", "divergent"},
      &RunRows::spans};
  static const RunTable kInstructions{
      {"sm", "block", "warp", "issue_cycles", "issue_ns", "lanes", "active_lanes", "waited_for",
       "waited_cycles", "instruction", "ptx", "line"},
      &RunRows::instructions};
  static const RunTable kCounters{{"counter", "value"}, &RunRows::counters};
  static const RunTable kResidency{{"sm", "begin_cycles", "begin_ns", "resident_blocks", "resident_warps"},
                                   &RunRows::residency};
  switch (kind) {
    case TableKind::kSpans:
      return kSpans;
    case TableKind::kInstructions:
      return kInstructions;
    case TableKind::kCounters:
      return kCounters;
    case TableKind::kResidency:
      return kResidency;
    case TableKind::kRuns:
    case TableKind::kRegions:
      break;
  }
  return kRegions;
}

}  // namespace

std::span<const TableInfo> tables() {
  return kTables;
}

std::optional<TableKind> tableOfName(std::string_view name) {
  for (const TableInfo& table : kTables) {
    if (name == table.name) return table.kind;
  }
  return std::nullopt;
}

Expected<void> detail::writeRowsOfRuns(TableKind kind, const RunSource& runs, RowWriter& out) {
  const RunTable& table = runTable(kind);
  std::vector<std::string> columns = kKeyColumns;
  columns.insert(columns.end(), table.columns.begin(), table.columns.end());
  out.begin(columns);
  for (size_t i = 0; i < runs.size(); ++i) {
    const auto run = runs.load(i);
    if (!run) return tl::unexpected(run.error());
    RunRows rows(**run, runs.number(i), out);
    (rows.*table.write)();
  }
  out.end();
  return {};
}

Expected<void> writeTable(TableKind kind, const RunSource& runs, RowWriter& out) {
  return kind == TableKind::kRuns ? detail::writeRuns(runs, out) : detail::writeRowsOfRuns(kind, runs, out);
}

}  // namespace warpscope
