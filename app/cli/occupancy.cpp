// `warpscope occupancy`: the occupancy calculator for the shell, for typed numbers or for a kernel of the
// catalogue, on any compute capability or device.
#include <fmt/format.h>

#include <memory>

#include "app/cli/commands.h"
#include "app/cli/interrupt.h"
#include "app/cli/output.h"
#include "app/cli/program_arguments.h"
#include "app/cli/reports.h"
#include "app/cli/request_options.h"
#include "kernels/core/json.h"
#include "kernels/occupancy/capabilities.h"

namespace warpscope {
namespace {

struct OccupancyArguments {
  std::string family, variant, capability;
  uint32_t shared_bytes = 0, static_shared_bytes = 0, barriers = 0, sms = 0;
  uint64_t grid = 0;
  std::optional<uint32_t> carve_out_percent;
  bool json = false, cached_loads = false;
  std::shared_ptr<DeviceArguments> device;
  std::shared_ptr<ParameterTexts> parameters;
};

Expected<uint32_t> number(const OccupancyArguments& arguments, const std::string& option,
                          uint32_t otherwise) {
  const auto given = arguments.parameters->find(option);
  if (given == arguments.parameters->end() || given->second.empty()) return otherwise;
  const auto value = parseCount(given->second);
  if (!value || *value < 0 || *value > UINT32_MAX) {
    return fail(ErrorKind::kBadRequest, "--{}: '{}' is not a number from 0 to 2^32-1", option, given->second);
  }
  return static_cast<uint32_t>(*value);
}

// The limits to use: those of a compute capability, or of a device that can be opened here.
Expected<DeviceDescription> describedDevice(const OccupancyArguments& arguments) {
  if (!arguments.capability.empty() || arguments.device->id.empty()) {
    const auto capability = parseCapability(arguments.capability.empty() ? "9.0" : arguments.capability);
    if (!capability) return tl::unexpected(capability.error());
    const CapabilityFacts& facts = factsOf(*capability);
    DeviceDescription device;
    device.name = fmt::format("compute capability {}.{} ({}: {})", capability->major, capability->minor,
                              facts.architecture, facts.chips);
    device.limits = facts.limits;
    device.limits.sm_count = arguments.sms;
    return device;
  }
  const auto device = openDevice(arguments.device->id, arguments.device->options);
  if (!device) return tl::unexpected(device.error());
  DeviceDescription description = (*device)->description();
  if (arguments.sms > 0) description.limits.sm_count = arguments.sms;
  return description;
}

Expected<OccupancyCase> typedCase(const OccupancyArguments& arguments) {
  for (const auto& [name, text] : *arguments.parameters) {
    if (name != "block" && name != "registers" && !text.empty()) {
      return fail(ErrorKind::kBadRequest, "--{} belongs to a family: name one, as 'warpscope list' shows",
                  name);
    }
  }
  auto device = describedDevice(arguments);
  if (!device) return tl::unexpected(device.error());
  const auto block = number(arguments, "block", 256);
  if (!block) return tl::unexpected(block.error());
  const auto registers = number(arguments, "registers", 32);
  if (!registers) return tl::unexpected(registers.error());
  OccupancyCase answer{.device = std::move(*device)};
  answer.question = {
      answer.device.limits,
      {*registers, arguments.static_shared_bytes, arguments.shared_bytes, 0, arguments.barriers},
      *block};
  return answer;
}

// The resources of a compiled kernel are known only where it was compiled: on the device that runs it.
Expected<OccupancyCase> kernelCase(const OccupancyArguments& arguments) {
  const auto experiment = findExperiment(arguments.family);
  if (!experiment) return tl::unexpected(experiment.error());
  const FamilyInfo& family = (*experiment)->info();
  const auto variants =
      parseVariants(family, arguments.variant.empty() ? family.variants.front().name : arguments.variant);
  if (!variants) return tl::unexpected(variants.error());
  RunRequest base;
  base.repeats = 1;
  base.warm_ups = 0;
  const auto requests = makeRequests(family, *variants, *arguments.parameters, base);
  if (!requests) return tl::unexpected(requests.error());
  if (requests->size() != 1) {
    return fail(ErrorKind::kBadRequest,
                "occupancy is of one launch: give one variant and one value per parameter");
  }
  const auto device = openDevice(arguments.device->id, arguments.device->options);
  if (!device) return tl::unexpected(device.error());
  const auto request = completeRequest(family, requests->front(), (*device)->description());
  if (!request) return tl::unexpected(request.error());
  InterruptSource interrupt;
  const auto run = (*device)->run(*request, {}, interrupt.token());
  if (!run) return tl::unexpected(run.error());
  OccupancyCase answer{.device = run->device, .grid_blocks = run->grid.count()};
  if (!arguments.capability.empty()) {
    auto other = describedDevice(arguments);
    if (!other) return tl::unexpected(other.error());
    answer.device = std::move(*other);
  }
  answer.kernel =
      fmt::format("{} / {}, compiled for {}", request->family, request->variant, run->device.name);
  answer.question = {answer.device.limits, run->resources, static_cast<uint32_t>(run->block.count())};
  return answer;
}

// A family may have a parameter called "sweep", too: its value is a number, which is left for it.
Expected<std::optional<OccupancyAxis>> takeSweep(const OccupancyArguments& arguments) {
  const auto given = arguments.parameters->find("sweep");
  if (given == arguments.parameters->end()) return std::nullopt;
  for (const OccupancyAxis axis : kOccupancyAxes) {
    if (given->second != axisName(axis)) continue;
    arguments.parameters->erase(given);
    return axis;
  }
  if (!arguments.family.empty()) return std::nullopt;
  return fail(ErrorKind::kBadRequest, "--sweep: '{}' is none of block, registers, shared", given->second);
}

Expected<ExitStatus> occupancyCommand(const OccupancyArguments& arguments) {
  const auto swept = takeSweep(arguments);
  if (!swept) return tl::unexpected(swept.error());
  const std::optional<OccupancyAxis> sweep = *swept;
  auto answer = arguments.family.empty() ? typedCase(arguments) : kernelCase(arguments);
  if (!answer) return tl::unexpected(answer.error());
  if (arguments.grid > 0) answer->grid_blocks = arguments.grid;
  answer->question.cached_loads = arguments.cached_loads;
  if (arguments.carve_out_percent) {
    answer->question.shared_configuration_bytes =
        sharedConfiguration(answer->question.limits, *arguments.carve_out_percent);
  }
  if (arguments.json) {
    printJson(sweep ? sweepReport(*answer, *sweep) : occupancyReport(*answer));
  } else {
    print("{}", sweep ? sweepTable(*answer, *sweep) : occupancyText(*answer));
  }
  // A sweep has an answer even if the present point is impossible.
  return sweep || !whyImpossible(answer->question) ? kExitDone : kExitBadRequest;
}

}  // namespace

void addOccupancyCommand(Command root) {
  auto arguments = std::make_shared<OccupancyArguments>();
  Command command =
      root.subcommand("occupancy", "How many blocks fit on an SM, what stops the next one, what would help");
  command.examples(R"(Examples:
  warpscope occupancy --registers 40 --shared 8192 --block 256 --cc 9.0
  warpscope occupancy --registers 40 --block 256 --cc 2.0 --sweep block
  warpscope occupancy --registers 64 --block 512 --device sim:rtx4090 --grid 1000
  warpscope occupancy reduction --variant shuffle --block 256 --device sim:h100 --json
Without a family, what a kernel needs is typed, as into a calculator; with one, it is what the compiled kernel
needs on that device. --sweep block|registers|shared prints a row for each value. --cc alone means the limits of that
compute capability, whatever the chip (default 9.0).)");
  addFamilyArgument(command, arguments->family, "; none: typed numbers");
  addProgramOptions(command);
  addVariantOption(command, arguments->variant);
  command.option("--cc", arguments->capability, "Compute capability: 9.0, 90 or sm_90, from 2.0 on");
  command.option("--shared", arguments->shared_bytes, "Dynamic shared memory of a block, bytes")
      .sizeInBytes();
  command.option("--static-shared", arguments->static_shared_bytes, "Static shared memory of a block, bytes")
      .sizeInBytes();
  command.option("--barriers", arguments->barriers, "Numbered barriers of a block (__syncthreads is one)")
      .between(0, 16);
  command
      .option("--carve-out", arguments->carve_out_percent,
              "Percent of the memory shared with L1 that is preferred for shared memory; default: all")
      .between(0, 100);
  command.flag("--cached-loads", arguments->cached_loads,
               "Global loads are cached in L1 too (-Xptxas -dlcm=ca): matters on 5.2, 5.3, 6.1 and 6.2");
  command.option("--sms", arguments->sms, "SMs of the GPU, for waves; default: the device's");
  command.option("--grid", arguments->grid, "Blocks of the launch, for waves");
  arguments->parameters = addParameterOptions(command, "");
  arguments->device = addDeviceOptions(command);
  addJsonFlag(command, arguments->json);
  command.runs([arguments] { return occupancyCommand(*arguments); });
}

}  // namespace warpscope
