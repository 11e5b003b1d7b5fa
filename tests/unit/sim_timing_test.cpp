// The timing model: launches of small kernels whose counts are known.
#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <numeric>

#include "kernels/sim/sm/booked_unit.h"
#include "kernels/sim/sm/data_stage.h"
#include "kernels/sim/sm/l2_cache.h"
#include "kernels/sim/sm/modelled_addresses.h"
#include "kernels/sim/sm/sampled_sms.h"
#include "kernels/sim/sm/swap_loops.h"
#include "kernels/sim/sm/waiting_loads.h"
#include "tests/support/timed_launch.h"

namespace warpscope::sim {
namespace {

TEST(ModelledAddresses, PlaceBuffersByTheOrderAndTheirUse) {
  const auto placed = [](uint64_t first, uint64_t second, uint64_t capacity) {
    ModelledAddresses addresses;
    addresses.add({first, first + capacity}, 1000);
    addresses.add({second, second + capacity}, 1000);
    addresses.add({first, first + capacity}, 1000);
    return std::pair(addresses.of(first + 999), addresses.of(second + 999));
  };
  const uint64_t low = kGlobalBase + 0x1000, high = kGlobalBase + 0x10'0000;
  const auto [first, second] = placed(low, high, 1000);
  EXPECT_LT(first, second) << "in the order in which they were added";
  EXPECT_EQ(second - first, 1024U + 256U) << "the next one begins behind what is used of this one";
  EXPECT_EQ(placed(high, low, 1 << 19), std::pair(first, second)) << "wherever they are, and however large";
  ModelledAddresses none;
  EXPECT_GT(none.of(low), second) << "what was not added is behind everything else";
  EXPECT_EQ(none.of(high) - none.of(low), high - low);
}

TEST(TimedGrid, CountsWhatEveryWarpDoes) {
  TimedLaunch launch("ld.global.u32 %r5, [%rd2]; add.s32 %r5, %r5, 1; st.global.u32 [%rd2], %r5;", 8, 256);
  const TimedResult result = launch.run();
  EXPECT_EQ(launch.word(0), 1U);
  EXPECT_EQ(launch.word(8 * 256 - 1), 1U);
  const auto& counters = result.counters;
  EXPECT_EQ(counters.at("l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"), 64);
  EXPECT_EQ(counters.at("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"), 256);
  EXPECT_EQ(counters.at("l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"), 256);
  // Each block has two stretches of four lines, one of which is at home in the other partition.
  EXPECT_EQ(counters.at("lts__t_sectors_op_read.sum"), 384);
  EXPECT_EQ(counters.at("lts__t_sectors_op_write.sum"), 384);
  EXPECT_EQ(counters.at("dram__bytes_read.sum"), 256 * 32);
  EXPECT_EQ(counters.at("l1tex__t_sector_hit_rate.pct"), 50);  // the stores hit what the loads fetched
  EXPECT_EQ(counters.at("smsp__inst_executed.sum"), 64 * 11);
  EXPECT_EQ(counters.at("smsp__thread_inst_executed.sum"), 64 * 11 * 32);
  EXPECT_EQ(result.warp_instructions, 64U * 11);
  EXPECT_GT(result.cycles, 600U);  // DRAM's latency
}

// ptxas makes a reduction of an atomic whose result nothing reads (REDG), and Nsight Compute counts these
// apart.
TEST(TimedGrid, AtomicsWhoseResultNothingReadsAreReductions) {
  const auto ten = [](const std::string& use) {
    std::string body = "mov.u32 %r6, 0;\n";
    for (int i = 0; i < 10; ++i) body += "atom.global.add.u32 %r5, [%rd2], 1; " + use + "\n";
    TimedLaunch launch(body + "st.global.u32 [%rd2+65536], %r6;", 1, 32);
    launch.lower();
    launch.touch();
    return launch.run();
  };
  const TimedResult unread = ten(""), read = ten("xor.b32 %r6, %r6, %r5;");
  EXPECT_EQ(unread.counters.at("l1tex__t_requests_pipe_lsu_mem_global_op_red.sum"), 10);
  EXPECT_EQ(unread.counters.at("l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum"), 0);
  EXPECT_EQ(unread.counters.at("lts__t_sectors_op_atom.sum"), 0);
  EXPECT_GE(unread.counters.at("lts__t_sectors_op_red.sum"), 40);
  EXPECT_EQ(read.counters.at("l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum"), 10);
  EXPECT_EQ(read.counters.at("lts__t_sectors_op_red.sum"), 0);
  EXPECT_LT(unread.cycles, read.cycles);
  TimedLaunch exchange("atom.global.exch.b32 %r5, [%rd2], %r1;", 1, 32);
  exchange.lower();
  EXPECT_EQ(exchange.run().counters.at("l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum"), 1)
      << "there is no such reduction";
}

TEST(TimedGrid, ColdInstructionsComeFromDram) {
  const auto timed = [](bool cold) {
    TimedLaunch launch("xor.b32 %r4, %r1, 7;", 4, 32);
    launch.lower();
    launch.options.code_is_cold = cold;
    return launch.run();
  };
  const TimedResult warm = timed(false), cold = timed(true);
  const DeviceProfile profile = testProfile(4);
  const uint64_t later = L2Cache(profile).dramExtraCycles();
  EXPECT_GT(later, 100U);
  EXPECT_EQ(cold.cycles, warm.cycles + later) << "the first instructions only, in each SM at the same time";
  const std::string waiting = warpStateCounter(WarpState::kNoInstruction);
  EXPECT_GT(cold.counters.at(waiting), warm.counters.at(waiting));
}

TEST(TimedGrid, WarpsEndWhenTheirStoresHaveLeft) {
  TimedLaunch launch(
      "shl.b32 %r4, %r1, 7; cvt.u64.u32 %rd4, %r4; add.s64 %rd4, %rd4, %rd2;\n"
      "st.global.u32 [%rd4], %r1; st.global.u32 [%rd4+32], %r1; st.global.u32 [%rd4+64], %r1;",
      1, 256);
  launch.lower();
  EXPECT_GT(launch.run().counters.at(warpStateCounter(WarpState::kDrain)), 0.5) << "each is 32 requests";
  TimedLaunch none("xor.b32 %r4, %r1, 7;", 1, 256);
  none.lower();
  EXPECT_EQ(none.run().counters.at(warpStateCounter(WarpState::kDrain)), 0);
}

TEST(BookedUnit, HasRoomForSoMuchWorkWhoeverComesFirst) {
  BookedUnit unit;
  EXPECT_EQ(unit.book(640, 16), 656);
  EXPECT_EQ(unit.book(640, 16), 672);
  EXPECT_EQ(unit.book(64, 16), 80) << "what comes later was asked for before";
  EXPECT_EQ(unit.book(640, 64), 736) << "32 cycles in this slot, 32 in the next";
  EXPECT_EQ(unit.book(700, 8), 744);
  EXPECT_EQ(unit.book(800, 0), 800);
  double last = 0;
  for (int i = 0; i < 1000; ++i) last = unit.book(6400, 12);
  EXPECT_NEAR(last, 6400 + 12'000, 64);
}

TEST(DataStage, ServesDataFromL2InTurnsWithOtherAccesses) {
  DataStage stage;
  stage.take(100, 8);
  EXPECT_EQ(stage.free(), 107) << "it may have begun in the cycle before";
  EXPECT_EQ(stage.takeReturned(320, 24), 344U);
  stage.pass(200);
  stage.take(200, 8);
  EXPECT_EQ(stage.free(), 207) << "the data have not come yet";
  stage.pass(330);
  stage.take(330, 8);
  EXPECT_EQ(stage.free(), 345) << "9 of the data's cycles have passed; 8 are beside its own 8";
  stage.take(331, 8);
  EXPECT_EQ(stage.free(), 360) << "the last 7";
  stage.keepBusyUntil(500);
  EXPECT_EQ(stage.free(), 500);
}

// 512 loads may wait, and 1,600 lines; both are known to the next 16 cycles.
TEST(WaitingLoads, KeepPlacesUntilTheirDataCome) {
  WaitingLoads loads;
  for (int i = 0; i < 512; ++i) {
    EXPECT_EQ(loads.room(10, 1, 5000), 10);
    loads.add(1);
  }
  for (int i = 0; i < 512; ++i) loads.lineArrives(200);
  loads.loadArrives(700);
  EXPECT_NEAR(loads.room(20, 1, 5000), 700, 16) << "the load has come, not only its line";
  loads.add(1);
  EXPECT_EQ(loads.room(20, 1, 5000), 5000) << "nothing more is known of when another one comes";
}

TEST(WaitingLoads, KeepPlacesForEachLine) {
  WaitingLoads loads;
  for (int i = 0; i < 50; ++i) {
    EXPECT_EQ(loads.room(10, 32, 5000), 10);
    loads.add(32);
  }
  for (int i = 0; i < 40; ++i) loads.lineArrives(i < 16 ? 400 : 900);
  EXPECT_NEAR(loads.room(20, 16, 5000), 400, 16) << "lines of loads that still wait for others";
  EXPECT_NEAR(loads.room(20, 32, 5000), 900, 16);
  EXPECT_NEAR(loads.room(20, 1, 5000), 900, 16) << "L1 looks loads up in order";
}

double writesOf(const std::string& stores) {
  TimedLaunch launch("mul.wide.u32 %rd4, %r1, 32; add.s64 %rd5, %rd1, %rd4;\n" + stores, 1, 32);
  return launch.run().counters.at("lts__t_sectors_op_write.sum");
}

TEST(TimedGrid, WordsThatAreStoredToOneSectorGoToL2Together) {
  const double once = writesOf("st.global.u32 [%rd5], %r1;");
  EXPECT_GE(once, 32);
  EXPECT_EQ(writesOf("st.global.u32 [%rd5], %r1; st.global.u32 [%rd5+4], %r1;"), once);
  EXPECT_EQ(writesOf("st.global.u32 [%rd5], %r1; st.global.u32 [%rd5], %r2;"), 2 * once) << "the same word";
  EXPECT_EQ(writesOf("st.global.u8 [%rd5], %r1; st.global.u8 [%rd5+4], %r1;"), 2 * once) << "bytes";
  const std::string pairs = "mul.wide.u32 %rd4, %r1, 2; add.s64 %rd5, %rd1, %rd4;\n";
  const double even = writesOf(pairs + "st.global.u8 [%rd5], %r1;");
  EXPECT_EQ(writesOf(pairs + "st.global.u8 [%rd5], %r1; st.global.u8 [%rd5+1], %r1;"), even);
  EXPECT_EQ(writesOf(pairs + "st.global.u8 [%rd5], %r1; st.global.u8 [%rd5], %r2;"), 2 * even);
  const std::string rows = "mul.wide.u32 %rd4, %r1, 4096; add.s64 %rd5, %rd1, %rd4;\n";
  EXPECT_EQ(writesOf(rows + "st.global.u32 [%rd5], %r1; st.global.u32 [%rd5+4], %r1;"),
            writesOf(rows + "st.global.u32 [%rd5], %r1;"))
      << "in rows whose distance is a power of two";
}

// STG.64 of ptxas 13.0, or STG where the matrix is stored by columns.
TEST(TimedGrid, TwoNeighboursOfAMatrixOfSumsAreStoredTogether) {
  const auto stores = [](const std::string& layout) {
    TimedLaunch launch("mov.u32 %r5, 16; wmma.store.d.sync.aligned." + layout +
                           ".m16n16k16.global.s32 [%rd1], {%r1, %r1, %r1, %r1, %r1, %r1, %r1, %r1}, %r5;",
                       1, 32);
    const auto counters = launch.run().counters;
    return std::pair(counters.at("l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"),
                     counters.at("l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"));
  };
  EXPECT_EQ(stores("row"), std::pair(4.0, 32.0));
  EXPECT_EQ(stores("col").first, 8.0);
}

double sharedWavefrontsOf(const std::string& body) {
  TimedLaunch launch("setp.eq.u32 %p1, %r4, 99; mov.u32 %r6, tile;\n" + body, 1, 32,
                     ".shared .align 4 .b8 tile[256];\n");
  return launch.run().counters.at("l1tex__data_pipe_lsu_wavefronts_mem_shared.sum");
}

TEST(TimedGrid, ASharedAccessTakesATurnEvenWithoutLanes) {
  const double without = sharedWavefrontsOf("");
  EXPECT_EQ(sharedWavefrontsOf("@%p1 ld.shared.u32 %r5, [%r6];"), without + 1);
  EXPECT_EQ(sharedWavefrontsOf("@%p1 st.shared.u32 [%r6], %r4;"), without + 1);
}

TEST(TimedGrid, LanesThatAddOneToAWordOfSharedMemoryAreCountedTogether) {
  const double without = sharedWavefrontsOf("");
  EXPECT_EQ(sharedWavefrontsOf("red.shared.add.u32 [%r6], 1;"), without + 1);
  EXPECT_EQ(sharedWavefrontsOf("red.shared.add.u32 [%r6], 2;"), without + 32);
  EXPECT_EQ(sharedWavefrontsOf("red.shared.max.u32 [%r6], 1;"), without + 32);
}

TEST(SwapLoops, ServeOneLaneOfABankAtATime) {
  SwapLoops loops;
  std::vector<uint32_t> words{5, 9, 5, 37};
  const SwapTries done = loops.run(words, false, {.begin = 100, .swap_after = 30, .period = 77});
  EXPECT_EQ(done.tries, 3U) << "words 5 and 37 are in one bank";
  EXPECT_EQ(done.departures, 3U);
  EXPECT_EQ(done.lanes, 4U + 2 + 1);
  EXPECT_EQ(done.wavefronts, (2U + 2) + (2 + 2) + (1 + 2)) << "a load of each word in the bank, and the swap";
  words = {0, 16, 32, 2};
  const SwapTries wide = loops.run(words, true, {.begin = 900, .swap_after = 30, .period = 77});
  EXPECT_EQ(wide.tries, 2U) << "words of 64 bits, 16 of which are a row of banks";
  EXPECT_EQ(wide.wavefronts, (2U + 4) + (1 + 4));
}

TEST(SwapLoops, GiveUpWhereAnExtremumIsBeyondTheirNumber) {
  SwapLoops loops;
  const auto tries = [&](std::vector<uint32_t> words) {
    return loops.run(words, false, {.begin = 100, .swap_after = 30, .period = 77, .always_writes = false})
        .tries;
  };
  EXPECT_EQ(tries(std::vector<uint32_t>(32, 5)), 4U) << "1 + 1/2 + ... + 1/32";
  EXPECT_EQ(tries({5, 37}), 2U) << "two words in one bank";
  EXPECT_EQ(tries({5, 5}), 1U);
}

TEST(SwapLoops, TryAgainWhatOtherWarpsHaveWritten) {
  SwapLoops loops;
  const auto tries = [&](uint64_t begin, bool always_writes) {
    std::vector<uint32_t> word{9};
    return loops
        .run(word, false, {.begin = begin, .swap_after = 30, .period = 77, .always_writes = always_writes})
        .tries;
  };
  EXPECT_EQ(tries(100, true), 1U);
  EXPECT_EQ(tries(110, true), 2U) << "word 9 was written between its load and its swap";
  EXPECT_EQ(tries(130, true), 1U);
  loops.clear();
  EXPECT_EQ(tries(110, false), 1U);
  EXPECT_EQ(tries(120, true), 1U) << "a maximum mostly writes nothing";
}

TEST(TimedGrid, AFewSmsStandForAll) {
  const std::string body = "ld.global.u32 %r5, [%rd2]; add.s32 %r5, %r5, 1; st.global.u32 [%rd2], %r5;";
  TimedLaunch every(body, 70, 256), some(body, 70, 256);
  every.options.blocks_per_sm = some.options.blocks_per_sm = 2;
  some.options.sampled_sms = 2;
  const TimedResult all = every.run(), sampled = some.run();
  EXPECT_EQ(sampled.blocks, 35U) << "of 18, 18, 17 and 17 those of the first and the last SM";
  EXPECT_EQ(some.word(0), 1U);
  EXPECT_EQ(some.word(256), 0U) << "block 1 is another SM's";
  EXPECT_EQ(some.word(3 * 256), 1U);
  EXPECT_EQ(sampled.counters.at("model.simulated_sms"), 2);
  EXPECT_EQ(all.counters.count("model.simulated_sms"), 0U);
  for (const char* sum :
       {"sm__ctas_launched.sum", "smsp__inst_executed.sum", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
        "lts__t_sectors_op_read.sum", "dram__bytes_read.sum"}) {
    EXPECT_EQ(sampled.counters.at(sum), all.counters.at(sum)) << sum;
  }
  const auto cycles = static_cast<double>(all.cycles);
  EXPECT_NEAR(static_cast<double>(sampled.cycles), cycles, 0.1 * cycles);
}

TEST(SampledSms, NeedBlocksThatDoNotInfluenceEachOther) {
  const auto influence = [](const std::string& body) {
    return influenceOfBlocks(TimedLaunch(body, 8, 32).code());
  };
  EXPECT_EQ(influence("ld.global.u32 %r5, [%rd2]; red.global.add.u32 [%rd1], %r5;"), Influence::kNone);
  EXPECT_EQ(influence("bar.sync 0;"), Influence::kNone);
  EXPECT_EQ(influence("atom.global.add.u32 %r15, [%rd1], 1;"), Influence::kNone)
      << "nothing uses what it returns";
  const std::string strong = "ld.volatile.global.u32 %r5, [%rd2]; ";
  EXPECT_EQ(influence(strong), Influence::kBarrier) << "it may wait for others to arrive";
  EXPECT_EQ(influence(strong + strong), Influence::kAny) << "twice, perhaps";
  EXPECT_EQ(influence("mov.u32 %r5, %clock;"), Influence::kAny);
  EXPECT_EQ(influence("mov.u32 %r5, %smid;"), Influence::kAny);
}

TEST(SampledSms, MayDrawTicketsButNotWaitForThem) {
  const auto influence = [](const std::string& body) {
    return influenceOfBlocks(TimedLaunch(body, 8, 32).code());
  };
  const std::string draw = "atom.global.add.u32 %r5, [%rd1], 1; st.global.u32 [%rd2], %r5;";
  EXPECT_EQ(influence(draw), Influence::kOrder);
  EXPECT_EQ(influence("wait: " + draw + " setp.lt.u32 %p1, %r5, 8; @%p1 bra wait;"), Influence::kAny);
  EXPECT_EQ(influence(draw + " again: add.u32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, 8; @%p1 bra again;"),
            Influence::kOrder);
}

TEST(SampledSms, AreOfThoseThatGetBlocks) {
  EXPECT_EQ(sampledSms(Influence::kNone, 1000, 132, 2), 8U);
  EXPECT_EQ(sampledSms(Influence::kNone, 16, 132, 2), 8U);
  EXPECT_EQ(sampledSms(Influence::kNone, 15, 132, 2), 0U);
  EXPECT_EQ(sampledSms(Influence::kNone, 1000, 132, 10), 20U);
  EXPECT_EQ(sampledSms(Influence::kAny, 1000, 132, 2), 0U);
}

TEST(SampledSms, AreTheFirstAndTheLastOnes) {
  const BlockSelection blocks = sampledBlocks(5, 100, 400, 8);
  for (const uint64_t chosen : {0, 1, 2, 98, 99, 100, 102, 198})
    EXPECT_TRUE(blocks.contains(chosen)) << chosen;
  for (const uint64_t other : {3, 97, 103, 197}) EXPECT_FALSE(blocks.contains(other)) << other;
}

TEST(SampledSms, LeaveOutRoundsInTheMiddleOfALongLaunch) {
  const TimedBlocks blocks = sampledBlocks(4, 100, 100 * 1000 + 50, 8);
  EXPECT_EQ(blocks.steady_from, 16U) << "the SMs are filled twice";
  EXPECT_EQ(blocks.skip_from, 32U);
  EXPECT_EQ(blocks.skip_until, 992U) << "the last blocks of each SM";
  EXPECT_TRUE(blocks.contains(31 * 100));
  EXPECT_FALSE(blocks.contains(32 * 100));
  EXPECT_FALSE(blocks.contains(991 * 100 + 99));
  EXPECT_TRUE(blocks.contains(992 * 100 + 99));
  EXPECT_EQ(blocks.count(100 * 1000 + 50), (32U + 8) * 4 + 2);
  EXPECT_EQ(sampledBlocks(4, 100, 100 * 49, 8).skippedRounds(), 0U) << "not worth it";

  const TimedBlocks recorded = sampledBlocks(4, 100, 100 * 1000 + 50, 8, 60);
  EXPECT_EQ(recorded.steady_from, 68U) << "what is recorded takes longer";
  EXPECT_EQ(recorded.skip_from, 76U);
  EXPECT_TRUE(recorded.contains(3));
  EXPECT_FALSE(recorded.contains(99)) << "the first SMs record";
  EXPECT_EQ(sampledBlocks(4, 100, 100 * 1000, 8, ~uint64_t{0}).skippedRounds(), 0U);
}

// 200 blocks per SM, of which 2 at a time.
TEST(TimedGrid, GoesOnAsItBeganWhereBlocksAreLeftOut) {
  const std::string body = "ld.global.u32 %r5, [%rd2]; add.s32 %r5, %r5, 1; st.global.u32 [%rd2], %r5;";
  TimedLaunch every(body, 800, 256), some(body, 800, 256);
  every.options.blocks_per_sm = some.options.blocks_per_sm = 2;
  every.touch();
  some.touch();
  some.options.sampled_sms = 2;
  some.options.log_sms = 1;
  some.options.log_limit = 100000;
  const TimedResult all = every.run(), part = some.run();
  EXPECT_EQ(part.blocks, 2U * (4 + 16 + 2));
  EXPECT_EQ(some.word(199 * 4 * 256), 1U) << "the last round";
  EXPECT_EQ(some.word(100 * 4 * 256), 0U);
  for (const char* sum : {"sm__ctas_launched.sum", "smsp__inst_executed.sum", "lts__t_sectors_op_read.sum",
                          "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"}) {
    EXPECT_NEAR(part.counters.at(sum), all.counters.at(sum), 0.03 * all.counters.at(sum)) << sum;
  }
  const auto cycles = static_cast<double>(all.cycles);
  EXPECT_NEAR(static_cast<double>(part.cycles), cycles, 0.05 * cycles);
  EXPECT_GT(part.log.back().cycle, part.cycles / 2) << "the last blocks run at the end";
  EXPECT_LE(part.log.back().cycle, part.cycles);

  TimedLaunch recorded(body, 800, 256);
  recorded.options = some.options;
  recorded.options.recorded_rounds = 50;
  EXPECT_EQ(recorded.run().blocks, 2U * (50 + 2 + 8 + 2));
}

// As measured on an H100: four lines are looked up at a time, and words in one bank are read one after
// another.
TEST(TimedGrid, LoadsWaitForBanksOfL1) {
  const auto cycles = [](uint32_t stride_bytes) {
    TimedLaunch launch(
        "mul.lo.u32 %r5, %r4, " + std::to_string(stride_bytes) +
            "; cvt.u64.u32 %rd4, %r5; add.s64 %rd4, %rd1, %rd4; mov.u32 %r6, 0;\n"
            "LOOP: ld.global.u32 %r7, [%rd4]; ld.global.u32 %r8, [%rd4+512]; add.u32 %r6, %r6, 1;"
            "setp.lt.u32 %p1, %r6, 500; @%p1 bra LOOP;",
        1, 32);
    launch.touch();
    return static_cast<double>(launch.run().cycles);
  };
  EXPECT_NEAR(cycles(128) - cycles(132), 2 * 24 * 1000, 10'000) << "32 lanes in one bank, 8 times 4 lines";
  EXPECT_NEAR(cycles(128) - cycles(64), 2 * 16 * 1000, 10'000) << "two banks";
}

TEST(TimedGrid, LocalMemoryIsWarmWhereOtherMemoryIs) {
  const auto from_dram = [](bool warm) {
    TimedLaunch launch(
        "mov.u32 %r5, a; st.local.u8 [%r5], %r4; ld.local.u32 %r6, [%r5]; st.global.u32 [%rd2], %r6;", 1, 32,
        ".local .align 4 .b8 a[64];\n");
    if (warm) launch.touch();
    return launch.run().counters.at("dram__bytes_read.sum");
  };
  EXPECT_GT(from_dram(false), 0);
  EXPECT_EQ(from_dram(true), 0);
}

TEST(TimedGrid, GoingFromOnePathToTheOtherTakesTime) {
  const auto resolving = [](const char* lane) {
    TimedLaunch launch(std::string("mov.u32 %r6, 0; mov.u32 %r7, 0; setp.lt.u32 %p1, ") + lane +
                           ", 16; @%p1 bra A;"
                           "L: mad.lo.u32 %r6, %r6, %r6, %r1; add.u32 %r7, %r7, 1; setp.lt.u32 %p2, %r7, %r3;"
                           "@%p2 bra L; bra B;"
                           "A: mad.lo.u32 %r6, %r6, %r6, %r3; add.u32 %r7, %r7, 1; setp.lt.u32 %p2, %r7, %r3;"
                           "@%p2 bra A; B: st.global.u32 [%rd2], %r6;",
                       1, 32);
    launch.lower();
    const TimedResult result = launch.run();
    return result.counters.at(warpStateCounter(WarpState::kBranchResolve)) *
           result.counters.at("smsp__inst_executed.sum");
  };
  const double together = resolving("%r2"), apart = resolving("%r4");
  EXPECT_GT(apart, together + 20);
  EXPECT_LT(apart, 2 * together + 60) << "both paths, and from the one to the other";
}

TEST(TimedGrid, WarmCachesAreFaster) {
  TimedLaunch launch("ld.global.u32 %r5, [%rd2]; st.global.u32 [%rd2], %r5;", 4, 64);
  const TimedResult cold = launch.run();
  const TimedResult warm = launch.run();
  EXPECT_GT(cold.counters.at("dram__bytes_read.sum"), 0);
  EXPECT_EQ(warm.counters.at("dram__bytes_read.sum"), 0);
  EXPECT_LT(warm.cycles + 200, cold.cycles);
}

TEST(TimedGrid, AFenceForTheGpuWaitsForWhatItsSmHasSent) {
  const auto cycles = [](const std::string& fence) {
    TimedLaunch launch("ld.global.u32 %r5, [%rd2]; st.global.u32 [%rd2], %r1;\n" + fence +
                           "\nst.global.u32 [%rd2+65536], %r1;",
                       4, 32);
    launch.lower();
    launch.touch();
    return static_cast<double>(launch.run().cycles);
  };
  const DeviceProfile profile = testProfile(4);
  const double block = cycles("membar.cta;"), gpu = cycles("membar.gl;");
  EXPECT_GT(gpu - block, profile.fence_latency_cycles - 20);
  EXPECT_LT(gpu - block, profile.fence_latency_cycles + 2.0 * profile.l2.latency_cycles);
}

TEST(TimedGrid, CyclesAreTheSameForAnyNumberOfThreads) {
  const char* body =
      "atom.global.add.u32 %r6, [%rd1], 1; and.b32 %r7, %r1, 7; mul.wide.u32 %rd5, %r7, 4;\n"
      "LOOP: ld.global.u32 %r5, [%rd2+4096]; sub.s32 %r7, %r7, 1; setp.gt.s32 %p1, %r7, 0; @%p1 bra LOOP;\n"
      "st.global.u32 [%rd2+65536], %r6;";
  std::map<std::string, double> counters;
  uint64_t cycles = 0;
  for (const uint32_t threads : {1U, 2U, 5U}) {
    TimedLaunch launch(body, 64, 128);
    launch.options.threads = threads;
    const TimedResult result = launch.run();
    EXPECT_EQ(launch.word(0), 64U * 128);
    if (threads == 1) {
      cycles = result.cycles;
      counters = result.counters;
    }
    EXPECT_EQ(result.cycles, cycles) << threads;
    EXPECT_EQ(result.counters, counters) << threads;
  }
}

TEST(TimedGrid, BarriersHoldAllWarpsOfABlock) {
  TimedLaunch launch(
      "mov.u32 %r5, s; shl.b32 %r6, %r4, 2; add.s32 %r5, %r5, %r6; st.shared.u32 [%r5], %r4;\n"
      "bar.sync 0; xor.b32 %r6, %r6, 252; mov.u32 %r7, s; add.s32 %r7, %r7, %r6;\n"
      "ld.shared.u32 %r8, [%r7]; st.global.u32 [%rd2], %r8;",
      4, 256, ".shared .align 4 .b8 s[1024];\n");
  const TimedResult result = launch.run();
  for (uint32_t i = 0; i < 256; ++i) EXPECT_EQ(launch.word(i), i ^ 63U);
  EXPECT_GT(result.counters.at(warpStateCounter(WarpState::kBarrier)), 0);
  EXPECT_EQ(result.counters.at("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"), 32);
}

TEST(TimedGrid, BranchesWhoseLanesDisagreeAreDivergent) {
  TimedLaunch launch(
      "and.b32 %r5, %r4, 1; setp.eq.u32 %p1, %r5, 0; @%p1 bra EVEN; mov.u32 %r6, 7; bra DONE;\n"
      "EVEN: mov.u32 %r6, 9;\nDONE: st.global.u32 [%rd2], %r6;",
      2, 64);
  const TimedResult result = launch.run();
  EXPECT_EQ(launch.word(0), 9U);
  EXPECT_EQ(launch.word(1), 7U);
  EXPECT_EQ(result.counters.at("ptx.branches"), 4);
  EXPECT_EQ(result.counters.at("ptx.branches_divergent"), 4);
}

// An H100 executes both bodies of a predicated branch once, whichever lanes are first (SASS of hilbert_order
// and bits_transposed).
TEST(TimedGrid, BothBodiesOfAPredicatedBranchIssueOnce) {
  const auto instructions = [](const char* lane, const char* branch) {
    TimedLaunch launch(std::string("mov.u32 %r6, %r1; setp.lt.u32 %p1, ") + lane + ", 16; " + branch +
                           "A: mul.lo.u32 %r6, %r1, 3; add.u32 %r6, %r6, %r3; bra J;"
                           "E: mul.lo.u32 %r6, %r1, 5; xor.b32 %r6, %r6, %r3; J: st.global.u32 [%rd2], %r6;",
                       1, 32);
    launch.lower();
    return launch.run().counters.at("smsp__inst_executed.sum");
  };
  for (const char* branch : {"@%p1 bra A; bra E; ", "@%p1 bra E; "})
    EXPECT_EQ(instructions("%r4", branch), instructions("%r2", branch)) << branch;
}

TEST(TimedGrid, WarpStatesFillEveryResidentCycle) {
  TimedLaunch launch("ld.global.u32 %r5, [%rd2]; add.s32 %r5, %r5, 1; st.global.u32 [%rd2], %r5;", 8, 256);
  const TimedResult result = launch.run();
  double sum = 0;
  for (size_t i = 0; i < kWarpStates; ++i) {
    sum += result.counters.at(warpStateCounter(static_cast<WarpState>(i)));
  }
  const double resident = result.counters.at("sm__warps_active.avg.pct_of_peak_sustained_active") / 100 * 64 *
                          result.counters.at("sm__cycles_active.avg") * 4;
  EXPECT_NEAR(sum * result.counters.at("smsp__inst_executed.sum"), resident, 1);
}

TEST(TimedGrid, LogsWhatWasAskedFor) {
  TimedLaunch launch("ld.global.u32 %r5, [%rd2]; add.s32 %r5, %r5, 1; st.global.u32 [%rd2], %r5;", 8, 64);
  launch.options.log_first_blocks = 2;
  launch.options.log_limit = 1000;
  launch.options.begin_cycle = 5000;
  const TimedResult result = launch.run();
  ASSERT_EQ(result.log.size(), 2U * 2 * 11);
  EXPECT_TRUE(std::is_sorted(result.log.begin(), result.log.end(),
                             [](const auto& a, const auto& b) { return a.cycle < b.cycle; }));
  EXPECT_GE(result.log.front().cycle, 5000U);
  const auto add = std::find_if(result.log.begin(), result.log.end(), [](const auto& entry) {
    return entry.waited_for == WarpState::kLongScoreboard && entry.waited_cycles > 500;
  });
  EXPECT_NE(add, result.log.end());
  for (const IssuedInstruction& entry : result.log) {
    EXPECT_EQ(entry.waited_cycles == 0, entry.waited_for == WarpState::kSelected)
        << entry.waited_cycles << " cycles for " << warpStateName(entry.waited_for);
  }
}

TEST(TimedGrid, StopsWhatGoesWrong) {
  TimedLaunch endless("LOOP: bra LOOP;", 4, 64);
  endless.options.step_limit = 100000;
  const auto limited = endless.tryRun();
  ASSERT_FALSE(limited);
  EXPECT_EQ(limited.error().kind, ErrorKind::kWorkFailed);

  std::stop_source stop;
  stop.request_stop();
  endless.options.step_limit = 0;
  const auto cancelled = endless.tryRun(stop.get_token());
  ASSERT_FALSE(cancelled);
  EXPECT_EQ(cancelled.error().kind, ErrorKind::kCancelled);

  TimedLaunch illegal("mov.u64 %rd5, 16; st.global.u32 [%rd5], %r1;", 4, 64);
  const auto fault = illegal.tryRun();
  ASSERT_FALSE(fault);
  EXPECT_EQ(fault.error().kind, ErrorKind::kWorkFailed);
}

}  // namespace
}  // namespace warpscope::sim
