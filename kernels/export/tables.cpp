#include "kernels/export/tables.h"

#include <array>
#include <cmath>
#include <string>

#include "kernels/core/units.h"
#include "kernels/export/operation_columns.h"
#include "kernels/export/table_columns.h"
#include "kernels/metrics/instruction_metrics.h"
#include "kernels/metrics/metric.h"
#include "kernels/run/run.h"

namespace warpscope {
namespace {

using detail::count, detail::lineCell, detail::RunCells, detail::TableColumn;

constexpr std::array kTables{TableInfo{TableKind::kRuns, "runs", "Runs"},
                             TableInfo{TableKind::kRegions, "regions", "Regions"},
                             TableInfo{TableKind::kSpans, "spans", "Spans"},
                             TableInfo{TableKind::kInstructions, "instructions", "Instructions"},
                             TableInfo{TableKind::kLines, "lines", "Lines"},
                             TableInfo{TableKind::kCounters, "counters", "Counters"},
                             TableInfo{TableKind::kResidency, "residency", "Residency"},
                             TableInfo{TableKind::kOperations, "operations", "Operations"},
                             TableInfo{TableKind::kMigrations, "migrations", "Page migrations"}};

// Identify the run of a row; every table except that of runs begins with them.
const TableColumn<Run> kKeyColumns[] = {
    {"run", [](RunCells& of, const Run&) { return Cell(uint64_t{of.number}); }},
    {"family", [](RunCells&, const Run& run) { return Cell(run.request.family); }},
    {"variant", [](RunCells&, const Run& run) { return Cell(run.request.variant); }},
    {"parameters", [](RunCells& of, const Run&) { return of.parameters(); }},
    {"provenance", [](RunCells&, const Run& run) { return Cell(provenanceName(run.device.provenance)); }},
};

struct SpanRow {
  const TraceWarp& warp;
  const Span& span;
};
const TableColumn<SpanRow> kSpanColumns[] = {
    {"gpu", [](RunCells& of, const SpanRow& row) { return of.gpu(row.warp.sm); }},
    {"sm", [](RunCells& of, const SpanRow& row) { return of.sm(row.warp.sm); }},
    {"operation", [](RunCells& of, const SpanRow& row) { return of.operation(row.warp.block); }},
    {"block", [](RunCells&, const SpanRow& row) { return count(row.warp.block.value); }},
    {"warp", [](RunCells&, const SpanRow& row) { return count(row.warp.warp_in_block); }},
    {"hardware_slot", [](RunCells&, const SpanRow& row) { return count(row.warp.hardware_slot); }},
    {"region", [](RunCells& of, const SpanRow& row) { return Cell(of.regions.name(row.span.region)); }},
    {"line", [](RunCells& of, const SpanRow& row) { return lineCell(of.regions.line(row.span.region)); }},
    {"begin_cycles", [](RunCells&, const SpanRow& row) { return Cell(row.span.begin_cycles); }},
    {"end_cycles", [](RunCells&, const SpanRow& row) { return Cell(row.span.end_cycles); }},
    {"cycles",
     [](RunCells&, const SpanRow& row) { return Cell(row.span.end_cycles - row.span.begin_cycles); }},
    {"begin_ns", [](RunCells& of, const SpanRow& row) { return of.ns(row.span.begin_cycles); }},
    {"duration_ns",
     [](RunCells& of, const SpanRow& row) { return of.ns(row.span.end_cycles - row.span.begin_cycles); }},
    {"lanes", [](RunCells& of, const SpanRow& row) { return of.mask(row.span.mask); }},
    {"active_lanes", [](RunCells&, const SpanRow& row) { return Cell(int64_t{row.span.mask.count()}); }},
    {"exited_lanes", [](RunCells& of, const SpanRow& row) { return of.mask(row.span.exited); }},
    {"divergent",
     [](RunCells&, const SpanRow& row) { return Cell(row.span.mask != (row.warp.live & ~row.span.exited)); }},
};

struct InstructionRow {
  const TraceWarp& warp;
  const TraceInstruction& instruction;
  const ListedInstruction* text;  // nullptr: it is not listed
};
const TableColumn<InstructionRow> kInstructionColumns[] = {
    {"gpu", [](RunCells& of, const InstructionRow& row) { return of.gpu(row.warp.sm); }},
    {"sm", [](RunCells& of, const InstructionRow& row) { return of.sm(row.warp.sm); }},
    {"operation", [](RunCells& of, const InstructionRow& row) { return of.operation(row.warp.block); }},
    {"block", [](RunCells&, const InstructionRow& row) { return count(row.warp.block.value); }},
    {"warp", [](RunCells&, const InstructionRow& row) { return count(row.warp.warp_in_block); }},
    {"issue_cycles", [](RunCells&, const InstructionRow& row) { return Cell(row.instruction.issue_cycles); }},
    {"issue_ns", [](RunCells& of, const InstructionRow& row) { return of.ns(row.instruction.issue_cycles); }},
    {"lanes", [](RunCells& of, const InstructionRow& row) { return of.mask(row.instruction.mask); }},
    {"active_lanes",
     [](RunCells&, const InstructionRow& row) { return Cell(int64_t{row.instruction.mask.count()}); }},
    {"waited_for",
     [](RunCells&, const InstructionRow& row) {
       const WarpState reason = row.instruction.waited_for;
       return reason == WarpState::kSelected ? Cell() : Cell(warpStateName(reason));
     }},
    {"waited_cycles",
     [](RunCells&, const InstructionRow& row) { return count(row.instruction.waited_cycles); }},
    {"instruction", [](RunCells&, const InstructionRow& row) { return count(row.instruction.listed); }},
    {"ptx", [](RunCells&,
               const InstructionRow& row) { return row.text == nullptr ? Cell() : Cell(row.text->text); }},
    {"line",
     [](RunCells& of, const InstructionRow& row) {
       return row.text == nullptr ? Cell() : lineCell(lineIn(of.run.source_file, *row.text));
     }},
};

struct LineRow {
  uint32_t line;  // 0: code that is of no line of the source file
  const IssueMetrics& metrics;
};
// A run has either logged instructions or samples of them; cells of the other kind are empty.
Cell ofLogged(RunCells& of, Cell cell) {
  return of.run.wait_samples ? Cell() : cell;
}
Cell ofSampled(RunCells& of, uint64_t samples) {
  return of.run.wait_samples ? Cell(samples) : Cell();
}
const TableColumn<LineRow> kLineColumns[] = {
    {"line", [](RunCells&, const LineRow& row) { return lineCell(row.line); }},
    {"issued", [](RunCells& of, const LineRow& row) { return ofLogged(of, Cell(row.metrics.issued)); }},
    {"thread_instructions",
     [](RunCells& of, const LineRow& row) { return ofLogged(of, Cell(row.metrics.thread_instructions)); }},
    {"mean_active_lanes",
     [](RunCells& of, const LineRow& row) { return ofLogged(of, Cell(row.metrics.meanLanes())); }},
    {"stall_cycles",
     [](RunCells& of, const LineRow& row) { return ofLogged(of, Cell(row.metrics.stall_cycles)); }},
    {"longest_stall",
     [](RunCells&, const LineRow& row) {
       const WarpState reason = row.metrics.longest();
       return reason == WarpState::kSelected ? Cell() : Cell(warpStateName(reason));
     }},
    {"samples", [](RunCells& of, const LineRow& row) { return ofSampled(of, row.metrics.samples); }},
    {"stalled_samples",
     [](RunCells& of, const LineRow& row) {
       return ofSampled(of, static_cast<uint64_t>(row.metrics.stalled_samples));
     }},
};

using CounterRow = std::pair<const std::string, double>;
const TableColumn<CounterRow> kCounterColumns[] = {
    {"counter", [](RunCells&, const CounterRow& row) { return Cell(row.first); }},
    {"value", [](RunCells&, const CounterRow& row) { return Cell(row.second); }},
};

struct ResidencyRow {
  SmId sm;
  const Residency& step;
};
const TableColumn<ResidencyRow> kResidencyColumns[] = {
    {"gpu", [](RunCells& of, const ResidencyRow& row) { return of.gpu(row.sm); }},
    {"sm", [](RunCells& of, const ResidencyRow& row) { return of.sm(row.sm); }},
    {"begin_cycles", [](RunCells&, const ResidencyRow& row) { return Cell(row.step.cycles); }},
    {"begin_ns", [](RunCells& of, const ResidencyRow& row) { return of.ns(row.step.cycles); }},
    {"resident_blocks", [](RunCells&, const ResidencyRow& row) { return count(row.step.blocks); }},
    {"resident_warps", [](RunCells&, const ResidencyRow& row) { return count(row.step.warps); }},
};

// A run's rows, one after another in one vector of cells.
class RunRows {
 public:
  RunRows(const Run& run, size_t number, RowWriter& out) : run_(run), cells_of_(run, number), out_(out) {
    for (const TableColumn<Run>& column : kKeyColumns) cells_.push_back(column.cell(cells_of_, run));
  }

  void regions() {
    for (const RegionMetrics& region : regionMetrics(run_)) {
      cells_.resize(std::size(kKeyColumns));
      cells_.emplace_back(region.name);
      for (const RegionMetric& metric : regionMetricList()) {
        const auto value = metric.value(region);
        cells_.push_back(!value                 ? Cell()
                         : isWhole(metric.unit) ? Cell(static_cast<int64_t>(*value))
                                                : Cell(*value));
      }
      out_.row(cells_);
    }
  }

  void spans() {
    for (const TraceWarp& warp : run_.trace.warps)
      forEachSpan(run_.trace, warp, [&](const Span& span) { write(kSpanColumns, SpanRow{warp, span}); });
  }

  void instructions() {
    for (const TraceWarp& warp : run_.trace.warps) {
      for (const TraceInstruction& instruction : run_.trace.instructionsOf(warp)) {
        const bool listed = run_.listing != nullptr && instruction.listed < run_.listing->size();
        const ListedInstruction* text = listed ? &(*run_.listing)[instruction.listed] : nullptr;
        write(kInstructionColumns, InstructionRow{warp, instruction, text});
      }
    }
  }

  void lines() {
    const std::vector<IssueMetrics> of_lines = issueMetricsOfLines(run_, issueMetricsOfListing(run_));
    for (size_t line = 0; line < of_lines.size(); ++line) {
      if (!of_lines[line].empty()) write(kLineColumns, LineRow{static_cast<uint32_t>(line), of_lines[line]});
    }
  }

  void counters() {
    for (const CounterRow& counter : run_.counters) write(kCounterColumns, counter);
  }

  void operations() {
    if (!run_.streams) return;
    for (uint32_t i = 0; i < run_.streams->operations.size(); ++i)
      write(detail::kOperationColumns, detail::OperationTableRow{*run_.streams, i});
  }

  void migrations() {
    if (!run_.streams) return;
    for (const PageMigration& migration : run_.streams->migrations)
      write(detail::kMigrationColumns, detail::MigrationTableRow{*run_.streams, migration});
  }

  void residency() {
    const SmId* last = nullptr;
    for (const TraceWarp& warp : run_.trace.warps) {  // ascending SM
      if (last != nullptr && *last == warp.sm) continue;
      last = &warp.sm;
      for (const Residency& step : warpscope::residency(run_.trace, warp.sm))
        write(kResidencyColumns, ResidencyRow{warp.sm, step});
    }
  }

 private:
  template <class Row, size_t kCount>
  void write(const TableColumn<Row> (&columns)[kCount], const Row& row) {
    cells_.resize(std::size(kKeyColumns));
    for (const TableColumn<Row>& column : columns) cells_.push_back(column.cell(cells_of_, row));
    out_.row(cells_);
  }

  const Run& run_;
  RunCells cells_of_;
  RowWriter& out_;
  std::vector<Cell> cells_;
};

struct RunTable {
  std::vector<std::string> columns;  // after the key
  void (RunRows::*write)();
};

template <class Row, size_t kCount>
std::vector<std::string> namesOf(const TableColumn<Row> (&columns)[kCount]) {
  std::vector<std::string> names;
  for (const TableColumn<Row>& column : columns) names.emplace_back(column.name);
  return names;
}

std::vector<std::string> regionColumns() {
  std::vector<std::string> names{"region"};
  for (const RegionMetric& metric : regionMetricList()) names.emplace_back(metric.column);
  return names;
}

RunTable runTable(TableKind kind) {
  switch (kind) {
    case TableKind::kSpans:
      return {namesOf(kSpanColumns), &RunRows::spans};
    case TableKind::kInstructions:
      return {namesOf(kInstructionColumns), &RunRows::instructions};
    case TableKind::kLines:
      return {namesOf(kLineColumns), &RunRows::lines};
    case TableKind::kCounters:
      return {namesOf(kCounterColumns), &RunRows::counters};
    case TableKind::kResidency:
      return {namesOf(kResidencyColumns), &RunRows::residency};
    case TableKind::kOperations:
      return {namesOf(detail::kOperationColumns), &RunRows::operations};
    case TableKind::kMigrations:
      return {namesOf(detail::kMigrationColumns), &RunRows::migrations};
    case TableKind::kRuns:
    case TableKind::kRegions:
      break;
  }
  return {regionColumns(), &RunRows::regions};
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
  const RunTable table = runTable(kind);
  std::vector<std::string> columns = namesOf(kKeyColumns);
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
