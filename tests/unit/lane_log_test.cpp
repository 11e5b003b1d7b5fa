// The lane log of executed kernels, compared with theory: addresses of the banks and coalescing families,
// sources of shuffles, threads of lanes.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <numeric>
#include <set>

#include "kernels/access/access_shape.h"
#include "kernels/execute/lane_recorder.h"
#include "kernels/execute/parameter_bytes.h"
#include "kernels/sim/lanes/record_lanes.h"
#include "kernels/sim/sm/profile.h"
#include "tests/support/simulated_program.h"

namespace warpscope::test {
namespace {

DeviceDescription device() {
  return sim::describe(sim::bundledProfiles().front().value());
}

LaneLog record(const std::string& family, const std::string& variant, ParameterValues parameters,
               const LaneLogOptions& options = {}) {
  static LaneRecorder recorder;
  auto log = recorder.record({.family = family, .variant = variant, .parameters = std::move(parameters)},
                             device(), options, {});
  if (!log) {
    ADD_FAILURE() << log.error().message;
    return {};
  }
  return std::move(*log);
}

std::vector<MemoryRequest> requests(const LaneLog& log, AccessSpace space, bool reads) {
  std::vector<MemoryRequest> found;
  for (const LoggedWarp& warp : log.warps) {
    for (const MemoryRequest& request : warp.requests) {
      if (request.space == space && request.reads == reads) found.push_back(request);
    }
  }
  return found;
}

TEST(LaneLog, KnowsEachWarpOfTheFirstTwoBlocks) {
  const LaneLog log = record("banks", "stride", {{"block", 96}, {"size", 1000}, {"reads", 3}});
  ASSERT_EQ(log.warps.size(), 6U);
  EXPECT_EQ(log.grid, (Dim3{11}));
  EXPECT_EQ(log.ended_early, "");
  EXPECT_EQ(log.dropped(), 0U);
  const LoggedWarp* warp = log.find(BlockId{1}, 2);
  ASSERT_NE(warp, nullptr);
  EXPECT_EQ(warp->live, kFullMask);
  EXPECT_EQ(warp->threads[5], (ThreadIndex{69, 0, 0}));
  EXPECT_EQ(warp->block_index, (ThreadIndex{1, 0, 0}));
  EXPECT_EQ(warp->steps, warp->requests.size());
  EXPECT_EQ(log.find(BlockId{2}, 0), nullptr);
}

TEST(LaneLog, AStrideConflictsByItsGreatestCommonDivisorWith32) {
  for (uint32_t stride = 1; stride <= 33; ++stride) {
    SCOPED_TRACE(stride);
    const LaneLog log =
        record("banks", "stride", {{"block", 64}, {"size", 128}, {"reads", 4}, {"stride", stride}});
    const auto reads = requests(log, AccessSpace::kShared, true);
    EXPECT_EQ(reads.size(), 4U * 4U);  // for four warps
    for (const MemoryRequest& read : reads) {
      EXPECT_EQ(read.bytes, 4U);
      const sim::SharedShape shape = sim::sharedShape(read);
      EXPECT_EQ(shape.wavefronts, std::gcd(stride, 32U));
      EXPECT_EQ(shape.ideal, 1U);
      EXPECT_EQ(shape.words.size(), 32U);
    }
  }
}

TEST(LaneLog, WideElementsGoInHalvesAndQuartersOfAWarp) {
  for (const auto& [variant, turns] : {std::pair("stride_vec2", 2U), std::pair("stride_vec4", 4U)}) {
    for (const uint32_t stride : {1U, 3U, 4U, 16U, 32U}) {
      SCOPED_TRACE(stride);
      const LaneLog log =
          record("banks", variant, {{"block", 32}, {"size", 32}, {"reads", 1}, {"stride", stride}});
      const auto reads = requests(log, AccessSpace::kShared, true);
      ASSERT_EQ(reads.size(), 1U);
      EXPECT_EQ(reads[0].elements, turns);
      const sim::SharedShape shape = sim::sharedShape(reads[0]);
      EXPECT_EQ(shape.ideal, turns);
      EXPECT_EQ(shape.wavefronts, turns * std::gcd(stride, 32 / turns));
      EXPECT_EQ(shape.words.back().wavefront + 1, shape.wavefronts);
      const bool conflicts = std::ranges::any_of(shape.words, &sim::SharedWord::waits);
      EXPECT_EQ(conflicts, shape.wavefronts > turns) << "turns that wide elements need are not conflicts";
    }
  }
}

TEST(LaneLog, NoBankGivesTwoWordsInOneWavefront) {
  const LaneLog log = record("banks", "random", {{"block", 256}, {"size", 512}, {"reads", 8}});
  const auto reads = requests(log, AccessSpace::kShared, true);
  ASSERT_FALSE(reads.empty());
  for (const MemoryRequest& read : reads) {
    const sim::SharedShape shape = sim::sharedShape(read);
    std::set<std::pair<uint32_t, uint32_t>> taken;
    uint32_t lanes = 0;
    for (const sim::SharedWord& word : shape.words) {
      EXPECT_TRUE(taken.emplace(word.wavefront, word.bank).second);
      EXPECT_EQ(word.bank, word.word % 32);
      EXPECT_EQ(lanes & word.lanes.bits, 0U);
      lanes |= word.lanes.bits;
    }
    EXPECT_EQ(lanes, read.mask.bits);
    EXPECT_EQ(shape.words.back().wavefront + 1, shape.wavefronts);
  }
}

TEST(LaneLog, ABroadcastIsOneWordOfAllLanes) {
  const LaneLog log = record("banks", "broadcast", {{"block", 32}, {"size", 32}, {"reads", 1}});
  const auto reads = requests(log, AccessSpace::kShared, true);
  ASSERT_EQ(reads.size(), 1U);
  const sim::SharedShape shape = sim::sharedShape(reads[0]);
  ASSERT_EQ(shape.words.size(), 1U);
  EXPECT_EQ(shape.words[0].lanes, kFullMask);
  EXPECT_EQ(shape.most_lanes, 32U);
  EXPECT_EQ(shape.wavefronts, 1U);
}

sim::GlobalShape firstRead(const LaneLog& log) {
  const auto reads = requests(log, AccessSpace::kGlobal, true);
  EXPECT_FALSE(reads.empty());
  return reads.empty() ? sim::GlobalShape{} : sim::globalShape(reads.front());
}

TEST(LaneLog, OffsetsTouchAFifthSectorUnlessTheyAreWholeOnes) {
  for (int64_t offset = -2; offset < 32; ++offset) {
    SCOPED_TRACE(offset);
    const sim::GlobalShape shape =
        firstRead(record("coalescing", "offset", {{"block", 64}, {"size", 4096}, {"offset", offset}}));
    EXPECT_EQ(shape.sectors, offset % 8 == 0 ? 4U : 5U);
    EXPECT_EQ(shape.bytes_asked, 128U);
    EXPECT_EQ(shape.bytes_distinct, 128U);
    EXPECT_EQ(shape.bytes_moved, offset % 8 == 0 ? 128U : 160U);
    EXPECT_EQ(shape.lines.size(), offset % 32 == 0 ? 1U : 2U);
  }
}

TEST(LaneLog, StridesTouchUpToASectorALane) {
  for (uint32_t stride = 1; stride <= 32; ++stride) {
    SCOPED_TRACE(stride);
    const sim::GlobalShape shape =
        firstRead(record("coalescing", "stride", {{"block", 64}, {"size", 4096}, {"stride", stride}}));
    EXPECT_EQ(shape.sectors, std::min(32U, 4 * stride));
  }
}

TEST(LaneLog, PlacesAreElementsOfTheBuffers) {
  const LaneLog log = record("coalescing", "aligned", {{"block", 64}, {"size", 4096}});
  const LoggedWarp* warp = log.find(BlockId{1}, 1);
  ASSERT_NE(warp, nullptr);
  std::set<std::string> places;
  for (const MemoryRequest& request : warp->requests) places.insert(placeOf(log, request, 3));
  EXPECT_EQ(places, (std::set<std::string>{"in[99]", "out[99]"}));
  EXPECT_GT(lineOf(log, warp->requests.front().instruction), 0U);
  EXPECT_NE(textOf(log, warp->requests.front().instruction).find("ld.global"), std::string::npos);
}

const LaneExchange* firstExchange(const LaneLog& log, ExchangeKind kind) {
  for (const LoggedWarp& warp : log.warps) {
    for (const LaneExchange& exchange : warp.exchanges) {
      if (exchange.kind == kind) return &exchange;
    }
  }
  return nullptr;
}

// Width 2 is the choice of 8 lanes. The kernel makes lanes past a segment's end read themselves, at a
// distance of 0, which is in range.
TEST(LaneLog, AShuffleDownComesFromSoManyLanesAbove) {
  const LaneLog log =
      record("warp_primitives", "shfl_down", {{"block", 32}, {"size", 64}, {"width", 2}, {"distance", 3}});
  const LaneExchange* exchange = firstExchange(log, ExchangeKind::kShuffleDown);
  ASSERT_NE(exchange, nullptr);
  for (size_t lane = 0; lane < 32; ++lane) {
    if (!exchange->mask.has(static_cast<int>(lane))) continue;
    const size_t from = exchange->source[lane];
    EXPECT_TRUE(from == lane || (from == lane + 3 && from / 8 == lane / 8)) << lane << " from " << from;
    EXPECT_EQ(exchange->received[lane], exchange->given[from]);
  }
}

std::string kernelOf(const std::string& body) {
  return ".version 7.8\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 out) {\n"
         ".reg .pred %p<8>; .reg .b32 %r<32>; .reg .b64 %rd<16>;\n"
         "ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x;\n" +
         body + "\nret;\n}\n";
}

Expected<LaneLog> recordPtx(const std::string& body, Dim3 grid, Dim3 block,
                            const LaneLogOptions& options = {}) {
  SimulatedProgram program(kernelOf(body), "k");
  const uint64_t out = program.allocate(4096);
  const sim::Launch launch = program.launch("k", grid, block, {parameterBytes(out)});
  return sim::recordLanes(launch, options, {});
}

TEST(LaneLog, LanesPastTheSegmentsEndAreOutOfRange) {
  const auto log = recordPtx(
      "shfl.sync.down.b32 %r2, %r1, 4, 31, -1; shfl.sync.up.b32 %r3, %r1, 1, 0, -1;"
      "shfl.sync.bfly.b32 %r1, %r1, 16, 31, -1; shfl.sync.idx.b32 %r4|%p1, %r1, 9, 6175, -1;",
      {1}, {32});
  ASSERT_TRUE(log) << log.error().message;
  const auto& exchanges = log->warps.at(0).exchanges;
  ASSERT_EQ(exchanges.size(), 4U);
  EXPECT_EQ(exchanges[0].in_range.bits, 0x0FFFFFFFU);
  EXPECT_EQ(exchanges[0].source[3], 7);
  EXPECT_EQ(exchanges[0].source[30], 30);
  EXPECT_EQ(exchanges[1].in_range.bits, 0xFFFFFFFEU);
  EXPECT_EQ(exchanges[1].source[31], 30);
  // The destination is also the source: `given` holds the previous value.
  EXPECT_EQ(exchanges[2].given[5], 5U);
  EXPECT_EQ(exchanges[2].received[5], 21U);
  EXPECT_EQ(exchanges[2].source[5], 21);
  // Segments of 8 lanes: lane 9 of each is its second.
  EXPECT_EQ(exchanges[3].source[20], 17);
  EXPECT_EQ(exchanges[3].in_range, kFullMask);
  EXPECT_EQ(exchanges[3].received[20], 1U);
}

TEST(LaneLog, AVoteTellsWhoBroughtATruePredicate) {
  const auto log = recordPtx(
      "setp.lt.u32 %p1, %r1, 5; vote.sync.ballot.b32 %r2, %p1, -1;"
      "vote.sync.any.pred %p2, !%p1, -1; activemask.b32 %r3;",
      {1}, {16});
  ASSERT_TRUE(log) << log.error().message;
  const auto& exchanges = log->warps.at(0).exchanges;
  ASSERT_EQ(exchanges.size(), 3U);
  EXPECT_EQ(exchanges[0].kind, ExchangeKind::kBallot);
  EXPECT_EQ(exchanges[0].mask.bits, 0xFFFFU);
  EXPECT_EQ(exchanges[0].predicate.bits, 0x1FU);
  EXPECT_EQ(exchanges[0].received[7], 0x1FU);
  EXPECT_EQ(exchanges[1].kind, ExchangeKind::kVoteAny);
  EXPECT_EQ(exchanges[1].predicate.bits, 0xFFE0U);
  EXPECT_EQ(exchanges[1].received[0], 1U);
  EXPECT_EQ(exchanges[2].received[15], 0xFFFFU);
}

TEST(LaneLog, ABlockOf40By2ThreadsIsThreeWarpsOfWhichOneIsHalf) {
  const auto log = recordPtx("", {1}, {40, 2});
  ASSERT_TRUE(log) << log.error().message;
  ASSERT_EQ(log->warps.size(), 3U);
  EXPECT_EQ(log->warps[0].threads[31], (ThreadIndex{31, 0, 0}));
  EXPECT_EQ(log->warps[1].threads[7], (ThreadIndex{39, 0, 0}));
  EXPECT_EQ(log->warps[1].threads[8], (ThreadIndex{0, 1, 0}));
  EXPECT_EQ(log->warps[2].live.bits, 0xFFFFU);
  EXPECT_EQ(log->warps[2].threads[15], (ThreadIndex{39, 1, 0}));
}

TEST(LaneLog, BlocksThatWaitForTheWholeGridGetIt) {
  // Each block adds one and waits until all 40 have done so.
  const auto log = recordPtx(
      "setp.ne.u32 %p1, %r1, 0; @%p1 bra DONE; atom.global.add.u32 %r2, [%rd1], 1;"
      "WAIT: ld.volatile.global.u32 %r3, [%rd1]; setp.lt.u32 %p2, %r3, 40; @%p2 bra WAIT;"
      "DONE: bar.sync 0; st.global.u32 [%rd1+4], %r1;",
      {40}, {64});
  ASSERT_TRUE(log) << log.error().message;
  EXPECT_EQ(log->ended_early, "");
  EXPECT_EQ(log->warps.size(), 4U);
  for (const LoggedWarp& warp : log->warps) {
    ASSERT_FALSE(warp.requests.empty());
    EXPECT_TRUE(warp.requests.back().writes);
  }
}

TEST(LaneLog, AWarpKeepsNoMoreThanItsShare) {
  const auto log = recordPtx(
      "mov.u32 %r2, 0; L: ld.global.u32 %r3, [%rd1]; add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 5000;"
      "@%p1 bra L;",
      {4}, {32}, {.limit = 200});
  ASSERT_TRUE(log) << log.error().message;
  for (const LoggedWarp& warp : log->warps) {
    EXPECT_EQ(warp.requests.size(), 100U);
    EXPECT_GT(warp.dropped, 0U);
  }
  EXPECT_NE(log->ended_early, "");
}

TEST(LaneLog, AFaultKeepsWhatWasThere) {
  const auto log =
      recordPtx("ld.global.u32 %r2, [%rd1]; mov.u64 %rd2, 64; st.global.u32 [%rd2], %r2;", {1}, {32});
  ASSERT_TRUE(log) << log.error().message;
  EXPECT_EQ(log->warps.at(0).requests.size(), 2U);
  EXPECT_NE(log->ended_early.find("0x40"), std::string::npos) << log->ended_early;
}

TEST(LaneLog, ARunOfOtherSourceIsRefused) {
  warpscope::Run run;
  run.request = {.family = "banks", .variant = "broadcast"};
  run.device = device();
  run.source_file = "kernels/experiments/banks/banks.cu";
  run.source = std::make_shared<const std::string>("something else");
  LaneRecorder recorder;
  const auto log = recorder.record(run, {}, {});
  ASSERT_FALSE(log);
  EXPECT_EQ(log.error().kind, ErrorKind::kBadRequest);
  EXPECT_NE(log.error().message.find("another version"), std::string::npos);
}

}  // namespace
}  // namespace warpscope::test
