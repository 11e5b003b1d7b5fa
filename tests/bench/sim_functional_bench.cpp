// Measures how fast the simulated GPU executes without timing: million warp-instructions per second for an
// ALU loop and each of our kernels, on one thread and on all. Prints plain text; run by hand.
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <string>
#include <thread>

#include "kernels/execute/parameter_bytes.h"
#include "tests/support/simulated_program.h"

namespace warpscope::test {
namespace {

constexpr const char* kAluLoop = R"(
.version 7.8
.target sm_75
.address_size 64
.visible .entry alu(.param .u64 out, .param .u32 trips)
{
  .reg .pred %p<2>; .reg .b32 %r<20>; .reg .f32 %f<8>; .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [out];
  ld.param.u32 %r1, [trips];
  mov.u32 %r2, %tid.x;
  mov.u32 %r3, 0;
  mov.u32 %r4, 12345;
  cvt.rn.f32.u32 %f1, %r2;
  mov.f32 %f2, 0f3F7FF000;
LOOP:
  mad.lo.s32 %r4, %r4, %r2, %r3;
  xor.b32 %r5, %r4, %r2;
  shl.b32 %r6, %r5, 3;
  add.s32 %r4, %r6, %r4;
  fma.rn.f32 %f1, %f1, %f2, %f2;
  add.f32 %f3, %f1, %f2;
  mul.f32 %f1, %f3, %f2;
  and.b32 %r7, %r4, 255;
  add.s32 %r3, %r3, 1;
  setp.lt.u32 %p1, %r3, %r1;
  @%p1 bra LOOP;
  cvta.to.global.u64 %rd2, %rd1;
  mul.wide.u32 %rd3, %r2, 4;
  add.s64 %rd2, %rd2, %rd3;
  cvt.rzi.s32.f32 %r8, %f1;
  add.s32 %r7, %r7, %r8;
  st.global.u32 [%rd2], %r7;
  ret;
}
)";

struct Rate {
  double millions = 0;
  uint64_t instructions = 0;
};

// Repeats for at least a quarter of a second and returns the best rate.
template <class Run>
Rate measure(Run run) {
  Rate best;
  const auto begin = std::chrono::steady_clock::now();
  do {
    const auto before = std::chrono::steady_clock::now();
    const Expected<sim::FunctionalResult> result = run();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - before;
    if (!result) {
      fmt::print(stderr, "{}\n", result.error().message);
      std::exit(1);
    }
    best.instructions = result->warp_instructions;
    best.millions =
        std::max(best.millions, static_cast<double>(result->warp_instructions) / took.count() / 1e6);
  } while (std::chrono::steady_clock::now() - begin < std::chrono::milliseconds(250));
  return best;
}

DeviceLimits limits() {
  DeviceLimits limits;
  limits.compute_capability = {9, 0};
  limits.sm_count = 132;
  limits.max_threads_per_sm = 2048;
  limits.max_blocks_per_sm = 32;
  limits.registers_per_sm = limits.registers_per_block = 65536;
  limits.shared_bytes_per_sm = 228 << 10;
  limits.shared_bytes_per_block = 48 << 10;
  limits.shared_bytes_per_block_opt_in = 227 << 10;
  return limits;
}

void printRate(const std::string& name, const Rate& one, const Rate& all) {
  fmt::print("{:34} {:>12} {:>10.1f} {:>10.1f}\n", name, one.instructions, one.millions, all.millions);
}

int run(const std::string& filter) {
  fmt::print("{:34} {:>12} {:>10} {:>10}   M warp-instructions/s, {} hardware threads\n", "", "instructions",
             "1 thread", "all", std::thread::hardware_concurrency());
  if (filter.empty() || filter == "alu") {
    SimulatedProgram program(kAluLoop, "alu loop");
    const uint64_t out = program.allocate(4096);
    const auto launch = [&](uint32_t threads) {
      return measure([&] {
        return program.run("alu", {32, 1, 1}, {256, 1, 1},
                           {parameterBytes(out), parameterBytes(uint32_t{2000})}, {.threads = threads});
      });
    };
    printRate("ALU loop", launch(1), launch(0));
  }
  double logarithms = 0;
  int count = 0;
  for (const Experiment* experiment : allExperiments()) {
    for (const VariantInfo& variant : experiment->info().variants) {
      const std::string name = experiment->info().name + "/" + variant.name;
      if (!filter.empty() && name.find(filter) == std::string::npos) continue;
      RunRequest request;
      request.family = experiment->info().name;
      request.variant = variant.name;
      // Sizes as on a real GPU, since rates are of interest here, not the cost of a launch.
      const auto complete = completeRequest(experiment->info(), request, DeviceKind::kCuda);
      if (!complete) continue;
      const auto plan = experiment->plan(*complete, limits());
      if (!plan) continue;
      SimulatedPlan simulated(*plan, ProbeKind::kBare, std::vector<std::byte>(1));
      const Rate one = measure([&] { return simulated.run({.threads = 1}); });
      const Rate all = measure([&] { return simulated.run(); });
      printRate(name, one, all);
      logarithms += std::log(one.millions);
      ++count;
    }
  }
  if (count > 1) fmt::print("{:34} {:>12} {:>10.1f}\n", "geometric mean", "", std::exp(logarithms / count));
  return 0;
}

}  // namespace
}  // namespace warpscope::test

int main(int argc, char** argv) {
  return warpscope::test::run(argc > 1 ? argv[1] : "");
}
