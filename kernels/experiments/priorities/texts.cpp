// The priorities family: its texts, parameters and names of regions.
#include "kernels/experiments/family_parts.h"
#include "kernels/experiments/priorities/regions.h"
#include "kernels/experiments/priorities/shape.h"

namespace warpscope::priorities {
namespace {

std::vector<VariantInfo> variants() {
  return {
      {.name = "one_stream",
       .title = "One stream",
       .summary =
           "The requests are enqueued on the stream of the long launch, so each begins when everything "
           "before it has ended. They take a few microseconds, and wait for all of the long launch."},
      {.name = "same_priority",
       .title = "Two streams, same priority",
       .summary =
           "The requests have a stream of their own, and still wait: a GPU hands out the blocks of one "
           "launch before those of the next. Only when the long launch's last blocks run, and leave room, "
           "can the first request begin."},
      {.name = "high_priority",
       .title = "Requests first",
       .summary =
           "The requests' stream has a higher priority. As soon as a block of the long launch ends, its "
           "place goes to a block of the request: it waits for one block, not for all. Blocks that run "
           "are not interrupted."},
      {.name = "room_left",
       .title = "Room left",
       .summary =
           "The long launch has fewer blocks than fit, an eighth fewer, and each works on many "
           "elements. The requests find room as soon as they come, without any priority; the long launch "
           "takes a little longer."},
  };
}

std::vector<ParameterSpec> parameters() {
  return {
      blockParameter(
          "Threads of a block, of all launches. Small blocks end one by one and leave room often; a "
          "request's blocks need as much room as one that has ended."),
      sizeParameter(
          23, 20,
          "Elements of 4 bytes that the long launch works on. The more there are, the more waves of "
          "blocks it has, unless it has only as many blocks as fit."),
      {.name = "requests",
       .label = "Requests",
       .min = 1,
       .max = kMostRequests,
       .default_value = 3,
       .unit = "launches",
       .help =
           "Short launches, of 8,192 elements each, that the host enqueues right after the long one. Each "
           "begins when the one before it has ended.",
       .samples = {1, 3}},
      {.name = "work",
       .label = "Work",
       .kind = ParameterKind::kLog2,
       .min = 1,
       .max = kMostWork,
       .default_value = 512,
       .unit = "rounds",
       .help = "Rounds of a multiplication and an addition for each element: how long a block runs.",
       .samples = {16}},
  };
}

}  // namespace

FamilyInfo prioritiesInfo() {
  FamilyInfo info;
  info.name = "priorities";
  info.view = "operations";
  info.title = "Priorities";
  info.summary =
      "A long launch fills the GPU when short ones come in that somebody waits for. Who gets the next free "
      "place "
      "for a block decides how long they wait: that is what a stream's priority changes, and all that it "
      "changes.";
  info.variants = variants();
  info.parameters = parameters();
  return info;
}

std::vector<RegionName> prioritiesRegionNames() {
  return {{"kIndex", kIndex, "index"},
          {"kLoad", kLoad, "load"},
          {"kCompute", kCompute, "compute"},
          {"kStore", kStore, "store"}};
}

}  // namespace warpscope::priorities
