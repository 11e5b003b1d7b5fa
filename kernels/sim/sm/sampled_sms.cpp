#include "kernels/sim/sm/sampled_sms.h"

#include <algorithm>

namespace warpscope::sim {
namespace {

constexpr uint32_t kSampledSms = 6;

bool dependsOnOtherBlocks(const Instruction& in) {
  switch (in.kind) {
    case Kind::kAtomic:  // a reduction returns nothing
      return in.space != ptx::Space::kShared;
    case Kind::kLoad:
      return in.space != ptx::Space::kShared && isStrong(in.modifiers);
    case Kind::kReadSpecial:
      return in.special == ptx::Special::kSmid || in.special == ptx::Special::kWarpid;
    case Kind::kClock:
    case Kind::kPrint:
    case Kind::kIndirectCall:
      return true;
    default:
      return false;
  }
}

}  // namespace

bool blocksAreIndependent(const Code& code) {
  return std::ranges::none_of(code.instructions, dependsOnOtherBlocks);
}

uint32_t sampledSms(const Code& code, uint64_t blocks, uint32_t sm_count, uint32_t at_least) {
  const uint32_t sampled = std::max(kSampledSms, 2 * std::min(at_least, sm_count));
  if (2 * sampled > sm_count || blocks < sm_count) return 0;
  return blocksAreIndependent(code) ? sampled : 0;
}

BlockSelection sampledBlocks(uint32_t sampled, uint32_t sm_count) {
  return {.stride = sm_count, .first = (sampled + 1) / 2, .last = sampled / 2};
}

}  // namespace warpscope::sim
