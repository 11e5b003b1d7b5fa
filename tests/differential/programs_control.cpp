// Branches, loops, predication, calls, indirect calls and branches, returns and exits, all of them with
// divergence.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "tests/differential/program.h"

namespace warpscope::test {
namespace {

using Function = uint32_t (*)(uint32_t a, uint32_t b);

// The body computes %u from the thread's two numbers %v and %w.
Program ofTwo(const std::string& label, const std::string& body, Function expected) {
  Program program{
      label,
      "  ld.global.b32 %v, [%in];\n  ld.global.b32 %w, [%in+8];\n" + body + "  st.global.b32 [%out], %u;\n",
      [expected](const BlockRecords& block) {
        for (size_t i = 0; i < kProgramThreads; ++i) {
          block.out[i][0] =
              expected(static_cast<uint32_t>(block.in[i][0]), static_cast<uint32_t>(block.in[i][1]));
        }
      }};
  program.operands = ptx::Type::kU32;
  return program;
}

uint32_t addScaled(uint32_t a, uint32_t b) {
  return a + 3 * b;
}
uint32_t xorShifted(uint32_t a, uint32_t b) {
  return a ^ (b << 1);
}
uint32_t fibonacci(uint32_t n) {
  uint32_t a = 0, b = 1;
  for (; n > 0; --n) {
    const uint32_t next = a + b;
    a = b;
    b = next;
  }
  return a;
}

void addBranches(std::vector<Program>& programs) {
  programs.push_back(ofTwo("bra", "  bra NEXT;\n  mov.u32 %v, 0;\nNEXT:\n  add.u32 %u, %v, %w;\n",
                           [](uint32_t a, uint32_t b) { return a + b; }));
  programs.push_back(ofTwo("bra.uni", "  bra.uni NEXT;\n  mov.u32 %v, 0;\nNEXT:\n  sub.u32 %u, %v, %w;\n",
                           [](uint32_t a, uint32_t b) { return a - b; }));
  programs.push_back(ofTwo("bra, diverged",
                           "  setp.lt.u32 %s, %v, %w;\n  @%s bra LESS;\n  sub.u32 %u, %v, %w;\n  bra MET;\n"
                           "LESS:\n  mul.lo.u32 %u, %v, %w;\nMET:\n  add.u32 %u, %u, 1;\n",
                           [](uint32_t a, uint32_t b) { return (a < b ? a * b : a - b) + 1; }));
  programs.push_back(
      ofTwo("bra, negated predicate",
            "  setp.lt.u32 %s, %v, %w;\n  mov.u32 %u, 5;\n  @!%s bra MET;\n  mov.u32 %u, 6;\nMET:\n",
            [](uint32_t a, uint32_t b) { return a < b ? 6U : 5U; }));
  programs.push_back(
      ofTwo("predicated instructions",
            "  setp.lt.s32 %s, %v, %w;\n  @%s max.u32 %u, %v, %w;\n  @!%s min.u32 %u, %v, %w;\n",
            [](uint32_t a, uint32_t b) {
              const bool less = static_cast<int32_t>(a) < static_cast<int32_t>(b);
              return less ? std::max(a, b) : std::min(a, b);
            }));
  // Euclid's algorithm, for as long as each lane's numbers need.
  programs.push_back(ofTwo("loop, a lane at a time",
                           "LOOP:\n  setp.eq.u32 %s, %w, 0;\n  @%s bra DONE;\n  rem.u32 %u, %v, %w;\n"
                           "  mov.u32 %v, %w;\n  mov.u32 %w, %u;\n  bra LOOP;\nDONE:\n  mov.u32 %u, %v;\n",
                           [](uint32_t a, uint32_t b) {
                             while (b != 0) a = std::exchange(b, a % b);
                             return a;
                           }));
  // Nested loops, both left from within.
  programs.push_back(
      ofTwo("loops within loops",
            "  and.b32 %v, %v, 15;\n  and.b32 %w, %w, 15;\n  mov.u32 %u, 0;\n  mov.u32 %i, 0;\nOUTER:\n"
            "  setp.gt.u32 %s, %i, %v;\n  @%s bra DONE;\n  mov.u32 %t, 0;\nINNER:\n"
            "  setp.gt.u32 %s, %t, %w;\n  @%s bra NEXT;\n  mad.lo.u32 %u, %i, %t, %u;\n"
            "  setp.gt.u32 %s, %u, 300;\n  @%s bra DONE;\n  add.u32 %t, %t, 1;\n  bra INNER;\nNEXT:\n"
            "  add.u32 %i, %i, 1;\n  bra OUTER;\nDONE:\n",
            [](uint32_t a, uint32_t b) {
              uint32_t sum = 0;
              for (uint32_t i = 0; i <= a % 16; ++i) {
                for (uint32_t k = 0; k <= b % 16; ++k) {
                  sum += i * k;
                  if (sum > 300) return sum;
                }
              }
              return sum;
            }));
}

void addIndirectBranches(std::vector<Program>& programs) {
  for (const char* opcode : {"brx.idx", "brx.idx.uni"}) {
    const bool uniform = std::string(opcode).ends_with("uni");
    programs.push_back(ofTwo(
        opcode,
        filled("  mov.u32 %u, 2;\n$1  setp.ne.u32 %s, %v, %w;\nTARGETS: .branchtargets ZERO, ONE, TWO, "
               "ONE, THREE;\n  $2 %u, TARGETS;\nZERO:\n  add.u32 %u, %v, 10;\n  bra.uni MET;\nONE:\n"
               "  add.u32 %u, %v, 21;\n  bra.uni MET;\nTWO:\n  add.u32 %u, %v, 32;\n  bra.uni MET;\n"
               "THREE:\n  add.u32 %u, %v, 43;\nMET:\n",
               {uniform ? "" : "  rem.u32 %u, %w, 5;\n", opcode}),
        uniform ? [](uint32_t a, uint32_t) { return a + 32; } : [](uint32_t a, uint32_t b) {
          constexpr uint32_t kAdded[] = {10, 21, 32, 21, 43};
          return a + kAdded[b % 5];
        }));
  }
  // The guard lets some lanes fall through.
  programs.push_back(
      ofTwo("brx.idx, predicated",
            "  rem.u32 %u, %w, 2;\n  setp.lt.u32 %s, %v, %w;\nTARGETS: .branchtargets ZERO, ONE;\n"
            "  @%s brx.idx %u, TARGETS;\n  mov.u32 %u, 7;\n  bra MET;\nZERO:\n  mov.u32 %u, 8;\n  bra MET;\n"
            "ONE:\n  mov.u32 %u, 9;\nMET:\n",
            [](uint32_t a, uint32_t b) { return a < b ? 8 + b % 2 : 7U; }));
}

std::string callOf(const std::string& opcode, const std::string& guard, const std::string& callee,
                   const std::string& behind) {
  return filled(
      "  { .param .b32 to0; .param .b32 to1; .param .b32 from;\n  st.param.b32 [to0], %v;\n"
      "  st.param.b32 [to1], %w;\n  $1$2 (from), $3, (to0, to1)$4;\n  ld.param.b32 %u, [from]; }\n",
      {guard, opcode, callee, behind});
}

void addCalls(std::vector<Program>& programs) {
  const std::string prototype =
      "PROTOTYPE: .callprototype (.param .b32 _) _ (.param .b32 _, .param .b32 _);\n";
  programs.push_back(ofTwo("call", callOf("call", "", "add_scaled", ""), addScaled));
  programs.push_back(ofTwo("call.uni", callOf("call.uni", "", "xor_shifted", ""), xorShifted));
  programs.push_back(
      ofTwo("call, diverged",
            "  setp.lt.u32 %s, %v, %w;\n  @%s bra LESS;\n" + callOf("call", "", "add_scaled", "") +
                "  bra MET;\nLESS:\n" + callOf("call", "", "xor_shifted", "") + "MET:\n",
            [](uint32_t a, uint32_t b) { return a < b ? xorShifted(a, b) : addScaled(a, b); }));
  programs.push_back(ofTwo("ret, some lanes before others", callOf("call", "", "early_return", ""),
                           [](uint32_t a, uint32_t b) { return std::min(a, b); }));
  programs.push_back(
      ofTwo("call of a function that calls itself",
            "  and.b32 %v, %v, 7;\n  { .param .b32 to; .param .b32 from;\n"
            "  st.param.b32 [to], %v;\n  call (from), fib, (to);\n  ld.param.b32 %u, [from]; }\n",
            [](uint32_t a, uint32_t) { return fibonacci(a % 8); }));
  for (const char* opcode : {"call", "call.uni"}) {
    programs.push_back(ofTwo(
        fmt::format("{}, indirect", opcode),
        prototype + "  mov.u64 %x, xor_shifted;\n" + callOf(opcode, "", "%x", ", PROTOTYPE"), xorShifted));
  }
  programs.push_back(ofTwo("call, indirect, diverged",
                           prototype +
                               "  mov.u64 %x, add_scaled;\n  mov.u64 %y, xor_shifted;\n"
                               "  mov.u64 %z, early_return;\n  setp.lt.u32 %s, %v, %w;\n"
                               "  selp.b64 %x, %x, %y, %s;\n  and.b32 %u, %v, 1;\n  setp.eq.u32 %s, %u, 0;\n"
                               "  selp.b64 %x, %x, %z, %s;\n" +
                               callOf("call", "", "%x", ", PROTOTYPE"),
                           [](uint32_t a, uint32_t b) {
                             if (a % 2 != 0) return std::min(a, b);
                             return a < b ? addScaled(a, b) : xorShifted(a, b);
                           }));
  programs.push_back(
      {"ld.param::func, st.param::func",
       "  { .param .align 16 .b8 to[32]; .param .align 16 .b8 from[32];\n"
       "  ld.global.v2.b64 {%x, %y}, [%in];\n  st.param.v2.b64 [to], {%x, %y};\n"
       "  ld.global.v4.b32 {%u, %v, %w, %t}, [%in+16];\n  st.param.v4.b32 [to+16], {%u, %v, %w, %t};\n"
       "  call (from), reversed, (to);\n  ld.param.v4.b32 {%u, %v, %w, %t}, [from];\n"
       "  st.global.v4.b32 [%out], {%u, %v, %w, %t};\n  ld.param.v2.b64 {%x, %y}, [from+16];\n"
       "  st.global.v2.b64 [%out+16], {%x, %y}; }\n",
       [](const BlockRecords& block) {
         for (size_t i = 0; i < kProgramThreads; ++i) {
           const auto swapped = [](uint64_t value) { return (value << 32) | (value >> 32); };
           block.out[i][0] = swapped(block.in[i][3]);
           block.out[i][1] = swapped(block.in[i][2]);
           block.out[i][2] = block.in[i][1];
           block.out[i][3] = block.in[i][0];
         }
       }});
}

// Threads exit early, within a branch, within a function; the remaining ones synchronise at a barrier.
void addExits(std::vector<Program>& programs) {
  const auto add = [&](const std::string& label, const std::string& leave, bool (*stays)(uint32_t)) {
    programs.push_back({label,
                        "  ld.global.b64 %x, [%in];\n  and.b32 %u, %i, 3;\n  setp.eq.u32 %s, %u, 1;\n" +
                            leave + "  bar.sync 0;\n  st.global.b64 [%out], %x;\n",
                        [stays](const BlockRecords& block) {
                          for (uint32_t i = 0; i < kProgramThreads; ++i)
                            block.out[i][0] = stays(i) ? block.in[i][0] : 0;
                        }});
  };
  const auto others = [](uint32_t thread) { return thread % 4 != 1; };
  add("exit, predicated", "  @%s exit;\n", others);
  add("exit, negated predicate", "  @!%s exit;\n", [](uint32_t thread) { return thread % 4 == 1; });
  add("ret of the kernel", "  @%s ret;\n", others);
  add("ret.uni of the kernel", "  setp.lt.u32 %s, %i, 32;\n  @%s ret.uni;\n",
      [](uint32_t thread) { return thread >= 32; });
  add("exit in a branch", "  @!%s bra STAY;\n  add.s64 %x, %x, 1;\n  exit;\nSTAY:\n", others);
  add("exit in a function", "  { .param .b32 to; st.param.b32 [to], %i; call leave_if_odd, (to); }\n",
      [](uint32_t thread) { return thread % 2 == 0; });
  add("exit of a whole warp", "  shr.u32 %u, %i, 5;\n  setp.eq.u32 %s, %u, 2;\n  @%s exit;\n",
      [](uint32_t thread) { return thread / 32 != 2; });
}

}  // namespace

void addControlPrograms(std::vector<Program>& programs) {
  addBranches(programs);
  addIndirectBranches(programs);
  addCalls(programs);
  addExits(programs);
}

}  // namespace warpscope::test
