// `warpscope lanes`: shows what the lanes of one warp access and exchange, by executing the kernel on a
// simulated GPU.
#include <fmt/format.h>

#include <memory>

#include "app/cli/commands.h"
#include "app/cli/interrupt.h"
#include "app/cli/output.h"
#include "app/cli/program_arguments.h"
#include "app/cli/reports.h"
#include "app/cli/request_options.h"
#include "kernels/core/json.h"
#include "kernels/execute/lane_recorder.h"

namespace warpscope {
namespace {

struct LanesArguments {
  std::string family, variant;
  uint32_t block_index = 0, warp = 0;
  int64_t access = -1;
  bool json = false;
  std::shared_ptr<DeviceArguments> device;
  std::shared_ptr<ParameterTexts> parameters;
};

Expected<LaneLog> record(const LanesArguments& arguments) {
  const auto experiment = findExperiment(arguments.family);
  if (!experiment) return tl::unexpected(experiment.error());
  const FamilyInfo& family = (*experiment)->info();
  const std::string first = arguments.variant.empty() ? family.variants.front().name : arguments.variant;
  const auto variants = parseVariants(family, first);
  if (!variants) return tl::unexpected(variants.error());
  const auto requests = makeRequests(family, *variants, *arguments.parameters, {});
  if (!requests) return tl::unexpected(requests.error());
  if (requests->size() != 1) {
    return fail(ErrorKind::kBadRequest,
                "lanes shows one launch: give one variant and one value per parameter");
  }
  auto device = openDevice(arguments.device->id, arguments.device->options);
  if (!device) return tl::unexpected(device.error());
  const DeviceDescription& description = (*device)->description();
  auto request = completeRequest(family, requests->front(), description);
  if (!request) return tl::unexpected(request.error());
  InterruptSource interrupt;
  LaneRecorder recorder;
  return recorder.record(*request, description, {.first_block = arguments.block_index, .blocks = 1},
                         interrupt.token());
}

Expected<ExitStatus> lanesCommand(const LanesArguments& arguments) {
  const auto log = record(arguments);
  if (!log) return tl::unexpected(log.error());
  const LoggedWarp* warp = log->find(BlockId{arguments.block_index}, arguments.warp);
  if (warp == nullptr) {
    return fail(ErrorKind::kBadRequest, "there is no warp {} in block {}: a block has {} warps",
                arguments.warp, arguments.block_index, log->warps.size());
  }
  if (arguments.json) {
    printJson(lanesReport(*log, *warp));
    return kExitDone;
  }
  if (arguments.access < 0) {
    print("{}", warpTable(*log, *warp));
    return kExitDone;
  }
  const auto step = static_cast<uint32_t>(arguments.access);
  const std::string table = stepTable(*log, *warp, step);
  if (table.empty()) {
    return fail(ErrorKind::kBadRequest, "there is no access {}: this warp has 0 to {}", step,
                warp->steps - warp->dropped == 0 ? 0 : warp->steps - warp->dropped - 1);
  }
  print("{}", table);
  return kExitDone;
}

}  // namespace

void addLanesCommand(Command root) {
  auto arguments = std::make_shared<LanesArguments>();
  Command command = root.subcommand("lanes", "What the lanes of one warp access and exchange");
  command.examples(R"(Examples:
  warpscope lanes banks --variant stride --stride 8             the accesses of block 0, warp 0, in order
  warpscope lanes banks --variant stride --stride 8 --access 40 all lanes of access 40: words, banks, wavefronts
  warpscope lanes coalescing --variant offset --json
  warpscope lanes warp_primitives --variant shfl_down --block-index 1 --warp 3
No launch reports a kernel's addresses, so the same kernel is executed on a simulated GPU, with the
same arguments and the grid that the device given with --device would have.)");
  addFamilyArgument(command, arguments->family).required();
  addProgramOptions(command);
  addVariantOption(command, arguments->variant);
  command.option("--block-index", arguments->block_index, "Which block of the grid, counted linearly")
      .showDefault();
  command.option("--warp", arguments->warp, "Which warp of the block").showDefault();
  command.option("--access", arguments->access, "Print all lanes of this one").notNegative();
  arguments->parameters = addParameterOptions(command, "");
  arguments->device = addDeviceOptions(command);
  addJsonFlag(command, arguments->json);
  command.runs([arguments] { return lanesCommand(*arguments); });
}

}  // namespace warpscope
