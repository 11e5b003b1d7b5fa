#include "kernels/sim/sm/profile.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <system_error>
#include <utility>
#include <variant>

#include "kernels/core/files.h"
#include "kernels/core/ids.h"
#include "kernels/core/json.h"
#include "kernels/sim/sm/wake_times.h"

namespace warpscope::sim {
namespace {

constexpr const char* kFormat = "warpscope device profile 1";
// The files of assets/devices, in the order of the list; other files in that folder follow, by name.
constexpr const char* kBundled[] = {"h100_sxm",        "h200",    "a100", "v100", "rtx_4090",
                                    "rtx_5070_laptop", "teaching"};

// The member that stores a figure; its type says whether it must be a whole number.
using Slot = std::variant<int*, uint32_t*, uint64_t*, double*>;

// One figure of a profile. To add one, add a line to figures().
struct Figure {
  std::string name;
  double least, most;
  std::function<Slot(DeviceProfile&)> slot;
  // Profiles that were written before the figure existed lack it: what was measured on an H100 holds then.
  bool later = false;
  const char* otherwise = "not in the file: as measured on an H100";  // the source of that figure then
};

constexpr double kMost = 1e6;  // cycles, counts: far above any GPU, far below overflow
constexpr double kMostBytes = 1e15;
// The simulator keeps the tags of the caches in the host's memory, the L1's once per SM.
constexpr double kMostL1Bytes = 1 << 22, kMostL2Bytes = 4e9;

void addPipes(std::vector<Figure>& list) {
  for (size_t i = 0; i < kPipeCount; ++i) {
    const std::string name = fmt::format("pipe.{}.", pipeName(static_cast<Pipe>(i)));
    const bool later = static_cast<Pipe>(i) == Pipe::kTensor;
    list.push_back({name + "issue_interval_cycles", 0.25, 1024,
                    [i](DeviceProfile& p) -> Slot { return &p.pipes[i].issue_interval_cycles; }, later});
    list.push_back({name + "latency_cycles", 1, 10000,
                    [i](DeviceProfile& p) -> Slot { return &p.pipes[i].latency_cycles; }, later});
  }
}

void addCache(std::vector<Figure>& list, const std::string& name, double most_bytes,
              CacheTiming DeviceProfile::*cache) {
  list.push_back(
      {name + ".bytes", 1024, most_bytes, [=](DeviceProfile& p) -> Slot { return &(p.*cache).bytes; }});
  list.push_back({name + ".ways", 1, 1024, [=](DeviceProfile& p) -> Slot { return &(p.*cache).ways; }});
  list.push_back(
      {name + ".line_bytes", 32, 4096, [=](DeviceProfile& p) -> Slot { return &(p.*cache).line_bytes; }});
  list.push_back(
      {name + ".sector_bytes", 32, 4096, [=](DeviceProfile& p) -> Slot { return &(p.*cache).sector_bytes; }});
  list.push_back({name + ".latency_cycles", 1, kMost,
                  [=](DeviceProfile& p) -> Slot { return &(p.*cache).latency_cycles; }});
  list.push_back({name + ".bytes_per_cycle", 1, kMost,
                  [=](DeviceProfile& p) -> Slot { return &(p.*cache).bytes_per_cycle; }});
}

void addClusters(std::vector<Figure>& list) {
  using P = DeviceProfile;
  const auto add = [&](const char* name, double least, double most, std::function<Slot(P&)> slot) {
    list.push_back({name, least, most, std::move(slot), true, "not in the file: an estimate for an H100"});
  };
  add("gpc_count", 1, 64, [](P& p) -> Slot { return &p.gpc_count; });
  add("distributed_shared_latency_cycles", 1, kMost,
      [](P& p) -> Slot { return &p.distributed_shared_latency_cycles; });
  add("distributed_shared_bytes_per_cycle", 0.1, 65536,
      [](P& p) -> Slot { return &p.distributed_shared_bytes_per_cycle; });
  add("distributed_shared_atomic_interval_cycles", 0.1, kMost,
      [](P& p) -> Slot { return &p.distributed_shared_atomic_interval_cycles; });
  add("distributed_shared_atomic_unit_cycles", 0.1, kMost,
      [](P& p) -> Slot { return &p.distributed_shared_atomic_unit_cycles; });
  add("cluster_barrier_latency_cycles", 1, kMost,
      [](P& p) -> Slot { return &p.cluster_barrier_latency_cycles; });
  add("bulk_copy_latency_cycles", 0, kMost, [](P& p) -> Slot { return &p.bulk_copy_latency_cycles; });
  add("bulk_copy_bytes_per_cycle", 0.1, 65536, [](P& p) -> Slot { return &p.bulk_copy_bytes_per_cycle; });
}

// Figures that a file need not have; the default is then an estimate, as `source` says.
struct Estimate {
  const char* name;
  double least, most;
  double DeviceProfile::*figure;
};
void addEstimates(std::vector<Figure>& list, const char* source, std::initializer_list<Estimate> estimates) {
  for (const Estimate& each : estimates) {
    list.push_back({each.name, each.least, each.most,
                    [figure = each.figure](DeviceProfile& p) -> Slot { return &(p.*figure); }, true, source});
  }
}

constexpr double kMostNs = 1e9, kLeastRate = 0.001, kMostRate = 1e5;  // bytes/ns

void addStreams(std::vector<Figure>& list) {
  using P = DeviceProfile;
  addEstimates(list, "not in the file: an estimate for a PCIe 5.0 x16 link",
               {{"copy_to_device_bytes_per_ns", kLeastRate, kMostRate, &P::copy_to_device_bytes_per_ns},
                {"copy_to_host_bytes_per_ns", kLeastRate, kMostRate, &P::copy_to_host_bytes_per_ns},
                {"copy_pageable_bytes_per_ns", kLeastRate, kMostRate, &P::copy_pageable_bytes_per_ns},
                {"copy_latency_ns", 0, kMostNs, &P::copy_latency_ns},
                {"enqueue_ns", 0, kMostNs, &P::enqueue_ns},
                {"stream_latency_ns", 0, kMostNs, &P::stream_latency_ns},
                {"dependent_launch_ns", 0, kMostNs, &P::dependent_launch_ns},
                {"dependent_wait_ns", 0, kMostNs, &P::dependent_wait_ns},
                {"host_function_ns", 0, kMostNs, &P::host_function_ns}});
}

void addGraphs(std::vector<Figure>& list) {
  using P = DeviceProfile;
  addEstimates(list, "not in the file: an estimate, not calibrated",
               {{"graph_launch_ns", 0, kMostNs, &P::graph_launch_ns},
                {"graph_launch_node_ns", 0, kMostNs, &P::graph_launch_node_ns},
                {"graph_make_node_ns", 0, kMostNs, &P::graph_make_node_ns},
                {"graph_latency_ns", 0, kMostNs, &P::graph_latency_ns},
                {"graph_condition_ns", 0, kMostNs, &P::graph_condition_ns},
                {"graph_skip_ns", 0, kMostNs, &P::graph_skip_ns}});
}

void addPeer(std::vector<Figure>& list) {
  using P = DeviceProfile;
  constexpr const char* kSource = "not in the file: an estimate, not calibrated";
  list.push_back({"peer_access", 0, 1, [](P& p) -> Slot { return &p.peer_access; }, true, kSource});
  addEstimates(list, kSource,
               {{"peer_copy_bytes_per_ns", kLeastRate, kMostRate, &P::peer_copy_bytes_per_ns},
                {"peer_copy_latency_ns", 0, kMostNs, &P::peer_copy_latency_ns},
                {"peer_load_bytes_per_ns", kLeastRate, kMostRate, &P::peer_load_bytes_per_ns},
                {"peer_load_latency_ns", 0, kMostNs, &P::peer_load_latency_ns}});
}

void addManagedMemory(std::vector<Figure>& list) {
  using P = DeviceProfile;
  addEstimates(list, "not in the file: an estimate for a PCIe 5.0 x16 link, not calibrated",
               {{"page_fault_batch_ns", 0, kMostNs, &P::page_fault_batch_ns},
                {"host_page_fault_ns", 0, kMostNs, &P::host_page_fault_ns},
                {"migration_bytes_per_ns", kLeastRate, kMostRate, &P::migration_bytes_per_ns},
                {"prefetch_bytes_per_ns", kLeastRate, kMostRate, &P::prefetch_bytes_per_ns},
                {"prefetch_to_host_bytes_per_ns", kLeastRate, kMostRate, &P::prefetch_to_host_bytes_per_ns},
                {"remote_access_bytes_per_ns", kLeastRate, kMostRate, &P::remote_access_bytes_per_ns}});
}

std::vector<Figure> makeFigures() {
  using P = DeviceProfile;
  std::vector<Figure> list = {
      {"compute_capability.major", 5, 99, [](P& p) -> Slot { return &p.limits.compute_capability.major; }},
      {"compute_capability.minor", 0, 9, [](P& p) -> Slot { return &p.limits.compute_capability.minor; }},
      {"sm_count", 1, 4096, [](P& p) -> Slot { return &p.limits.sm_count; }},
      {"max_threads_per_block", 32, 1024, [](P& p) -> Slot { return &p.limits.max_threads_per_block; }},
      {"max_threads_per_sm", 32, 8192, [](P& p) -> Slot { return &p.limits.max_threads_per_sm; }},
      {"max_blocks_per_sm", 1, 256, [](P& p) -> Slot { return &p.limits.max_blocks_per_sm; }},
      {"registers_per_sm", 1024, kMost, [](P& p) -> Slot { return &p.limits.registers_per_sm; }},
      {"registers_per_block", 1024, kMost, [](P& p) -> Slot { return &p.limits.registers_per_block; }},
      {"shared_bytes_per_sm", 0, 1e8, [](P& p) -> Slot { return &p.limits.shared_bytes_per_sm; }},
      {"shared_bytes_per_block", 0, 1e8, [](P& p) -> Slot { return &p.limits.shared_bytes_per_block; }},
      {"shared_bytes_per_block_opt_in", 0, 1e8,
       [](P& p) -> Slot { return &p.limits.shared_bytes_per_block_opt_in; }},
      {"shared_bytes_reserved_per_block", 0, 1e6,
       [](P& p) -> Slot { return &p.limits.shared_bytes_reserved_per_block; }},
      {"memory_bytes", 1e6, kMostBytes, [](P& p) -> Slot { return &p.memory_bytes; }},
      {"sm_clock_mhz", 1, 1e5, [](P& p) -> Slot { return &p.sm_clock_mhz; }},
      {"memory_clock_mhz", 1, 1e5, [](P& p) -> Slot { return &p.memory_clock_mhz; }},
      {"memory_bus_bits", 1, 1e6, [](P& p) -> Slot { return &p.memory_bus_bits; }},
      {"sub_partitions", 1, 16, [](P& p) -> Slot { return &p.sub_partitions; }},
      {"registers_allocation_unit", 1, 65536, [](P& p) -> Slot { return &p.registers_allocation_unit; }},
      {"warps_allocation_granularity", 1, 64, [](P& p) -> Slot { return &p.warps_allocation_granularity; }},
      {"shared_allocation_unit", 1, 65536, [](P& p) -> Slot { return &p.shared_allocation_unit; }},
  };
  addPipes(list);
  const std::vector<Figure> memory = {
      {"shared_banks", 1, 32, [](P& p) -> Slot { return &p.shared_banks; }},
      {"shared_bank_bytes", 4, 8, [](P& p) -> Slot { return &p.shared_bank_bytes; }},
      {"shared_latency_cycles", 1, kMost, [](P& p) -> Slot { return &p.shared_latency_cycles; }},
      {"shared_extra_way_cycles", 0, 1024, [](P& p) -> Slot { return &p.shared_extra_way_cycles; }},
      {"shuffle_latency_cycles", 1, kMost, [](P& p) -> Slot { return &p.shuffle_latency_cycles; }},
      {"shuffle_interval_cycles", 0.25, 1024, [](P& p) -> Slot { return &p.shuffle_interval_cycles; }},
      {"vote_latency_cycles", 1, kMost, [](P& p) -> Slot { return &p.vote_latency_cycles; }},
      {"barrier_latency_cycles", 1, kMost, [](P& p) -> Slot { return &p.barrier_latency_cycles; }},
      {"barrier_warp_cycles", 0, 1024, [](P& p) -> Slot { return &p.barrier_warp_cycles; }},
      {"branch_latency_cycles", 1, kMost, [](P& p) -> Slot { return &p.branch_latency_cycles; }},
      {"special_register_latency_cycles", 1, kMost,
       [](P& p) -> Slot { return &p.special_register_latency_cycles; }},
      {"constant_latency_cycles", 1, kMost, [](P& p) -> Slot { return &p.constant_latency_cycles; }},
  };
  list.insert(list.end(), memory.begin(), memory.end());
  addCache(list, "l1", kMostL1Bytes, &P::l1);
  list.push_back(
      {"l1.tag_requests_per_cycle", 1, 64, [](P& p) -> Slot { return &p.l1_tag_requests_per_cycle; }});
  addCache(list, "l2", kMostL2Bytes, &P::l2);
  const std::vector<Figure> beyond = {
      {"l2.slices", 1, 4096, [](P& p) -> Slot { return &p.l2_slices; }},
      {"l2.read_requests_per_cycle", 0, kMost, [](P& p) -> Slot { return &p.l2_read_requests_per_cycle; },
       true},
      {"l2.write_bytes_per_cycle", 0.1, kMost, [](P& p) -> Slot { return &p.l2_write_bytes_per_cycle; }},
      {"l2.write_requests_per_cycle", 0.01, kMost,
       [](P& p) -> Slot { return &p.l2_write_requests_per_cycle; }},
      {"interconnect_write_bytes_per_cycle", 0.1, 65536,
       [](P& p) -> Slot { return &p.interconnect_write_bytes_per_cycle; }},
      {"interconnect_write_requests_per_cycle", 0.01, 1024,
       [](P& p) -> Slot { return &p.interconnect_write_requests_per_cycle; }},
      {"interconnect_bytes_per_cycle", 1, 65536,
       [](P& p) -> Slot { return &p.interconnect_bytes_per_cycle; }},
      {"dram_latency_cycles", 1, kMost, [](P& p) -> Slot { return &p.dram_latency_cycles; }},
      {"dram_bytes_per_cycle", 0.1, kMost, [](P& p) -> Slot { return &p.dram_bytes_per_cycle; }},
      {"global_atomic_latency_cycles", 1, kMost,
       [](P& p) -> Slot { return &p.global_atomic_latency_cycles; }},
      {"global_atomic_interval_cycles", 0, 1e5,
       [](P& p) -> Slot { return &p.global_atomic_interval_cycles; }},
      {"shared_atomic_latency_cycles", 1, kMost,
       [](P& p) -> Slot { return &p.shared_atomic_latency_cycles; }},
      {"shared_atomic_interval_cycles", 0, 1e5,
       [](P& p) -> Slot { return &p.shared_atomic_interval_cycles; }},
      {"fence_latency_cycles", 0, kMost, [](P& p) -> Slot { return &p.fence_latency_cycles; }, true},
      {"launch_overhead_ns", 0, 1e9, [](P& p) -> Slot { return &p.launch_overhead_ns; }},
      {"launch_cycles", 0, kMost, [](P& p) -> Slot { return &p.launch_cycles; }},
      {"block_launch_cycles", 0, kMost, [](P& p) -> Slot { return &p.block_launch_cycles; }},
      {"block_launch_interval_cycles", 0, kMost,
       [](P& p) -> Slot { return &p.block_launch_interval_cycles; }},
  };
  list.insert(list.end(), beyond.begin(), beyond.end());
  addClusters(list);
  addStreams(list);
  addGraphs(list);
  addPeer(list);
  addManagedMemory(list);
  return list;
}

const std::vector<Figure>& figures() {
  static const std::vector<Figure> kFigures = makeFigures();
  return kFigures;
}

double read(const Slot& slot) {
  return std::visit([](auto* value) { return static_cast<double>(*value); }, slot);
}

// Assigns the value. Returns an empty text, or what is wrong with the value.
std::string assign(const Figure& figure, DeviceProfile& profile, const Json& value) {
  if (!value.isNumber()) return "is not a number";
  const auto number = value.get<double>();
  if (!(number >= figure.least && number <= figure.most)) {
    return fmt::format("is {}; it must be {} to {}", value.dump(), figure.least, figure.most);
  }
  const Slot slot = figure.slot(profile);
  if (!std::holds_alternative<double*>(slot) && std::trunc(number) != number) {
    return fmt::format("is {}, not a whole number", value.dump());
  }
  std::visit([&](auto* target) { *target = static_cast<std::remove_pointer_t<decltype(target)>>(number); },
             slot);
  return {};
}

// Keeps the first thing that is wrong with a profile's text.
class Parser {
 public:
  Parser(const std::string& name, DeviceProfile& profile) : name_(name), profile_(profile) {}

  Expected<void> parse(const Json& root) {
    if (!root.isObject()) return wrong("the file", "is not a JSON object");
    for (const auto& [key, value] : root.items()) {
      if (!std::set<std::string>{"format", "id", "name", "references", "figures"}.contains(key)) {
        return wrong(key, "is not a field of a device profile");
      }
    }
    std::string format;
    return text(root, "format", format)
        .and_then([&]() -> Expected<void> {
          if (format != kFormat) return wrong("format", fmt::format("is '{}', not '{}'", format, kFormat));
          return {};
        })
        .and_then([&] { return text(root, "id", profile_.id); })
        .and_then([&] { return text(root, "name", profile_.name); })
        .and_then([&] { return references(root); })
        .and_then([&] { return allFigures(root); })
        .and_then([&] { return together(); });
  }

 private:
  tl::unexpected<Error> wrong(const std::string& field, const std::string& what) const {
    return fail(ErrorKind::kDamagedFile, "{}: '{}' {}", name_, field, what);
  }

  Expected<void> text(const Json& object, const char* key, std::string& out) const {
    const Json* found = object.find(key);
    if (found == nullptr) return wrong(key, "is missing");
    if (found->get<std::string_view>().empty()) {
      return wrong(key, "is not a text with something in it");
    }
    out = found->get<std::string>();
    return {};
  }

  Expected<void> references(const Json& root) {
    const Json* found = root.find("references");
    if (found == nullptr) return {};
    if (!found->isObject()) return wrong("references", "is not an object of texts");
    for (const auto& [key, value] : found->items()) {
      if (!value.isString()) return wrong("references." + key, "is not a text");
      profile_.references[key] = value.get<std::string>();
    }
    return {};
  }

  Expected<void> allFigures(const Json& root) {
    const Json* found = root.find("figures");
    if (found == nullptr) return wrong("figures", "is missing");
    if (!found->isObject()) return wrong("figures", "is not an object");
    for (const Figure& figure : figures()) {
      const Json* entry = found->find(figure.name);
      if (entry == nullptr && figure.later) {
        profile_.sources[figure.name] = figure.otherwise;
        continue;
      }
      if (entry == nullptr) return wrong(figure.name, "is missing");
      if (auto done = one(figure, *entry); !done) return done;
    }
    for (const auto& [key, value] : found->items()) {
      if (!profile_.sources.contains(key)) return wrong(key, "is not a figure of a device profile");
    }
    return {};
  }

  Expected<void> one(const Figure& figure, const Json& entry) {
    if (!entry.isObject()) return wrong(figure.name, R"(is not {"value": ..., "source": ...})");
    for (const auto& [key, value] : entry.items()) {
      if (key != "value" && key != "source")
        return wrong(figure.name, fmt::format("has an unknown field '{}'", key));
    }
    if (!entry.contains("value")) return wrong(figure.name, "has no value");
    const auto source = entry["source"].get<std::string_view>();
    if (source.empty()) {
      return wrong(figure.name, "does not say where it is from ('source')");
    }
    if (const std::string what = assign(figure, profile_, entry["value"]); !what.empty()) {
      return wrong(figure.name, what);
    }
    profile_.sources[figure.name] = source;
    return {};
  }

  // Checks what no single figure can show.
  Expected<void> together() const {
    const DeviceProfile& p = profile_;
    const DeviceLimits& limits = p.limits;
    if (!p.id.starts_with("sim:"))
      return wrong("id", fmt::format("is '{}'; it must begin with 'sim:'", p.id));
    if (limits.max_threads_per_sm % (kWarpSize * p.sub_partitions) != 0) {
      return wrong("max_threads_per_sm", "is not a whole number of warps a sub-partition");
    }
    if (limits.max_threads_per_sm / (kWarpSize * p.sub_partitions) > WakeTimes::kMostSlots) {
      return wrong("max_threads_per_sm",
                   fmt::format("is more than {} warps a sub-partition", WakeTimes::kMostSlots));
    }
    if (limits.max_threads_per_block > limits.max_threads_per_sm) {
      return wrong("max_threads_per_block", "is more than max_threads_per_sm");
    }
    if (limits.shared_bytes_per_block > limits.shared_bytes_per_block_opt_in ||
        limits.shared_bytes_per_block_opt_in > limits.shared_bytes_per_sm) {
      return wrong("shared_bytes_per_block_opt_in",
                   "is not between shared_bytes_per_block and shared_bytes_per_sm");
    }
    if (limits.shared_bytes_per_sm > p.l1.bytes) {
      return wrong("shared_bytes_per_sm", "is more than l1.bytes, of which it is a part");
    }
    for (const auto& [name, cache] : {std::pair("l1", &p.l1), std::pair("l2", &p.l2)}) {
      if (cache->line_bytes % cache->sector_bytes != 0 || cache->line_bytes / cache->sector_bytes > 8) {
        return wrong(fmt::format("{}.line_bytes", name), "is not one to eight sectors");
      }
      if (cache->bytes % (uint64_t{cache->line_bytes} * cache->ways) != 0) {
        return wrong(fmt::format("{}.bytes", name), "is not a whole number of sets of line_bytes x ways");
      }
    }
    if (p.l1.latency_cycles > p.l2.latency_cycles || p.l2.latency_cycles > p.dram_latency_cycles) {
      return wrong("dram_latency_cycles", "and the caches' latencies do not grow from L1 over L2 to DRAM");
    }
    return {};
  }

  const std::string& name_;
  DeviceProfile& profile_;
};

Json numberOf(const Slot& slot) {
  const double value = read(slot);
  // Whole values are written without a fraction, even where a fraction is allowed.
  if (std::trunc(value) == value && std::abs(value) < 9e15) return static_cast<int64_t>(value);
  return value;
}

}  // namespace

const char* pipeName(Pipe pipe) {
  switch (pipe) {
    case Pipe::kFp32:
      return "fp32";
    case Pipe::kInt:
      return "int";
    case Pipe::kIntMultiply:
      return "int_multiply";
    case Pipe::kFp16:
      return "fp16";
    case Pipe::kFp64:
      return "fp64";
    case Pipe::kSpecial:
      return "special";
    case Pipe::kTensor:
      return "tensor";
    case Pipe::kUniform:
      return "uniform";
    case Pipe::kLoadStore:
      return "load_store";
    case Pipe::kBranch:
      return "branch";
    case Pipe::kCount:
      break;
  }
  return "unknown";
}

Expected<DeviceProfile> parseProfile(const std::string& text, const std::string& name) {
  const auto root = Json::parse(text);
  if (!root) return fail(ErrorKind::kDamagedFile, "{}: {}", name, root.error().message);
  DeviceProfile profile;
  auto parsed = Parser(name, profile).parse(*root);
  if (!parsed) return tl::unexpected(parsed.error());
  return profile;
}

Expected<DeviceProfile> readProfile(const std::filesystem::path& file) {
  const auto text = readFile(file);
  if (!text) return tl::unexpected(text.error());
  return parseProfile(*text, file.string());
}

// One line per figure, so that a diff of two profiles is easy to read.
std::string formatProfile(const DeviceProfile& profile) {
  DeviceProfile copy = profile;
  std::string out = fmt::format("{{\n  \"format\": {},\n  \"id\": {},\n  \"name\": {},\n  \"references\": {{",
                                jsonText(kFormat), jsonText(copy.id), jsonText(copy.name));
  const char* separator = "\n";
  for (const auto& [key, text] : copy.references) {
    out += fmt::format("{}    {}: {}", separator, jsonText(key), jsonText(text));
    separator = ",\n";
  }
  out += copy.references.empty() ? "},\n  \"figures\": {" : "\n  },\n  \"figures\": {";
  separator = "\n";
  for (const Figure& figure : figures()) {
    out += fmt::format(R"({}    {}: {{"value": {}, "source": {}}})", separator, jsonText(figure.name),
                       numberOf(figure.slot(copy)).dump(), jsonText(copy.sources[figure.name]));
    separator = ",\n";
  }
  return out + "\n  }\n}\n";
}

std::vector<std::string> profileFigures() {
  std::vector<std::string> names;
  for (const Figure& figure : figures()) names.push_back(figure.name);
  return names;
}

Expected<double> profileFigure(const DeviceProfile& profile, const std::string& name) {
  const auto found = std::ranges::find(figures(), name, &Figure::name);
  if (found == figures().end())
    return fail(ErrorKind::kBadRequest, "a device profile has no figure '{}'", name);
  DeviceProfile copy = profile;
  return read(found->slot(copy));
}

Expected<void> setProfileFigure(DeviceProfile& profile, const std::string& name, double value,
                                const std::string& source) {
  const auto found = std::ranges::find(figures(), name, &Figure::name);
  if (found == figures().end())
    return fail(ErrorKind::kBadRequest, "a device profile has no figure '{}'", name);
  const bool whole = !std::holds_alternative<double*>(found->slot(profile));
  if (const std::string what = assign(*found, profile, whole ? std::round(value) : value); !what.empty()) {
    return fail(ErrorKind::kWorkFailed, "the figure '{}' {}", name, what);
  }
  profile.sources[name] = source;
  return {};
}

std::vector<Expected<DeviceProfile>> bundledProfiles() {
  const std::filesystem::path folder = assetsFolder() / "devices";
  std::vector<std::filesystem::path> files;
  for (const char* name : kBundled) files.push_back(folder / (std::string(name) + ".json"));
  std::vector<std::filesystem::path> others;
  std::error_code error;
  for (std::filesystem::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    if (it->path().extension() == ".json" && std::ranges::find(files, it->path()) == files.end()) {
      others.push_back(it->path());
    }
  }
  std::ranges::sort(others);
  files.insert(files.end(), others.begin(), others.end());
  std::vector<Expected<DeviceProfile>> profiles;
  profiles.reserve(files.size());
  for (const auto& file : files) profiles.push_back(readProfile(file));
  return profiles;
}

DeviceDescription describe(const DeviceProfile& profile) {
  DeviceDescription description;
  description.id = profile.id;
  description.name = profile.name;
  description.kind = DeviceKind::kSimulated;
  description.provenance = Provenance::kModelled;
  description.limits = profile.limits;
  description.memory_bytes = profile.memory_bytes;
  description.limits.l2_bytes = profile.l2.bytes;
  description.limits.gpus = 2;
  description.limits.peer_access = profile.peer_access != 0;
  description.limits.conditional_nodes = description.limits.device_runtime = true;
  description.limits.concurrent_managed_access = true;  // as all GPUs since Pascal have, on Linux
  description.limits.memory_pools = true;
  description.sm_clock_khz = profile.sm_clock_mhz * 1000;
  description.memory_clock_khz = profile.memory_clock_mhz * 1000;
  description.memory_bus_bits = profile.memory_bus_bits;
  return description;
}

}  // namespace warpscope::sim
