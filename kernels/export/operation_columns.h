// The columns of the tables of operations on streams, and of the pages that moved for them.
#pragma once

#include "kernels/export/table_columns.h"
#include "kernels/metrics/operation_rows.h"

namespace warpscope::detail {

struct OperationTableRow {
  const StreamLog& log;
  uint32_t index;

  const StreamOperation& operation() const { return log.operations[index]; }
  const StreamInfo& stream() const { return log.streams[operation().stream]; }
  bool waited() const { return operation().waited_for != StreamWait::kNothing; }
  bool launches() const { return operation().kind == OperationKind::kLaunch; }
};

inline std::string numbersText(const std::vector<uint32_t>& numbers) {
  return fmt::format("{}", fmt::join(numbers, " "));
}

inline constexpr TableColumn<OperationTableRow> kOperationColumns[] = {
    {"operation", [](RunCells&, const OperationTableRow& row) { return count(row.index); }},
    {"kind",
     [](RunCells&, const OperationTableRow& row) { return Cell(operationKindName(row.operation().kind)); }},
    {"name", [](RunCells&, const OperationTableRow& row) { return Cell(row.operation().name); }},
    {"stream", [](RunCells&, const OperationTableRow& row) { return Cell(row.stream().name); }},
    {"stream_kind",
     [](RunCells&, const OperationTableRow& row) { return Cell(streamKindName(row.stream().kind)); }},
    {"priority",
     [](RunCells&, const OperationTableRow& row) { return Cell(int64_t{row.stream().priority}); }},
    {"gpu",
     [](RunCells&, const OperationTableRow& row) {
       return row.log.gpus() > 1 ? count(row.operation().gpu) : Cell();
     }},
    {"kernel",
     [](RunCells&, const OperationTableRow& row) {
       return row.launches() ? Cell(row.operation().kernel) : Cell();
     }},
    {"first_block",
     [](RunCells&, const OperationTableRow& row) {
       return row.launches() ? count(row.operation().first_block) : Cell();
     }},
    {"blocks",
     [](RunCells&, const OperationTableRow& row) {
       return row.launches() ? count(row.operation().blocks) : Cell();
     }},
    {"bytes",
     [](RunCells&, const OperationTableRow& row) {
       return row.operation().bytes > 0 ? Cell(row.operation().bytes) : Cell();
     }},
    {"memory",
     [](RunCells&, const OperationTableRow& row) {
       return row.operation().memory ? Cell(hostMemoryName(*row.operation().memory)) : Cell();
     }},
    {"enqueue_ns", [](RunCells&, const OperationTableRow& row) { return Cell(row.operation().enqueue_ns); }},
    {"enqueued_ns",
     [](RunCells&, const OperationTableRow& row) { return Cell(row.operation().enqueued_ns); }},
    {"begin_ns", [](RunCells&, const OperationTableRow& row) { return Cell(row.operation().begin_ns); }},
    {"end_ns", [](RunCells&, const OperationTableRow& row) { return Cell(row.operation().end_ns); }},
    {"duration_ns",
     [](RunCells&, const OperationTableRow& row) {
       return Cell(row.operation().end_ns - row.operation().begin_ns);
     }},
    {"waited_ns", [](RunCells&, const OperationTableRow& row) { return Cell(row.operation().waitedNs()); }},
    {"waited_for",
     [](RunCells&, const OperationTableRow& row) {
       return row.waited() ? Cell(streamWaitName(row.operation().waited_for)) : Cell();
     }},
    {"waited_on",
     [](RunCells&, const OperationTableRow& row) {
       return row.waited() ? count(row.operation().waited_on) : Cell();
     }},
    {"wait",
     [](RunCells& of, const OperationTableRow& row) {
       const std::string text = row.log.waitText(row.operation());
       return text.empty() ? Cell() : of.text(text);
     }},
    {"after",
     [](RunCells& of, const OperationTableRow& row) {
       return row.operation().after.empty() ? Cell() : of.text(numbersText(row.operation().after));
     }},
    {"primary",
     [](RunCells&, const OperationTableRow& row) {
       return row.operation().primary ? count(*row.operation().primary) : Cell();
     }},
    {"graph",
     [](RunCells&, const OperationTableRow& row) {
       return row.operation().graph ? count(*row.operation().graph) : Cell();
     }},
};

struct MigrationTableRow {
  const StreamLog& log;
  const PageMigration& migration;
};
inline constexpr TableColumn<MigrationTableRow> kMigrationColumns[] = {
    {"operation", [](RunCells&, const MigrationTableRow& row) { return count(row.migration.operation); }},
    {"touched_by",
     [](RunCells& of, const MigrationTableRow& row) {
       return of.text(operationTitle(row.log.operations[row.migration.operation]));
     }},
    {"to", [](RunCells&,
              const MigrationTableRow& row) { return Cell(row.migration.to_device ? "device" : "host"); }},
    {"faults", [](RunCells&, const MigrationTableRow& row) { return count(row.migration.faults); }},
    {"bytes", [](RunCells&, const MigrationTableRow& row) { return Cell(row.migration.bytes); }},
    {"begin_ns", [](RunCells&, const MigrationTableRow& row) { return Cell(row.migration.begin_ns); }},
    {"end_ns", [](RunCells&, const MigrationTableRow& row) { return Cell(row.migration.end_ns); }},
    {"duration_ns",
     [](RunCells&, const MigrationTableRow& row) {
       return Cell(row.migration.end_ns - row.migration.begin_ns);
     }},
};

}  // namespace warpscope::detail
