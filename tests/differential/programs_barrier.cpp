// Barriers of the block and the warp, their votes, and fences: threads exchange values through shared memory.
#include <fmt/format.h>

#include <algorithm>

#include "tests/differential/program.h"

namespace warpscope::test {
namespace {

// Every thread stores its value in shared memory, and after `meeting` reads that of thread %w.
std::string exchange(const std::string& partner, const std::string& meeting) {
  return "  .shared .b64 mem[128];\n  mov.u32 %v, mem;\n  mad.lo.u32 %u, %i, 8, %v;\n"
         "  ld.global.b64 %x, [%in];\n  st.shared.b64 [%u], %x;\n" +
         partner + meeting +
         "  mad.lo.u32 %u, %w, 8, %v;\n  ld.shared.b64 %x, [%u];\n  st.global.b64 [%out], %x;\n";
}

Program exchanging(const std::string& label, const std::string& partner, const std::string& meeting,
                   uint32_t (*partner_of)(uint32_t)) {
  return {label, exchange(partner, meeting), [partner_of](const BlockRecords& block) {
            for (uint32_t thread = 0; thread < kProgramThreads; ++thread)
              block.out[thread][0] = block.in[partner_of(thread)][0];
          }};
}

constexpr const char* kAnywhere = "  add.u32 %w, %i, 37;\n  and.b32 %w, %w, 127;\n";
uint32_t anywhere(uint32_t thread) {
  return (thread + 37) % 128;
}
// A partner in the same half of the block.
constexpr const char* kInHalf = "  xor.b32 %w, %i, 63;\n";
uint32_t inHalf(uint32_t thread) {
  return thread ^ 63U;
}
constexpr const char* kInWarp = "  xor.b32 %w, %i, 21;\n";
uint32_t inWarp(uint32_t thread) {
  return thread ^ 21U;
}

// A barrier's index and the number of threads that it waits for, as operands.
struct Operands {
  const char *variant, *setup, *text;
  bool halves;
};
constexpr Operands kOperands[] = {
    {"0", "", "0", false},
    {"15", "", "15", false},
    {"register", "  mov.u32 %u, 3;\n", "%u", false},
    {"count", "", "2, 128", false},
    {"count in a register", "  mov.u32 %u, 128;\n", "4, %u", false},
    {"halves", "  shr.u32 %u, %i, 6;\n  add.u32 %u, %u, 5;\n", "%u, 64", true},
};

void addBlockBarriers(std::vector<Program>& programs) {
  for (const char* opcode : {"bar.sync", "bar.cta.sync", "barrier.sync", "barrier.cta.sync",
                             "barrier.sync.aligned", "barrier.cta.sync.aligned"}) {
    for (const Operands& operands : kOperands) {
      programs.push_back(exchanging(fmt::format("{}, {}", opcode, operands.variant),
                                    operands.halves ? kInHalf : kAnywhere,
                                    fmt::format("{}  {} {};\n", operands.setup, opcode, operands.text),
                                    operands.halves ? inHalf : anywhere));
    }
  }
  // Two warps only arrive, the others read what those stored.
  for (const auto& [arrive, sync] : {std::pair{"bar.arrive", "bar.sync"},
                                     {"bar.cta.arrive", "bar.cta.sync"},
                                     {"barrier.arrive", "barrier.sync"},
                                     {"barrier.cta.arrive", "barrier.cta.sync"},
                                     {"barrier.arrive.aligned", "barrier.sync.aligned"},
                                     {"barrier.cta.arrive.aligned", "barrier.cta.sync.aligned"}}) {
    programs.push_back(
        exchanging(arrive, "  and.b32 %w, %i, 63;\n  setp.lt.u32 %s, %i, 64;\n",
                   filled("  @%s bra ARRIVE;\n  $2 6, 128;\n  bra.uni MET;\nARRIVE:\n  $1 6, 128;\nMET:\n",
                          {arrive, sync}),
                   [](uint32_t thread) { return thread % 64; }));
  }
  // Not aligned: lanes of a warp reach it at two places, one after another.
  programs.push_back(exchanging(
      "barrier.sync, diverged", std::string(kAnywhere) + "  and.b32 %u, %i, 1;\n  setp.eq.u32 %s, %u, 0;\n",
      "  @%s bra EVEN;\n  barrier.sync 1, 128;\n  bra MET;\nEVEN:\n  barrier.sync 1, 128;\nMET:\n",
      anywhere));
  // The same barrier repeatedly.
  programs.push_back(exchanging("bar.sync, in a loop", std::string(kAnywhere) + "  mov.u32 %u, 0;\n",
                                "AGAIN:\n  bar.sync 0;\n  add.u32 %u, %u, 1;\n  setp.lt.u32 %s, %u, 9;\n"
                                "  @%s bra AGAIN;\n",
                                anywhere));
}

struct Vote {
  const char* words;
  bool counts;
};

uint64_t voted(const Vote& vote, std::span<const Record> voters, bool negated) {
  const auto yes = static_cast<size_t>(std::ranges::count_if(
      voters, [&](const Record& record) { return ((record[0] & 1U) != 0) != negated; }));
  if (vote.counts) return yes;
  return std::string_view(vote.words).starts_with("and") ? yes == voters.size() : yes > 0;
}

void addVotes(std::vector<Program>& programs) {
  constexpr Vote kVotes[] = {{"popc.u32", true}, {"and.pred", false}, {"or.pred", false}};
  for (const char* name : {"bar.red", "bar.cta.red", "barrier.red", "barrier.cta.red"}) {
    for (const char* aligned : {"", ".aligned"}) {
      if (*aligned != 0 && !std::string_view(name).starts_with("barrier")) continue;
      for (const Vote& vote : kVotes) {
        const auto type_at = std::string_view(vote.words).find('.');
        const std::string opcode = std::string(name) + "." + std::string(vote.words, type_at) + aligned +
                                   std::string(vote.words).substr(type_at);
        for (const Operands& operands : kOperands) {
          for (const bool negated : {false, true}) {
            const std::string body = filled(
                "  ld.global.b32 %v, [%in];\n  and.b32 %v, %v, 1;\n  setp.ne.u32 %s, %v, 0;\n$1"
                "  $2 $3, $4, $5;\n$6  st.global.b32 [%out], %v;\n",
                {operands.setup, opcode, vote.counts ? "%v" : "%q", operands.text, negated ? "!%s" : "%s",
                 vote.counts ? "" : "  selp.b32 %v, 1, 0, %q;\n"});
            Program program{fmt::format("{}, {}{}", opcode, operands.variant, negated ? ", negated" : ""),
                            body, [=, halves = operands.halves](const BlockRecords& block) {
                              const size_t size = halves ? 64 : 128;
                              for (size_t first = 0; first < kProgramThreads; first += size) {
                                const uint64_t result = voted(vote, block.in.subspan(first, size), negated);
                                for (size_t i = 0; i < size; ++i) block.out[first + i][0] = result;
                              }
                            }};
            program.prepare = [](Record& record, uint32_t thread) {  // all, none, most
              if (thread / 64 % 4 == 0) record[0] |= 1U;
              if (thread / 64 % 4 == 1) record[0] &= ~uint64_t{1};
            };
            programs.push_back(std::move(program));
          }
        }
      }
    }
  }
}

void addWarpBarriersAndFences(std::vector<Program>& programs) {
  programs.push_back(exchanging("bar.warp.sync", kInWarp, "  bar.warp.sync 0xFFFFFFFF;\n", inWarp));
  programs.push_back(
      exchanging("bar.warp.sync, register", kInWarp, "  mov.u32 %u, -1;\n  bar.warp.sync %u;\n", inWarp));
  // Lanes of either parity synchronise among themselves, at their own places; then all of them at two places.
  programs.push_back(exchanging(
      "bar.warp.sync, some lanes", "  xor.b32 %w, %i, 20;\n  and.b32 %u, %i, 1;\n  setp.eq.u32 %s, %u, 0;\n",
      "  @%s bra EVEN;\n  bar.warp.sync 0xAAAAAAAA;\n  bra MET;\nEVEN:\n  bar.warp.sync 0x55555555;\nMET:\n",
      [](uint32_t thread) { return thread ^ 20U; }));
  programs.push_back(exchanging(
      "bar.warp.sync, at two places",
      "  xor.b32 %w, %i, 21;\n  and.b32 %u, %i, 1;\n  setp.eq.u32 %s, %u, 0;\n",
      "  @%s bra EVEN;\n  bar.warp.sync 0xFFFFFFFF;\n  bra MET;\nEVEN:\n  bar.warp.sync 0xFFFFFFFF;\nMET:\n",
      inWarp));
  std::vector<std::string> fences = {"membar.cta", "membar.gl", "membar.sys"};
  for (const char* order : {"", ".sc", ".acq_rel", ".acquire", ".release"}) {
    for (const char* scope : {".cta", ".cluster", ".gpu", ".sys"})
      fences.push_back(std::string("fence") + order + scope);
  }
  for (const std::string& fence : fences) {
    programs.push_back(exchanging(fence, kInWarp, "  " + fence + ";\n  bar.warp.sync 0xFFFFFFFF;\n", inWarp));
  }
}

}  // namespace

void addBarrierPrograms(std::vector<Program>& programs) {
  addBlockBarriers(programs);
  addVotes(programs);
  addWarpBarriersAndFences(programs);
}

}  // namespace warpscope::test
