#include "kernels/mark/probe_text.h"

#include <fmt/format.h>

#include <cstddef>

#include "kernels/probe/layout.h"

namespace warpscope {
namespace {

constexpr uint32_t kClockMask = (1U << kProbeClockBits) - 1;

// Linear indices of the block (into %ws_r0) and of the thread in it (into %ws_r1), as the probe numbers them.
constexpr const char* kLinearIndices =
    "\tmov.u32 %ws_r0, %ctaid.z;\n"
    "\tmov.u32 %ws_r1, %nctaid.y;\n"
    "\tmov.u32 %ws_r2, %ctaid.y;\n"
    "\tmad.lo.u32 %ws_r0, %ws_r0, %ws_r1, %ws_r2;\n"
    "\tmov.u32 %ws_r1, %nctaid.x;\n"
    "\tmov.u32 %ws_r2, %ctaid.x;\n"
    "\tmad.lo.u32 %ws_r0, %ws_r0, %ws_r1, %ws_r2;\n"
    "\tmov.u32 %ws_r1, %tid.z;\n"
    "\tmov.u32 %ws_r2, %ntid.y;\n"
    "\tmov.u32 %ws_r3, %tid.y;\n"
    "\tmad.lo.u32 %ws_r1, %ws_r1, %ws_r2, %ws_r3;\n"
    "\tmov.u32 %ws_r2, %ntid.x;\n"
    "\tmov.u32 %ws_r3, %tid.x;\n"
    "\tmad.lo.u32 %ws_r1, %ws_r1, %ws_r2, %ws_r3;\n";

}  // namespace

std::string ProbeText::label() {
  return fmt::format("$WS_{}", labels_++);
}

std::string ProbeText::field(uint32_t offset) const {
  return fmt::format("[{}+{}]", variable_, offset);
}

std::string ProbeText::declaration() const {
  return fmt::format(".visible .const .align 8 .b8 {}[{}];\n", variable_, sizeof(ProbeParams));
}

std::string ProbeText::registers() const {
  return "\t.reg .pred %ws_on, %ws_last, %ws_p<4>;\n"
         "\t.reg .b32 %ws_written, %ws_lower, %ws_lane, %ws_r<8>;\n"
         "\t.reg .b64 %ws_d<4>;\n";
}

// Writes an anchor by the threads for which `predicate` holds; all read the clocks, side by side.
std::string ProbeText::anchor(const std::string& predicate, uint32_t field_offset,
                              const std::string& index) const {
  std::string text = fmt::format(
      "\tmov.u64 %ws_d0, %clock64;\n"
      "\tmov.u64 %ws_d1, %globaltimer;\n"
      "\tmov.u32 %ws_r6, %smid;\n"
      "\tmov.u32 %ws_r7, 1;\n"
      "\tld.const.u64 %ws_d2, {};\n"
      "\tcvta.to.global.u64 %ws_d2, %ws_d2;\n"
      "\tmad.wide.u32 %ws_d2, {}, {}, %ws_d2;\n",
      field(field_offset), index, sizeof(ProbeAnchor));
  text += fmt::format(
      "\t@{0} st.global.u64 [%ws_d2+{1}], %ws_d0;\n"
      "\t@{0} st.global.u64 [%ws_d2+{2}], %ws_d1;\n"
      "\t@{0} st.global.v2.u32 [%ws_d2+{3}], {{%ws_r6, %ws_r7}};\n",
      predicate, offsetof(ProbeAnchor, clock), offsetof(ProbeAnchor, globaltimer_ns),
      offsetof(ProbeAnchor, sm));
  static_assert(offsetof(ProbeAnchor, valid) == offsetof(ProbeAnchor, sm) + sizeof(uint32_t));
  return text;
}

std::string ProbeText::begin() {
  const std::string no_anchor = label(), not_recorded = label();
  std::string text = kLinearIndices;
  // Whether this thread writes an anchor at the end is known now.
  text += fmt::format(
      "\tmov.u32 %ws_written, 0;\n"
      "\tmov.u32 %ws_lane, 0;\n"
      "\tmov.u32 %ws_lower, %lanemask_lt;\n"
      "\tsetp.ne.u32 %ws_on, 0, 0;\n"
      "\tsetp.eq.u32 %ws_p0, %ws_r1, 0;\n"
      "\tmov.u32 %ws_r2, %nctaid.x;\n"
      "\tmov.u32 %ws_r3, %nctaid.y;\n"
      "\tmul.lo.u32 %ws_r2, %ws_r2, %ws_r3;\n"
      "\tmov.u32 %ws_r3, %nctaid.z;\n"
      "\tmul.lo.u32 %ws_r2, %ws_r2, %ws_r3;\n"
      "\tsub.u32 %ws_r2, %ws_r2, 1;\n"
      "\tsub.u32 %ws_r2, %ws_r2, %ws_r0;\n"
      "\tld.const.u32 %ws_r4, {};\n"
      "\tsetp.lt.and.u32 %ws_last, %ws_r2, %ws_r4, %ws_p0;\n"
      "\tsetp.lt.u32 %ws_p1, %ws_r0, %ws_r4;\n"
      "\t@!%ws_p1 bra.uni {};\n",
      field(offsetof(ProbeParams, anchor_blocks)), no_anchor);
  text += anchor("%ws_p0", offsetof(ProbeParams, begin_anchors), "%ws_r0");
  text += no_anchor + ":\n";
  text += fmt::format(
      "\tmov.u32 %ws_r2, %smid;\n"
      "\tld.const.u32 %ws_r3, {};\n"
      "\tld.const.u32 %ws_r4, {};\n"
      "\tsetp.lt.u32 %ws_p1, %ws_r0, %ws_r3;\n"
      "\tsetp.lt.or.u32 %ws_p1, %ws_r2, %ws_r4, %ws_p1;\n"
      "\t@!%ws_p1 bra.uni {};\n",
      field(offsetof(ProbeParams, first_blocks)), field(offsetof(ProbeParams, sms)), not_recorded);
  // The leader takes a slot for the warp.
  text += fmt::format(
      "\tactivemask.b32 %ws_r3;\n"
      "\tand.b32 %ws_r4, %ws_r3, %ws_lower;\n"
      "\tsetp.eq.u32 %ws_p2, %ws_r4, 0;\n"
      "\tld.const.u64 %ws_d0, {};\n"
      "\tcvta.to.global.u64 %ws_d0, %ws_d0;\n"
      "\tmov.u32 %ws_r4, 0;\n"
      "\t@%ws_p2 atom.global.add.u32 %ws_r4, [%ws_d0], 1;\n"
      "\tbrev.b32 %ws_r5, %ws_r3;\n"
      "\tbfind.shiftamt.u32 %ws_r5, %ws_r5;\n"
      "\tshfl.sync.idx.b32 %ws_r4, %ws_r4, %ws_r5, 31, %ws_r3;\n"
      "\tld.const.u32 %ws_r5, {};\n"
      "\tsetp.lt.u32 %ws_on, %ws_r4, %ws_r5;\n"
      "\t@!%ws_on bra.uni {};\n",
      field(offsetof(ProbeParams, warps_seen)), field(offsetof(ProbeParams, max_warps)), not_recorded);
  // The leader writes the header; the clocks last, as what is above is not the kernel's time.
  text += fmt::format(
      "\tand.b32 %ws_r5, %ws_r1, {};\n"
      "\tmad.lo.u32 %ws_lane, %ws_r4, {}, %ws_r5;\n"
      "\tld.const.u64 %ws_d0, {};\n"
      "\tcvta.to.global.u64 %ws_d0, %ws_d0;\n"
      "\tmad.wide.u32 %ws_d0, %ws_r4, {}, %ws_d0;\n"
      "\tshr.u32 %ws_r1, %ws_r1, 5;\n"
      "\tmov.u32 %ws_r6, %warpid;\n"
      "\tmov.u32 %ws_r7, 0;\n",
      kProbeWarpSize - 1, kProbeWarpSize, field(offsetof(ProbeParams, headers)), sizeof(ProbeWarpHeader));
  static_assert(offsetof(ProbeWarpHeader, warp_in_block) ==
                offsetof(ProbeWarpHeader, block) + sizeof(uint32_t));
  static_assert(offsetof(ProbeWarpHeader, hardware_slot) == offsetof(ProbeWarpHeader, sm) + sizeof(uint32_t));
  static_assert(offsetof(ProbeWarpHeader, reserved) ==
                offsetof(ProbeWarpHeader, live_mask) + sizeof(uint32_t));
  text += fmt::format(
      "\t@%ws_p2 st.global.v2.u32 [%ws_d0+{}], {{%ws_r0, %ws_r1}};\n"
      "\t@%ws_p2 st.global.v2.u32 [%ws_d0+{}], {{%ws_r2, %ws_r6}};\n"
      "\t@%ws_p2 st.global.v2.u32 [%ws_d0+{}], {{%ws_r3, %ws_r7}};\n"
      "\tmov.u64 %ws_d1, %globaltimer;\n"
      "\tmov.u64 %ws_d2, %clock64;\n"
      "\t@%ws_p2 st.global.u64 [%ws_d0+{}], %ws_d1;\n"
      "\t@%ws_p2 st.global.u64 [%ws_d0+{}], %ws_d2;\n",
      offsetof(ProbeWarpHeader, block), offsetof(ProbeWarpHeader, sm), offsetof(ProbeWarpHeader, live_mask),
      offsetof(ProbeWarpHeader, begin_globaltimer_ns), offsetof(ProbeWarpHeader, begin_clock));
  return text + not_recorded + ":\n";
}

// Predicated, without a branch that lanes could take apart: the mark must not change which lanes go together.
std::string ProbeText::mark(uint32_t region) {
  const std::string not_recorded = label();
  std::string text = fmt::format(
      "\t@!%ws_on bra.uni {};\n"
      "\tactivemask.b32 %ws_r0;\n"
      "\tmov.u32 %ws_r2, %clock;\n"
      "\tand.b32 %ws_r1, %ws_r0, %ws_lower;\n"
      "\tsetp.eq.u32 %ws_p0, %ws_r1, 0;\n"
      "\tld.const.u32 %ws_r1, {};\n"
      "\tld.const.u32 %ws_r3, {};\n"
      "\tsetp.lt.and.u32 %ws_p1, %ws_written, %ws_r1, %ws_p0;\n"
      "\tshr.u32 %ws_r2, %ws_r2, %ws_r3;\n"
      "\tand.b32 %ws_r2, %ws_r2, {};\n",
      not_recorded, field(offsetof(ProbeParams, records_per_lane)), field(offsetof(ProbeParams, clock_shift)),
      kClockMask);
  text += fmt::format(
      "\tor.b32 %ws_r2, %ws_r2, {};\n"
      "\tmad.lo.u32 %ws_r1, %ws_lane, %ws_r1, %ws_written;\n"
      "\tld.const.u64 %ws_d0, {};\n"
      "\tcvta.to.global.u64 %ws_d0, %ws_d0;\n"
      "\tmad.wide.u32 %ws_d0, %ws_r1, {}, %ws_d0;\n"
      "\t@%ws_p1 st.global.v2.u32 [%ws_d0], {{%ws_r2, %ws_r0}};\n"
      "\t@%ws_p0 add.u32 %ws_written, %ws_written, 1;\n",
      region << kProbeClockBits, field(offsetof(ProbeParams, records)), sizeof(ProbeRecord));
  return text + not_recorded + ":\n";
}

std::string ProbeText::exit() {
  const std::string not_recorded = label(), no_anchor = label();
  std::string text = fmt::format(
      "\t@!%ws_on bra.uni {};\n"
      "\tmov.u64 %ws_d0, %clock64;\n"
      "\tmov.u64 %ws_d1, %globaltimer;\n"
      "\tactivemask.b32 %ws_r0;\n"
      "\tand.b32 %ws_r1, %ws_r0, %ws_lower;\n"
      "\tsetp.eq.u32 %ws_p0, %ws_r1, 0;\n"
      "\tsetp.ne.u32 %ws_p1, %ws_written, 0;\n"
      "\tld.const.u64 %ws_d2, {};\n"
      "\tcvta.to.global.u64 %ws_d2, %ws_d2;\n"
      "\tmad.wide.u32 %ws_d2, %ws_lane, {}, %ws_d2;\n",
      not_recorded, field(offsetof(ProbeParams, tails)), sizeof(ProbeLaneTail));
  text += fmt::format(
      "\t@%ws_p1 st.global.u32 [%ws_d2+{}], %ws_written;\n"
      "\t@%ws_p0 st.global.u64 [%ws_d2+{}], %ws_d0;\n"
      "\t@%ws_p0 st.global.u64 [%ws_d2+{}], %ws_d1;\n"
      "\t@%ws_p0 st.global.u32 [%ws_d2+{}], %ws_r0;\n"
      "{}:\n"
      "\t@!%ws_last bra {};\n",
      offsetof(ProbeLaneTail, written), offsetof(ProbeLaneTail, exit_clock),
      offsetof(ProbeLaneTail, exit_globaltimer_ns), offsetof(ProbeLaneTail, exit_mask), not_recorded,
      no_anchor);
  // The anchor's index: block - (blocks - anchor_blocks).
  text += kLinearIndices;
  text += fmt::format(
      "\tmov.u32 %ws_r2, %nctaid.x;\n"
      "\tmov.u32 %ws_r3, %nctaid.y;\n"
      "\tmul.lo.u32 %ws_r2, %ws_r2, %ws_r3;\n"
      "\tmov.u32 %ws_r3, %nctaid.z;\n"
      "\tmul.lo.u32 %ws_r2, %ws_r2, %ws_r3;\n"
      "\tsub.u32 %ws_r0, %ws_r0, %ws_r2;\n"
      "\tld.const.u32 %ws_r3, {};\n"
      "\tadd.u32 %ws_r0, %ws_r0, %ws_r3;\n",
      field(offsetof(ProbeParams, anchor_blocks)));
  text += anchor("%ws_last", offsetof(ProbeParams, end_anchors), "%ws_r0");
  return text + no_anchor + ":\n";
}

std::string ProbeText::exitIf(const std::string& guard) {
  const std::string stays = label();
  const std::string opposite = guard.starts_with('!') ? guard.substr(1) : "!" + guard;
  return fmt::format("\t@{} bra {};\n", opposite, stays) + exit() + "\tret;\n" + stays + ":\n";
}

}  // namespace warpscope
