#include "tests/support/stream_run.h"

namespace warpscope::testing {

Run makeStreamRun() {
  Run run = makeSyntheticRun("streams", "depth_first");
  run.device.provenance = Provenance::kModelled;
  StreamLog log;
  log.streams = {{.name = "stream 1"}, {.name = "stream 2", .priority = -5}};
  const auto add = [&](OperationKind kind, uint32_t stream, const char* name, double begin, double end,
                       std::vector<uint32_t> after) -> StreamOperation& {
    StreamOperation& operation = log.operations.emplace_back();
    operation.kind = kind;
    operation.stream = stream;
    operation.name = name;
    operation.enqueue_ns = static_cast<double>(log.operations.size() - 1) * 100;
    operation.enqueued_ns = operation.enqueue_ns + 60;
    operation.begin_ns = begin;
    operation.end_ns = end;
    operation.after = std::move(after);
    if (kind == OperationKind::kLaunch) operation.kernel = "scale";
    return operation;
  };
  StreamOperation& copy = add(OperationKind::kCopyToDevice, 0, "chunk 0", 600, 1600, {});
  copy.bytes = 24'000;
  copy.memory = HostMemory::kPinned;
  StreamOperation& first = add(OperationKind::kLaunch, 0, "chunk 0", 1800, 2600, {kCopyIn});
  first.blocks = 4;
  first.waited_for = StreamWait::kStream;
  add(OperationKind::kEvent, 0, "event 0", 2600, 2600, {kFirst});
  StreamOperation& dependent = add(OperationKind::kLaunch, 0, "step 1", 2400, 3000, {});
  dependent.first_block = 4;
  dependent.blocks = 4;
  dependent.primary = kFirst;
  dependent.waited_for = StreamWait::kTrigger;
  dependent.waited_on = kFirst;
  add(OperationKind::kWait, 1, "event 0", 2600, 2600, {kEventAfter});
  StreamOperation& second = add(OperationKind::kLaunch, 1, "chunk 1", 2800, 3500, {kWaitForEvent});
  second.first_block = 8;
  second.blocks = 4;
  second.waited_for = StreamWait::kEvent;
  second.waited_on = kFirst;
  StreamOperation& out = add(OperationKind::kCopyToHost, 1, "chunk 1", 3700, 4300, {kSecond});
  out.bytes = 12'000;
  out.memory = HostMemory::kPageable;
  out.waited_for = StreamWait::kStream;
  out.waited_on = kSecond;
  add(OperationKind::kLaunch, 0, "node 0", 4400, 4600, {kDependent}).graph = 0;
  add(OperationKind::kLaunch, 0, "node 1", 4650, 4900, {kNodeA}).graph = 0;
  log.operations.back().enqueue_ns = log.operations[kNodeA].enqueue_ns;
  log.operations.back().enqueued_ns = log.operations[kNodeA].enqueued_ns;
  log.graphs = {{.name = "graph", .make_ns = 9000}};
  log.migrations = {{.operation = kFirst, .faults = 2, .bytes = 131'072, .begin_ns = 1900, .end_ns = 2100}};
  run.streams = std::move(log);
  return run;
}

}  // namespace warpscope::testing
