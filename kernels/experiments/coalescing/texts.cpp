// See texts.h.
#include "kernels/experiments/coalescing/texts.h"

#include "kernels/experiments/coalescing/regions.h"
#include "kernels/experiments/coalescing/shape.h"

namespace warpscope::coalescing {
namespace {

std::vector<VariantInfo> variants() {
  return {
      {.name = "aligned",
       .title = "Neighbours, aligned (the ceiling)",
       .summary =
           "Lane l loads word l of a 128-byte line: 4 sectors a request, every byte of which was asked for. "
           "The others are measured against this."},
      {.name = "offset",
       .title = "Neighbours, shifted",
       .summary =
           "The same 128 bytes, beginning `offset` elements later. Where that is no multiple of 8 elements, "
           "they touch 5 sectors for 4. The fifth is the next warp's first, so L1 or L2 often has it: look "
           "at "
           "the counters, the time hardly shows it."},
      {.name = "stride",
       .title = "A stride apart",
       .summary =
           "Neighbouring lanes are `stride` elements apart: 4 * stride sectors a request, until at 8 each of "
           "the 32 lanes has a sector to itself and 28 of its 32 bytes were moved for nothing. Other warps "
           "want "
           "those bytes later; the caches help only if they still have them."},
      {.name = "permuted",
       .title = "Neighbours, in another order",
       .summary =
           "The lanes of a warp load its 32 words crosswise. The request touches the same 4 sectors, so it "
           "costs the same: what counts is which sectors a warp touches, not which lane does."},
      {.name = "random",
       .title = "From anywhere",
       .summary =
           "Each lane loads any element: nearly 32 sectors a request, 4 bytes of each wanted. Once the data "
           "outgrows L2, device memory moves eight times what is asked for. What a gather through an index "
           "pays."},
      {.name = "aos",
       .title = "Array of structures",
       .summary =
           "Records of 4 fields, a thread a record, a load a field: lanes are 16 bytes apart, so each load "
           "touches 16 sectors and uses a quarter of them. The first load brings them into L1, where the "
           "other "
           "three find theirs. Compare soa and vec4."},
      {.name = "soa",
       .title = "Structure of arrays",
       .summary =
           "An array for each field: every load is 32 neighbouring words, 4 sectors, all used. The same data "
           "as aos, laid out for warps."},
      {.name = "vec2",
       .title = "8 bytes a lane",
       .summary =
           "A lane loads two neighbouring elements at once: 8 sectors a request, all used, and half the "
           "requests. The bytes are the same as aligned; the instructions are fewer."},
      {.name = "vec4",
       .title = "16 bytes a lane",
       .summary =
           "Four elements at once, the widest load there is: 16 sectors a request, all used, a quarter of "
           "the requests. A structure of 16 bytes is best loaded so: compare aos."},
  };
}

}  // namespace

FamilyInfo coalescingInfo() {
  FamilyInfo info;
  info.name = "coalescing";
  info.view = "sectors";
  info.title = "Coalescing";
  info.summary =
      "The 32 lanes of a warp ask memory together, and memory answers in sectors of 32 bytes. Which sectors "
      "the "
      "lanes' addresses touch decides what a request costs. Every variant loads as many elements and writes "
      "them "
      "in order; what differs is where they lie.";
  info.variants = variants();
  info.parameters = {
      blockParameter("Threads in a block, in whole warps. Requests are made by warps, so the sectors of each "
                     "do not change with the block; how many are under way at once does."),
      sizeParameter(24, 17,
                    "Of 4 bytes each; records and vectors round it up to whole ones. Sizes that fit into L2 "
                    "hide much of what a bad pattern costs."),
      {.name = "l1",
       .label = "L1 cache",
       .kind = ParameterKind::kChoice,
       .unit = "loads",
       .help = "Bypassed: loads with ld.global.cg, which do not look into L1, so that every sector of every "
               "request "
               "comes from L2. Watch the sectors that L2 delivers for aos and offset: that is what L1 is "
               "good for.",
       .choices = {"cached", "bypassed"}},
      {.name = "offset",
       .label = "Offset",
       .min = kLeastOffset,
       .max = kMostOffset,
       .default_value = 1,
       .unit = "elements",
       .help = "How many elements behind the start of a line a warp's loads begin. Multiples of 8 are whole "
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
