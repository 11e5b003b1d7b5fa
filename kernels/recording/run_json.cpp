#include "kernels/recording/run_json.h"

#include <algorithm>
#include <map>

#include "kernels/core/fields.h"
#include "kernels/core/json_reader.h"
#include "kernels/run/run.h"

namespace warpscope {

// The lossless forms. run_report.cpp has the public contract.

namespace {

const char* samplingModeName(Sampling::Mode mode) {
  switch (mode) {
    case Sampling::Mode::kAuto:
      return "auto";
    case Sampling::Mode::kAll:
      return "all";
    case Sampling::Mode::kExplicit:
      return "explicit";
  }
  return "unknown";
}

const char* severityName(TraceProblem::Severity severity) {
  return severity == TraceProblem::Severity::kInfo ? "info" : "warning";
}

}  // namespace

void describe(Fields& fields, Sampling& sampling) {
  fields.choice("mode", sampling.mode, Sampling::Mode::kExplicit, samplingModeName);
  fields.field("first_blocks", sampling.first_blocks);
  fields.field("sms", sampling.sms);
  fields.field("max_warps", sampling.max_warps);
  fields.field("records_per_lane", sampling.records_per_lane);
}

void describe(Fields& fields, Program& program) {
  fields.field("name", program.name);
  fields.field("file", program.file);
  fields.field("source", program.source);
  // A file of PTX is not written twice.
  if (fields.has("ptx", program.ptx != program.source)) {
    fields.field("ptx", program.ptx);
  } else {
    program.ptx = program.source;
  }
  fields.field("compiler", program.compiler);
  fields.choice("marks", program.marks, MarkLevel::kFine, markLevelName);
}

void describe(Fields& fields, RunRequest& request) {
  fields.field("family", request.family);
  fields.field("variant", request.variant);
  fields.field("parameters", request.parameters);
  fields.field("sampling", request.sampling);
  fields.field("warm_ups", request.warm_ups);
  fields.field("repeats", request.repeats);
  fields.unusual("log_instructions", request.log_instructions, false);
  fields.unusual("checks", request.checks, false);
  fields.unusual("counters", request.counters, {});
  fields.unusual("samples", request.samples, false);
  if (!fields.has("program", request.program != nullptr)) return;
  Program program = request.program ? *request.program : Program{};
  fields.field("program", program);
  if (fields.reader() != nullptr) request.program = shared(std::move(program));
}

void describe(Fields& fields, DeviceLimits& limits) {
  fields.tuple("compute_capability", limits.compute_capability.major, limits.compute_capability.minor);
  fields.field("sm_count", limits.sm_count);
  fields.field("max_threads_per_block", limits.max_threads_per_block);
  fields.field("max_threads_per_sm", limits.max_threads_per_sm);
  fields.field("max_blocks_per_sm", limits.max_blocks_per_sm);
  fields.field("registers_per_sm", limits.registers_per_sm);
  fields.field("registers_per_block", limits.registers_per_block);
  fields.field("shared_bytes_per_sm", limits.shared_bytes_per_sm);
  fields.field("shared_bytes_per_block", limits.shared_bytes_per_block);
  fields.field("shared_bytes_per_block_opt_in", limits.shared_bytes_per_block_opt_in);
  fields.field("shared_bytes_reserved_per_block", limits.shared_bytes_reserved_per_block);
  fields.unusual("gpus", limits.gpus, 1);
  fields.unusual("peer_access", limits.peer_access, false);
}

void describe(Fields& fields, DeviceDescription& device) {
  fields.field("id", device.id);
  fields.field("name", device.name);
  fields.choice("kind", device.kind, DeviceKind::kRecorded, kindName);
  fields.choice("provenance", device.provenance, Provenance::kModelled, provenanceName);
  fields.field("limits", device.limits);
  fields.field("memory_bytes", device.memory_bytes);
  fields.field("l2_bytes", device.limits.l2_bytes);
  fields.unusual("concurrent_managed_access", device.limits.concurrent_managed_access, false);
  fields.unusual("memory_pools", device.limits.memory_pools, false);
  fields.unusual("conditional_nodes", device.limits.conditional_nodes, false);
  fields.unusual("device_runtime", device.limits.device_runtime, false);
  fields.field("sm_clock_khz", device.sm_clock_khz);
  fields.field("memory_clock_khz", device.memory_clock_khz);
  fields.field("memory_bus_bits", device.memory_bus_bits);
  fields.field("driver", device.driver);
  fields.field("recorded_on", device.recorded_on);
}

void describe(Fields& fields, Precision& precision) {
  fields.field("terms", precision.terms);
  fields.field("sum", precision.sum);
  fields.field("reference", precision.reference);
  fields.field("sequential", precision.sequential);
}

void describe(Fields& fields, Verification& verification) {
  fields.field("passed", verification.passed);
  fields.field("checked", verification.checked);
  fields.field("mismatches", verification.mismatches);
  fields.field("max_error", verification.max_error);
  fields.field("detail", verification.detail);
  fields.field("precision", verification.precision);
  // Only in what was saved before the check was done.
  auto pending = verification.pending ? std::optional(true) : std::nullopt;
  fields.field("pending", pending);
  verification.pending = pending.value_or(false);
  fields.unusual("unchecked", verification.unchecked, false);
}

void describe(Fields& fields, Timing& timing) {
  fields.field("median_us", timing.median_us);
  fields.field("min_us", timing.min_us);
  fields.field("max_us", timing.max_us);
  fields.field("repeats", timing.repeats);
  fields.field("warm_ups", timing.warm_ups);
  fields.unusual("kernels", timing.kernels, 1);
}

void describe(Fields& fields, Bandwidth::Library& library) {
  fields.field("name", library.name);
  fields.field("gb_per_s", library.gb_per_s);
}

void describe(Fields& fields, Bandwidth& bandwidth) {
  fields.field("bytes", bandwidth.bytes);
  fields.field("gb_per_s", bandwidth.gb_per_s);
  fields.field("copy_gb_per_s", bandwidth.copy_gb_per_s);
  fields.field("library", bandwidth.library);
}

void describe(Fields& fields, KernelResources& resources) {
  fields.field("registers_per_thread", resources.registers_per_thread);
  fields.field("static_shared_bytes", resources.static_shared_bytes);
  fields.field("dynamic_shared_bytes", resources.dynamic_shared_bytes);
  fields.field("local_bytes_per_thread", resources.local_bytes_per_thread);
  // Older recordings do not have it.
  if (fields.has("barriers_per_block", true))
    fields.field("barriers_per_block", resources.barriers_per_block);
}

void describe(Fields& fields, Occupancy& occupancy) {
  fields.field("blocks_per_sm", occupancy.blocks_per_sm);
  fields.field("warps_per_sm", occupancy.warps_per_sm);
  fields.field("max_warps_per_sm", occupancy.max_warps_per_sm);
  fields.field("theoretical", occupancy.theoretical);
  fields.choice("limiter", occupancy.limiter, OccupancyLimiter::kImpossible, limiterName);
  fields.field("blocks_by_warps", occupancy.blocks_by_warps);
  fields.field("blocks_by_slots", occupancy.blocks_by_slots);
  fields.field("blocks_by_registers", occupancy.blocks_by_registers);
  fields.field("blocks_by_shared", occupancy.blocks_by_shared);
  fields.field("blocks_by_barriers", occupancy.blocks_by_barriers);
}

void describe(Fields& fields, ProbeCost& probe) {
  fields.field("ratio", probe.ratio);
  fields.field("probed_median_us", probe.probed_median_us);
  fields.field("kept", probe.kept);
  fields.field("dropped", probe.dropped);
  fields.field("registers_per_thread", probe.registers_per_thread);
  fields.field("theoretical_occupancy", probe.theoretical_occupancy);
  fields.field("bare_us", probe.bare_us);
}

void describe(Fields& fields, Region& region) {
  fields.field("id", region.id.value);
  fields.field("name", region.name);
  fields.field("first_line", region.first_line);
  fields.field("last_line", region.last_line);
}

void describe(Fields& fields, TraceProblem& problem) {
  fields.choice("severity", problem.severity, TraceProblem::Severity::kWarning, severityName);
  fields.field("count", problem.count);
  fields.field("cause", problem.cause);
}

// [[sm, offset, uncertainty], ...]; an SM whose uncertainty is not known has two elements.
void describeClocks(Fields& fields, std::vector<SmClock>& sms) {
  const JsonReader* reader = fields.reader();
  if (reader == nullptr) {
    Json list = Json::array();
    for (const SmClock& sm : sms) {
      Json entry = Json::array({sm.sm.value, sm.offset_cycles});
      if (sm.uncertainty_ns) entry.push_back(numberJson(*sm.uncertainty_ns));
      list.push_back(std::move(entry));
    }
    return fields.put("sms", std::move(list));
  }
  reader->array("sms", [&](const Json& entry) {
    if (!entry.isArray() || entry.size() < 2 || entry.size() > 3) {
      return reader->complain("sms", "has an entry that is not [sm, offset, uncertainty]");
    }
    SmClock sm{
        SmId{reader->asInteger<uint32_t>(entry[0], "sms")}, reader->asInteger<int64_t>(entry[1], "sms"), {}};
    if (entry.size() == 3) sm.uncertainty_ns = reader->asNumber(entry[2], "sms");
    sms.push_back(sm);
  });
}

void describe(Fields& fields, ResidencyEvidence& evidence) {
  fields.field("probe_cycles", evidence.probe_cycles);
  fields.field("probe_share", evidence.probe_share);
  fields.field("held_share", evidence.held_share);
  fields.field("uneven_share", evidence.uneven_share);
  fields.field("spread_warps", evidence.spread_warps);
}

// Without its columns.
void describe(Fields& fields, Trace& trace) {
  fields.field("cycles_per_ns", trace.clocks.cycles_per_ns);
  describeClocks(fields, trace.clocks.sms);
  fields.field("duration_cycles", trace.duration_cycles);
  fields.field("clock_quantum_cycles", trace.clock_quantum_cycles);
  fields.field("unrecorded_warps", trace.unrecorded_warps);
  fields.field("dropped_events", trace.dropped_events);
  fields.field("problems", trace.problems);
  fields.unusual("dropped_instructions", trace.dropped_instructions, 0);
  fields.field("mean_resident_warps", trace.mean_resident_warps);
  fields.field("residency_evidence", trace.residency_evidence);
  fields.field("uncertainty_ns", trace.clocks.uncertainty_ns);
}

// States are numbered as in the columns of instructions; one that has no name here is the number after them.
void describe(Fields& fields, WaitSample& sample) {
  auto state = static_cast<uint32_t>(sample.state);
  fields.field("instruction", sample.listed);
  fields.field("state", state);
  fields.field("samples", sample.samples);
  sample.state = state < kWarpStates ? static_cast<WarpState>(state) : WarpState::kCount;
}

void describe(Fields& fields, WaitSamples& samples) {
  fields.field("interval_cycles", samples.interval_cycles);
  fields.field("launches", samples.launches);
  fields.field("taken", samples.taken);
  fields.field("dropped", samples.dropped);
  fields.field("elsewhere", samples.elsewhere);
  fields.field("places", samples.places);
}

void describe(Fields& fields, ActivitySample& sample) {
  fields.field("begin_ns", sample.begin_ns);
  fields.field("end_ns", sample.end_ns);
  auto& [sms, issue, l2, dram] = sample.percent;
  fields.tuple("percent", sms, issue, l2, dram);
}

void describe(Fields& fields, ActivitySamples& samples) {
  fields.field("interval_ns", samples.interval_ns);
  fields.field("uncertainty_ns", samples.uncertainty_ns);
  fields.field("launches", samples.launches);
  fields.field("samples", samples.samples);
}

void describe(Fields& fields, StreamInfo& stream) {
  fields.field("name", stream.name);
  fields.choice("kind", stream.kind, StreamKind::kNonBlocking, streamKindName);
  fields.unusual("priority", stream.priority, 0);
  fields.unusual("gpu", stream.gpu, 0);
}

void describe(Fields& fields, StreamOperation& operation) {
  fields.choice("kind", operation.kind, OperationKind::kWait, operationKindName);
  fields.field("stream", operation.stream);
  fields.unusual("gpu", operation.gpu, 0);
  fields.field("name", operation.name);
  fields.unusual("kernel", operation.kernel, {});
  fields.unusual("bytes", operation.bytes, 0);
  if (fields.has("memory", operation.memory.has_value())) {
    HostMemory memory = operation.memory.value_or(HostMemory::kPinned);
    fields.choice("memory", memory, HostMemory::kManaged, hostMemoryName);
    operation.memory = memory;
  }
  fields.field("enqueue_ns", operation.enqueue_ns);
  fields.field("enqueued_ns", operation.enqueued_ns);
  fields.field("begin_ns", operation.begin_ns);
  fields.field("end_ns", operation.end_ns);
  fields.field("after", operation.after);
  if (fields.has("waited_for", operation.waited_for != StreamWait::kNothing)) {
    fields.choice("waited_for", operation.waited_for, StreamWait::kTrigger, streamWaitName);
    fields.field("waited_on", operation.waited_on);
  }
  fields.unusual("first_block", operation.first_block, 0);
  fields.unusual("blocks", operation.blocks, 0);
  if (fields.has("graph", operation.graph.has_value())) {
    uint32_t graph = operation.graph.value_or(0);
    fields.field("graph", graph);
    operation.graph = graph;
  }
  fields.unusual("skipped", operation.skipped, false);
  if (fields.has("primary", operation.primary.has_value())) {
    uint32_t primary = operation.primary.value_or(0);
    fields.field("primary", primary);
    operation.primary = primary;
  }
}

void describe(Fields& fields, StreamGraph& graph) {
  fields.field("name", graph.name);
  fields.choice("making", graph.making, GraphMaking::kExplicit, graphMakingName);
  fields.field("stream", graph.stream);
  fields.field("make_ns", graph.make_ns);
}

void describe(Fields& fields, PageMigration& migration) {
  fields.field("operation", migration.operation);
  fields.field("to_device", migration.to_device);
  fields.field("faults", migration.faults);
  fields.field("bytes", migration.bytes);
  fields.field("begin_ns", migration.begin_ns);
  fields.field("end_ns", migration.end_ns);
}

// Other parts of the program use the operations' indices without looking.
void checkIndices(Fields& fields, const StreamLog& log) {
  const JsonReader* reader = fields.reader();
  if (reader == nullptr) return;
  for (const StreamInfo& stream : log.streams) {
    if (stream.gpu >= kMostGpus)
      return reader->complain("streams", fmt::format("{} is on GPU {}", stream.name, stream.gpu));
  }
  for (size_t i = 0; i < log.operations.size(); ++i) {
    const StreamOperation& operation = log.operations[i];
    const bool possible = operation.stream < log.streams.size() &&
                          operation.waited_on < log.operations.size() &&
                          (!operation.graph || *operation.graph < log.graphs.size());
    const bool earlier = operation.primary.value_or(0) < std::max<size_t>(i, 1) &&
                         std::ranges::all_of(operation.after, [&](uint32_t before) { return before < i; });
    const bool gpu_exists = operation.gpu < log.gpus();
    if (!possible || !earlier || !gpu_exists)
      return reader->complain("operations", fmt::format("refers in entry {} to what is not there", i));
  }
  for (const PageMigration& migration : log.migrations) {
    if (migration.operation >= log.operations.size())
      return reader->complain("migrations", "names an operation that is not there");
  }
  for (const StreamGraph& graph : log.graphs) {
    if (graph.stream >= log.streams.size())
      return reader->complain("graphs", fmt::format("{} is launched on no stream", graph.name));
  }
}

void describe(Fields& fields, StreamTiming& timing) {
  fields.choice("clock", timing.clock, StreamClock::kEvents, streamClockName);
  fields.field("uncertainty_ns", timing.uncertainty_ns);
  fields.field("host_uncertainty_ns", timing.host_uncertainty_ns);
  fields.unusual("problem", timing.problem, {});
  fields.unusual("gpu_uncertainty_ns", timing.gpu_uncertainty_ns, 0);
}

void describe(Fields& fields, StreamLog& log) {
  fields.field("streams", log.streams);
  fields.field("operations", log.operations);
  fields.unusual("timing", log.timing, {});  // absent where all is modelled
  fields.unusual("graphs", log.graphs, {});
  fields.unusual("migrations", log.migrations, {});
  checkIndices(fields, log);
}

// Without device, source text and the trace's columns.
void describe(Fields& fields, Run& run) {
  fields.field("request", run.request);
  fields.field("parameter_labels", run.parameter_labels);
  fields.field("created", run.created);
  fields.tuple("grid", run.grid.x, run.grid.y, run.grid.z);
  fields.tuple("block", run.block.x, run.block.y, run.block.z);
  if (fields.has("cluster", run.cluster.has_value())) {
    Dim3& cluster = run.cluster ? *run.cluster : run.cluster.emplace();
    fields.tuple("cluster", cluster.x, cluster.y, cluster.z);
  }
  fields.field("verification", run.verification);
  fields.field("timing", run.timing);
  fields.field("bandwidth", run.bandwidth);
  fields.field("resources", run.resources);
  fields.field("occupancy", run.occupancy);
  fields.field("probe", run.probe);
  fields.field("regions", run.regions);
  fields.field("source_file", run.source_file);
  fields.field("counters", run.counters);
  fields.unusual("counters_problem", run.counters_problem, {});
  fields.field("wait_samples", run.wait_samples);
  fields.field("activity_samples", run.activity_samples);
  fields.unusual("samples_problem", run.samples_problem, {});
  fields.field("streams", run.streams);
  fields.field("hazards", run.hazards);
  fields.field("trace", run.trace);
}

Json hazardsJson(const std::vector<Hazard>& hazards) {
  Json list = Json::array();
  for (const Hazard& hazard : hazards) list.push_back(toJson(hazard));
  return list;
}

Json toJson(const RunRequest& request) {
  return describedJson(request);
}

Expected<RunRequest> requestFromJson(const Json& source) {
  std::string problem;
  auto request = readDescribed<RunRequest>({source, "", problem});
  if (!problem.empty()) return fail(ErrorKind::kBadRequest, "the request is not valid: {}", problem);
  return request;
}

Json toJson(const DeviceDescription& device) {
  return describedJson(device);
}

Expected<DeviceDescription> deviceFromJson(const Json& source) {
  std::string problem;
  auto device = readDescribed<DeviceDescription>({source, "", problem});
  if (!problem.empty())
    return fail(ErrorKind::kDamagedFile, "the device description is not valid: {}", problem);
  return device;
}

Json headerJson(const Run& run) {
  return describedJson(run);
}

Expected<Run> runFromHeaderJson(const Json& source) {
  std::string problem;
  auto run = readDescribed<Run>({source, "", problem});
  if (!problem.empty()) return fail(ErrorKind::kDamagedFile, "the run's header is not valid: {}", problem);
  return run;
}

namespace {

constexpr size_t kFields = 5;  // text, file, line, inlined file, inlined line

}  // namespace

Json listingJson(const Listing& listing) {
  std::map<std::string, size_t> numbers;
  Json files = Json::array(), instructions = Json::array();
  const auto number = [&](const std::string& file) {
    const auto [at, is_new] = numbers.try_emplace(file, numbers.size());
    if (is_new) files.push_back(file);
    return at->second;
  };
  for (const ListedInstruction& instruction : listing) {
    instructions.push_back({instruction.text, number(instruction.file), instruction.line,
                            number(instruction.inlined_file), instruction.inlined_line});
  }
  return {{"files", std::move(files)}, {"instructions", std::move(instructions)}};
}

Listing readListing(const JsonReader& reader) {
  std::vector<std::string> files;
  reader.array("files", [&](const Json& file) {
    if (!file.isString()) return reader.complain("files", "has an entry that is not a text");
    files.push_back(file.get<std::string>());
  });
  const auto file_of = [&](const Json& value) -> std::string {
    const auto number = reader.asInteger<size_t>(value, "instructions");
    if (number < files.size()) return files[number];
    reader.complain("instructions", "has an entry of an unknown file");
    return {};
  };
  Listing listing;
  reader.array("instructions", [&](const Json& entry) {
    if (!entry.isArray() || entry.size() != kFields || !entry[0].isString()) {
      return reader.complain("instructions",
                             "has an entry that is not [text, file, line, inlined file, inlined line]");
    }
    listing.push_back({entry[0].get<std::string>(), file_of(entry[1]),
                       reader.asInteger<uint32_t>(entry[2], "instructions"), file_of(entry[3]),
                       reader.asInteger<uint32_t>(entry[4], "instructions")});
  });
  return listing;
}

}  // namespace warpscope
