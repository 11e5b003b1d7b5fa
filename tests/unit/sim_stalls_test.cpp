// What warps wait for in the timing model, and for how long.
#include <gtest/gtest.h>

#include <string>

#include "tests/support/timed_launch.h"

namespace warpscope::sim {
namespace {

// Its sum is executed at the epoch's end, as the order matters, but nothing waits for it.
TEST(TimedGrid, AWarpThatEndsWithASumOfFloatsDoesNotWaitForIt) {
  TimedLaunch launch("mov.f32 %f1, 0f3F800000; red.global.add.f32 [%rd1], %f1;", 8, 64, ".reg .f32 %f<2>;\n");
  launch.lower();
  const TimedResult result = launch.run();
  EXPECT_EQ(cyclesIn(WarpState::kLongScoreboard, result), 0);
  EXPECT_GT(cyclesIn(WarpState::kDrain, result), 15);
  EXPECT_LT(cyclesIn(WarpState::kDrain, result), 30);
  EXPECT_EQ(launch.word(0), std::bit_cast<uint32_t>(512.0F));
}

// As counted on an H100: 20 to 25 cycles.
TEST(TimedGrid, AWarpThatEndsWithAStoreWaitsUntilItHasLeft) {
  TimedLaunch launch("st.global.u32 [%rd2], %r1;", 4, 32);
  launch.lower();
  const double drain = cyclesIn(WarpState::kDrain, launch.run());
  EXPECT_GT(drain, 15);
  EXPECT_LT(drain, 30);
}

// A predicate can be read 13 cycles after it is made. The compiler lets them pass without knowing how long
// the warp waits for memory in between.
TEST(TimedGrid, StallsOfTheCompilerPassAfterAWaitForMemory) {
  const auto waits = [](const std::string& source) {
    TimedLaunch launch("setp.ne.u32 %p1, %r1, 99999;" + source +
                           "add.u32 %r6, %r5, %r3; @%p1 st.global.u32 [%rd2+65536], %r6;",
                       1, 32);
    launch.lower();
    launch.touch();
    return cyclesIn(WarpState::kWait, launch.run());
  };
  EXPECT_GE(waits("ld.global.u32 %r5, [%rd2];") + 4, waits("xor.b32 %r5, %r1, %r4;"));
}

// Warps that begin together wait for the block's size and for the parameters; those that come later find them
// in the SM, but wait for each other's LDC.
TEST(TimedGrid, TheFirstConstantsOfAKernelWithoutLoopsQueue) {
  const auto result = [](uint32_t blocks) {
    TimedLaunch launch("ld.global.u32 %r5, [%rd2]; st.global.u32 [%rd2], %r5;", blocks, 256);
    launch.lower();
    launch.touch();
    return launch.run();
  };
  const TimedResult few = result(4), full = result(32), long_one = result(256);
  EXPECT_GT(cyclesIn(WarpState::kImcMiss, few), 5);
  EXPECT_GT(cyclesIn(WarpState::kShortScoreboard, few), cyclesIn(WarpState::kImcMiss, few));
  EXPECT_LT(cyclesIn(WarpState::kImcMiss, long_one), 0.5 * cyclesIn(WarpState::kImcMiss, few));
  EXPECT_GT(cyclesIn(WarpState::kMioThrottle, full), cyclesIn(WarpState::kMioThrottle, few) + 60);
}

// LDC is a short scoreboard, at addresses of the lanes' own a long wait for those that come later; ULDC, at
// one address for all lanes, is neither.
TEST(TimedGrid, ConstantsAtAddressesInRegisters) {
  const auto result = [](const std::string& index, const std::string& type, uint32_t warps) {
    TimedLaunch launch("mov.u64 %rd3, table; mul.wide.u32 %rd4, " + index +
                           ", 4; add.s64 %rd3, %rd3, %rd4; ld.const." + type +
                           " %r5, [%rd3]; st.global.u32 [%rd2], %r5;",
                       1, 32 * warps);
    launch.lower();
    launch.touch();
    return launch.run();
  };
  const double one = cyclesIn(WarpState::kShortScoreboard, result("%r2", "u8", 1));
  const double own = cyclesIn(WarpState::kShortScoreboard, result("%r1", "u32", 1));
  EXPECT_GT(own, one + 250) << "32 addresses, one after the other";
  EXPECT_GT(cyclesIn(WarpState::kShortScoreboard, result("%r1", "u32", 16)), own + 250)
      << "and for each warp";
  EXPECT_LT(cyclesIn(WarpState::kShortScoreboard, result("%r2", "u32", 1)), one - 20) << "ULDC";
  const TimedResult full = result("%r1", "u32", 32);
  EXPECT_GT(cyclesIn(WarpState::kMioThrottle, full),
            cyclesIn(WarpState::kMioThrottle, result("%r1", "u32", 16)) + 50)
      << "the queue has no room for those of eight warps";
  EXPECT_EQ(cyclesIn(WarpState::kLgThrottle, full), 0);
}

// The special function unit of the profile takes an instruction in each cycle: there is room in its queue,
// which another warp takes.
TEST(TimedGrid, RoomInAQueueThatAnotherWarpTakesIsNoThrottle) {
  std::string body = "cvt.rn.f32.u32 %f1, %r1;";
  for (int i = 0; i < 32; ++i) body += "ex2.approx.f32 %f1, %f1;";
  TimedLaunch launch(body + "st.global.f32 [%rd2], %f1;", 1, 1024, ".reg .f32 %f<2>;\n");
  launch.lower();
  const TimedResult result = launch.run();
  EXPECT_GT(cyclesIn(WarpState::kMioThrottle, result), 10) << "for the unit of loads and stores";
  EXPECT_GT(cyclesIn(WarpState::kNotSelected, result), 2 * cyclesIn(WarpState::kMioThrottle, result));
}

TEST(TimedGrid, ProductsOf64BitsTakeThePipeTwiceAsLong) {
  const auto result = [](const std::string& product) {
    std::string body;
    for (int i = 0; i < 64; ++i) body += product;
    TimedLaunch launch("mov.u32 %r6, %r1; " + body + "st.global.u32 [%rd2], %r6;", 1, 1024);
    launch.lower();
    return launch.run();
  };
  const TimedResult low = result("mul.lo.u32 %r6, %r6, %r4;"), high = result("mul.hi.u32 %r6, %r6, %r4;");
  EXPECT_GT(static_cast<double>(high.cycles), 1.2 * static_cast<double>(low.cycles));
  EXPECT_GT(cyclesIn(WarpState::kDispatch, high), cyclesIn(WarpState::kDispatch, low) + 20);
}

// The dispatcher is held for all warps, whatever pipe their instructions go to.
TEST(TimedGrid, AProductOf64BitsHoldsTheOtherPipesInstructions) {
  const auto result = [](const std::string& product) {
    std::string body;
    for (int i = 0; i < 32; ++i) body += product + "add.f32 %f1, %f1, %f2; add.f32 %f3, %f3, %f2;";
    TimedLaunch launch(
        "mov.u32 %r6, %r1; mov.f32 %f1, 0f3F800000; mov.f32 %f3, %f1; cvt.rn.f32.u32 %f2, %r1;" + body +
            "add.f32 %f1, %f1, %f3; st.global.u32 [%rd2], %r6; st.global.f32 [%rd2+4], %f1;",
        1, 1024, ".reg .f32 %f<4>;\n");
    launch.lower();
    return launch.run();
  };
  const TimedResult low = result("mul.lo.u32 %r6, %r6, %r4;"), high = result("mul.hi.u32 %r6, %r6, %r4;");
  const double held = 32 * 8;  // a cycle for each product of a sub-partition's warps, with this profile
  EXPECT_GT(static_cast<double>(high.cycles), static_cast<double>(low.cycles) + 0.8 * held);
  EXPECT_GT(cyclesIn(WarpState::kDispatch, high), cyclesIn(WarpState::kDispatch, low) + 0.4 * held);
}

// 0 / x, as tables begin, and roots of 0 go a longer way, which other operands do not.
TEST(TimedGrid, RareCasesOfDivisionsAndRootsTakeASubroutine) {
  const auto instructions = [](const std::string& operands, const std::string& operation) {
    TimedLaunch launch(operands + operation + "st.global.f32 [%rd2], %f3;", 1, 32, ".reg .f32 %f<4>;\n");
    launch.lower();
    return launch.run().counters.at("smsp__inst_executed.sum");
  };
  const std::string lane = "cvt.rn.f32.u32 %f1, %r1; mov.f32 %f2, 0f40400000;\n";
  const std::string from_1 = lane + "add.f32 %f1, %f1, 0f3F800000;\n";
  const std::string divide = "div.rn.f32 %f3, %f1, %f2;\n", root = "sqrt.rn.f32 %f3, %f1;\n";
  EXPECT_EQ(instructions(lane, divide), instructions(from_1, divide) - 1 + 33) << "lane 0 divides zero";
  EXPECT_EQ(instructions(lane, root), instructions(from_1, root) - 1 + 11);
  const std::string small = lane + "mul.f32 %f1, %f1, 0f00800000;\n";  // 2^-126
  EXPECT_EQ(instructions(small, divide), instructions(from_1, divide) + 95) << "subnormal quotients";
  EXPECT_EQ(instructions(lane, "div.full.f32 %f3, %f1, %f2;\n"),
            instructions(from_1, "div.full.f32 %f3, %f1, %f2;\n") - 1)
      << "has no subroutine";
}

TEST(TimedGrid, WarpsWaitForWhatSubroutinesDoEvenIfTheyEndThen) {
  const auto timed = [](const std::string& first) {
    TimedLaunch launch("cvt.rn.f32.u32 %f1, %r1; mov.f32 %f2, 0f40400000;\n" + first +
                           "div.rn.f32 %f3, %f1, %f2;\nst.global.f32 [%rd2], %f3;",
                       1, 32, ".reg .f32 %f<4>;\n");
    launch.lower();
    return launch.run();
  };
  const TimedResult rare = timed(""), usual = timed("add.f32 %f1, %f1, 0f3F800000;\n");
  EXPECT_GT(rare.cycles, usual.cycles + 6 * 33);
  EXPECT_LT(rare.cycles, usual.cycles + 10 * 33);
  for (const WarpState state : {WarpState::kSelected, WarpState::kWait, WarpState::kBranchResolve})
    EXPECT_GT(cyclesIn(state, rare), cyclesIn(state, usual) + 30);
}

TEST(TimedGrid, AMatchTakesTheLongerTheMoreValuesItsLanesHave) {
  const auto timed = [](uint32_t distinct, uint32_t threads) {
    TimedLaunch launch("and.b32 %r5, %r4, " + std::to_string(distinct - 1) +
                           ";\nmatch.any.sync.b32 %r6, %r5, 0xffffffff;\nst.global.u32 [%rd2], %r6;",
                       1, threads);
    launch.lower();
    const TimedResult result = launch.run();
    EXPECT_EQ(std::popcount(launch.word(0)), static_cast<int>(32 / distinct));
    return static_cast<double>(result.cycles);
  };
  EXPECT_NEAR(timed(32, 32) - timed(2, 32), 30 * 7, 2);
  EXPECT_NEAR(timed(16, 1024) - timed(16, 128), 7 * 16 * 7, 100) << "eight warps of a sub-partition, in turn";
}

// The loads of four trips are on their way together where ptxas unrolls a loop.
TEST(TimedGrid, UnrolledLoopsWaitOnceForTheLoadsOfSeveralTrips) {
  const auto timed = [](const std::string& pragma, uint32_t trips) {
    TimedLaunch launch("mov.u32 %r5, 0; mov.u32 %r6, 0; add.s32 %r8, %r3, " + std::to_string(trips) +
                           "; sub.s32 %r8, %r8, 32;\nLOOP:\n" + pragma +
                           "ld.global.u32 %r7, [%rd2]; add.s32 %r6, %r6, %r7; add.s64 %rd2, %rd2, 128;\n"
                           "add.s32 %r5, %r5, 1; setp.lt.s32 %p1, %r5, %r8; @%p1 bra LOOP;\n"
                           "add.s32 %r6, %r6, %r5; st.global.u32 [%rd1], %r6;",
                       1, 32);
    launch.lower();
    launch.touch();
    const TimedResult result = launch.run();
    EXPECT_EQ(launch.word(0), trips);
    EXPECT_EQ(result.counters.at("l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"), trips);
    return static_cast<double>(result.cycles);
  };
  const std::string kept = ".pragma \"nounroll\";\n";
  const double each = (timed(kept, 40) - timed(kept, 8)) / 32;
  EXPECT_GT(each, 200);
  EXPECT_LT((timed("", 40) - timed("", 8)) / 32, 0.3 * each);
  EXPECT_LT(timed("", 10), timed("", 8) + 1.5 * each) << "two that are left over wait once";
}

TEST(TimedGrid, SleepersWakeWhenTheClockComesToAPowerOfTwo) {
  const auto sleeps = [](const std::string& ns, int times) {
    std::string body;
    for (int i = 0; i < times; ++i) body += "nanosleep.u32 " + ns + ";\n";
    TimedLaunch launch(body, 1, 32);
    launch.lower();
    return launch.run().cycles;
  };
  EXPECT_EQ(sleeps("200", 5) - sleeps("200", 3), 2 * 256U);
  EXPECT_EQ(sleeps("1000", 5) - sleeps("1000", 3), 2 * 1024U);
}

// The warps of a block take turns, so that none waits long for the others at the barrier.
TEST(TimedGrid, WarpsOfABlockComeToABarrierTogether) {
  std::string chain;
  for (int i = 0; i < 40; ++i)
    chain += "add.s32 %r5, %r5, %r1; xor.b32 %r6, %r5, %r6; add.s32 %r7, %r6, %r7;";
  TimedLaunch launch("mov.u32 %r5, %r1; mov.u32 %r6, %r2; mov.u32 %r7, %r3; bar.sync 0;" + chain +
                         "bar.sync 0; st.global.u32 [%rd2], %r7;",
                     1, 1024);
  launch.lower();
  const TimedResult result = launch.run();
  EXPECT_LT(cyclesIn(WarpState::kBarrier, result), 0.2 * cyclesIn(WarpState::kNotSelected, result));
}

// An address of local memory is one word.
TEST(TimedGrid, LocalMemoryComesSoonerThanGlobalFromL1) {
  const auto cycles = [](const std::string& space, const std::string& address, int loads) {
    std::string chain = "ld.global.u32 %r5, [%rd2];";
    const std::string load = "shr.u32 %r5, %r5, 31; mul.wide.u32 %rd4, %r5, 4; add.s64 %rd4, " + address +
                             ", %rd4; ld." + space + ".u32 %r5, [%rd4];";
    for (int i = 0; i < loads; ++i) chain += load;
    TimedLaunch launch(
        "mov.u64 %rd3, array; st.local.u32 [%rd3], %r1;" + chain + "st.global.u32 [%rd2+4], %r5;", 1, 32,
        ".local .align 4 .b8 array[4096];\n");
    launch.lower();
    return static_cast<double>(launch.run().cycles);
  };
  const auto load = [&](const std::string& space, const std::string& address) {
    return (cycles(space, address, 11) - cycles(space, address, 1)) / 10;
  };
  // Besides, the addresses of this chain take an instruction's cycles less.
  EXPECT_GT(load("global", "%rd2") - load("local", "%rd3"), 6);
}

// Where shared memory's window begins is known once S2UR has read the block's rank in its cluster.
TEST(TimedGrid, TheAddressOfASharedVariableIsWaitedForAsASpecialRegister) {
  const auto result = [](const std::string& address) {
    TimedLaunch launch(
        "bar.sync 0; mov.u32 %r6, " + address + "; shr.u32 %r6, %r6, 3; st.global.u32 [%rd2], %r6;", 1, 32,
        ".shared .align 4 .b8 tile[256];\n");
    launch.lower();
    return launch.run();
  };
  const TimedResult constant = result("64"), shared = result("tile");
  const auto more = [&](WarpState state) { return cyclesIn(state, shared) - cyclesIn(state, constant); };
  EXPECT_GT(more(WarpState::kShortScoreboard), 8);
  EXPECT_LT(more(WarpState::kWait), 8);
}

// One lane after the other adds to a word: each leaves the loop by itself.
TEST(TimedGrid, ALoopOfCompareAndSwapIsMoreThanAWaitForSharedMemory) {
  const auto result = [](const std::string& sums) {
    TimedLaunch launch("mov.u32 %r6, tile; mov.f32 %f1, 0f3F800000;" + sums, 1, 32,
                       ".shared .align 4 .b8 tile[256];\n.reg .f32 %f<2>;\n");
    launch.lower();
    return launch.run();
  };
  const TimedResult without = result(""), with = result("red.shared.add.f32 [%r6], %f1;");
  const auto more = [&](WarpState state) { return cyclesIn(state, with) - cyclesIn(state, without); };
  EXPECT_GT(more(WarpState::kSelected), 32 * 6 - 10) << "LDS, FADD, ATOMS, ISETP, BRA and BSYNC of each lane";
  EXPECT_NEAR(more(WarpState::kWait), 32 * 28, 32);
  EXPECT_NEAR(more(WarpState::kBranchResolve), 32 * 13, 32);
  EXPECT_NEAR(more(WarpState::kShortScoreboard), 32 * (30 + 60), 96) << "the latencies of this profile";
}

// A store in a loop reads its registers late; the next address, in the same register, waits for that.
TEST(TimedGrid, WhatAnAccessStillReadsIsNotWritten) {
  const auto states = [](const std::string& address, const std::string& store) {
    TimedLaunch launch("mov.u32 %r5, 0; shr.u32 %r7, %r3, 4; " + address + " LOOP: " + store +
                           "add.u32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, %r7; @%p1 bra LOOP;",
                       1, 1024, ".shared .align 4 .b8 room[16384];\n");
    launch.lower();
    return launch.run();
  };
  const TimedResult global = states("mul.wide.u32 %rd4, %r1, 32; add.s64 %rd4, %rd1, %rd4;",
                                    "st.global.u32 [%rd4], %r5; xor.b64 %rd4, %rd4, 65536;");
  EXPECT_GT(cyclesIn(WarpState::kLongScoreboard, global), 10 * cyclesIn(WarpState::kLgThrottle, global));
  const TimedResult shared =
      states("mov.u32 %r6, room; mad.lo.u32 %r6, %r4, 16, %r6;",
             "st.shared.u32 [%r6], %r4; xor.b32 %r6, %r6, 4; st.shared.u32 [%r6], %r4; xor.b32 %r6, %r6, 4;");
  EXPECT_GT(cyclesIn(WarpState::kShortScoreboard, shared), 3 * cyclesIn(WarpState::kMioThrottle, shared));
}

std::string repeated(int times, const std::string& text, int step) {
  std::string all;
  for (int i = 0; i < times; ++i) {
    all += text;
    all.replace(all.find("OFFSET"), 6, std::to_string(i * step));
  }
  return all;
}

// Room for what 24 instructions have stored of a word of each lane, and for 15 instructions before L1.
TEST(TimedGrid, WhatIsStoredWaitsInL1ForTheWayToL2) {
  const auto throttled = [](int stores, const std::string& store, int lane_bytes) {
    TimedLaunch launch("mul.wide.u32 %rd4, %r1, " + std::to_string(lane_bytes) +
                           "; add.s64 %rd4, %rd1, %rd4;" + repeated(stores, store, 32 * lane_bytes),
                       1, 32);
    launch.lower();
    const TimedResult result = launch.run();
    return cyclesIn(WarpState::kLgThrottle, result) + cyclesIn(WarpState::kMioThrottle, result);
  };
  const std::string word = "st.global.u32 [%rd4+OFFSET], %r1;",
                    four = "st.global.v4.u32 [%rd4+OFFSET], {%r1, %r1, %r1, %r1};";
  EXPECT_LT(throttled(32, word, 128), 20);
  EXPECT_GT(throttled(64, word, 128), 300);
  EXPECT_GT(throttled(32, four, 128), 100);
}

// Loads whose data are on their way from L2 leave L1's queue, those whose data L1 has wait there for their
// turn.
TEST(TimedGrid, LoadsThatMissDoNotWaitForL1) {
  const auto throttled = [](const std::string& before) {
    TimedLaunch launch("mul.wide.u32 %rd4, %r1, 64; add.s64 %rd4, %rd1, %rd4; mov.u32 %r6, 0;" + before +
                           repeated(8, "ld.global.u32 %r5, [%rd4+OFFSET]; add.u32 %r6, %r6, %r5;", 4) +
                           "st.global.u32 [%rd2+524288], %r6;",
                       1, 512, ".shared .align 4 .b8 room[4];\n");
    launch.lower();
    launch.touch();
    return cyclesIn(WarpState::kLgThrottle, launch.run());
  };
  EXPECT_GT(throttled("ld.global.u32 %r6, [%rd4+4]; st.shared.u32 [room], %r6; bar.sync 0;"),
            2 * throttled(""));
}

}  // namespace
}  // namespace warpscope::sim
