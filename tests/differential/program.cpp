#include "tests/differential/program.h"

#include <fmt/format.h>

#include <algorithm>

#include "tests/differential/values.h"

namespace warpscope::test {
namespace {

// Functions that bodies call. fib calls itself, apply calls the function that it is given.
constexpr const char* kFunctions = R"(
.func (.param .b32 result) add_scaled(.param .b32 a, .param .b32 b) {
  .reg .b32 %a, %b;
  ld.param.u32 %a, [a];
  ld.param.u32 %b, [b];
  mad.lo.u32 %a, %b, 3, %a;
  st.param.b32 [result], %a;
  ret;
}
.func (.param .b32 result) xor_shifted(.param .b32 a, .param .b32 b) {
  .reg .b32 %a, %b;
  ld.param.u32 %a, [a];
  ld.param.u32 %b, [b];
  shl.b32 %b, %b, 1;
  xor.b32 %a, %a, %b;
  st.param.b32 [result], %a;
  ret;
}
.func (.param .b32 result) early_return(.param .b32 a, .param .b32 b) {
  .reg .b32 %a, %b;
  .reg .pred %p;
  ld.param.u32 %a, [a];
  ld.param.u32 %b, [b];
  st.param.b32 [result], %a;
  setp.lt.u32 %p, %a, %b;
  @%p ret;
  st.param.b32 [result], %b;
  ret.uni;
}
.func (.param .b32 result) fib(.param .b32 n) {
  .reg .b32 %n, %a, %b;
  .reg .pred %p;
  ld.param.u32 %n, [n];
  setp.lt.u32 %p, %n, 2;
  st.param.b32 [result], %n;
  @%p ret;
  sub.u32 %n, %n, 1;
  { .param .b32 to; .param .b32 from; st.param.b32 [to], %n; call (from), fib, (to); ld.param.b32 %a, [from]; }
  sub.u32 %n, %n, 1;
  { .param .b32 to; .param .b32 from; st.param.b32 [to], %n; call (from), fib, (to); ld.param.b32 %b, [from]; }
  add.u32 %a, %a, %b;
  st.param.b32 [result], %a;
  ret;
}
.func leave_if_odd(.param .b32 n) {
  .reg .b32 %n;
  .reg .pred %p;
  ld.param.u32 %n, [n];
  and.b32 %n, %n, 1;
  setp.ne.u32 %p, %n, 0;
  @%p exit;
  ret;
}
.func (.param .align 16 .b8 result[32]) reversed(.param .align 16 .b8 a[32]) {
  .reg .b64 %a, %b;
  .reg .b32 %c, %d, %e, %f;
  ld.param::func.v2.b64 {%a, %b}, [a];
  ld.param.v4.b32 {%c, %d, %e, %f}, [a+16];
  st.param::func.v4.b32 [result], {%f, %e, %d, %c};
  st.param.v2.b64 [result+16], {%b, %a};
  ret;
}
)";

constexpr const char* kPrologue = R"(
  .reg .b64 %in, %out, %x, %y, %z;
  .reg .b32 %t, %i, %u, %v, %w;
  .reg .b16 %g, %h;
  .reg .pred %s, %q;
  ld.param.u64 %in, [inputs];
  ld.param.u64 %out, [outputs];
  mov.u32 %i, %tid.x;
  mov.u32 %u, %ctaid.x;
  mov.u32 %v, %ntid.x;
  mad.lo.u32 %t, %u, %v, %i;
  mul.wide.u32 %x, %t, 128;
  add.s64 %in, %in, %x;
  add.s64 %out, %out, %x;
)";

template <size_t kBytes>
std::array<std::byte, kBytes> randomBytes(uint64_t seed) {
  std::mt19937_64 random(seed);
  std::array<std::byte, kBytes> bytes;
  for (std::byte& each : bytes) each = static_cast<std::byte>(random());
  return bytes;
}

std::string moduleHead() {
  std::string text = ".version 8.6\n.target sm_90\n.address_size 64\n.const .align 16 .b8 constants[" +
                     std::to_string(kConstantBytes) + "] = {";
  for (size_t i = 0; i < kConstantBytes; ++i) {
    text += (i > 0 ? "," : "") + std::to_string(std::to_integer<int>(programConstants()[i]));
  }
  return text + "};\n" + kFunctions;
}

}  // namespace

const std::array<std::byte, kBlobBytes>& programBlob() {
  static const auto kBytes = randomBytes<kBlobBytes>(7);
  return kBytes;
}

const std::array<std::byte, kConstantBytes>& programConstants() {
  static const auto kBytes = randomBytes<kConstantBytes>(8);
  return kBytes;
}

std::string filled(std::string text, std::initializer_list<std::string> arguments) {
  char digit = '1';
  for (const std::string& argument : arguments) {
    const std::string name{'$', digit++};
    for (size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + argument.size())) {
      text.replace(at, name.size(), argument);
    }
  }
  return text;
}

std::string programModule(std::span<const Program> programs, size_t first) {
  std::string text = moduleHead();
  for (size_t i = 0; i < programs.size(); ++i) {
    text += fmt::format(
        "// {}\n.visible .entry program_{}(.param .u64 inputs, .param .u64 outputs, .param .align 64 .b8 "
        "blob[{}]) {{{}{}\n  ret;\n}}\n",
        programs[i].label, first + i, kBlobBytes, kPrologue, programs[i].body);
  }
  return text;
}

std::vector<Record> programInputs(const Program& program) {
  std::mt19937_64 random(std::hash<std::string>{}(program.label));
  std::vector<Record> records(size_t{kProgramBlocks} * kProgramThreads);
  for (uint32_t thread = 0; thread < records.size(); ++thread) {
    for (uint64_t& cell : records[thread]) cell = randomValue(program.operands, random);
    if (program.prepare) program.prepare(records[thread], thread);
  }
  return records;
}

std::vector<Record> programReference(const Program& program, const std::vector<Record>& inputs) {
  std::vector<Record> outputs(inputs.size(), Record{});
  for (uint32_t block = 0; block < kProgramBlocks; ++block) {
    const size_t first = size_t{block} * kProgramThreads;
    program.reference({block, std::span(inputs).subspan(first, kProgramThreads),
                       std::span(outputs).subspan(first, kProgramThreads), inputs});
  }
  return outputs;
}

std::string differences(const Program& program, const std::vector<Record>& inputs,
                        const std::vector<Record>& expected, std::span<const uint64_t> found) {
  constexpr int kKept = 3;
  std::string text;
  int count = 0;
  for (size_t thread = 0; thread < expected.size(); ++thread) {
    for (size_t cell = 0; cell < kRecordCells; ++cell) {
      const uint64_t is = found[thread * kRecordCells + cell];
      if (is == expected[thread][cell] || ++count > kKept) continue;
      text += fmt::format("{}: thread {}, cell {}: {:#x}, must be {:#x}; inputs {:#x} {:#x} {:#x}\n",
                          program.label, thread, cell, is, expected[thread][cell], inputs[thread][0],
                          inputs[thread][1], inputs[thread][2]);
    }
  }
  return text;
}

std::vector<Program> allPrograms() {
  std::vector<Program> programs;
  for (const auto add : {addMemoryPrograms, addAddressPrograms, addAtomicPrograms, addBarrierPrograms,
                         addAsyncPrograms, addControlPrograms, addSpecialPrograms, addContractionPrograms,
                         addMatrixPrograms, addClusterPrograms, addBulkPrograms, addTensorPrograms}) {
    add(programs);
  }
  return programs;
}

}  // namespace warpscope::test
