// The banks family: its texts, parameters and names of regions.
#include "kernels/experiments/banks/regions.h"
#include "kernels/experiments/banks/table.h"
#include "kernels/experiments/family_parts.h"

namespace warpscope::banks {

FamilyInfo banksInfo() {
  FamilyInfo info;
  info.name = "banks";
  info.view = "banks";
  info.title = "Shared-memory banks";
  info.summary =
      "Shared memory has 32 banks, each of which delivers one 4-byte word per wavefront. Word w is in bank w "
      "% 32. Lanes that access different words in one bank wait for each other (a bank conflict); lanes that "
      "access the same word share a wavefront. Every variant reads a table equally often; what differs is "
      "which words the lanes of a warp read together.";
  info.variants = {
      {.name = "stride",
       .title = "Words, a stride apart",
       .summary = "Lane l reads word l * stride: gcd(stride, 32) lanes share a bank, so 32 is the worst "
                  "stride, and every odd stride, including 33, has no conflicts. Move the stride and watch "
                  "'read': this is why tiles are padded by one word."},
      {.name = "stride_vec2",
       .title = "8-byte elements, a stride apart",
       .summary = "16 lanes already fill the 32 banks, so a warp is served in two halves: two wavefronts at "
                  "best, which is not a conflict, since twice the bytes move. Within a half, gcd(stride, 16) "
                  "lanes share a bank."},
      {.name = "stride_vec4",
       .title = "16-byte elements, a stride apart",
       .summary = "Eight lanes are served together: four wavefronts at best, for four times the bytes of a "
                  "word. Among eight lanes, gcd(stride, 8) share a bank. One wide read takes the banks as "
                  "long as four narrow ones, but is one instruction."},
      {.name = "broadcast",
       .title = "All lanes, one word",
       .summary =
           "All 32 lanes read the same word, so all are in one bank, and yet there is no conflict: the bank "
           "reads the word once and broadcasts it to every lane. This is as fast as stride 1."},
      {.name = "random",
       .title = "Any words",
       .summary = "Each lane reads a random word. Among 32 banks chosen at random by 32 lanes some stay "
                  "empty, and all lanes wait for the fullest one, which has three or four on average: the "
                  "price of a hash table in shared memory."},
  };
  info.parameters = {
      blockParameter("Threads in a block, in whole warps. Conflicts happen inside a warp, so their number "
                     "does not change with the block; how many blocks share an SM's banks does."),
      sizeParameter(
          20, 13,
          "One thread each. All read the same table, which each block makes for itself in shared memory."),
      {.name = "reads",
       .label = "Reads",
       .min = 0,
       .max = 1024,
       .default_value = 256,
       .unit = "reads",
       .help = "How often each thread reads the table. With many reads, filling the table no longer matters; "
               "with 0 nothing else is left.",
       .simulated_default = 32},
      {.name = "stride",
       .label = "Stride",
       .min = 1,
       .max = kMostStride,
       .default_value = 32,
       .unit = "elements",
       .help =
           "How far apart, in elements, neighbouring lanes read. Powers of two are bad, odd numbers good.",
       .variants = {"stride", "stride_vec2", "stride_vec4"}},
  };
  return info;
}

std::vector<RegionName> banksRegionNames() {
  return {{"kFill", kFill, "fill the table"},
          {"kBarrier", kBarrier, "barrier"},
          {"kRead", kRead, "read"},
          {"kStore", kStore, "store"}};
}

}  // namespace warpscope::banks
