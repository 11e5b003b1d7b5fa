#include "kernels/metrics/operation_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "kernels/metrics/streams.h"

namespace warpscope {
namespace {

OperationRow hostRow(const StreamLog& log) {
  OperationRow row;
  for (uint32_t i = 0; i < log.operations.size(); ++i) {
    const StreamOperation& operation = log.operations[i];
    const bool same_call = i > 0 && operation.graph && log.operations[i - 1].graph == operation.graph;
    if (!same_call) row.bars.push_back({i, operation.enqueue_ns, operation.enqueued_ns});
  }
  return row;
}

OperationRow streamRow(const StreamLog& log, uint32_t stream) {
  OperationRow row{OperationRow::Kind::kStream, stream, log.streams[stream].gpu, {}, {}};
  double free_from = 0;
  for (uint32_t i = 0; i < log.operations.size(); ++i) {
    const StreamOperation& operation = log.operations[i];
    if (operation.stream != stream) continue;
    const double from = std::max(free_from, std::min(operation.enqueued_ns, operation.begin_ns));
    if (from < operation.begin_ns) row.gaps.push_back({i, from, operation.begin_ns});
    OperationBar bar{i, operation.begin_ns, operation.end_ns};
    if (log.overlapsPrimary(operation) && row.bars.back().operation == operation.primary) {
      OperationBar& before = row.bars.back();
      if (before.part == OperationBar::Part::kWhole) before.part = OperationBar::Part::kUpper;
      bar.part =
          before.part == OperationBar::Part::kUpper ? OperationBar::Part::kLower : OperationBar::Part::kUpper;
    }
    row.bars.push_back(bar);
    free_from = std::max(free_from, operation.end_ns);
  }
  return row;
}

OperationRow unitRow(const StreamLog& log, StreamUnit unit, uint32_t gpu) {
  OperationRow row{OperationRow::Kind::kUnit, static_cast<uint32_t>(unit), gpu, {}, {}};
  for (uint32_t i = 0; i < log.operations.size(); ++i) {
    const StreamOperation& operation = log.operations[i];
    if (unitOf(operation.kind) == unit && operation.gpu == gpu && !operation.skipped)
      row.bars.push_back({i, operation.begin_ns, operation.end_ns});
  }
  std::ranges::sort(row.bars, {}, &OperationBar::begin_ns);
  return row;
}

OperationRow migrationRow(const StreamLog& log) {
  OperationRow row{OperationRow::Kind::kMigrations, 0, {}, {}};
  for (uint32_t i = 0; i < log.migrations.size(); ++i) {
    const PageMigration& migration = log.migrations[i];
    OperationBar bar{migration.operation, migration.begin_ns, migration.end_ns};
    bar.migration = i;
    row.bars.push_back(bar);
  }
  return row;
}

// Launches of one kernel for different parts of the work, "background" and "request 2", are different work;
// "chunk 1" and "chunk 2" are the same.
std::string workOf(const StreamOperation& launch) {
  return launch.kernel + " " + launch.name.substr(0, launch.name.find_last_not_of("0123456789") + 1);
}

}  // namespace

std::vector<OperationRow> operationRows(const StreamLog& log) {
  std::vector<OperationRow> rows{hostRow(log)};
  for (uint32_t stream = 0; stream < log.streams.size(); ++stream) rows.push_back(streamRow(log, stream));
  for (uint32_t gpu = 0; gpu < log.gpus(); ++gpu) {
    for (const StreamUnit unit : {StreamUnit::kCopyToDevice, StreamUnit::kPeerCopy, StreamUnit::kSms,
                                  StreamUnit::kCopyToHost, StreamUnit::kHost})
      rows.push_back(unitRow(log, unit, gpu));
  }
  rows.push_back(migrationRow(log));
  std::erase_if(rows, [](const OperationRow& row) { return row.bars.empty(); });
  return rows;
}

std::string operationRowName(const StreamLog& log, const OperationRow& row) {
  const std::string gpu = log.gpus() > 1 ? fmt::format("GPU {}: ", row.gpu) : "";
  switch (row.kind) {
    case OperationRow::Kind::kHost:
      return "host";
    case OperationRow::Kind::kStream: {
      const StreamInfo& stream = log.streams[row.index];
      const std::string priority = stream.priority != 0 ? fmt::format(", priority {}", stream.priority) : "";
      return gpu + stream.name + priority;
    }
    case OperationRow::Kind::kUnit: {
      const auto unit = static_cast<StreamUnit>(row.index);
      return (unit == StreamUnit::kHost ? "" : gpu) + streamUnitName(unit);
    }
    case OperationRow::Kind::kMigrations:
      return "page migrations";
  }
  return {};
}

std::string operationTitle(const StreamOperation& operation) {
  return fmt::format("{}: {}", operation.name, operationKindName(operation.kind));
}

size_t operationSeries(const StreamLog& log, const StreamOperation& operation) {
  const StreamUnit unit = unitOf(operation.kind);
  if (unit == StreamUnit::kCopyToDevice) return kMovesInSeries;
  if (unit == StreamUnit::kCopyToHost) return kMovesOutSeries;
  if (operation.kind != OperationKind::kLaunch) return kOtherSeries;
  std::vector<std::string> works;
  for (const StreamOperation& other : log.operations) {
    if (other.kind != OperationKind::kLaunch) continue;
    const std::string work = workOf(other);
    if (std::ranges::find(works, work) == works.end()) works.push_back(work);
  }
  const auto found = std::ranges::find(works, workOf(operation));
  return kOtherSeries + 1 + static_cast<size_t>(found - works.begin());
}

OperationSlots operationSlots(const Run& run, size_t most_sms) {
  OperationSlots slots;
  if (!run.streams) return slots;
  std::set<SmId> sms;
  std::map<uint32_t, size_t> of_gpu;
  for (const TraceWarp& warp : run.trace.warps) {
    size_t& taken = of_gpu[smPlace(run.device.limits, warp.sm).gpu];
    if (taken < most_sms && sms.insert(warp.sm).second) ++taken;
  }
  std::map<std::pair<SmId, uint32_t>, uint32_t> numbers;
  for (const TraceWarp& warp : run.trace.warps) {
    if (sms.contains(warp.sm)) numbers.try_emplace({warp.sm, warp.hardware_slot}, 0);
  }
  for (auto& [place, number] : numbers) {
    number = static_cast<uint32_t>(slots.rows.size());
    slots.rows.push_back({place.first, place.second});
  }
  for (uint32_t i = 0; i < run.trace.warps.size(); ++i) {
    const TraceWarp& warp = run.trace.warps[i];
    const auto number = numbers.find({warp.sm, warp.hardware_slot});
    const auto operation = run.streams->operationOf(warp.block);
    if (number != numbers.end() && operation) slots.bars.push_back({number->second, i, *operation});
  }
  return slots;
}

std::optional<uint32_t> firstWarpOf(const Run& run, uint32_t operation) {
  const StreamOperation& of = run.streams->operations[operation];
  std::optional<uint32_t> first;
  for (uint32_t i = 0; i < run.trace.warps.size(); ++i) {
    const TraceWarp& warp = run.trace.warps[i];
    if (warp.block.value < of.first_block || warp.block.value - of.first_block >= of.blocks) continue;
    const auto key = [&](uint32_t index) {
      return std::pair(run.trace.warps[index].block, run.trace.warps[index].warp_in_block);
    };
    if (!first || key(i) < key(*first)) first = i;
  }
  return first;
}

}  // namespace warpscope
