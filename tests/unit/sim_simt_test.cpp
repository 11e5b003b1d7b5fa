// Divergence, waiting and faults in the simulated GPU's functional executor, tested by small PTX kernels.
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "kernels/execute/parameter_bytes.h"
#include "tests/support/simulated_program.h"

namespace warpscope::test {
namespace {

std::string kernel(const std::string& body) {
  return ".version 7.8\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 out) {\n"
         ".reg .pred %p<8>; .reg .b32 %r<32>; .reg .b64 %rd<16>;\n"
         "ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, "
         "%rd2;\n" +
         body + "\nret;\n}\n";
}

Expected<sim::FunctionalResult> run(SimulatedProgram& program, uint64_t out, uint32_t threads,
                                    const sim::FunctionalOptions& options = {}) {
  return program.run("k", {1, 1, 1}, {threads, 1, 1}, {parameterBytes(out)}, options);
}

TEST(SimSimt, LanesLeaveALoopOneByOne) {
  SimulatedProgram program(
      kernel("mov.u32 %r2, 0; L: add.u32 %r2, %r2, 1; setp.le.u32 %p1, %r2, %r1; @%p1 bra L;"
             "activemask.b32 %r3; st.global.u32 [%rd3], %r2; st.global.u32 [%rd3+128], %r3;"),
      "loop");
  const uint64_t out = program.allocate(256);
  const auto result = run(program, out, 32);
  ASSERT_TRUE(result) << result.error().message;
  for (uint32_t i = 0; i < 32; ++i) {
    EXPECT_EQ(program.host<uint32_t>(out, 64)[i], i + 1);
    EXPECT_EQ(program.host<uint32_t>(out, 64)[32 + i], 0xFFFFFFFFU);  // reconverged
  }
}

// As on an H100: the others do not wait for those that leave, and all meet behind the loop.
TEST(SimSimt, LanesThatStayInALoopMeetInEachTrip) {
  SimulatedProgram program(
      kernel("mov.u32 %r2, 0; mov.u32 %r4, 0; mov.u32 %r6, 0; and.b32 %r3, %r1, 1; setp.eq.u32 %p1, %r3, 0;"
             "L: @%p1 bra M; setp.eq.u32 %p2, %r2, %r1; @%p2 bra OUT; add.u32 %r4, %r4, 1;"
             "M: activemask.b32 %r5; popc.b32 %r5, %r5; add.u32 %r6, %r6, %r5; add.u32 %r2, %r2, 1;"
             "setp.lt.u32 %p3, %r2, 8; @%p3 bra L;"
             "OUT: activemask.b32 %r7; st.global.u32 [%rd3], %r6; st.global.u32 [%rd3+128], %r7;"),
      "leave");
  const uint64_t out = program.allocate(256);
  const auto result = run(program, out, 32);
  ASSERT_TRUE(result) << result.error().message;
  const uint32_t* words = program.host<uint32_t>(out, 64);
  EXPECT_EQ(words[0], 32U + 31 + 31 + 30 + 30 + 29 + 29 + 28) << "lanes 1, 3, 5 and 7 leave one by one";
  EXPECT_EQ(words[3], 32U + 31 + 31);
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(words[32 + i], 0xFFFFFFFFU);
}

// Sums of floats depend on their order, which must not depend on the host.
TEST(SimSimt, FloatAtomicsGiveTheSameBitsAlways) {
  SimulatedProgram program(
      kernel("mov.u32 %r2, %ctaid.x; mad.lo.u32 %r3, %r2, 977, %r1; mul.lo.u32 %r3, %r3, 2654435761;"
             "shr.u32 %r4, %r3, 9; cvt.rn.f32.u32 %r4, %r4; and.b32 %r5, %r3, 15;"
             "cvt.rn.f32.u32 %r5, %r5; ex2.approx.f32 %r5, %r5; mul.f32 %r4, %r4, %r5;"
             "atom.global.add.f32 %r6, [%rd1+4096], %r4; red.global.add.f32 [%rd1+4100], %r6;"
             "st.global.u32 [%rd3], %r6;"),
      "sums");
  std::vector<uint32_t> first;
  for (const uint32_t threads : {1U, 2U, 3U, 8U, 8U}) {
    const uint64_t out = program.allocate(8192);
    const auto result =
        program.run("k", {50, 1, 1}, {256, 1, 1}, {parameterBytes(out)}, {.threads = threads});
    ASSERT_TRUE(result) << result.error().message;
    const uint32_t* words = program.host<uint32_t>(out, 2048);
    const std::vector<uint32_t> sums(words + 1024, words + 1026);
    if (first.empty()) first = sums;
    EXPECT_EQ(sums, first) << threads << " threads";
    EXPECT_NE(sums[0], 0U);
  }
}

TEST(SimSimt, ALaunchCanBeCancelled) {
  SimulatedProgram program(kernel("L: add.u32 %r1, %r1, 1; st.global.u32 [%rd1], %r1; bra L;"), "cancel");
  const uint64_t out = program.allocate(128);
  for (const bool before : {true, false}) {
    std::stop_source stop;
    if (before) stop.request_stop();
    std::jthread later([&stop] {
      std::this_thread::sleep_for(std::chrono::milliseconds(30));
      stop.request_stop();
    });
    const auto result = program.run("k", {100, 1, 1}, {128, 1, 1}, {parameterBytes(out)}, {.threads = 2}, 0,
                                    stop.get_token());
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().kind, ErrorKind::kCancelled) << result.error().message;
  }
}

// The format and "text" as bytes; the arguments as nvcc lays them out, with those of 8 bytes aligned.
TEST(SimSimt, EachLanePrints) {
  const std::string bytes_of_format = [] {
    std::string list;
    for (const char c : std::string("%d|%5.2f|%s|%lld|%x|%c|%%|%u\n")) list += std::to_string(c) + ",";
    return list + "0";
  }();
  SimulatedProgram program(
      ".version 7.8\n.target sm_75\n.address_size 64\n"
      ".extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);\n"
      ".global .align 1 .b8 format[] = {" +
          bytes_of_format +
          "};\n.global .align 1 .b8 word[5] = {116, 101, 120, 116, 0};\n"
          ".visible .entry k(.param .u64 out) { .local .align 8 .b8 args[56]; .reg .b32 %r<8>;"
          ".reg .b64 %rd<8>; .reg .pred %p; mov.u32 %r1, %tid.x; sub.u32 %r2, 2, %r1; mov.u64 %rd1, args;"
          "ld.param.u64 %rd6, [out];"
          "cvta.local.u64 %rd2, %rd1; st.local.u32 [%rd1], %r2; cvt.rn.f64.s32 %rd3, %r2;"
          "div.rn.f64 %rd3, %rd3, 0d4008000000000000; st.local.f64 [%rd1+8], %rd3; mov.u64 %rd4, word;"
          "cvta.global.u64 %rd4, %rd4; st.local.u64 [%rd1+16], %rd4; st.local.u64 [%rd1+24], -5000000000;"
          "st.local.u32 [%rd1+32], 48879; st.local.u32 [%rd1+36], 65; st.local.u32 [%rd1+40], %r1;"
          "setp.lt.u32 %p, %r1, 3; mov.u64 %rd5, format; cvta.global.u64 %rd5, %rd5; @!%p bra DONE;"
          "{ .param .b64 a; .param .b64 b; .param .b32 r; st.param.b64 [a], %rd5; st.param.b64 [b], %rd2;"
          "call (r), vprintf, (a, b); ld.param.b32 %r3, [r]; }"
          "mul.wide.u32 %rd7, %r1, 4; add.s64 %rd6, %rd6, %rd7; st.global.u32 [%rd6], %r3; DONE: ret; }",
      "print");
  const uint64_t out = program.allocate(128);
  const auto result = run(program, out, 32);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(program.printed,
            "2| 0.67|text|-5000000000|beef|A|%|0\n1| 0.33|text|-5000000000|beef|A|%|1\n"
            "0| 0.00|text|-5000000000|beef|A|%|2\n");
  // CUDA's printf() returns the number of its arguments (CUDA C++ Programming Guide, "Formatted Output").
  for (uint32_t i = 0; i < 3; ++i) EXPECT_EQ(program.host<uint32_t>(out, 4)[i], 7U);
}

// Lanes 3 and 5 set conditions; what the launch allows, its owner says.
constexpr const char* kSetsConditions =
    ".version 7.8\n.target sm_75\n.address_size 64\n"
    ".extern .func cudaGraphSetConditional (.param .b64 handle, .param .b32 value);\n"
    ".visible .entry k(.param .u64 out) { .reg .b32 %r<4>; .reg .b64 %rd<4>; .reg .pred %p<3>;"
    "mov.u32 %r1, %tid.x; setp.ne.u32 %p1, %r1, 3; setp.ne.and.u32 %p2, %r1, 5, %p1; @%p2 bra DONE;"
    "cvt.u64.u32 %rd1, %r1; add.s64 %rd1, %rd1, 25769803776; mul.lo.u32 %r2, %r1, 7;"
    "{ .param .b64 a; .param .b32 b; st.param.b64 [a], %rd1; st.param.b32 [b], %r2;"
    "call.uni cudaGraphSetConditional, (a, b); } DONE: ret; }";

TEST(SimSimt, KernelsSetTheConditionsOfGraphs) {
  SimulatedProgram program(kSetsConditions, "conditions");
  auto launch = program.launch("k", {1}, {32}, {parameterBytes(program.allocate(8))});
  std::vector<std::pair<uint64_t, uint32_t>> set;
  launch.set_condition = [&](uint64_t handle, uint32_t value) {
    set.emplace_back(handle, value);
    return std::string();
  };
  const auto result = sim::runFunctional(launch, {}, {});
  ASSERT_TRUE(result) << result.error().message;
  const std::vector<std::pair<uint64_t, uint32_t>> expected{{0x6'0000'0003, 21}, {0x6'0000'0005, 35}};
  EXPECT_EQ(set, expected);
}

TEST(SimSimt, ConditionsThatALaunchMayNotSetAreAFault) {
  SimulatedProgram program(kSetsConditions, "conditions");
  auto launch = program.launch("k", {1}, {32}, {parameterBytes(program.allocate(8))});
  const auto outside = sim::runFunctional(launch, {}, {});
  ASSERT_FALSE(outside);
  EXPECT_NE(outside.error().message.find("cudaGraphSetConditional: the launch is in no graph"),
            std::string::npos)
      << outside.error().message;
  launch.set_condition = [](uint64_t, uint32_t) { return std::string("not this one"); };
  const auto refused = sim::runFunctional(launch, {}, {});
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("cudaGraphSetConditional: not this one"), std::string::npos);
  EXPECT_NE(refused.error().message.find("thread (3,0,0)"), std::string::npos) << refused.error().message;
}

TEST(SimSimt, CallsWithoutEndAreAFault) {
  SimulatedProgram program(
      ".version 7.8\n.target sm_75\n.address_size 64\n"
      ".func (.param .b32 r) deep(.param .b32 n) { .reg .b32 %n; ld.param.u32 %n, [n]; add.u32 %n, %n, 1;"
      "{ .param .b32 a; .param .b32 b; st.param.b32 [a], %n; call (b), deep, (a); ld.param.b32 %n, [b]; }"
      "st.param.b32 [r], %n; ret; }\n"
      ".visible .entry k(.param .u64 out) { .reg .b32 %n; { .param .b32 a; .param .b32 b;"
      "st.param.b32 [a], 0; call (b), deep, (a); ld.param.b32 %n, [b]; } ret; }",
      "deep");
  const auto result = run(program, program.allocate(128), 32);
  ASSERT_FALSE(result);
  EXPECT_NE(result.error().message.find("stack overflow"), std::string::npos) << result.error().message;
}

TEST(SimSimt, WhatCannotBeIsAFaultNotACrash) {
  const std::pair<const char*, const char*> broken[] = {
      {"T: .branchtargets A, B; mov.u32 %r2, 2; brx.idx %r2, T; A: B:", "brx.idx: index 2 of 2 targets"},
      {"P: .callprototype _ (); mov.u64 %rd4, 48; call %rd4, P;", "which is not a function"},
      {"bar.sync %r1;", "barrier 16: a block has 16 of them"},
      {"mbarrier.init.b64 [%rd1], 1;", "an mbarrier outside shared memory"},
      {".shared .b64 b; mbarrier.init.shared.b64 [b], 0;", "mbarrier: a count of 0"},
      {".shared .b64 b; mbarrier.init.shared.b64 [b], 1; mbarrier.arrive.shared.b64 %rd4, [b], 2;",
       "2 more arrivals than the 1 that are pending"},
      {"setp.gt.u32 %p1, %r1, 7; @%p1 trap;", "thread (8,0,0)"},
      {"atom.shared.add.u32 %r2, [0], 1;", "illegal address"},
      {"ld.local.u32 %r2, [4096];", "illegal address"},
      {"atom.global.add.u32 %r2, [%rd1+2], 1;", "misaligned address"},
      {"ld.global.v4.u32 {%r2, %r3, %r4, %r5}, [%rd1+8];", "misaligned address"},
  };
  for (const auto& [body, message] : broken) {
    SimulatedProgram program(kernel(body), "broken.ptx");
    const auto result = run(program, program.allocate(256), 32, {.step_limit = 100'000});
    ASSERT_FALSE(result) << body;
    EXPECT_NE(result.error().message.find(message), std::string::npos)
        << body << ": " << result.error().message;
  }
}

TEST(SimSimt, FaultsNameTheirPlace) {
  SimulatedProgram program(kernel("st.global.u32 [%rd3+1073741824], %r1;"), "fault.ptx");
  auto result = run(program, program.allocate(128), 32);
  ASSERT_FALSE(result);
  EXPECT_NE(result.error().message.find("illegal address: 4 bytes at global address"), std::string::npos);
  EXPECT_NE(result.error().message.find("block (0,0,0), thread (0,0,0)"), std::string::npos);
  SimulatedProgram odd(kernel("st.global.u32 [%rd3+2], %r1;"), "odd.ptx");
  result = run(odd, odd.allocate(256), 32);
  ASSERT_FALSE(result);
  EXPECT_NE(result.error().message.find("misaligned address"), std::string::npos);
}

TEST(SimSimt, ADeadlockTellsWhoWaitsWhere) {
  SimulatedProgram program(kernel("setp.lt.u32 %p1, %r1, 32; @%p1 bar.sync 1, 128;"), "deadlock");
  const auto result = run(program, program.allocate(128), 64);
  ASSERT_FALSE(result);
  EXPECT_NE(result.error().message.find("deadlock in kernel k"), std::string::npos);
  EXPECT_NE(result.error().message.find("warp 0, lanes 0-31: at barrier 1"), std::string::npos);
}

TEST(SimSimt, AnEndlessKernelMeetsTheStepLimit) {
  SimulatedProgram program(kernel("L: bra L;"), "endless");
  const auto result = run(program, program.allocate(128), 32, {.step_limit = 100'000});
  ASSERT_FALSE(result);
  EXPECT_NE(result.error().message.find("still runs after 100000 warp-instructions"), std::string::npos);
}

}  // namespace
}  // namespace warpscope::test
