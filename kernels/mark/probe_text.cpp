#include "kernels/mark/probe_text.h"

#include <fmt/format.h>

#include <cstddef>

#include "kernels/probe/layout.h"

namespace warpscope {
namespace {

constexpr uint32_t kClockMask = (1U << kProbeClockBits) - 1;

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
  return "\t.reg .pred %ws_live, %ws_on, %ws_last;\n"
         "\t.reg .b32 %ws_written, %ws_lower, %ws_lane, %ws_anchor;\n";
}

// Writes an anchor by the threads for which `predicate` holds; all read the clocks, side by side.
std::string ProbeText::anchor(const std::string& predicate, uint32_t field_offset,
                              const std::string& index) const {
  static_assert(offsetof(ProbeAnchor, valid) == offsetof(ProbeAnchor, sm) + sizeof(uint32_t));
  return fmt::format(
      "\t{{\n"
      "\t.reg .b32 %ws_a, %ws_b;\n"
      "\t.reg .b64 %ws_c, %ws_t, %ws_m, %ws_n, %ws_o;\n"
      "\tmov.u64 %ws_c, %clock64;\n"
      "\tmov.u64 %ws_t, %globaltimer;\n"
      "\tmov.u32 %ws_a, %smid;\n"
      "\tmov.u32 %ws_b, 1;\n"
      "\tld.const.u64 %ws_m, {1};\n"
      "\tcvta.to.global.u64 %ws_n, %ws_m;\n"
      "\tmad.wide.u32 %ws_o, {2}, {3}, %ws_n;\n"
      "\t@{0} st.global.u64 [%ws_o+{4}], %ws_c;\n"
      "\t@{0} st.global.u64 [%ws_o+{5}], %ws_t;\n"
      "\t@{0} st.global.v2.u32 [%ws_o+{6}], {{%ws_a, %ws_b}};\n"
      "\t}}\n",
      predicate, field(field_offset), index, sizeof(ProbeAnchor), offsetof(ProbeAnchor, clock),
      offsetof(ProbeAnchor, globaltimer_ns), offsetof(ProbeAnchor, sm));
}

// Most warps are of blocks that record nothing: they leave after one comparison of each kind. Which SM they
// are on and which block they belong to is the same for all lanes of a warp, so the branches are uniform.
std::string ProbeText::begin(uint32_t region) {
  const std::string no_anchor = label(), done = label();
  std::string text = fmt::format(
      "\t{{\n"
      "\t.reg .pred %ws_p<8>;\n"
      "\t.reg .b32 %ws_r<48>;\n"
      "\t.reg .b64 %ws_d<8>;\n"
      // The block's linear index, and the number of blocks.
      "\tmov.u32 %ws_r0, %ctaid.z;\n"
      "\tmov.u32 %ws_r1, %nctaid.y;\n"
      "\tmov.u32 %ws_r2, %ctaid.y;\n"
      "\tmad.lo.u32 %ws_r3, %ws_r0, %ws_r1, %ws_r2;\n"
      "\tmov.u32 %ws_r4, %nctaid.x;\n"
      "\tmov.u32 %ws_r5, %ctaid.x;\n"
      "\tmad.lo.u32 %ws_r6, %ws_r3, %ws_r4, %ws_r5;\n"
      "\tmul.lo.u32 %ws_r7, %ws_r1, %ws_r4;\n"
      "\tmov.u32 %ws_r8, %nctaid.z;\n"
      "\tmul.lo.u32 %ws_r9, %ws_r7, %ws_r8;\n"
      // An anchor is written by the first and the last blocks: at the end if block + anchors >= blocks.
      "\tld.const.u32 %ws_r10, {0};\n"
      "\tadd.u32 %ws_r11, %ws_r6, %ws_r10;\n"
      "\tmov.u32 %ws_r12, %smid;\n"
      "\tld.const.u32 %ws_r13, {1};\n"
      "\tld.const.u32 %ws_r14, {2};\n"
      "\tsetp.lt.u32 %ws_p0, %ws_r6, %ws_r13;\n"
      "\tsetp.lt.or.u32 %ws_p1, %ws_r12, %ws_r14, %ws_p0;\n"  // the warp is to be recorded
      "\tsetp.lt.or.u32 %ws_p2, %ws_r6, %ws_r10, %ws_p1;\n"
      "\tsetp.ge.or.u32 %ws_live, %ws_r11, %ws_r9, %ws_p2;\n"
      "\tsetp.ne.u32 %ws_on, 0, 0;\n"
      "\t@!%ws_live bra.uni {3};\n",
      field(offsetof(ProbeParams, anchor_blocks)), field(offsetof(ProbeParams, first_blocks)),
      field(offsetof(ProbeParams, sms)), done);
  text += fmt::format(
      // The thread's linear index in its block.
      "\tmov.u32 %ws_r15, %tid.z;\n"
      "\tmov.u32 %ws_r16, %ntid.y;\n"
      "\tmov.u32 %ws_r17, %tid.y;\n"
      "\tmad.lo.u32 %ws_r18, %ws_r15, %ws_r16, %ws_r17;\n"
      "\tmov.u32 %ws_r19, %ntid.x;\n"
      "\tmov.u32 %ws_r20, %tid.x;\n"
      "\tmad.lo.u32 %ws_r21, %ws_r18, %ws_r19, %ws_r20;\n"
      "\tsetp.eq.u32 %ws_p3, %ws_r21, 0;\n"
      "\tsetp.ge.and.u32 %ws_last, %ws_r11, %ws_r9, %ws_p3;\n"
      "\tsub.u32 %ws_anchor, %ws_r11, %ws_r9;\n"
      "\tmov.u32 %ws_written, 0;\n"
      "\tmov.u32 %ws_lane, 0;\n"
      "\tmov.u32 %ws_lower, %lanemask_lt;\n"
      "\tsetp.lt.u32 %ws_p6, %ws_r21, 32;\n"  // its first warp: timers are slow to read
      "\tsetp.lt.and.u32 %ws_p4, %ws_r6, %ws_r10, %ws_p6;\n"
      "\t@!%ws_p4 bra.uni {};\n",
      no_anchor);
  text += anchor("%ws_p3", offsetof(ProbeParams, begin_anchors), "%ws_r6");
  text += no_anchor + ":\n" + fmt::format("\t@!%ws_p1 bra.uni {};\n", done);
  // The leader takes a slot for the warp.
  text += fmt::format(
      "\tactivemask.b32 %ws_r22;\n"
      "\tand.b32 %ws_r23, %ws_r22, %ws_lower;\n"
      "\tsetp.eq.u32 %ws_p5, %ws_r23, 0;\n"
      "\tld.const.u64 %ws_d0, {};\n"
      "\tcvta.to.global.u64 %ws_d1, %ws_d0;\n"
      "\tmov.u32 %ws_r24, 0;\n"
      "\t@%ws_p5 atom.global.add.u32 %ws_r24, [%ws_d1], 1;\n"
      "\tbrev.b32 %ws_r25, %ws_r22;\n"
      "\tbfind.shiftamt.u32 %ws_r26, %ws_r25;\n"
      "\tshfl.sync.idx.b32 %ws_r27, %ws_r24, %ws_r26, 31, %ws_r22;\n"
      "\tld.const.u32 %ws_r28, {};\n"
      "\tsetp.lt.u32 %ws_on, %ws_r27, %ws_r28;\n"
      "\t@!%ws_on bra.uni {};\n",
      field(offsetof(ProbeParams, warps_seen)), field(offsetof(ProbeParams, max_warps)), done);
  // The leader writes the header; the clocks last, as what is above is not the kernel's time.
  text += fmt::format(
      "\tand.b32 %ws_r29, %ws_r21, {};\n"
      "\tmad.lo.u32 %ws_lane, %ws_r27, {}, %ws_r29;\n"
      "\tld.const.u64 %ws_d2, {};\n"
      "\tcvta.to.global.u64 %ws_d3, %ws_d2;\n"
      "\tmad.wide.u32 %ws_d4, %ws_r27, {}, %ws_d3;\n"
      "\tshr.u32 %ws_r30, %ws_r21, 5;\n"
      "\tmov.u32 %ws_r31, %warpid;\n"
      "\tmov.u32 %ws_r32, 0;\n",
      kProbeWarpSize - 1, kProbeWarpSize, field(offsetof(ProbeParams, headers)), sizeof(ProbeWarpHeader));
  static_assert(offsetof(ProbeWarpHeader, warp_in_block) ==
                offsetof(ProbeWarpHeader, block) + sizeof(uint32_t));
  static_assert(offsetof(ProbeWarpHeader, hardware_slot) == offsetof(ProbeWarpHeader, sm) + sizeof(uint32_t));
  static_assert(offsetof(ProbeWarpHeader, reserved) ==
                offsetof(ProbeWarpHeader, live_mask) + sizeof(uint32_t));
  text += fmt::format(
      "\t@%ws_p5 st.global.v2.u32 [%ws_d4+{}], {{%ws_r6, %ws_r30}};\n"
      "\t@%ws_p5 st.global.v2.u32 [%ws_d4+{}], {{%ws_r12, %ws_r31}};\n"
      "\t@%ws_p5 st.global.v2.u32 [%ws_d4+{}], {{%ws_r22, %ws_r32}};\n"
      "\tmov.u64 %ws_d5, %globaltimer;\n"
      "\tmov.u64 %ws_d6, %clock64;\n"
      "\t@%ws_p5 st.global.u64 [%ws_d4+{}], %ws_d5;\n"
      "\t@%ws_p5 st.global.u64 [%ws_d4+{}], %ws_d6;\n"
      "\t}}\n",
      offsetof(ProbeWarpHeader, block), offsetof(ProbeWarpHeader, sm), offsetof(ProbeWarpHeader, live_mask),
      offsetof(ProbeWarpHeader, begin_globaltimer_ns), offsetof(ProbeWarpHeader, begin_clock));
  return text + record(region) + done + ":\n";
}

// Predicated, without a branch that lanes could take apart: the mark must not change which lanes go together.
// The parameters are operands of the instructions that use them: constant memory at a known address.
std::string ProbeText::record(uint32_t region) const {
  std::string text = fmt::format(
      "\t{{\n"
      "\t.reg .pred %ws_p<2>;\n"
      "\t.reg .b32 %ws_r<12>;\n"
      "\t.reg .b64 %ws_d<4>;\n"
      "\tactivemask.b32 %ws_r0;\n"
      "\tmov.u32 %ws_r1, %clock;\n"
      "\tand.b32 %ws_r2, %ws_r0, %ws_lower;\n"
      "\tsetp.eq.u32 %ws_p0, %ws_r2, 0;\n"
      "\tld.const.u32 %ws_r3, {};\n"
      "\tld.const.u32 %ws_r4, {};\n"
      "\tsetp.lt.and.u32 %ws_p1, %ws_written, %ws_r3, %ws_p0;\n"
      "\tshr.u32 %ws_r5, %ws_r1, %ws_r4;\n"
      "\tand.b32 %ws_r6, %ws_r5, {};\n",
      field(offsetof(ProbeParams, records_per_lane)), field(offsetof(ProbeParams, clock_shift)), kClockMask);
  text += fmt::format(
      "\tor.b32 %ws_r7, %ws_r6, {};\n"
      "\tmad.lo.u32 %ws_r8, %ws_lane, %ws_r3, %ws_written;\n"
      "\tld.const.u64 %ws_d0, {};\n"
      "\tcvta.to.global.u64 %ws_d1, %ws_d0;\n"
      "\tmad.wide.u32 %ws_d2, %ws_r8, {}, %ws_d1;\n"
      "\t@%ws_p1 st.global.v2.u32 [%ws_d2], {{%ws_r7, %ws_r0}};\n"
      "\t@%ws_p0 add.u32 %ws_written, %ws_written, 1;\n"
      "\t}}\n",
      region << kProbeClockBits, field(offsetof(ProbeParams, records)), sizeof(ProbeRecord));
  return text;
}

std::string ProbeText::mark(uint32_t region) {
  const std::string not_recorded = label();
  return fmt::format("\t@!%ws_on bra.uni {};\n", not_recorded) + record(region) + not_recorded + ":\n";
}

std::string ProbeText::exit() {
  const std::string not_recorded = label(), done = label();
  std::string text = fmt::format(
      "\t@!%ws_live bra.uni {};\n"
      "\t@!%ws_on bra.uni {};\n"
      "\t{{\n"
      "\t.reg .pred %ws_p<2>;\n"
      "\t.reg .b32 %ws_r<2>;\n"
      "\t.reg .b64 %ws_d<8>;\n"
      "\tmov.u64 %ws_d0, %clock64;\n"
      "\tmov.u64 %ws_d1, %globaltimer;\n"
      "\tactivemask.b32 %ws_r0;\n"
      "\tand.b32 %ws_r1, %ws_r0, %ws_lower;\n"
      "\tsetp.eq.u32 %ws_p0, %ws_r1, 0;\n"
      "\tsetp.ne.u32 %ws_p1, %ws_written, 0;\n"
      "\tld.const.u64 %ws_d2, {};\n"
      "\tcvta.to.global.u64 %ws_d3, %ws_d2;\n"
      "\tmad.wide.u32 %ws_d4, %ws_lane, {}, %ws_d3;\n",
      done, not_recorded, field(offsetof(ProbeParams, tails)), sizeof(ProbeLaneTail));
  text += fmt::format(
      "\t@%ws_p1 st.global.u32 [%ws_d4+{}], %ws_written;\n"
      "\t@%ws_p0 st.global.u64 [%ws_d4+{}], %ws_d0;\n"
      "\t@%ws_p0 st.global.u64 [%ws_d4+{}], %ws_d1;\n"
      "\t@%ws_p0 st.global.u32 [%ws_d4+{}], %ws_r0;\n"
      "\t}}\n"
      "{}:\n"
      "\t@!%ws_last bra {};\n",
      offsetof(ProbeLaneTail, written), offsetof(ProbeLaneTail, exit_clock),
      offsetof(ProbeLaneTail, exit_globaltimer_ns), offsetof(ProbeLaneTail, exit_mask), not_recorded, done);
  return text + anchor("%ws_last", offsetof(ProbeParams, end_anchors), "%ws_anchor") + done + ":\n";
}

std::string ProbeText::exitIf(const std::string& guard) {
  const std::string stays = label();
  const std::string opposite = guard.starts_with('!') ? guard.substr(1) : "!" + guard;
  return fmt::format("\t@{} bra {};\n", opposite, stays) + exit() + "\tret;\n" + stays + ":\n";
}

}  // namespace warpscope
