// atom and red: every operation and type, on each thread's own word, where both the final value and the
// returned value are known, and on one word for all threads, where the final value is known.
#include <fmt/format.h>

#include <algorithm>

#include "tests/differential/exact.h"
#include "tests/differential/form.h"
#include "tests/differential/program.h"
#include "tests/differential/reference.h"

namespace warpscope::test {
namespace {

using ptx::Type;

struct Operation {
  std::string words;  // "add", "add.noftz"
  Type type = Type::kNone;
  bool is(const char* word) const { return words.starts_with(word); }
};

std::vector<Operation> operations(bool answers) {
  std::vector<Operation> all;
  const auto add = [&](const char* words, std::initializer_list<Type> types) {
    for (const Type type : types) all.push_back({words, type});
  };
  add("add", {Type::kU32, Type::kS32, Type::kU64, Type::kF32, Type::kF64});
  add("add.noftz", {Type::kF16, Type::kF16x2, Type::kBf16, Type::kBf16x2});
  for (const char* words : {"min", "max"}) add(words, {Type::kU32, Type::kS32, Type::kU64, Type::kS64});
  for (const char* words : {"inc", "dec"}) add(words, {Type::kU32});
  for (const char* words : {"and", "or", "xor"}) add(words, {Type::kB32, Type::kB64});
  if (!answers) return all;
  add("exch", {Type::kB32, Type::kB64});
  add("cas", {Type::kB16, Type::kB32, Type::kB64});
  return all;
}

// A NaN as an H100 keeps it: in global memory the operand's takes precedence over the memory's; in shared
// memory the reverse, and it is made quiet.
uint64_t addedNan64(uint64_t old, uint64_t b, bool global) {
  const uint64_t default_nan = 0xFFF8'0000'0000'0000U;
  const bool old_is_nan = parseFloat(old, kF64).is_nan, b_is_nan = parseFloat(b, kF64).is_nan;
  if (global) return b_is_nan ? b : old_is_nan ? old : default_nan;
  return (old_is_nan ? old : b_is_nan ? b : default_nan) | (uint64_t{1} << 51);
}

// For a half, float or double; subnormals are flushed or not.
uint64_t addedFloats(uint64_t a, uint64_t b, FloatFormat format, bool flush) {
  if (flush) {
    a = flushedToZero(a, format);
    b = flushedToZero(b, format);
  }
  const ParsedFloat x = parseFloat(a, format), y = parseFloat(b, format);
  if (x.is_nan || y.is_nan || (x.is_infinite && y.is_infinite && x.negative != y.negative))
    return canonicalNan(format);
  if (x.is_infinite || y.is_infinite) return x.is_infinite ? a : b;
  const bool negative_zero = x.isZero() && y.isZero() && x.negative && y.negative;
  const uint64_t sum = (Exact::of(x) + Exact::of(y)).rounded(format, Direction::kNearest, negative_zero);
  return flush ? flushedToZero(sum, format) : sum;
}

uint64_t added(Type type, uint64_t old, uint64_t b, bool global) {
  const FloatFormat format = formatOf(type);
  switch (type) {
    case Type::kF32:  // only global memory's adders flush (PTX ISA 9.0, 9.7.13.5)
      return addedFloats(old, b, format, global);
    case Type::kF64: {
      const uint64_t sum = addedFloats(old, b, format, false);
      return parseFloat(sum, format).is_nan ? addedNan64(old, b, global) : sum;
    }
    case Type::kF16:
    case Type::kBf16:
      return addedFloats(old, b, format, false);
    case Type::kF16x2:
    case Type::kBf16x2:
      return addedFloats(lowBits(old, 16), lowBits(b, 16), format, false) |
             (addedFloats(lowBits(old >> 16, 16), lowBits(b >> 16, 16), format, false) << 16);
    default:
      return old + b;
  }
}

uint64_t combined(const Operation& operation, uint64_t old, uint64_t b, uint64_t c, bool global) {
  const uint32_t bits = bitsOf(operation.type);
  const auto wide = [&](uint64_t value) { return integerOf(value, operation.type); };
  uint64_t result = 0;
  if (operation.is("add")) {
    result = added(operation.type, old, b, global);
  } else if (operation.is("min")) {
    result = wide(b) < wide(old) ? b : old;
  } else if (operation.is("max")) {
    result = wide(b) > wide(old) ? b : old;
  } else if (operation.is("inc")) {
    result = wide(old) >= wide(b) ? 0 : old + 1;
  } else if (operation.is("dec")) {
    result = wide(old) == 0 || wide(old) > wide(b) ? b : old - 1;
  } else if (operation.is("and")) {
    result = old & b;
  } else if (operation.is("or")) {
    result = old | b;
  } else if (operation.is("xor")) {
    result = old ^ b;
  } else if (operation.is("exch")) {
    result = b;
  } else {  // cas
    result = old == b ? c : old;
  }
  return lowBits(result, bits);
}

struct Place {
  std::string space, variant;
  bool global = true;
};
const Place kPlaces[] = {{".global", ""},
                         {"", "global"},
                         {".shared", "", false},
                         {".shared::cta", "", false},
                         {"", "shared", false}};

uint32_t widthOf(const Operation& operation) {
  return bitsOf(operation.type);
}

std::string labelOf(const std::string& opcode, const Place& place, const char* variant) {
  return opcode + (place.variant.empty() ? "" : ", " + place.variant) + variant;
}

// Makes %y the address of the word that thread `%i * stride` has in shared memory.
std::string sharedWord(const Place& place, uint32_t stride) {
  return fmt::format(
      "  .shared .align 8 .b64 words[128];\n  mov.u32 %u, words;\n  mad.lo.u32 %u, %i, {}, %u;\n"
      "  cvt.u64.u32 %y, %u;\n{}",
      stride, place.space.empty() ? "  cvta.shared.u64 %y, %y;\n" : "");
}

std::string instruction(const std::string& opcode, const Operation& operation, bool answers, bool sink) {
  return fmt::format("  {} {}[%y], %b{};\n", opcode,
                     !answers ? ""
                     : sink   ? "_, "
                              : "%a, ",
                     operation.is("cas") ? ", %c" : "");
}

// Each thread's word is its first cell, the operands are the next ones. Outputs the word and the returned
// value.
Program ownWord(const std::string& opcode, const Operation& operation, const Place& place, bool answers,
                bool sink) {
  const std::string bits = std::to_string(widthOf(operation));
  Program program;
  program.label = labelOf(opcode, place, sink ? ", sink" : "");
  program.operands = operation.type;
  program.body = filled("  .reg .b$1 %a, %b, %c, %e;\n", {bits});
  program.body += place.global ? "  mov.u64 %y, %out;\n" : sharedWord(place, 8);
  const std::string space = place.global ? ".global" : place.space.empty() ? "" : ".shared";
  program.body += filled(
      "  ld.global.b$1 %e, [%in];\n  ld.global.b$1 %b, [%in+8];\n  ld.global.b$1 %c, [%in+16];\n"
      "  st$2.b$1 [%y], %e;\n",
      {bits, space});
  program.body += instruction(opcode, operation, answers, sink);
  if (!place.global) {
    program.body += filled("  ld$2.b$1 %e, [%y];\n  st.global.b$1 [%out], %e;\n", {bits, space});
  }
  if (answers && !sink) program.body += filled("  st.global.b$1 [%out+8], %a;\n", {bits});
  if (operation.is("cas") || operation.is("inc") || operation.is("dec")) {  // often what it asks for
    program.prepare = [](Record& record, uint32_t thread) {
      if (thread % 2 == 0) record[1] = record[0];
    };
  }
  program.reference = [=](const BlockRecords& block) {
    for (size_t thread = 0; thread < block.in.size(); ++thread) {
      const auto cell = [&](size_t i) { return lowBits(block.in[thread][i], widthOf(operation)); };
      block.out[thread][0] = combined(operation, cell(0), cell(1), cell(2), place.global);
      if (answers && !sink) block.out[thread][1] = cell(0);
    }
  };
  return program;
}

// All threads of a block on the first one's word, for operations whose final value does not depend on the
// order. A predicate excludes every third thread.
Program sharedByAll(const std::string& opcode, const Operation& operation, const Place& place, bool answers) {
  const std::string bits = std::to_string(widthOf(operation));
  Program program;
  program.label = labelOf(opcode, place, ", one word for all");
  program.body = filled("  .reg .b$1 %a, %b, %e;\n", {bits});
  if (place.global) {
    program.body +=
        "  mov.u32 %u, %ctaid.x;\n  mul.wide.u32 %x, %u, 16384;\n  ld.param.u64 %y, [outputs];\n"
        "  add.s64 %y, %y, %x;\n";
  } else {
    program.body += sharedWord(place, 0);
  }
  const std::string space = place.global ? ".global" : place.space.empty() ? "" : ".shared";
  std::string operand = "  ld.global.b$1 %b, [%in+8];\n";
  if (operation.is("inc") || operation.is("dec")) operand = "  mov.b$1 %b, 50;\n";
  program.body += filled(
      "  setp.eq.u32 %s, %i, 0;\n  ld.global.b$1 %e, [%in];\n" + operand +
          "  @%s st$2.b$1 [%y], %e;\n  bar.sync 0;\n  rem.u32 %v, %i, 3;\n  setp.eq.u32 %q, %v, 2;\n  @!%q ",
      {bits, space});
  program.body += instruction(opcode, operation, answers, false);
  program.body +=
      filled("  bar.sync 0;\n  @%s ld$2.b$1 %e, [%y];\n  @%s st.global.b$1 [%out], %e;\n", {bits, space});
  program.reference = [=](const BlockRecords& block) {
    uint64_t word = lowBits(block.in[0][0], widthOf(operation));
    const bool counts = operation.is("inc") || operation.is("dec");
    for (size_t thread = 0; thread < block.in.size(); ++thread) {
      if (thread % 3 == 2) continue;
      const uint64_t b = counts ? 50 : lowBits(block.in[thread][1], widthOf(operation));
      word = combined(operation, word, b, 0, place.global);
    }
    block.out[0][0] = word;
  };
  return program;
}

bool hidesOrder(const Operation& operation) {
  return !operation.is("exch") && !operation.is("cas") && !ptx::isFloat(operation.type);
}

void addOf(std::vector<Program>& programs, const std::string& name, bool answers) {
  const std::vector<Operation> all = operations(answers);
  const auto opcode_of = [&](const std::string& order, const Place& place, const Operation& operation) {
    return fmt::format("{}{}{}.{}.{}", name, order, place.space, operation.words,
                       ptx::typeName(operation.type));
  };
  for (const Place& place : kPlaces) {
    for (const Operation& operation : all) {
      const std::string opcode = opcode_of("", place, operation);
      programs.push_back(ownWord(opcode, operation, place, answers, false));
      // ptxas 13.0 crashes on a sink for these.
      const bool bfloat = operation.type == Type::kBf16 || operation.type == Type::kBf16x2;
      if (answers && !bfloat) programs.push_back(ownWord(opcode, operation, place, answers, true));
      if (hidesOrder(operation)) programs.push_back(sharedByAll(opcode, operation, place, answers));
    }
  }
  // Orders and scopes, each with some of the operations.
  std::vector<std::string> orders;
  for (const char* order : {"", ".relaxed", ".acquire", ".release", ".acq_rel"}) {
    if (!answers && (order == std::string(".acquire") || order == std::string(".acq_rel"))) continue;
    for (const char* scope : {"", ".cta", ".cluster", ".gpu", ".sys"}) {
      const std::string words = std::string(order) + scope;
      if (!words.empty()) orders.push_back(words);
    }
  }
  constexpr size_t kEach = 5;
  size_t next = 0;
  for (const Place& place : kPlaces) {
    for (const std::string& order : orders) {
      for (size_t i = 0; i < kEach; ++i) {
        const Operation& operation = all[(next += 4) % all.size()];
        programs.push_back(ownWord(opcode_of(order, place, operation), operation, place, answers, false));
      }
    }
  }
}

}  // namespace

void addAtomicPrograms(std::vector<Program>& programs) {
  addOf(programs, "atom", true);
  addOf(programs, "red", false);
}

}  // namespace warpscope::test
