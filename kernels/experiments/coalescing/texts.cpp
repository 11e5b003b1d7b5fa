// The coalescing family: its texts, parameters and names of regions.
#include "kernels/experiments/coalescing/regions.h"
#include "kernels/experiments/coalescing/shape.h"
#include "kernels/experiments/family_parts.h"

namespace warpscope::coalescing {
namespace {

std::vector<VariantInfo> variants() {
  return {
      {.name = "aligned",
       .title = "Neighbours, aligned (the ceiling)",
       .summary = "Lane l loads word l of a 128-byte line: 4 sectors per request, of which every byte was "
                  "requested. The other variants are measured against this one."},
      {.name = "offset",
       .title = "Neighbours, shifted",
       .summary = "The same 128 bytes, beginning 'offset' elements later. Where that is not a multiple of 8 "
                  "elements, they touch 5 sectors instead of 4. The fifth is the next warp's first, so L1 or "
                  "L2 often has it: look at the counters, since the time hardly shows it."},
      {.name = "stride",
       .title = "A stride apart",
       .summary =
           "Neighbouring lanes are 'stride' elements apart: 4 * stride sectors per request, until at 8 each "
           "of the 32 lanes has a sector to itself and 28 of its 32 bytes were moved for nothing. Other "
           "warps need those bytes later; the caches help only if they still have them."},
      {.name = "permuted",
       .title = "Neighbours, in another order",
       .summary = "The lanes of a warp load its 32 words in another order. The request touches the same 4 "
                  "sectors, so it costs the same: what counts is which sectors a warp touches, not which "
                  "lane touches which."},
      {.name = "random",
       .title = "From anywhere",
       .summary = "Each lane loads any element: nearly 32 sectors per request, of which 4 bytes each are "
                  "used. Once the data outgrows L2, device memory moves eight times what is requested: the "
                  "price of a gather through an index."},
      {.name = "aos",
       .title = "Array of structures",
       .summary = "Records of 4 fields, with one thread per record and one load per field: lanes are 16 "
                  "bytes apart, so each load touches 16 sectors and uses a quarter of each. The first load "
                  "brings them into L1, where the other three hit. Compare soa and vec4."},
      {.name = "soa",
       .title = "Structure of arrays",
       .summary =
           "An array for each field: every load is 32 neighbouring words, 4 sectors, all used. The same data "
           "as aos, laid out for warps."},
      {.name = "vec2",
       .title = "8 bytes per lane",
       .summary = "A lane loads two neighbouring elements at once: 8 sectors per request, all used, and half "
                  "the requests. The bytes are the same as aligned; the instructions are fewer."},
      {.name = "vec4",
       .title = "16 bytes per lane",
       .summary =
           "Four elements at once, the widest load there is: 16 sectors per request, all used, and a quarter "
           "of the requests. This is the best way to load a structure of 16 bytes: compare aos."},
  };
}

}  // namespace

FamilyInfo coalescingInfo() {
  FamilyInfo info;
  info.name = "coalescing";
  info.view = "sectors";
  info.title = "Coalescing";
  info.summary =
      "The 32 lanes of a warp access memory with one request, and memory delivers sectors of 32 bytes. The "
      "sectors that the lanes' addresses touch determine the cost of a request. Every variant loads equally "
      "many elements and writes them in order; what differs is where they are in memory.";
  info.variants = variants();
  info.parameters = {
      blockParameter("Threads in a block, in whole warps. Requests are made by warps, so the sectors of each "
                     "do not change with the block; the number of requests in flight does."),
      sizeParameter(24, 19,
                    "Elements of 4 bytes; rounded up to whole records and vectors. Sizes that fit into L2 "
                    "hide much of what a bad pattern costs."),
      {.name = "l1",
       .label = "L1 cache",
       .kind = ParameterKind::kChoice,
       .unit = "loads",
       .help =
           "Bypassed: loads with ld.global.cg, which skip L1, so that every sector of every request comes "
           "from L2. Watch the sectors that L2 delivers for aos and offset: they show what L1 is good for.",
       .choices = {"cached", "bypassed"}},
      {.name = "offset",
       .label = "Offset",
       .min = kLeastOffset,
       .max = kMostOffset,
       .default_value = 1,
       .unit = "elements",
       .help = "How many elements after the start of a line a warp's loads begin. Multiples of 8 are whole "
               "sectors.",
       .variants = {"offset"}},
      {.name = "stride",
       .label = "Stride",
       .min = 1,
       .max = kMostStride,
       .default_value = 8,
       .unit = "elements",
       .help = "How far apart neighbouring lanes load. 1 is aligned; from 8 on each lane has its own sector.",
       .variants = {"stride"}},
  };
  return info;
}

std::vector<RegionName> coalescingRegionNames() {
  return {{"kIndex", kIndex, "index"}, {"kMove", kMove, "load and store"}};
}

}  // namespace warpscope::coalescing
