// Calls per second of individual handlers (simt/alu) on full and partial masks: they limit the functional
// simulator's speed on arithmetic.
#include <benchmark/benchmark.h>

#include <array>
#include <cstdint>
#include <string>

#include "kernels/sim/simt/decode.h"

namespace {

using namespace warpscope;
using ptx::Op;
using ptx::Type;

struct Case {
  std::string name;
  ptx::Instruction instruction;
};

Case make(std::string name, Op op, std::array<Type, 3> types, ptx::Modifiers modifiers = {}) {
  Case made;
  made.name = std::move(name);
  made.instruction.op = op;
  made.instruction.types = types;
  made.instruction.modifiers = modifiers;
  return made;
}

std::vector<Case> cases() {
  using ptx::Modifiers;
  Modifiers rn;
  rn.rounding = ptx::Rounding::kRn;
  Modifiers rz;
  rz.rounding = ptx::Rounding::kRz;
  Modifiers less;
  less.compare = ptx::Compare::kLt;
  Modifiers wide;
  wide.part = ptx::Part::kWide;
  Modifiers approx;
  approx.approx = true;
  Modifiers down;
  down.shuffle = ptx::ShuffleMode::kDown;
  Modifiers rzi;
  rzi.rounding = ptx::Rounding::kRzi;
  return {
      make("mov.u32", Op::kMov, {Type::kU32}),
      make("add.s32", Op::kAdd, {Type::kS32}),
      make("add.s64", Op::kAdd, {Type::kS64}),
      make("mad.lo.s32", Op::kMad, {Type::kS32}),
      make("mul.wide.u32", Op::kMul, {Type::kU32}, wide),
      make("rem.u32", Op::kRem, {Type::kU32}),
      make("lop3.b32", Op::kLop3, {Type::kB32}),
      make("shl.b32", Op::kShl, {Type::kB32}),
      make("setp.lt.u32", Op::kSetp, {Type::kU32}, less),
      make("setp.lt.f32", Op::kSetp, {Type::kF32}, less),
      make("selp.b32", Op::kSelp, {Type::kB32}),
      make("fma.rn.f32", Op::kFma, {Type::kF32}, rn),
      make("fma.rn.f64", Op::kFma, {Type::kF64}, rn),
      make("add.rz.f32", Op::kAdd, {Type::kF32}, rz),
      make("div.rn.f32", Op::kDiv, {Type::kF32}, rn),
      make("fma.rn.f16x2", Op::kFma, {Type::kF16x2}, rn),
      make("cvt.rn.f32.s32", Op::kCvt, {Type::kF32, Type::kS32}, rn),
      make("cvt.rzi.s32.f32", Op::kCvt, {Type::kS32, Type::kF32}, rzi),
      make("cvt.rn.f16.f32", Op::kCvt, {Type::kF16, Type::kF32}, rn),
      make("ex2.approx.f32", Op::kEx2, {Type::kF32}, approx),
      make("sin.approx.f32", Op::kSin, {Type::kF32}, approx),
      make("shfl.sync.down.b32", Op::kShfl, {Type::kB32}, down),
  };
}

struct Frame {
  alignas(128) std::array<uint32_t, 32 * 16> rows{};
  std::array<uint32_t, 4> predicates{};
};

sim::Instruction decoded(const ptx::Instruction& parsed, sim::Handler handler) {
  sim::Instruction instruction;
  instruction.handler = handler;
  instruction.op = parsed.op;
  instruction.type = parsed.types[0];
  instruction.type2 = parsed.types[1];
  instruction.modifiers = parsed.modifiers;
  instruction.source_count = 4;
  instruction.immediate = 0xE8;
  instruction.destinations[0] = {0};
  instruction.predicate_destinations[0] = 1;
  instruction.predicate_sources[0] = 2;
  for (int32_t i = 0; i < 4; ++i) instruction.sources[static_cast<size_t>(i)] = {2 * i + 2};
  return instruction;
}

void run(benchmark::State& state, const ptx::Instruction& parsed, sim::Handler handler, uint32_t mask) {
  static Frame frame;
  for (uint32_t i = 0; i < frame.rows.size(); ++i) frame.rows[i] = 0x3F800000U + i * 7919U;
  sim::Instruction instruction = decoded(parsed, handler);
  const sim::Registers registers{frame.rows.data(), nullptr, frame.predicates.data()};
  for (auto _ : state) {
    benchmark::DoNotOptimize(instruction.handler);
    instruction.handler(instruction, registers, mask);
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations());
}

}  // namespace

int main(int argc, char** argv) {
  for (const Case& one : cases()) {
    const sim::Handler handler = sim::selectHandler(one.instruction);
    const sim::Handler portable = sim::selectPortableHandler(one.instruction);
    const auto add = [&](const std::string& how, sim::Handler called, uint32_t mask) {
      benchmark::RegisterBenchmark(
          (one.name + "/" + how).c_str(),
          [one, called, mask](benchmark::State& state) { run(state, one.instruction, called, mask); });
    };
    add("full", handler, 0xFFFFFFFFU);
    add("half", handler, 0x0F0F0F0FU);
    if (handler != portable) add("portable", portable, 0xFFFFFFFFU);
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
