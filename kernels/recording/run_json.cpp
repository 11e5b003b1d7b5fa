// The lossless forms. run_report.cpp has the public contract.
#include "kernels/recording/run_json.h"

#include <array>

#include "kernels/core/json_reader.h"
#include "kernels/run/limiter_name.h"

namespace warpscope {
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

Json dimJson(const Dim3& dim) {
  return Json::array({dim.x, dim.y, dim.z});
}

Dim3 readDim(const JsonReader& reader, const char* key) {
  std::array<uint32_t, 3> sizes{1, 1, 1};
  size_t count = 0;
  reader.array(key, [&](const Json& element) {
    if (count < sizes.size()) sizes[count] = reader.asInteger<uint32_t>(element, key);
    ++count;
  });
  if (count != sizes.size()) reader.complain(key, "does not have three sizes");
  return {sizes[0], sizes[1], sizes[2]};
}

RunRequest readRequest(const JsonReader& reader) {
  RunRequest request;
  request.family = reader.text("family");
  request.variant = reader.text("variant");
  reader.members("parameters", [&](const std::string& name, const Json& value) {
    request.parameters[name] = reader.asInteger<int64_t>(value, "parameters");
  });
  const JsonReader sampling = reader.object("sampling");
  request.sampling.mode = sampling.choice("mode", Sampling::Mode::kExplicit, samplingModeName);
  request.sampling.first_blocks = sampling.integer<uint32_t>("first_blocks");
  request.sampling.sms = sampling.integer<uint32_t>("sms");
  request.sampling.max_warps = sampling.integer<uint32_t>("max_warps");
  request.sampling.records_per_lane = sampling.integer<uint32_t>("records_per_lane");
  request.warm_ups = reader.integer<uint32_t>("warm_ups");
  request.repeats = reader.integer<uint32_t>("repeats");
  request.log_instructions = reader.has("log_instructions") && reader.boolean("log_instructions");
  request.checks = reader.has("checks") && reader.boolean("checks");
  return request;
}

Json limitsJson(const DeviceLimits& limits) {
  return {{"compute_capability", {limits.compute_capability.major, limits.compute_capability.minor}},
          {"sm_count", limits.sm_count},
          {"max_threads_per_block", limits.max_threads_per_block},
          {"max_threads_per_sm", limits.max_threads_per_sm},
          {"max_blocks_per_sm", limits.max_blocks_per_sm},
          {"registers_per_sm", limits.registers_per_sm},
          {"registers_per_block", limits.registers_per_block},
          {"shared_bytes_per_sm", limits.shared_bytes_per_sm},
          {"shared_bytes_per_block", limits.shared_bytes_per_block},
          {"shared_bytes_per_block_opt_in", limits.shared_bytes_per_block_opt_in},
          {"shared_bytes_reserved_per_block", limits.shared_bytes_reserved_per_block}};
}

DeviceLimits readLimits(const JsonReader& reader) {
  DeviceLimits limits;
  std::array<int, 2> version{};
  size_t count = 0;
  reader.array("compute_capability", [&](const Json& element) {
    if (count < version.size()) version[count] = reader.asInteger<int>(element, "compute_capability");
    ++count;
  });
  if (count != version.size()) reader.complain("compute_capability", "is not [major, minor]");
  limits.compute_capability = {version[0], version[1]};
  limits.sm_count = reader.integer<uint32_t>("sm_count");
  limits.max_threads_per_block = reader.integer<uint32_t>("max_threads_per_block");
  limits.max_threads_per_sm = reader.integer<uint32_t>("max_threads_per_sm");
  limits.max_blocks_per_sm = reader.integer<uint32_t>("max_blocks_per_sm");
  limits.registers_per_sm = reader.integer<uint32_t>("registers_per_sm");
  limits.registers_per_block = reader.integer<uint32_t>("registers_per_block");
  limits.shared_bytes_per_sm = reader.integer<uint32_t>("shared_bytes_per_sm");
  limits.shared_bytes_per_block = reader.integer<uint32_t>("shared_bytes_per_block");
  limits.shared_bytes_per_block_opt_in = reader.integer<uint32_t>("shared_bytes_per_block_opt_in");
  limits.shared_bytes_reserved_per_block = reader.integer<uint32_t>("shared_bytes_reserved_per_block");
  return limits;
}

Json occupancyJson(const Occupancy& occupancy) {
  Json result = {{"blocks_per_sm", occupancy.blocks_per_sm},
                 {"warps_per_sm", occupancy.warps_per_sm},
                 {"max_warps_per_sm", occupancy.max_warps_per_sm},
                 {"theoretical", numberJson(occupancy.theoretical)},
                 {"limiter", limiterName(occupancy.limiter)},
                 {"blocks_by_warps", occupancy.blocks_by_warps},
                 {"blocks_by_slots", occupancy.blocks_by_slots},
                 {"blocks_by_registers", occupancy.blocks_by_registers},
                 {"blocks_by_shared", occupancy.blocks_by_shared}};
  if (occupancy.blocks_by_barriers) result["blocks_by_barriers"] = *occupancy.blocks_by_barriers;
  return result;
}

Occupancy readOccupancy(const JsonReader& reader) {
  Occupancy occupancy;
  occupancy.blocks_per_sm = reader.integer<uint32_t>("blocks_per_sm");
  occupancy.warps_per_sm = reader.integer<uint32_t>("warps_per_sm");
  occupancy.max_warps_per_sm = reader.integer<uint32_t>("max_warps_per_sm");
  occupancy.theoretical = reader.number("theoretical");
  occupancy.limiter = reader.choice("limiter", OccupancyLimiter::kImpossible, limiterName);
  occupancy.blocks_by_warps = reader.integer<uint32_t>("blocks_by_warps");
  occupancy.blocks_by_slots = reader.integer<uint32_t>("blocks_by_slots");
  occupancy.blocks_by_registers = reader.integer<uint32_t>("blocks_by_registers");
  occupancy.blocks_by_shared = reader.integer<uint32_t>("blocks_by_shared");
  if (reader.has("blocks_by_barriers")) {
    occupancy.blocks_by_barriers = reader.integer<uint32_t>("blocks_by_barriers");
  }
  return occupancy;
}

Json resultsJson(const Run& run) {
  Json bandwidth = {{"bytes", run.bandwidth.bytes}, {"gb_per_s", numberJson(run.bandwidth.gb_per_s)}};
  if (run.bandwidth.copy_gb_per_s) bandwidth["copy_gb_per_s"] = numberJson(*run.bandwidth.copy_gb_per_s);
  if (const auto& library = run.bandwidth.library) {
    bandwidth["library"] = {{"name", library->name}, {"gb_per_s", numberJson(library->gb_per_s)}};
  }
  Json verification = {{"passed", run.verification.passed},
                       {"checked", run.verification.checked},
                       {"mismatches", run.verification.mismatches},
                       {"max_error", numberJson(run.verification.max_error)},
                       {"detail", run.verification.detail}};
  if (const auto& precision = run.verification.precision) {
    verification["precision"] = {{"terms", precision->terms},
                                 {"sum", numberJson(precision->sum)},
                                 {"reference", numberJson(precision->reference)},
                                 {"sequential", numberJson(precision->sequential)}};
  }
  return {{"verification", verification},
          {"timing",
           {{"median_us", numberJson(run.timing.median_us)},
            {"min_us", numberJson(run.timing.min_us)},
            {"max_us", numberJson(run.timing.max_us)},
            {"repeats", run.timing.repeats},
            {"warm_ups", run.timing.warm_ups}}},
          {"bandwidth", bandwidth},
          {"resources",
           {{"registers_per_thread", run.resources.registers_per_thread},
            {"static_shared_bytes", run.resources.static_shared_bytes},
            {"dynamic_shared_bytes", run.resources.dynamic_shared_bytes},
            {"local_bytes_per_thread", run.resources.local_bytes_per_thread},
            {"barriers_per_block", run.resources.barriers_per_block}}},
          {"occupancy", occupancyJson(run.occupancy)},
          {"probe",
           {{"ratio", numberJson(run.probe.ratio)},
            {"probed_median_us", numberJson(run.probe.probed_median_us)},
            {"kept", run.probe.kept},
            {"dropped", run.probe.dropped}}}};
}

void readResults(const JsonReader& reader, Run& run) {
  const JsonReader verification = reader.object("verification");
  run.verification.passed = verification.boolean("passed");
  run.verification.checked = verification.integer<uint64_t>("checked");
  run.verification.mismatches = verification.integer<uint64_t>("mismatches");
  run.verification.max_error = verification.number("max_error");
  run.verification.detail = verification.text("detail");
  if (verification.has("precision")) {
    const JsonReader precision = verification.object("precision");
    run.verification.precision = Precision{precision.integer<uint64_t>("terms"), precision.number("sum"),
                                           precision.number("reference"), precision.number("sequential")};
  }
  const JsonReader timing = reader.object("timing");
  run.timing = {timing.number("median_us"), timing.number("min_us"), timing.number("max_us"),
                timing.integer<uint32_t>("repeats"), timing.integer<uint32_t>("warm_ups")};
  const JsonReader bandwidth = reader.object("bandwidth");
  run.bandwidth = {bandwidth.integer<uint64_t>("bytes"),
                   bandwidth.number("gb_per_s"),
                   bandwidth.optionalNumber("copy_gb_per_s"),
                   {}};
  if (bandwidth.has("library")) {
    const JsonReader library = bandwidth.object("library");
    run.bandwidth.library = Bandwidth::Library{library.text("name"), library.number("gb_per_s")};
  }
  const JsonReader resources = reader.object("resources");
  run.resources = {resources.integer<uint32_t>("registers_per_thread"),
                   resources.integer<uint32_t>("static_shared_bytes"),
                   resources.integer<uint32_t>("dynamic_shared_bytes"),
                   resources.integer<uint32_t>("local_bytes_per_thread")};
  if (resources.has("barriers_per_block")) {
    run.resources.barriers_per_block = resources.integer<uint32_t>("barriers_per_block");
  }
  run.occupancy = readOccupancy(reader.object("occupancy"));
  const JsonReader probe = reader.object("probe");
  run.probe = {probe.number("ratio"), probe.number("probed_median_us"), probe.integer<uint64_t>("kept"),
               probe.integer<uint64_t>("dropped")};
}

Json traceJson(const Trace& trace) {
  Json sms = Json::array();
  for (const SmClock& sm : trace.clocks.sms) {
    Json entry = Json::array({sm.sm.value, sm.offset_cycles});
    if (sm.uncertainty_ns) entry.push_back(numberJson(*sm.uncertainty_ns));
    sms.push_back(std::move(entry));
  }
  Json problems = Json::array();
  for (const TraceProblem& problem : trace.problems) {
    problems.push_back(
        {{"severity", severityName(problem.severity)}, {"count", problem.count}, {"cause", problem.cause}});
  }
  Json result = {{"cycles_per_ns", numberJson(trace.clocks.cycles_per_ns)},
                 {"sms", std::move(sms)},
                 {"duration_cycles", trace.duration_cycles},
                 {"clock_quantum_cycles", trace.clock_quantum_cycles},
                 {"unrecorded_warps", trace.unrecorded_warps},
                 {"dropped_events", trace.dropped_events},
                 {"problems", std::move(problems)}};
  if (trace.dropped_instructions > 0) result["dropped_instructions"] = trace.dropped_instructions;
  if (trace.mean_resident_warps) result["mean_resident_warps"] = numberJson(*trace.mean_resident_warps);
  if (trace.clocks.uncertainty_ns) result["uncertainty_ns"] = numberJson(*trace.clocks.uncertainty_ns);
  return result;
}

Trace readTrace(const JsonReader& reader) {
  Trace trace;
  trace.clocks.cycles_per_ns = reader.number("cycles_per_ns");
  trace.clocks.uncertainty_ns = reader.optionalNumber("uncertainty_ns");
  trace.mean_resident_warps = reader.optionalNumber("mean_resident_warps");
  reader.array("sms", [&](const Json& entry) {
    if (!entry.is_array() || entry.size() < 2 || entry.size() > 3) {
      return reader.complain("sms", "has an entry that is not [sm, offset, uncertainty]");
    }
    SmClock sm{
        SmId{reader.asInteger<uint32_t>(entry[0], "sms")}, reader.asInteger<int64_t>(entry[1], "sms"), {}};
    if (entry.size() == 3) sm.uncertainty_ns = reader.asNumber(entry[2], "sms");
    trace.clocks.sms.push_back(sm);
  });
  trace.duration_cycles = reader.integer<int64_t>("duration_cycles");
  trace.clock_quantum_cycles = reader.integer<uint32_t>("clock_quantum_cycles");
  trace.unrecorded_warps = reader.integer<uint64_t>("unrecorded_warps");
  trace.dropped_events = reader.integer<uint64_t>("dropped_events");
  if (reader.has("dropped_instructions")) {
    trace.dropped_instructions = reader.integer<uint64_t>("dropped_instructions");
  }
  reader.array("problems", [&](const Json& element) {
    const JsonReader problem(element, reader.path() + "problems.", reader.problem());
    trace.problems.push_back({problem.choice("severity", TraceProblem::Severity::kWarning, severityName),
                              problem.integer<uint64_t>("count"), problem.text("cause")});
  });
  return trace;
}

std::vector<Hazard> readHazards(const JsonReader& reader) {
  std::vector<Hazard> hazards;
  reader.array("hazards", [&](const Json& element) {
    auto hazard = hazardFromJson(element);
    if (hazard) {
      hazards.push_back(std::move(*hazard));
    } else {
      reader.complain("hazards", hazard.error().message);
    }
  });
  return hazards;
}

}  // namespace

Json hazardsJson(const std::vector<Hazard>& hazards) {
  Json list = Json::array();
  for (const Hazard& hazard : hazards) list.push_back(toJson(hazard));
  return list;
}

Json toJson(const RunRequest& request) {
  Json result = {{"family", request.family},
                 {"variant", request.variant},
                 {"parameters", Json(request.parameters)},
                 {"sampling",
                  {{"mode", samplingModeName(request.sampling.mode)},
                   {"first_blocks", request.sampling.first_blocks},
                   {"sms", request.sampling.sms},
                   {"max_warps", request.sampling.max_warps},
                   {"records_per_lane", request.sampling.records_per_lane}}},
                 {"warm_ups", request.warm_ups},
                 {"repeats", request.repeats}};
  if (request.log_instructions) result["log_instructions"] = true;
  if (request.checks) result["checks"] = true;
  return result;
}

Expected<RunRequest> requestFromJson(const Json& source) {
  std::string problem;
  RunRequest request = readRequest({source, "", problem});
  if (!problem.empty()) return fail(ErrorKind::kBadRequest, "the request is not valid: {}", problem);
  return request;
}

Json toJson(const DeviceDescription& device) {
  return {{"id", device.id},
          {"name", device.name},
          {"kind", kindName(device.kind)},
          {"provenance", provenanceName(device.provenance)},
          {"limits", limitsJson(device.limits)},
          {"memory_bytes", device.memory_bytes},
          {"l2_bytes", device.limits.l2_bytes},
          {"sm_clock_khz", device.sm_clock_khz},
          {"memory_clock_khz", device.memory_clock_khz},
          {"memory_bus_bits", device.memory_bus_bits},
          {"driver", device.driver},
          {"recorded_on", device.recorded_on}};
}

Expected<DeviceDescription> deviceFromJson(const Json& source) {
  std::string problem;
  const JsonReader reader(source, "", problem);
  DeviceDescription device;
  device.id = reader.text("id");
  device.name = reader.text("name");
  device.kind = reader.choice("kind", DeviceKind::kRecorded, kindName);
  device.provenance = reader.choice("provenance", Provenance::kModelled, provenanceName);
  device.limits = readLimits(reader.object("limits"));
  device.memory_bytes = reader.integer<uint64_t>("memory_bytes");
  device.limits.l2_bytes = reader.integer<uint64_t>("l2_bytes");
  device.sm_clock_khz = reader.integer<uint32_t>("sm_clock_khz");
  device.memory_clock_khz = reader.integer<uint32_t>("memory_clock_khz");
  device.memory_bus_bits = reader.integer<uint32_t>("memory_bus_bits");
  device.driver = reader.text("driver");
  device.recorded_on = reader.text("recorded_on");
  if (!problem.empty())
    return fail(ErrorKind::kDamagedFile, "the device description is not valid: {}", problem);
  return device;
}

Json headerJson(const Run& run) {
  Json header = resultsJson(run);
  header["request"] = toJson(run.request);
  header["parameter_labels"] = Json(run.parameter_labels);
  header["created"] = run.created;
  header["grid"] = dimJson(run.grid);
  header["block"] = dimJson(run.block);
  header["source_file"] = run.source_file;
  Json& regions = header["regions"] = Json::array();
  for (const Region& region : run.regions) {
    regions.push_back({{"id", region.id.value},
                       {"name", region.name},
                       {"first_line", region.first_line},
                       {"last_line", region.last_line}});
  }
  Json& counters = header["counters"] = Json::object();
  for (const auto& [name, value] : run.counters) counters[name] = numberJson(value);
  if (run.hazards) header["hazards"] = hazardsJson(*run.hazards);
  header["trace"] = traceJson(run.trace);
  return header;
}

Expected<Run> runFromHeaderJson(const Json& source) {
  std::string problem;
  const JsonReader reader(source, "", problem);
  Run run;
  readResults(reader, run);
  run.request = readRequest(reader.object("request"));
  reader.members("parameter_labels", [&](const std::string& name, const Json& value) {
    if (!value.is_string()) return reader.complain("parameter_labels", "has a label that is not a text");
    run.parameter_labels[name] = value.get<std::string>();
  });
  run.created = reader.text("created");
  run.grid = readDim(reader, "grid");
  run.block = readDim(reader, "block");
  run.source_file = reader.text("source_file");
  reader.array("regions", [&](const Json& element) {
    const JsonReader region(element, "regions.", problem);
    run.regions.push_back({RegionId{region.integer<uint32_t>("id")}, region.text("name"),
                           region.integer<uint32_t>("first_line"), region.integer<uint32_t>("last_line")});
  });
  reader.members("counters", [&](const std::string& name, const Json& value) {
    run.counters[name] = reader.asNumber(value, "counters");
  });
  if (reader.has("hazards")) run.hazards = readHazards(reader);
  run.trace = readTrace(reader.object("trace"));
  if (!problem.empty()) return fail(ErrorKind::kDamagedFile, "the run's header is not valid: {}", problem);
  return run;
}

}  // namespace warpscope
