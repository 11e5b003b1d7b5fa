#include "kernels/device/service/stream_calls.h"

#include <algorithm>
#include <functional>

namespace warpscope::calls {
namespace {

constexpr uint64_t kKinds = static_cast<uint64_t>(OperationKind::kWait) + 1;
constexpr uint64_t kMemories = static_cast<uint64_t>(HostMemory::kManaged) + 1;
constexpr uint64_t kPlaces = static_cast<uint64_t>(MemoryPlace::kHost) + 1;
constexpr uint64_t kStreamKinds = static_cast<uint64_t>(StreamKind::kNonBlocking) + 1;
constexpr uint64_t kWaits = static_cast<uint64_t>(StreamWait::kTrigger) + 1;
constexpr uint64_t kMakings = static_cast<uint64_t>(GraphMaking::kExplicit) + 1;
constexpr uint64_t kClocks = static_cast<uint64_t>(StreamClock::kEvents) + 1;
constexpr uint64_t kChoices = static_cast<uint64_t>(StreamWork::Clocks::kWhole) + 1;

template <class Enum>
Enum choice(Reader& reader, uint64_t count) {
  return static_cast<Enum>(reader.choice(count));
}

bool usesHost(const EnqueuedOperation& operation) {
  return operation.host != nullptr && operation.bytes > 0;
}

// The region and the offset in it.
void writePlace(Writer& writer, const std::byte* host, std::span<const HostRegion> regions) {
  const auto in = std::ranges::find_if(regions, [&](const HostRegion& region) {
    return std::less_equal<>()(region.bytes.data(), host) &&
           std::less<>()(host, region.bytes.data() + region.bytes.size());
  });
  writer.number(static_cast<uint64_t>(in - regions.begin()));
  writer.number(static_cast<uint64_t>(host - in->bytes.data()));
}

// Empty, and the reader not good, if there are not so many bytes at that place.
std::span<std::byte> readPlace(Reader& reader, uint64_t bytes, std::span<const HostRegion> regions) {
  const uint64_t region = reader.choice(regions.size()), offset = reader.number();
  if (!reader.good()) return {};
  const std::span<std::byte> all = regions[region].bytes;
  if (offset <= all.size() && bytes <= all.size() - offset) return all.subspan(offset, bytes);
  reader.refuse();
  return {};
}

void writeOperation(Writer& writer, const EnqueuedOperation& operation, std::span<const HostRegion> regions) {
  writer.number(static_cast<uint64_t>(operation.kind)).number(operation.stream);
  if (operation.kind == OperationKind::kLaunch) writer.launch(operation.launch);
  writer.number(operation.device).number(operation.from).number(operation.bytes);
  writer.number(operation.to_gpu).number(operation.from_gpu);
  writer.number(static_cast<uint64_t>(operation.memory));
  writer.number(operation.value).number(operation.event);
  writer.real(operation.work.busy_ns).number(operation.work.add).number(operation.work.touches ? 1 : 0);
  writer.number(operation.graph ? uint64_t{*operation.graph} + 1 : 0).number(operation.nodes.size());
  for (const uint32_t node : operation.nodes) writer.number(node);
  writer.number(operation.only_if ? uint64_t{*operation.only_if} + 1 : 0);
  writer.number(operation.allocation).number(operation.allocated.size());
  for (const AllocatedParameter& each : operation.allocated)
    writer.number(each.parameter).number(each.operation);
  writer.number(usesHost(operation) ? 1 : 0);
  if (!usesHost(operation)) return;
  writePlace(writer, operation.host, regions);
}

// `work`: what was read before it.
void readGraph(Reader& reader, const StreamWork& work, EnqueuedOperation& operation) {
  const uint64_t graph = reader.choice(work.graphs.size() + 1);
  if (graph > 0) operation.graph = static_cast<uint32_t>(graph - 1);
  for (uint64_t left = reader.number(); left > 0 && reader.good(); --left)
    operation.nodes.push_back(static_cast<uint32_t>(reader.choice(work.operations.size())));
  const uint64_t only_if = reader.choice(work.operations.size() + 1);
  if (only_if > 0) operation.only_if = static_cast<uint32_t>(only_if - 1);
}

EnqueuedOperation readOperation(Reader& reader, const StreamWork& work, std::span<const HostRegion> regions) {
  EnqueuedOperation operation;
  operation.kind = choice<OperationKind>(reader, kKinds);
  operation.stream = static_cast<uint32_t>(reader.choice(work.streams.size()));
  if (operation.kind == OperationKind::kLaunch) operation.launch = reader.launch();
  operation.device = reader.number();
  operation.from = reader.number();
  operation.bytes = reader.number();
  for (uint32_t* gpu : {&operation.to_gpu, &operation.from_gpu})
    *gpu = static_cast<uint32_t>(reader.choice(kMostGpus));
  operation.memory = choice<HostMemory>(reader, kMemories);
  operation.value = static_cast<uint8_t>(reader.choice(256));
  operation.event = reader.small();
  operation.work.busy_ns = reader.real();
  operation.work.add = reader.small();
  operation.work.touches = reader.choice(2) == 1;
  readGraph(reader, work, operation);
  operation.allocation = reader.small();
  for (uint64_t left = reader.number(); left > 0 && reader.good(); --left) {
    AllocatedParameter& each = operation.allocated.emplace_back();
    each.parameter = reader.small();
    each.operation = reader.small();
  }
  const bool needs_host = operation.bytes > 0 && (operation.kind == OperationKind::kCopyToDevice ||
                                                  operation.kind == OperationKind::kCopyToHost ||
                                                  operation.kind == OperationKind::kHostFunction);
  if (reader.choice(2) == 0) {
    if (needs_host) reader.refuse();
    return operation;
  }
  operation.host = readPlace(reader, operation.bytes, regions).data();
  return operation;
}

void writeManaged(Writer& writer, const StreamWork::Managed& memory, std::span<const HostRegion> regions) {
  writer.number(memory.address).number(memory.host.size());
  const auto& preferred = memory.advice.preferred;
  writer.number(preferred ? static_cast<uint64_t>(*preferred) + 1 : 0);
  writer.number(memory.advice.accessed_by_device ? 1 : 0);
  if (!memory.host.empty()) writePlace(writer, memory.host.data(), regions);
}

StreamWork::Managed readManaged(Reader& reader, std::span<const HostRegion> regions) {
  StreamWork::Managed memory;
  memory.address = reader.number();
  const uint64_t bytes = reader.number();
  const uint64_t preferred = reader.choice(kPlaces + 1);
  if (preferred > 0) memory.advice.preferred = static_cast<MemoryPlace>(preferred - 1);
  memory.advice.accessed_by_device = reader.choice(2) == 1;
  if (bytes > 0) memory.host = readPlace(reader, bytes, regions);
  return memory;
}

void writeMigration(Writer& writer, const PageMigration& migration) {
  writer.number(migration.operation).number(migration.to_device ? 1 : 0).number(migration.faults);
  writer.number(migration.bytes).real(migration.begin_ns).real(migration.end_ns);
}

PageMigration readMigration(Reader& reader, size_t operations) {
  PageMigration migration;
  migration.operation = static_cast<uint32_t>(reader.choice(operations));
  migration.to_device = reader.choice(2) == 1;
  migration.faults = reader.small();
  migration.bytes = reader.number();
  migration.begin_ns = reader.real();
  migration.end_ns = reader.real();
  return migration;
}

void writeTimes(Writer& writer, const OperationTimes& times) {
  for (const double each : {times.enqueue_ns, times.enqueued_ns, times.begin_ns, times.end_ns})
    writer.real(each);
  writer.number(times.after.size());
  for (const uint32_t before : times.after) writer.number(before);
  writer.number(static_cast<uint64_t>(times.waited_for)).number(times.waited_on);
  writer.number(times.primary ? 1 : 0).number(times.primary.value_or(0)).number(times.gpu);
  writer.number(times.skipped ? 1 : 0);
}

OperationTimes readTimes(Reader& reader, size_t operations) {
  OperationTimes times;
  for (double* each : {&times.enqueue_ns, &times.enqueued_ns, &times.begin_ns, &times.end_ns})
    *each = reader.real();
  for (uint64_t left = reader.number(); left > 0 && reader.good(); --left)
    times.after.push_back(static_cast<uint32_t>(reader.choice(operations)));
  times.waited_for = choice<StreamWait>(reader, kWaits);
  times.waited_on = static_cast<uint32_t>(reader.choice(operations));
  const bool depends = reader.choice(2) == 1;
  const auto primary = static_cast<uint32_t>(reader.choice(operations));
  if (depends) times.primary = primary;
  times.gpu = static_cast<uint32_t>(reader.choice(kMostGpus));
  times.skipped = reader.choice(2) == 1;
  return times;
}

}  // namespace

std::vector<HostRegion> hostRegions(const StreamWork& work) {
  std::vector<HostRegion> parts;
  for (const std::span<std::byte> pinned : work.pinned) {
    if (!pinned.empty()) parts.push_back({pinned, true});
  }
  for (const StreamWork::Managed& memory : work.managed) {
    if (!memory.host.empty()) parts.push_back({memory.host, false});
  }
  for (const EnqueuedOperation& operation : work.operations) {
    if (usesHost(operation)) parts.push_back({{operation.host, operation.bytes}, false});
  }
  std::ranges::stable_sort(parts, std::less<>(), [](const HostRegion& part) { return part.bytes.data(); });
  std::vector<HostRegion> regions;
  for (const HostRegion& part : parts) {
    const std::byte* end = part.bytes.data() + part.bytes.size();
    if (regions.empty() || part.bytes.data() >= regions.back().bytes.data() + regions.back().bytes.size()) {
      regions.push_back(part);
      continue;
    }
    HostRegion& last = regions.back();
    const auto size = std::max(last.bytes.size(), static_cast<size_t>(end - last.bytes.data()));
    last.bytes = {last.bytes.data(), size};
    last.pinned = last.pinned || part.pinned;
  }
  return regions;
}

void writeWork(Writer& writer, const StreamWork& work, std::span<const HostRegion> regions) {
  writer.number(static_cast<uint64_t>(work.clocks)).number(work.streams.size());
  for (const StreamInfo& stream : work.streams) {
    writer.text(stream.name).number(static_cast<uint64_t>(stream.kind));
    writer.number(static_cast<uint32_t>(stream.priority)).number(stream.gpu);
  }
  writer.number(work.graphs.size());
  for (const StreamGraph& graph : work.graphs)
    writer.text(graph.name).number(static_cast<uint64_t>(graph.making)).number(graph.stream);
  writer.number(work.operations.size());
  for (const EnqueuedOperation& operation : work.operations) writeOperation(writer, operation, regions);
  writer.number(work.managed.size());
  for (const StreamWork::Managed& memory : work.managed) writeManaged(writer, memory, regions);
}

StreamWork readWork(Reader& reader, std::span<const HostRegion> regions) {
  StreamWork work;
  work.clocks = choice<StreamWork::Clocks>(reader, kChoices);
  for (uint64_t left = reader.number(); left > 0 && reader.good(); --left) {
    StreamInfo& stream = work.streams.emplace_back();
    stream.name = reader.text();
    stream.kind = choice<StreamKind>(reader, kStreamKinds);
    stream.priority = static_cast<int32_t>(reader.small());
    stream.gpu = static_cast<uint32_t>(reader.choice(kMostGpus));
  }
  for (uint64_t left = reader.number(); left > 0 && reader.good(); --left) {
    StreamGraph& graph = work.graphs.emplace_back();
    graph.name = reader.text();
    graph.making = choice<GraphMaking>(reader, kMakings);
    graph.stream = static_cast<uint32_t>(reader.choice(work.streams.size()));
  }
  for (uint64_t left = reader.number(); left > 0 && reader.good(); --left)
    work.operations.push_back(readOperation(reader, work, regions));
  for (uint64_t left = reader.number(); left > 0 && reader.good(); --left)
    work.managed.push_back(readManaged(reader, regions));
  for (const HostRegion& region : regions) {
    if (region.pinned) work.pinned.push_back(region.bytes);
  }
  return work;
}

void writeReport(Writer& writer, const StreamReport& report) {
  for (const auto* times : {&report.operations, &report.by_events}) {
    writer.number(times->size());
    for (const OperationTimes& each : *times) writeTimes(writer, each);
  }
  writer.real(report.total_ns);
  writer.number(static_cast<uint64_t>(report.timing.clock)).real(report.timing.uncertainty_ns);
  writer.real(report.timing.host_uncertainty_ns).text(report.timing.problem);
  writer.real(report.timing.gpu_uncertainty_ns).number(report.timer_ahead_ns.size());
  for (const int64_t ahead : report.timer_ahead_ns) writer.number(static_cast<uint64_t>(ahead));
  writer.number(report.graph_make_ns.size());
  for (const double make_ns : report.graph_make_ns) writer.real(make_ns);
  writer.number(report.migrations.size());
  for (const PageMigration& migration : report.migrations) writeMigration(writer, migration);
  writer.number(report.globaltimer_ns ? 1 : 0).number(report.globaltimer_ns.value_or(0));
  writer.number(report.placed.size());
  for (const StreamReport::PlacedBlock& block : report.placed) {
    writer.number(block.operation).number(block.block).number(block.sm.value);
    writer.number(static_cast<uint64_t>(block.later_cycles));
    writer.number(block.points.size());
    for (const auto& [clock, axis] : block.points) writer.real(clock).number(static_cast<uint64_t>(axis));
    writer.number(static_cast<uint64_t>(block.held_until)).number(block.waits.size());
    for (const uint64_t clock : block.waits) writer.number(clock);
  }
}

StreamReport readReport(Reader& reader, size_t operations, size_t graphs) {
  StreamReport report;
  for (auto* times : {&report.operations, &report.by_events}) {
    for (uint64_t left = reader.number(); left > 0 && reader.good(); --left)
      times->push_back(readTimes(reader, operations));
  }
  if (report.operations.size() != operations) reader.refuse();
  if (!report.by_events.empty() && report.by_events.size() != operations) reader.refuse();
  report.total_ns = reader.real();
  report.timing.clock = choice<StreamClock>(reader, kClocks);
  report.timing.uncertainty_ns = reader.real();
  report.timing.host_uncertainty_ns = reader.real();
  report.timing.problem = reader.text();
  report.timing.gpu_uncertainty_ns = reader.real();
  for (uint64_t left = reader.number(); left > 0 && reader.good(); --left)
    report.timer_ahead_ns.push_back(static_cast<int64_t>(reader.number()));
  for (uint64_t left = reader.number(); left > 0 && reader.good(); --left)
    report.graph_make_ns.push_back(reader.real());
  if (report.graph_make_ns.size() != graphs) reader.refuse();
  for (uint64_t left = reader.number(); left > 0 && reader.good(); --left)
    report.migrations.push_back(readMigration(reader, operations));
  const bool known = reader.choice(2) == 1;
  const uint64_t globaltimer_ns = reader.number();
  if (known) report.globaltimer_ns = globaltimer_ns;
  for (uint64_t left = reader.number(); left > 0 && reader.good(); --left) {
    StreamReport::PlacedBlock& block = report.placed.emplace_back();
    block.operation = static_cast<uint32_t>(reader.choice(operations));
    block.block = reader.small();
    block.sm = SmId{reader.small()};
    block.later_cycles = static_cast<int64_t>(reader.number());
    for (uint64_t points = reader.number(); points > 0 && reader.good(); --points) {
      const double clock = reader.real();
      block.points.push_back({clock, static_cast<int64_t>(reader.number())});
    }
    block.held_until = static_cast<int64_t>(reader.number());
    for (uint64_t warps = reader.number(); warps > 0 && reader.good(); --warps)
      block.waits.push_back(reader.number());
  }
  return report;
}

}  // namespace warpscope::calls
