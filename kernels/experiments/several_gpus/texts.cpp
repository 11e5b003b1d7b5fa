// The several_gpus family: its texts, parameters and names of regions.
#include "kernels/experiments/family_parts.h"
#include "kernels/experiments/several_gpus/regions.h"
#include "kernels/experiments/several_gpus/shape.h"

namespace warpscope::several_gpus {
namespace {

std::vector<VariantInfo> variants() {
  return {
      {.name = "one_gpu",
       .title = "One GPU",
       .summary =
           "The whole vector is copied to one GPU, worked on by one launch, and copied back. All bytes "
           "pass one link to the host, and all blocks one GPU's SMs: what two GPUs can share."},
      {.name = "two_gpus",
       .title = "Two GPUs, each from the host",
       .summary =
           "Each GPU gets its half from the host over its own link, works on it, and copies it back. "
           "Nothing is between the two: copies and launches of one overlap those of the other, and the "
           "time approaches half of one GPU's. The host's calls remain one after another."},
      {.name = "peer_copies",
       .title = "Second half by peer copy",
       .summary =
           "The whole vector goes to GPU 0; an event tells GPU 1's stream that the second half has arrived "
           "there, and a copy from GPU to GPU takes it on. With NVLink that costs little beside the copies "
           "from the host, but those pass one link again, so that copying in is no faster than with one "
           "GPU."},
      {.name = "peer_loads",
       .title = "Second half by peer loads",
       .summary =
           "As by peer copy, but nothing is copied to GPU 1: its kernel loads the second half from GPU 0's "
           "memory, with the same instruction as from its own. No copy is waited for, but each load takes "
           "several times as long, and all of them share the link: look at how long the load region lasts."},
  };
}

std::vector<ParameterSpec> parameters() {
  return {
      blockParameter("Threads of a block, each of which works on one element."),
      sizeParameter(22, 19,
                    "Elements of 4 bytes of the vector, both halves together. The first half is one element "
                    "longer if the number is odd."),
      {.name = "work",
       .label = "Work",
       .kind = ParameterKind::kLog2,
       .min = 1,
       .max = kMostWork,
       .default_value = 1024,
       .unit = "rounds",
       .help =
           "Rounds of a multiplication and an addition for each element. With little work the links to the "
           "host decide, and a second GPU helps as far as it brings a link of its own; with much work, its "
           "SMs do.",
       .simulated_default = 128,
       .samples = {16}},
  };
}

}  // namespace

FamilyInfo severalGpusInfo() {
  FamilyInfo info;
  info.name = "several_gpus";
  info.view = "operations";
  info.title = "Two GPUs";
  info.summary =
      "A vector on the host is worked on by one GPU or by two. Each GPU has its own memory, SMs and link to "
      "the "
      "host; between the two is a link that copies, and with peer access also kernels' loads and stores, "
      "take. "
      "What a second GPU gains depends on which of these was the bottleneck.";
  info.variants = variants();
  info.parameters = parameters();
  return info;
}

std::vector<RegionName> severalGpusRegionNames() {
  return {{"kIndex", kIndex, "index"},
          {"kLoad", kLoad, "load"},
          {"kCompute", kCompute, "compute"},
          {"kStore", kStore, "store"}};
}

}  // namespace warpscope::several_gpus
