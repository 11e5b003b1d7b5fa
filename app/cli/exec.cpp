// `warpscope exec`: runs any kernel of any PTX or CUDA C++ file on any device, and prints what it computed.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "app/cli/commands.h"
#include "app/cli/exec_argument.h"
#include "app/cli/exec_module.h"
#include "app/cli/interrupt.h"
#include "app/cli/output.h"
#include "app/cli/progress_line.h"
#include "app/cli/run_tables.h"
#include "app/cli/shared_options.h"
#include "kernels/core/files.h"
#include "kernels/core/json.h"
#include "kernels/core/json_reader.h"
#include "kernels/core/units.h"
#include "kernels/device/device.h"
#include "kernels/execute/launch_check.h"
#include "kernels/execute/parameter_bytes.h"
#include "kernels/recording/run_json.h"
#include "kernels/run/hazard.h"

namespace warpscope {
namespace {

// Arrays are filled, and outputs fetched, in pieces: a device may have more memory than the host.
constexpr uint64_t kPieceBytes = uint64_t{16} << 20;

struct ExecOptions {
  std::string file, kernel, device;
  std::string grid = "1", block = "1", cluster;
  uint32_t shared_bytes = 0;
  uint64_t step_limit = 0;
  std::vector<std::string> arguments, prints, saves;
  bool checks = false, json = false;
  DeviceOptions device_options;
  CompilerArguments compiler;
};

// The parsed options; nothing depends on a device yet.
struct ExecPlan {
  ExecModule module;
  const ExecKernel* kernel = nullptr;
  Dim3 grid, block;
  std::optional<Dim3> cluster;
  std::vector<ExecArgument> arguments;
  std::vector<PrintRange> prints;
  std::vector<SaveTarget> saves;
};

template <class Value, class Parse>
Expected<std::vector<Value>> parseAll(const std::vector<std::string>& texts, Parse&& parse) {
  std::vector<Value> values;
  for (const std::string& text : texts) {
    auto value = parse(text);
    if (!value) return tl::unexpected(value.error());
    values.push_back(std::move(*value));
  }
  return values;
}

Expected<void> parseOptions(const ExecOptions& options, ExecPlan& plan) {
  const auto keep = [](auto& target) {
    return [&target](auto value) -> Expected<void> {
      target = std::move(value);
      return {};
    };
  };
  const auto print_range = [&](const std::string& text) { return parsePrintRange(text, plan.arguments); };
  const auto save_target = [&](const std::string& text) { return parseSaveTarget(text, plan.arguments); };
  return parseDim3(options.grid, "--grid")
      .and_then(keep(plan.grid))
      .and_then([&] { return parseDim3(options.block, "--block"); })
      .and_then(keep(plan.block))
      .and_then([&]() -> Expected<void> {
        if (options.cluster.empty()) return {};
        return parseDim3(options.cluster, "--cluster").and_then(keep(plan.cluster));
      })
      .and_then([&] { return parseAll<ExecArgument>(options.arguments, parseExecArgument); })
      .and_then(keep(plan.arguments))
      .and_then([&] { return parseAll<PrintRange>(options.prints, print_range); })
      .and_then(keep(plan.prints))
      .and_then([&] { return parseAll<SaveTarget>(options.saves, save_target); })
      .and_then(keep(plan.saves))
      .and_then([&]() -> Expected<void> {
        for (const ExecArgument& argument : plan.arguments) {
          if (auto possible = checkContent(argument); !possible) return possible;
        }
        return {};
      })
      .and_then([&] { return readExecModule(options.file, options.compiler); })
      .and_then(keep(plan.module))
      .and_then([&] { return findKernel(plan.module, options.kernel); })
      .and_then(keep(plan.kernel))
      .and_then([&] { return checkArguments(plan.kernel->name, plan.kernel->parameters, plan.arguments); });
}

struct Outcome {
  std::map<size_t, std::vector<std::byte>> printed;  // by argument
  std::optional<uint64_t> cycles;
  std::optional<double> time_us;
  std::map<std::string, double> counters;
  std::optional<std::vector<Hazard>> hazards;  // absent: not checked
  PrintedText printf_text;                     // what the kernel's printf wrote and was not shown yet
};

// The listeners to a launch while it runs: the user who sees its output, and the request to stop it.
struct Audience {
  std::stop_token stop;
  LaunchListener listener;
};

// A kernel on an open device: its memory, its launch.
class Execution {
 public:
  Execution(const ExecPlan& plan, const OpenedBackend& opened, Audience audience)
      : plan_(plan), opened_(opened), backend_(opened.any()), audience_(std::move(audience)) {}
  ~Execution() {
    if (backend_.poisoned()) return;
    for (const ImageHandle image : images_) backend_.freeImage(image);
    for (const DeviceAddress address : addresses_) backend_.free(address);
  }
  Execution(const Execution&) = delete;
  Execution& operator=(const Execution&) = delete;

  Expected<Outcome> run(const ExecOptions& options) {
    Outcome outcome;
    auto done = prepare(options).and_then([&] { return fillArrays(); });
    const auto check = [&](auto& backend) { return launchChecked(backend, outcome); };
    if (done && options.checks) done = opened_.visit(check);
    // A kernel with hazards has no meaningful time.
    const bool sound = !outcome.hazards || outcome.hazards->empty();
    if (done && options.checks && sound) done = fillArrays();
    const auto launch = [&](auto& backend) { return this->launch(backend, outcome); };
    if (done && sound) done = opened_.visit(launch);
    if (done) done = fetch(outcome);
    const auto time = [&](auto& backend) { return timeAgain(backend, outcome); };
    if (done && sound) done = opened_.visit(time);
    if (!done) return tl::unexpected(done.error());
    return outcome;
  }

 private:
  Expected<void> prepare(const ExecOptions& options) {
    const auto kernel = backend_.kernel(plan_.module.image(), plan_.kernel->name);
    if (!kernel) return tl::unexpected(kernel.error());
    spec_.kernel = *kernel;
    spec_.grid = plan_.grid;
    spec_.block = plan_.block;
    spec_.cluster = plan_.cluster;
    spec_.dynamic_shared_bytes = options.shared_bytes;
    step_limit_ = options.step_limit;
    if (auto possible = checkPossible(); !possible) return possible;
    const auto memory = backend_.memory();
    if (!memory) return tl::unexpected(memory.error());
    uint64_t needed = 0;
    for (const ExecArgument& argument : plan_.arguments)
      needed += argument.is_array ? argument.arrayBytes() : 0;
    if (needed > memory->free_bytes) {
      return fail(ErrorKind::kBadRequest, "the arrays need {}, but only {} are free on {}",
                  formatBytes(needed), formatBytes(memory->free_bytes), backend_.description().name);
    }
    for (const ExecArgument& argument : plan_.arguments) {
      if (!argument.is_array) {
        addresses_.push_back(0);
        spec_.parameters.push_back(argument.values);
        continue;
      }
      const auto address = backend_.allocate(argument.arrayBytes());
      if (!address) return tl::unexpected(address.error());
      addresses_.push_back(*address);
      uint64_t passed = *address;
      if (argument.image) {
        const auto image = backend_.createImage(*argument.image, *address);
        if (!image) return tl::unexpected(image.error());
        images_.push_back(*image);
        passed = image->value;
      }
      spec_.parameters.push_back(parameterBytes(passed));
    }
    return {};
  }

  // A launch that the device cannot execute is refused with a message, the same on every device.
  Expected<void> checkPossible() {
    LaunchPlan launch;
    launch.grid = spec_.grid;
    launch.block = spec_.block;
    launch.cluster = spec_.cluster;
    launch.dynamic_shared_bytes = spec_.dynamic_shared_bytes;
    const auto resources = backend_.resources(spec_.kernel, spec_.dynamic_shared_bytes);
    if (!resources) return tl::unexpected(resources.error());
    const DeviceDescription& device = backend_.description();
    return checkLaunch(launch, device, plan_.kernel->name).and_then([&] {
      return checkResources(launch.block, *resources, device, plan_.kernel->name);
    });
  }

  Expected<void> fillArrays() {
    for (size_t i = 0; i < plan_.arguments.size(); ++i) {
      const ExecArgument& argument = plan_.arguments[i];
      if (!argument.is_array) continue;
      auto filled = inPieces(argument.arrayBytes(), [&](uint64_t at, std::span<std::byte> piece) {
        return initialBytes(argument, at / argument.type.bytes, piece).and_then([&] {
          return backend_.upload(addresses_[i] + at, piece);
        });
      });
      if (!filled) return filled;
    }
    return {};
  }

  static Expected<void> launchChecked(Backend& backend, Outcome& /*outcome*/) {
    return fail(ErrorKind::kBadRequest, "{} cannot look for hazards; --checks needs a simulated device",
                backend.description().name);
  }
  // The kernel prints the same again when it is timed, so the output is shown only for a kernel with hazards,
  // which is not timed.
  Expected<void> launchChecked(ModellingBackend& model, Outcome& outcome) {
    auto report = model.launchChecked(spec_, step_limit_, audience_.stop, {audience_.listener.progress, {}});
    if (!report) return tl::unexpected(report.error());
    if (!report->hazards.empty()) outcome.printf_text = std::move(report->printed);
    outcome.hazards = std::move(report->hazards);
    return {};
  }

  Expected<void> launch(Backend& backend, Outcome& outcome) {
    auto report = backend.launch(spec_, audience_.stop, audience_.listener);
    if (!report) return tl::unexpected(report.error());
    outcome.printf_text = std::move(report->printed);
    return {};
  }
  Expected<void> launch(ModellingBackend& model, Outcome& outcome) {
    auto report =
        model.launchModelled(spec_, {.step_limit = step_limit_}, audience_.stop, audience_.listener);
    if (!report) return tl::unexpected(report.error());
    outcome.printf_text = std::move(report->printed);
    outcome.cycles = report->cycles;
    outcome.time_us = report->time_us;
    outcome.counters = std::move(report->counters);
    return {};
  }

  // A real device is timed by a second launch on fresh arrays: the first one loads the kernel.
  Expected<void> timeAgain(Backend& backend, Outcome& outcome) {
    if (auto filled = fillArrays(); !filled) return filled;
    const auto times = backend.time(spec_, 0, 1);
    if (!times) return tl::unexpected(times.error());
    outcome.time_us = times->front();
    return {};
  }
  static Expected<void> timeAgain(ModellingBackend& /*model*/, Outcome& /*outcome*/) { return {}; }

  Expected<void> fetch(Outcome& outcome) {
    for (const PrintRange& range : plan_.prints) {
      const uint32_t size = plan_.arguments[range.argument].type.bytes;
      std::vector<std::byte>& printed = outcome.printed[range.argument];
      const size_t before = printed.size();
      printed.resize(before + range.count * size);
      auto done = backend_.download(std::span(printed).subspan(before),
                                    addresses_[range.argument] + range.first * size);
      if (!done) return done;
    }
    for (const SaveTarget& target : plan_.saves) {
      if (auto saved = save(target); !saved) return saved;
    }
    return {};
  }

  Expected<void> save(const SaveTarget& target) {
    auto file = AtomicFile::open(target.file);
    if (!file) return tl::unexpected(file.error());
    auto done =
        inPieces(plan_.arguments[target.argument].arrayBytes(), [&](uint64_t at, std::span<std::byte> piece) {
          auto read = backend_.download(piece, addresses_[target.argument] + at);
          if (read) file->write({reinterpret_cast<const char*>(piece.data()), piece.size()});
          return read;
        });
    if (!done) return done;
    return file->commit();
  }

  template <class Visit>
  Expected<void> inPieces(uint64_t bytes, Visit&& visit) {
    piece_.resize(std::min(bytes, kPieceBytes));
    for (uint64_t at = 0; at < bytes; at += kPieceBytes) {
      const auto size = static_cast<size_t>(std::min(kPieceBytes, bytes - at));
      if (auto done = visit(at, std::span(piece_).first(size)); !done) return done;
    }
    return {};
  }

  const ExecPlan& plan_;
  const OpenedBackend& opened_;
  Backend& backend_;
  const Audience audience_;
  LaunchSpec spec_;
  uint64_t step_limit_ = 0;               // a real device cannot count its steps
  std::vector<DeviceAddress> addresses_;  // by argument; 0: passed by value
  std::vector<ImageHandle> images_;
  std::vector<std::byte> piece_;
};

// Calls visit(bytes of one element) for each element.
template <class Visit>
void forEachElement(const ExecArgument& argument, std::span<const std::byte> bytes, Visit&& visit) {
  for (size_t at = 0; at < bytes.size(); at += argument.type.bytes) {
    visit(bytes.subspan(at, argument.type.bytes));
  }
}

Json reportOf(const ExecPlan& plan, const DeviceDescription& device, const Outcome& outcome) {
  Json outputs = Json::object();
  for (const auto& [index, bytes] : outcome.printed) {
    Json& list = outputs[std::to_string(index)] = Json::array();
    const ExecArgument& argument = plan.arguments[index];
    forEachElement(argument, bytes,
                   [&](auto element) { list.push_back(elementJson(argument.type, element)); });
  }
  Json report = {{"device", device.name},
                 {"provenance", provenanceName(device.provenance)},
                 {"kernel", plan.kernel->name},
                 {"outputs", std::move(outputs)}};
  if (outcome.cycles) report["cycles"] = *outcome.cycles;
  if (outcome.time_us) report["time_us"] = *outcome.time_us;
  Json& counters = report["counters"] = Json::object();
  for (const auto& [name, value] : outcome.counters) counters[name] = numberJson(value);
  if (!outcome.printf_text.empty()) {
    report["printed"] = outcome.printf_text.text;
    if (outcome.printf_text.dropped_bytes > 0) {
      report["printed_bytes_dropped"] = outcome.printf_text.dropped_bytes;
    }
  }
  if (outcome.hazards) report["hazards"] = hazardsJson(*outcome.hazards);
  return report;
}

void printOutcome(const ExecPlan& plan, const DeviceDescription& device, const Outcome& outcome) {
  printText(outcome.printf_text.text);
  print("{} on {} ({}, {}): grid {} {} {}, block {} {} {}\n", plan.kernel->name, device.name, device.id,
        provenanceName(device.provenance), plan.grid.x, plan.grid.y, plan.grid.z, plan.block.x, plan.block.y,
        plan.block.z);
  if (outcome.cycles) print("cycles   {}\n", formatCount(static_cast<int64_t>(*outcome.cycles)));
  if (outcome.time_us) print("time     {}\n", formatUs(*outcome.time_us));
  for (const auto& [index, bytes] : outcome.printed) {
    const ExecArgument& argument = plan.arguments[index];
    print("{:<8} ", fmt::format("[{}] {}", index, argument.type.name()));
    forEachElement(argument, bytes, [&](auto element) { print(" {}", elementText(argument.type, element)); });
    print("\n");
  }
  for (const SaveTarget& target : plan.saves) {
    print("[{}] saved in {}\n", target.argument, target.file.string());
  }
  if (!outcome.counters.empty()) print("\n{}", counterTable(outcome.counters));
  if (!outcome.hazards) return;
  print("\n{}\n", outcome.hazards->empty() ? "no hazards found"
                                           : fmt::format("{} hazards found", outcome.hazards->size()));
  for (const Hazard& hazard : *outcome.hazards) print("\n{}\n", formatHazard(hazard));
}

Expected<ExitStatus> execCommand(const ExecOptions& options) {
  ExecPlan plan;
  if (const auto parsed = parseOptions(options, plan); !parsed) return tl::unexpected(parsed.error());
  InterruptSource interrupt;
  const auto backend = openServedBackend(options.device, options.device_options);
  if (!backend) return tl::unexpected(backend.error());
  const DeviceDescription& device = (*backend)->description();
  ProgressLine line;
  Audience audience{interrupt.token(), {}};
  audience.listener.progress = [&line](double share) { line.showShare("simulating", share); };
  if (!options.json) {
    audience.listener.printed = [&line](std::string_view text) {
      line.clear();
      printText(text);
      flushOutput();
    };
  }
  Execution execution(plan, *backend, std::move(audience));
  const auto outcome = execution.run(options);
  line.clear();
  if (!outcome) return tl::unexpected(outcome.error());
  if (options.json) {
    printJson(reportOf(plan, device, *outcome));
  } else {
    printOutcome(plan, device, *outcome);
  }
  return outcome->hazards && !outcome->hazards->empty() ? kExitWorkFailed : kExitDone;
}

}  // namespace

void addExecCommand(Command root) {
  auto options = std::make_shared<ExecOptions>();
  Command command =
      root.subcommand("exec", "Run a kernel of a PTX or CUDA C++ file and print what it computed");
  command.examples(R"(Examples:
  warpscope exec saxpy.ptx --kernel saxpy --grid 4 --block 256 \
      --arg f32=2 --arg f32[1024]=iota --arg f32[1024]=ones --arg u32=1024 --print 2:0,8
  warpscope exec sum.ptx --grid 8,8 --block 32,8 --arg u32[1]=zeros --print 0 --device sim:teaching --checks
  warpscope exec mine.cu --kernel scale --block 64 --arg f32[64]=ones --print 0
  warpscope exec blur.cu --block 16,16 --arg tex2d:f32[64x32]=random:1,linear --arg surf2d:f32[64x32]=zeros
  warpscope exec sort.ptx --block 512 --arg u32[512]=random:7 --save 0=sorted.bin --json
Arguments, in the kernel's order, numbered from 0: TYPE=VALUE (u32=5, f32=1.5, b64=0xff, bytes=00ff for a
struct) is passed by value; TYPE[N]=zeros|ones|iota|random:SEED|FILE is an array in global memory, its address
is passed. FILE holds the array's bytes. A texture or surface object is KIND:TYPE[WIDTHxHEIGHT]=CONTENT,OPTIONS:
tex1d, tex2d, tex3d, texbuffer (tex1Dfetch), surf1d, surf2d, surf3d; f32, u8x4 ...; point or linear; clamp,
border, wrap or mirror; normalized (coordinates); as_float (integers are read as 0 .. 1). Random integers are any bits, random floats lie in [0, 1).
Exit status: 0 done, 1 a kernel error or a hazard, 2 the request is wrong, 3 no such device.)");
  command.option("file", options->file, "PTX file, or CUDA C++ (.cu), which is compiled first").required();
  command.option("--kernel", options->kernel,
                 "Its name or a part of it that is its alone; not needed where there is only one");
  command.option("--grid", options->grid, "Blocks: X,Y,Z").showDefault();
  command.option("--cluster", options->cluster, "Blocks of a thread block cluster: X,Y,Z");
  command.option("--block", options->block, "Threads of a block: X,Y,Z").showDefault();
  command.option("--shared", options->shared_bytes, "Bytes of dynamic shared memory").showDefault();
  const auto repeatable = [&](const char* name, std::vector<std::string>& target, const char* help) {
    command.option(name, target, help).repeatable();
  };
  repeatable("--arg", options->arguments, "One argument: TYPE=VALUE or TYPE[N]=CONTENT");
  repeatable("--print", options->prints, "K:FIRST,COUNT: print elements of argument K after the launch");
  repeatable("--save", options->saves, "K=FILE: write argument K's bytes to a file");
  addDeviceOption(command, options->device);
  addWatchdogOption(command, options->device_options);
  command.option("--step-limit", options->step_limit,
                 "End a simulated launch after so many warp instructions; 0: never");
  addChecksFlag(command, options->checks);
  addCompilerOptions(command, options->compiler, "For a .cu file");
  addJsonFlag(command, options->json);
  command.runs([options] { return execCommand(*options); });
}

}  // namespace warpscope
