// See texts.h.
#include "kernels/experiments/banks/texts.h"

#include "kernels/experiments/banks/regions.h"
#include "kernels/experiments/banks/table.h"

namespace warpscope::banks {

FamilyInfo banksInfo() {
  FamilyInfo info;
  info.name = "banks";
  info.view = "banks";
  info.title = "Shared-memory banks";
  info.summary =
      "Shared memory is 32 banks, each of which hands out one 4-byte word a turn. Word w lies in bank w % "
      "32. "
      "Lanes that want different words of one bank wait for each other; lanes that want the same word share "
      "a "
      "turn. Every variant reads a table as often; what differs is which words a warp's lanes read together.";
  info.variants = {
      {.name = "stride",
       .title = "Words, a stride apart",
       .summary =
           "Lane l reads word l * stride: gcd(stride, 32) lanes meet in a bank, so 32 is the worst, "
           "and every odd stride is free, 33 too. Move the stride and watch `read`: that is why tiles are "
           "padded by one word."},
      {.name = "stride_vec2",
       .title = "8-byte elements, a stride apart",
       .summary = "16 lanes already fill the 32 banks, so a warp goes in two halves: two turns at the best, "
                  "which is "
                  "no conflict, for twice the bytes move. Within a half, gcd(stride, 16) lanes meet."},
      {.name = "stride_vec4",
       .title = "16-byte elements, a stride apart",
       .summary =
           "Eight lanes go together: four turns at the best, for four times the bytes of a word. Within "
           "eight, gcd(stride, 8) lanes meet. One wide read asks the banks for as much as four narrow ones, "
           "but is "
           "one instruction."},
      {.name = "broadcast",
       .title = "All lanes, one word",
       .summary =
           "All 32 lanes read the same word, so all are in one bank, and yet there is no conflict: the bank "
           "reads it once and every lane gets it. As fast as stride 1."},
      {.name = "random",
       .title = "Any words",
       .summary =
           "Each lane reads a word anywhere. 32 lanes thrown at 32 banks leave some empty, and the fullest, "
           "with three or four on average, is what all wait for: what a hash table in shared memory pays."},
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
       .help =
           "How often each thread reads the table. With many, filling the table no longer matters; with 0 "
           "only that is left.",
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
