// The unified_memory family: its texts, parameters and names of regions.
#include "kernels/experiments/family_parts.h"
#include "kernels/experiments/unified_memory/regions.h"

namespace warpscope::unified_memory {
namespace {

std::vector<VariantInfo> variants() {
  return {
      {.name = "on_demand",
       .title = "On demand",
       .summary =
           "Nothing is copied. The first pass touches pages that are the host's: its warps raise page faults "
           "and wait until the driver has moved what they need, batch by batch. The passes behind it find "
           "the "
           "pages on the device. Then the host reads the result, faults in its turn, and they move back."},
      {.name = "prefetched",
       .title = "Prefetched",
       .summary =
           "The host says in time what is needed where: a prefetch moves all pages to the device before the "
           "first pass, another one moves them back before the host reads. As many bytes move as on demand, "
           "but in one go: no warp waits for a page. The way to the device takes about as long as a copy; "
           "the "
           "way back can take several times as long (12.6 instead of 55 bytes/ns on an H100 with driver "
           "580)."},
      {.name = "advised",
       .title = "Advised to stay",
       .summary =
           "The driver is advised that the pages are best kept on the host (preferred location), and that "
           "the "
           "GPU accesses them (accessed by): it maps them. Nothing moves and nothing faults, but every pass "
           "reads and writes over the link. For data that are used once that is hard to beat; see what a few "
           "passes more cost, which the other variants hardly notice."},
      {.name = "explicit_copies",
       .title = "Explicit copies",
       .summary = "Two memories, as before unified memory: a copy to the device, the passes, a copy back. "
                  "The host's "
                  "memory is pinned. This is what the other variants are to be measured by."},
  };
}

std::vector<ParameterSpec> parameters() {
  return {
      blockParameter("Threads of a block, each of which works on one element in each pass."),
      {.name = "size",
       .label = "Elements",
       .kind = ParameterKind::kLog2,
       .min = 1,
       .max = int64_t{1} << 28,
       .default_value = int64_t{1} << 22,
       .unit = "elements",
       .help =
           "Elements of 4 bytes: 16,384 of them are a page of 64 KiB. The more pages, the more batches of "
           "faults. At most a quarter of the device's free memory may be managed.",
       .simulated_default = int64_t{1} << 20,
       .role = ParameterRole::kElements},
      {.name = "passes",
       .label = "Passes",
       .min = 1,
       .max = 16,
       .default_value = 2,
       .unit = "launches",
       .help = "Launches one after another that read and write all elements. Pages that have moved to the "
               "device stay there for the next pass; pages that are advised to stay on the host are fetched "
               "again by each.",
       .samples = {1, 3}},
      {.name = "work",
       .label = "Work",
       .min = 0,
       .max = 4096,
       .default_value = 16,
       .unit = "rounds",
       .help =
           "Rounds of x * 1664525 + 1013904223 on each element in each pass. The more, the less it matters "
           "how the data come."},
  };
}

}  // namespace

FamilyInfo unifiedMemoryInfo() {
  FamilyInfo info;
  info.name = "unified_memory";
  info.view = "operations";
  info.title = "Unified memory";
  info.summary =
      "Memory that the host and the GPU reach at one address: pages move to whoever touches them. That costs "
      "page faults, unless the host says beforehand what will be needed where. The host has written the "
      "data, "
      "a few passes work on them on the GPU, and the host reads the result: on demand, prefetched, advised "
      "to "
      "stay, and with explicit copies.";
  info.variants = variants();
  info.parameters = parameters();
  return info;
}

std::vector<RegionName> unifiedMemoryRegionNames() {
  return {{"kIndex", kIndex, "index"},
          {"kLoad", kLoad, "load"},
          {"kCompute", kCompute, "compute"},
          {"kStore", kStore, "store"}};
}

}  // namespace warpscope::unified_memory
