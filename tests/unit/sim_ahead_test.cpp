// What makes the timing model fast must not change what it says: the timing wheel, and SMs that run ahead.
#include <gtest/gtest.h>

#include <array>
#include <random>

#include "kernels/sim/sm/steps_ahead.h"
#include "kernels/sim/sm/wake_times.h"
#include "tests/support/timed_launch.h"

namespace warpscope::sim {
namespace {

TEST(WakeTimes, AreThoseOfAPlainList) {
  constexpr uint32_t kSlots = WakeTimes::kMostSlots;
  WakeTimes wakes;
  std::array<uint64_t, kSlots> plain{};
  plain.fill(kNever);
  std::mt19937_64 generator(7);
  const auto random = [&](uint64_t below) { return generator() % below; };
  uint64_t now = 0;
  for (int i = 0; i < 20000; ++i) {
    const auto slot = static_cast<uint32_t>(random(kSlots));
    const uint64_t kind = random(8);
    const uint64_t cycle = kind == 0 ? kNever : now + random(kind < 3 ? 600 : 40);
    wakes.set(slot, cycle);
    plain[slot] = cycle;
    if (i % 3 == 0) now += random(i % 11 == 0 ? 300 : 5);
    uint64_t next = kNever;
    WakeTimes::Bits awake = 0;
    for (uint32_t each = 0; each < kSlots; ++each) {
      if (plain[each] <= now) awake |= WakeTimes::Bits{1} << each;
      if (plain[each] > now) next = std::min(next, plain[each]);
      ASSERT_EQ(wakes.of(each), plain[each]);
    }
    ASSERT_EQ(wakes.awake(now), awake) << now;
    ASSERT_EQ(wakes.next(), next) << now;
  }
}

TEST(StepsAhead, AreFoundUpToWhereTheSmHasCome) {
  StepsAhead steps;
  EXPECT_EQ(steps.next(0), kNever);
  steps.begin(1000);
  for (const uint64_t cycle : {1000, 1003, 1100, 1200, 1000 + 4096}) steps.add(cycle);  // the last is too far
  steps.reach(1150);
  EXPECT_EQ(steps.until(), 1150U);
  EXPECT_EQ(steps.next(900), 1000U);
  EXPECT_EQ(steps.next(1000), 1000U);
  EXPECT_EQ(steps.next(1001), 1003U);
  EXPECT_EQ(steps.next(1004), 1100U);
  EXPECT_EQ(steps.next(1101), kNever) << "1200 is not certain: something may come before it";
  EXPECT_EQ(steps.next(1150), kNever);
  steps.begin(5000);
  steps.reach(6000);
  EXPECT_EQ(steps.next(5000), kNever);
}

// A loop of `trips` without access to memory.
std::string loopOf(const std::string& trips, const std::string& label = "LOOP") {
  return "mov.u32 %r7, " + trips + ";\n" + label +
         ": mad.lo.s32 %r8, %r8, %r7, %r1; sub.s32 %r7, %r7, 1;\n"
         "setp.gt.s32 %p1, %r7, 0; @%p1 bra " +
         label + ";\n";
}

TEST(RunningAhead, ChangesNothing) {
  const std::string shared = ".shared .align 16 .b8 s[4096];\n";
  const std::string store = "st.global.u32 [%rd2], %r8;";
  const std::string exchange =
      "mov.u32 %r5, s; shl.b32 %r6, %r4, 2; add.s32 %r5, %r5, %r6; st.shared.u32 [%r5], %r8;\n"
      "bar.sync 0; ld.shared.u32 %r8, [%r5];\n";
  const std::string uneven = "and.b32 %r9, %r2, 7; mul.lo.s32 %r9, %r9, 100; add.s32 %r9, %r9, 1;\n";
  const std::vector<std::pair<const char*, std::string>> bodies = {
      {"a store behind a long loop", loopOf("3000") + store},
      {"trips by block and lane", uneven + loopOf("%r9") + "and.b32 %r9, %r4, 31;\n" + store},
      {"barriers", loopOf("300") + exchange + store},
      {"loads from DRAM in between", loopOf("200") + "ld.global.u32 %r8, [%rd2+4096];\n" + store},
      {"a sum of all blocks",
       uneven + loopOf("%r9") + "atom.global.add.u32 %r6, [%rd1], 1; mov.u32 %r8, %r6;\n" + store},
      {"copies without registers",
       "mov.u32 %r5, s; shl.b32 %r6, %r4, 2; add.s32 %r5, %r5, %r6;\n" + loopOf("500") +
           "cp.async.ca.shared.global [%r5], [%rd2+8192], 4; cp.async.commit_group; cp.async.wait_group 0;\n"
           "bar.sync 0; ld.shared.u32 %r8, [%r5];\n" +
           store},
      {"a flag that others read before it is set",
       "setp.eq.u32 %p2, %r2, 0; @%p2 bra SET;\n" + loopOf("20") +
           "ld.volatile.global.u32 %r8, [%rd1+524288];\n" + store + "bra END;\nSET:\n" +
           loopOf("200", "OTHER") + "mov.u32 %r9, 1; st.volatile.global.u32 [%rd1+524288], %r9;\nEND:"},
      {"lanes that end early", "setp.gt.u32 %p2, %r4, 40; @%p2 exit;\n" + loopOf("700") + store}};
  for (const auto& [what, body] : bodies) {
    SCOPED_TRACE(what);
    TimedLaunch ahead(body, 100, 128, shared), step_by_step(body, 100, 128, shared);
    step_by_step.options.run_ahead = false;
    ahead.options.blocks_per_sm = step_by_step.options.blocks_per_sm = 3;  // others begin where they end
    const TimedResult expected = step_by_step.run(), result = ahead.run();
    EXPECT_EQ(result.cycles, expected.cycles);
    EXPECT_EQ(result.counters, expected.counters);
    for (uint32_t i = 0; i < 100 * 128; ++i) ASSERT_EQ(ahead.word(i), step_by_step.word(i)) << i;
  }
}

// The fault of one SM comes before that of another one that has run ahead.
TEST(RunningAhead, ReportsTheFirstFault) {
  const std::string body =
      "setp.gt.u32 %p2, %r2, 1; @%p2 exit;\nmul.lo.s32 %r9, %r2, 900; add.s32 %r9, %r9, 10;\n" +
      loopOf("%r9") + "mov.u32 %r5, 0x100000; st.shared.u32 [%r5], %r8;";
  std::string expected;
  for (const bool ahead : {false, true}) {
    TimedLaunch launch(body, 4, 32);
    launch.options.run_ahead = ahead;
    const auto result = launch.tryRun();
    ASSERT_FALSE(result);
    if (!ahead) expected = result.error().message;
    EXPECT_EQ(result.error().message, expected);
  }
}

}  // namespace
}  // namespace warpscope::sim
