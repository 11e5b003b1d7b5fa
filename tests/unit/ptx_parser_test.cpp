// The PTX parser: how it represents valid text, field by field, and what it reports about invalid text.
#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "kernels/sim/ptx/opcode_match.h"
#include "kernels/sim/ptx/parser.h"

namespace warpscope::ptx {
namespace {

constexpr const char* kHead = ".version 8.4\n.target sm_90\n.address_size 64\n";
constexpr const char* kRegisters =
    ".reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>; .reg .f64 "
    "%fd<9>;\n";

// The body is on line 6.
std::string kernelText(const std::string& body, const std::string& module_scope = "") {
  return kHead + module_scope + ".entry k(.param .u64 out)\n{ " + kRegisters + body + "\nret;\n}\n";
}

Module parsed(const std::string& text) {
  const Expected<Module> module = parseModule(text, "t.ptx");
  EXPECT_TRUE(module.has_value()) << module.error().message << "\n" << text;
  return module.value_or(Module{});
}

std::string errorOf(const std::string& text) {
  const Expected<Module> module = parseModule(text, "t.ptx");
  EXPECT_FALSE(module.has_value()) << text;
  if (module) return {};
  EXPECT_EQ(module.error().kind, ErrorKind::kBadRequest);
  return module.error().message;
}

Instruction only(const std::string& statement, const std::string& module_scope = "") {
  const Module module = parsed(kernelText(statement, module_scope));
  if (module.functions.empty() || module.functions.back().instructions.size() != 2) {
    ADD_FAILURE() << statement;
    return {};
  }
  return module.functions.back().instructions[0];
}

void expectRefused(const std::string& statement, const std::string& why) {
  const std::string message = errorOf(kernelText(statement));
  EXPECT_TRUE(message.starts_with("t.ptx:6: ")) << message;
  EXPECT_NE(message.find(why), std::string::npos) << message;
}

TEST(PtxParser, TheTableHasNoMistakes) {
  EXPECT_EQ(mistakesInOpcodeTable(), std::vector<std::string>{});
  std::set<std::string> formatted;
  for (const OpcodeEntry& entry : opcodeTable()) {
    EXPECT_EQ(&opcodeTable()[indexInOpcodeTable(entry)], &entry);
    EXPECT_TRUE(formatted.insert(formatEntry(entry)).second) << formatEntry(entry);
  }
}

TEST(PtxParser, ListsAnEntryAsPtxWritesIt) {
  std::set<std::string> formatted;
  for (const OpcodeEntry& entry : opcodeTable()) formatted.insert(formatEntry(entry));
  for (const char* expected :
       {"add{.sat}.s32 d, a, b", "mul.wide(.u16|.u32|.s16|.s32) d, a, b",
        "shf(.l|.r)(.clamp|.wrap).b32 d, a, b, c", "shfl.sync(.up|.down|.bfly|.idx).b32 d{|p}, a, b, c, e",
        "exit", "mov(.b16|.b32|.b64|.b128) d, {a, ...}"}) {
    EXPECT_TRUE(formatted.contains(expected)) << expected;
  }
}

TEST(PtxParser, ReadsTheCommittedModules) {
  size_t count = 0;
  for (const auto& file : std::filesystem::directory_iterator(WARPSCOPE_SOURCE_FOLDER "/assets/ptx")) {
    if (file.path().extension() != ".ptx") continue;
    std::stringstream text;
    text << std::ifstream(file.path()).rdbuf();
    const Expected<ModuleReport> report = reportModule(text.str(), file.path().filename());
    ASSERT_TRUE(report.has_value()) << report.error().message;
    EXPECT_TRUE(report->unsupported.empty()) << file.path() << ": " << report->unsupported.front().what;
    const std::string name = file.path().stem().string();
    EXPECT_EQ(report->module.target, name.ends_with("_sm80")   ? "sm_80"
                                     : name.ends_with("_sm90") ? "sm_90"
                                                               : "sm_75");
    EXPECT_FALSE(report->module.functions.empty());
    ++count;
  }
  EXPECT_GE(count, 4U);
}

TEST(PtxParser, KeepsWhatAModuleSaysOfItself) {
  const Module module =
      parsed(std::string(".version 8.4\n.target sm_90a, debug\n.address_size 64\n") +
             ".file 2 \"a/b.cu\", 123, 456\n.section .debug_str { $L: .b8 1,2\n .b64 .debug_line }\n"
             ".pragma \"nounroll\";\n.visible .entry k() .maxntid 64, 2, 1 .minnctapersm 2 { exit; }");
  EXPECT_EQ(module.name, "t.ptx");
  EXPECT_EQ(module.version, "8.4");
  EXPECT_EQ(module.target, "sm_90a");
  EXPECT_EQ(module.files.at(2), "a/b.cu");
  ASSERT_EQ(module.functions.size(), 1U);
  EXPECT_TRUE(module.functions[0].is_entry);
  EXPECT_EQ(module.functions[0].max_threads_per_block, 128U);
  EXPECT_EQ(module.functions[0].min_blocks_per_sm, 2U);
  EXPECT_FALSE(module.functions[0].max_registers.has_value());
  EXPECT_EQ(parsed(".version 7.8\n.target sm_75\n.address_size 64\n.visible .entry k() .maxnreg 40 { exit; }")
                .functions[0]
                .max_registers,
            40U);
  ASSERT_EQ(module.functions[0].instructions.size(), 1U);
  EXPECT_EQ(module.functions[0].instructions[0].op, Op::kExit);
}

TEST(PtxParser, ReadsModifiersTypesAndText) {
  const Instruction fma = only("@!%p1 fma.rn.ftz.sat.f32  %f1, %f2, // a comment\n 0f3F800000, 0.5;");
  EXPECT_EQ(fma.op, Op::kFma);
  EXPECT_EQ(fma.types[0], Type::kF32);
  EXPECT_EQ(fma.modifiers.rounding, Rounding::kRn);
  EXPECT_TRUE(fma.modifiers.ftz && fma.modifiers.sat);
  EXPECT_EQ(fma.guard.kind, Operand::Kind::kRegister);
  EXPECT_TRUE(fma.guard.negated);
  EXPECT_EQ(fma.operands[2].bits, 0x3F800000U);
  EXPECT_EQ(fma.operands[3].bits, std::bit_cast<uint32_t>(0.5F));
  EXPECT_EQ(fma.text, "@!%p1 fma.rn.ftz.sat.f32 %f1, %f2, 0f3F800000, 0.5;");
  EXPECT_EQ(fma.ptx_line, 6U);
  EXPECT_STREQ(fma.entry->name, "fma");

  const Instruction load = only("ld.global.nc.L1::no_allocate.L2::128B.v4.f32 {%f1,_,%f3,%f4}, [%rd1+-16];");
  EXPECT_EQ(load.op, Op::kLd);
  EXPECT_EQ(load.space, Space::kGlobal);
  EXPECT_EQ(load.modifiers.vector, 4);
  EXPECT_EQ(load.modifiers.cache, CacheOp::kNc);
  ASSERT_EQ(load.operands[0].parts.size(), 4U);
  EXPECT_EQ(load.operands[0].parts[1].kind, Operand::Kind::kSink);
  EXPECT_TRUE(load.operands[1].has_base);
  EXPECT_EQ(load.operands[1].offset, -16);

  const Instruction atom = only("atom.acq_rel.gpu.shared::cta.cas.b32 %r1, [%rd1], %r2, 7;");
  EXPECT_EQ(atom.space, Space::kShared);
  EXPECT_EQ(atom.modifiers.semantics, Semantics::kAcqRel);
  EXPECT_EQ(atom.modifiers.scope, Scope::kGpu);
  EXPECT_EQ(atom.modifiers.atom_op, AtomOp::kCas);

  const Instruction convert = only("cvt.rzi.ftz.sat.s32.f32 %r1, %f1;");
  EXPECT_EQ(convert.types[0], Type::kS32);
  EXPECT_EQ(convert.types[1], Type::kF32);
}

// ptxas accepts modifiers in any order.
TEST(PtxParser, TakesModifiersInAnyOrder) {
  EXPECT_EQ(only("ld.u32.volatile.global %r1, [%rd1];").modifiers.semantics, Semantics::kVolatile);
  EXPECT_TRUE(only("add.s32.sat %r1, %r2, %r3;").modifiers.sat);
}

TEST(PtxParser, TellsBarriersApart) {
  const Instruction bar = only("bar.sync 0, 64;");
  EXPECT_TRUE(bar.modifiers.aligned);
  EXPECT_EQ(bar.modifiers.bar, BarKind::kSync);
  const Instruction barrier = only("barrier.cta.sync 1;");
  EXPECT_FALSE(barrier.modifiers.aligned);
  EXPECT_EQ(barrier.operands.size(), 1U);
  EXPECT_TRUE(only("barrier.sync.aligned 1;").modifiers.aligned);
  EXPECT_EQ(only("bar.arrive 1, 64;").modifiers.bar, BarKind::kArrive);
  const Instruction red = only("bar.red.or.pred %p1, 0, 64, !%p2;");
  EXPECT_EQ(red.modifiers.bar, BarKind::kRed);
  EXPECT_EQ(red.modifiers.bool_op, BoolOp::kOr);
  EXPECT_TRUE(red.operands[3].negated);
}

TEST(PtxParser, GivesSecondDestinationsAPlace) {
  EXPECT_EQ(only("setp.lt.s32 %p1, %r1, 3;").operands[1].kind, Operand::Kind::kSink);
  const Instruction both = only("setp.ltu.and.f32 %p1|%p2, %f1, %f2, !%p3;");
  EXPECT_EQ(both.operands[1].kind, Operand::Kind::kRegister);
  EXPECT_EQ(both.modifiers.compare, Compare::kLtu);
  EXPECT_EQ(both.modifiers.bool_op, BoolOp::kAnd);
  ASSERT_EQ(both.operands.size(), 5U);
  EXPECT_TRUE(both.operands[4].negated);
  EXPECT_EQ(only("elect.sync _|%p1, -1;").operands[0].kind, Operand::Kind::kSink);
}

TEST(PtxParser, TellsTheKindsOfMovApart) {
  EXPECT_EQ(only("mov.b32 %r1, %r2;").op, Op::kMov);
  EXPECT_EQ(only("mov.b64 %rd1, {%r1, %r2};").op, Op::kMovePack);
  EXPECT_EQ(only("mov.b64 {_, %r2}, %rd1;").op, Op::kMoveUnpack);
  const Instruction special = only("mov.u64 %rd1, %clock64;");
  EXPECT_EQ(special.op, Op::kReadSpecial);
  EXPECT_EQ(special.operands[1].special, Special::kClock64);
  const Instruction address = only("mov.u64 %rd1, g+8;", ".global .u32 g[4]; ");
  EXPECT_EQ(address.op, Op::kMoveAddress);
  EXPECT_EQ(address.operands[1].offset, 8);
  EXPECT_FALSE(address.operands[1].local);
  EXPECT_EQ(only("mov.u32 %r1, %cluster_nctarank;").operands[1].special, Special::kClusterNctarank);
  EXPECT_EQ(only("mov.pred %p1, %is_explicit_cluster;").operands[1].special, Special::kIsExplicitCluster);
}

TEST(PtxParser, EvaluatesConstants) {
  const auto value = [](const std::string& text) {
    return only("mov.u64 %rd1, " + text + ";").operands[1].bits;
  };
  EXPECT_EQ(value("0x1F"), 31U);
  EXPECT_EQ(value("017"), 15U);
  EXPECT_EQ(value("0b101"), 5U);
  EXPECT_EQ(value("12U"), 12U);
  EXPECT_EQ(value("-1"), ~0ULL);
  EXPECT_EQ(value("1 + 2 * 3"), 7U);
  EXPECT_EQ(value("(1 + 2) * 3 << 2"), 36U);
  EXPECT_EQ(value("-7 / 2"), static_cast<uint64_t>(-3));
  EXPECT_EQ(value("(.u64) -1 >> 60"), 15U);
  EXPECT_EQ(value("-16 >> 2"), static_cast<uint64_t>(-4));
  EXPECT_EQ(value("3 > 2 ? WARP_SZ : 5"), 32U);
  EXPECT_EQ(value("!(1 && 0) | ~0 & 6 ^ 1"), 7U);
  EXPECT_EQ(value("0x8000000000000000 / -1"), 0U) << "unsigned: the dividend does not fit .s64";
  EXPECT_EQ(only("mov.f64 %fd1, 1.5e1;").operands[1].bits, std::bit_cast<uint64_t>(15.0));
  EXPECT_EQ(only("mov.f64 %fd1, 0d3FF0000000000000;").operands[1].bits, std::bit_cast<uint64_t>(1.0));
  EXPECT_EQ(only("mov.f32 %f1, 0f7FA00001;").operands[1].bits, 0x7FA00001U) << "a NaN's payload stays";
  expectRefused("mov.u64 %rd1, 1/0;", "division by zero");
  expectRefused("mov.u64 %rd1, 0x1FFFFFFFFFFFFFFFFF;", "not a number, or too large");
  expectRefused("mov.u64 %rd1, " + std::string(5000, '(') + "1;", "nested too deeply");
}

TEST(PtxParser, ReadsInitialValues) {
  const Module module = parsed(std::string(kHead) +
                               ".global .u32 a[2][3] = {{1, 2}, {3}};\n"
                               ".const .f32 b[] = {1.0, 0f40000000, 3};\n"
                               ".global .align 16 .b8 c[5] = {0xFF, 2};\n"
                               ".global .u64 d[2] = {a+8, generic(c)};\n"
                               ".global .b8 e[3] = {7, 0xFF(a), 0xFF00(a)};\n");
  ASSERT_EQ(module.variables.size(), 5U);
  const auto word = [&](size_t variable, size_t i) {
    uint32_t result = 0;
    std::memcpy(&result, module.variables[variable].initial.data() + i * 4, 4);
    return result;
  };
  EXPECT_EQ(module.variables[0].bytes, 24U);
  EXPECT_EQ(word(0, 0), 1U);
  EXPECT_EQ(word(0, 1), 2U);
  EXPECT_EQ(word(0, 3), 3U);
  EXPECT_EQ(module.variables[1].space, Space::kConst);
  EXPECT_EQ(module.variables[1].bytes, 12U);
  EXPECT_EQ(word(1, 1), std::bit_cast<uint32_t>(2.0F));
  EXPECT_EQ(word(1, 2), std::bit_cast<uint32_t>(3.0F));
  EXPECT_EQ(module.variables[2].alignment, 16U);
  EXPECT_EQ(module.variables[2].bytes, 5U);
  const auto& relocations = module.variables[3].relocations;
  ASSERT_EQ(relocations.size(), 2U);
  EXPECT_EQ(relocations[0].addend, 8);
  EXPECT_FALSE(relocations[0].generic);
  EXPECT_EQ(relocations[1].at, 8U);
  EXPECT_EQ(relocations[1].index, 2U);
  EXPECT_TRUE(relocations[1].generic);
  ASSERT_EQ(module.variables[4].relocations.size(), 2U);
  EXPECT_EQ(module.variables[4].relocations[1].bytes, 1U);
  EXPECT_EQ(module.variables[4].relocations[1].skip, 1U);
}

TEST(PtxParser, ReadsParametersAndVariables) {
  const Module module =
      parsed(std::string(kHead) +
             ".extern .shared .align 16 .b8 dynamic[];\n"
             ".entry k(.param .u64 .ptr .global .align 4 a, .param .align 8 .b8 b[72]) {\n"
             ".local .align 8 .b8 stack[40]; .shared .f32 tile[16];\n"
             ".reg .b64 %SP; mov.u64 %SP, stack; ld.param.u64 %SP, [b+64]; st.shared.f32 [tile+4], 1.0;}");
  EXPECT_TRUE(module.variables[0].is_extern);
  EXPECT_EQ(module.variables[0].bytes, 0U);
  const Function& k = module.functions[0];
  EXPECT_EQ(k.parameters, (std::vector<uint32_t>{0, 1}));
  EXPECT_EQ(k.variables[1].bytes, 72U);
  EXPECT_EQ(k.variables[1].alignment, 8U);
  EXPECT_EQ(k.variables[2].space, Space::kLocal);
  EXPECT_EQ(k.variables[3].bytes, 64U);
  EXPECT_EQ(k.instructions[1].operands[1].index, 1U);
  EXPECT_TRUE(k.instructions[1].operands[1].local);
  EXPECT_EQ(k.instructions[1].operands[1].offset, 64);
  EXPECT_EQ(k.instructions.back().op, Op::kRet) << "a body that falls off its end returns";
}

TEST(PtxParser, ResolvesLabelsInTheirScopes) {
  const Module module =
      parsed(kernelText("{ @%p1 bra L; add.u32 %r1, %r1, 1; L: }\n{ L: @%p1 bra L; bra END; }\nEND:"));
  const auto& instructions = module.functions[0].instructions;
  ASSERT_EQ(instructions.size(), 5U);
  EXPECT_EQ(instructions[0].operands[0].index, 2U);
  EXPECT_EQ(instructions[2].operands[0].index, 2U);
  EXPECT_EQ(instructions[3].operands[0].index, 4U);
  EXPECT_EQ(module.functions[0].labels.at(4), "END");
  const Instruction brx = [] {
    const Module with_table = parsed(kernelText("A: ts: .branchtargets A, B, A; brx.idx %r1, ts; B:"));
    return with_table.functions[0].instructions[0];
  }();
  EXPECT_EQ(brx.targets, (std::vector<uint32_t>{0, 1, 0}));
}

constexpr const char* kCallee =
    ".func (.param .b32 r) f(.param .b32 a, .param .align 4 .b8 s[12]) { ret; }\n";

TEST(PtxParser, ReadsCalls) {
  const Module module = parsed(
      kernelText("{ .param .b32 x; .param .align 4 .b8 y[12]; .param .b32 z; st.param.b32 [x], 1;\n"
                 "call.uni (z), f, (x, y); ld.param.b32 %r1, [z];\n"
                 "proto : .callprototype (.param .b32 _) _ (.param .b32 _, .param .align 4 .b8 _[12]);\n"
                 "call (z), %rd1, (x, y), proto; }",
                 kCallee));
  const auto& instructions = module.functions[1].instructions;
  ASSERT_EQ(instructions.size(), 5U);
  EXPECT_EQ(instructions[1].op, Op::kCall);
  EXPECT_EQ(instructions[1].operands[0].kind, Operand::Kind::kFunction);
  EXPECT_EQ(instructions[1].call_arguments, (std::vector<uint32_t>{1, 2}));
  EXPECT_EQ(instructions[1].call_results, (std::vector<uint32_t>{3}));
  EXPECT_TRUE(instructions[1].modifiers.uniform);
  EXPECT_EQ(instructions[3].operands[0].kind, Operand::Kind::kRegister);
}

TEST(PtxParser, PassesRegistersAndConstantsThroughParameters) {
  const Module module = parsed(
      kernelText("@%p1 call (%r1), g, (%r2, 7);",
                 ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n"
                 ".func (.reg .u32 %out) g(.reg .u32 %a, .reg .u32 %b) { add.u32 %out, %a, %b; ret; }\n"));
  EXPECT_TRUE(module.functions[0].is_declared_only);
  std::vector<Op> ops;
  for (const Instruction& instruction : module.functions[1].instructions) ops.push_back(instruction.op);
  EXPECT_EQ(ops, (std::vector<Op>{Op::kLd, Op::kLd, Op::kAdd, Op::kSt, Op::kRet}));
  ops.clear();
  for (const Instruction& instruction : module.functions[2].instructions) {
    ops.push_back(instruction.op);
    EXPECT_EQ(instruction.guard.kind != Operand::Kind::kNone, instruction.op != Op::kRet);
  }
  EXPECT_EQ(ops, (std::vector<Op>{Op::kSt, Op::kSt, Op::kCall, Op::kLd, Op::kRet}));
}

TEST(PtxParser, BringsConstantPredicatesAndSpecialRegistersIntoRegisters) {
  const Module module = parsed(kernelText("vote.sync.ballot.b32 %r1, 1, -1; cvt.u64.u32 %rd1, %tid.x;"));
  const auto& instructions = module.functions[0].instructions;
  ASSERT_EQ(instructions.size(), 5U);
  EXPECT_EQ(instructions[0].op, Op::kMov);
  EXPECT_EQ(instructions[0].types[0], Type::kPred);
  EXPECT_EQ(instructions[1].operands[1].index, instructions[0].operands[0].index);
  EXPECT_EQ(instructions[2].op, Op::kReadSpecial);
  EXPECT_EQ(instructions[3].operands[1].index, instructions[2].operands[0].index);
}

TEST(PtxParser, FollowsInlinedLinesToTheOutermostCaller) {
  const Module module =
      parsed(kernelText(".loc 1 26 3\n.loc 2 181 7, function_name $x, inlined_at 1 26 3\n"
                        ".loc 2 99 5, function_name $y+4, inlined_at 2 181 7\nadd.u32 %r1, %r1, 1;\n"
                        ".loc 1 30 1\n"));
  const auto& instructions = module.functions[0].instructions;
  EXPECT_EQ(instructions[0].source.at, (SourcePoint{2, 99, 5}));
  EXPECT_EQ(instructions[0].source.inlined_at, (SourcePoint{1, 26, 3}));
  EXPECT_EQ(instructions[1].source.at, (SourcePoint{1, 30, 1}));
  EXPECT_EQ(instructions[1].source.inlined_at.file, 0U);
}

TEST(PtxParser, RefusesByFileLineAndInstruction) {
  EXPECT_EQ(errorOf(kernelText("tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [t, {%f5,%f6}];")),
            "t.ptx:6: tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [t, {%f5,%f6}]: 't' is neither a register nor a "
            "variable");
  expectRefused("tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%rd1, {%f5}];", "2 coordinates are expected, not 1");
  expectRefused("tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%r1, {%f5,%f6}];", "handle in a register of 64 bits");
  expectRefused("tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%rd1, {%f5,%rd2}];", "register of type .f32");
  expectRefused("tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%rd1];", "2 coordinates are expected, not 0");
  expectRefused("tex.cube.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%rd1, {%f5,%f6}];", "this form of a texture");
  expectRefused("sured.b.add.1d.u32.trap [%rd1, {%r1}], %r2;", "this form of a surface");
  expectRefused("ld.global.u32 %r1, [%rd1, {%r2}];", "takes no coordinates");
  expectRefused("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f1}, {%r1}, {%r1}, {%f1};",
                "a vector of 4 is expected");
  expectRefused("mma.sync.aligned.m16n8k8.row.col.f16.bf16.bf16.f16 {%r1}, {%r1}, {%r1}, {%r1};",
                "this form of a matrix instruction is not supported");
  expectRefused("wgmma.fence.sync.aligned;", "warp groups");
  const std::string tensor = "cp.async.bulk.tensor.2d.shared::cluster.global.",
                    bytes = "mbarrier::complete_tx::bytes";
  expectRefused(tensor + "im2col." + bytes + " [%r1], [%rd1, {%r2, %r3}], [%r3];", "bulk copy of a tensor");
  expectRefused(tensor + "tile." + bytes + " [%r1], [%rd1, {%r2}], [%r3];",
                "2 coordinates are expected, not 1");
  expectRefused(tensor + "tile." + bytes + " [%r1], [%r2, {%r2, %r3}], [%r3];",
                "the tensor map's address must be in a register of 64 bits");
  expectRefused("tensormap.replace.tile.global_address.global.b1024.b64 [%rd1], %rd2;",
                "changing a tensor map");
  expectRefused("cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%rd1], [%r1], %r2, %h1;",
                "this form of a bulk copy");
  expectRefused("mbarrier.arrive.shared::cluster.b64 %rd1, [%r1];", "the destination must be _");
  expectRefused("mov.u32 %r1, %is_explicit_cluster;", "a predicate");
  expectRefused("vadd.s32.s32.s32 %r1, %r2, %r3;", "video");
  expectRefused("shfl.idx.b32 %r1, %r2, 0, 31;", "only shfl.sync");
}

TEST(PtxParser, SaysWhatIsWrongWithAnInstruction) {
  expectRefused("frobnicate.u32 %r1, %r2;", "there is no instruction 'frobnicate'");
  expectRefused("add.sat.u32 %r1, %r2, %r3;", "the nearest supported form is add");
  expectRefused("add.u32 %r1, %r2;", "too few operands");
  expectRefused("add.u32 %r1, %r2, %r3, %r4;", "more operands than the 3");
  expectRefused("add.u32 %r1, %zz, 1;", "there is no register or variable '%zz'");
  expectRefused("add.u32 %r9, %r1, 1;", "'%r9'");
  expectRefused("add.u32 %r1, %rd1, 1;", "register of type .u32");
  expectRefused("add.f32 %f1, %r1, %fd1;", "%fd1 (.f64)");
  expectRefused("add.f32 %f1, %f2, 1;", "is not a .f32");
  expectRefused("add.u32 %r1, %r2, 1.5;", "is not a .u32");
  expectRefused("add.u32 1, %r2, 1;", "a register is expected");
  expectRefused("add.u32 %r1, %tid.x, 1;", "register or constant is expected");
  expectRefused("mov.u32 %r1, %clock64;", "64 bits");
  expectRefused("@%r1 add.u32 %r1, %r2, 1;", "not a predicate register");
  expectRefused("bra NOWHERE;", "no label 'NOWHERE'");
  expectRefused("brx.idx %r1, nothing;", "no list of targets 'nothing'");
  expectRefused("ld.global.u32 %r1, %rd1;", "an address");
  expectRefused("ld.global.v4.u32 {%r1,%r2}, [%rd1];", "a vector of 4");
  expectRefused("ld.v4.u64 {%rd1,%rd2,%rd3,%rd4}, [%rd1];", "more than 16 bytes");
  expectRefused("cp.async.cg.shared.global [%r1], [%rd1], 8;", "copies 16 bytes");
  expectRefused("call nothing, (%r1);", "no function 'nothing'");
  expectRefused("mov.b64 {%r1, %r2, %r3}, %rd1;", "a vector of 2 or 4");
}

TEST(PtxParser, SaysWhatIsWrongWithAModule) {
  EXPECT_EQ(errorOf(""), "t.ptx:1: this is not PTX: a module begins with .version");
  EXPECT_EQ(errorOf("int main() { return 0; }"), "t.ptx:1: 'int' has no place here; is this PTX?");
  EXPECT_EQ(errorOf(std::string(kHead) + "/* open"), "t.ptx:4: a comment begins here with /* and never ends");
  EXPECT_EQ(errorOf(std::string(kHead) + ".entry k() { ret;"),
            "t.ptx:4: the body of k lacks its closing brace");
  EXPECT_NE(errorOf(".version 8.0\n.target sm_90\n.address_size 32\n").find("32 bits are not supported"),
            std::string::npos);
  const auto refuses = [](const std::string& text, const std::string& why) {
    const std::string message = errorOf(kHead + text);
    EXPECT_NE(message.find(why), std::string::npos) << message;
  };
  refuses(".global .u32 a[1099511627776];", "too large");
  refuses(".global .align 3 .u32 a;", "power of two");
  refuses(".global .u32 a[2] = {1,2,3};", "more initial values");
  refuses(".global .u32 a = {{1}};", "braces nest deeper");
  refuses(".global .u32 a = b;", "8 bytes");
  refuses(".global .u32 a; .global .u32 a;", "declared twice");
  refuses(".global .u32 a[];", "no size");
  refuses(".entry k() { ret; } .entry k() { ret; }", "defined twice");
  refuses(".entry k() { L: ret; L: ret; }", "defined twice");
  refuses(".entry k() { .reg .b32 %r<99999999999>; }", "not a count of registers");
  refuses(".entry k() .blocksareclusters { ret; }", "counted in clusters");
}

TEST(PtxParser, ReadsWhatAKernelAsksOfClusters) {
  const auto function = [](const std::string& directives) {
    const Expected<Module> module = parseModule(kHead + (".entry k() " + directives + " { ret; }"), "t.ptx");
    EXPECT_TRUE(module.has_value()) << module.error().message;
    return module ? module->functions.front() : Function{};
  };
  EXPECT_FALSE(function("").required_cluster.has_value());
  EXPECT_EQ(function(".reqnctapercluster 4").required_cluster, (Dim3{4, 1, 1}));
  EXPECT_EQ(function(".explicitcluster .reqnctapercluster 2, 3, 1").required_cluster, (Dim3{2, 3, 1}));
  EXPECT_TRUE(function(".explicitcluster").explicit_cluster);
  EXPECT_EQ(function(".maxclusterrank 8").max_cluster_rank, 8U);
}

TEST(PtxParser, ReportsAllThatIsNotSupported) {
  const Expected<ModuleReport> report = reportModule(
      kernelText(
          "tex.a1d.v4.f32.s32 {%f1,%f2,%f3,%f4}, [%rd1, {%r1}];\nadd.u32 %r1, %r1, 1;\nadd.u32 %r1, %zz, 1;\n"
          "brx.idx %r1, none; bra away;"),
      "t.ptx");
  ASSERT_TRUE(report.has_value()) << report.error().message;
  ASSERT_EQ(report->unsupported.size(), 4U);
  EXPECT_EQ(report->unsupported[0].ptx_line, 6U);
  EXPECT_NE(report->unsupported[0].what.find("texture"), std::string::npos);
  EXPECT_EQ(report->unsupported[1].ptx_line, 8U);
  EXPECT_EQ(report->module.functions[0].instructions.size(), 3U);
}

}  // namespace
}  // namespace warpscope::ptx
