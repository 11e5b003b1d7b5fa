#include <array>
#include <span>

#include "tests/support/synthetic_trace.h"

namespace warpscope::testing {
namespace {

constexpr const char* kProbeFile = "kernels/probe/probe.cuh";

// The instructions that the synthetic kernel's regions issue: PTX, line, and what the instruction waits for.
struct Scripted {
  RegionId region;
  const char* text;
  uint32_t line;
  WarpState waits_for;
  bool of_probe = false;
};
constexpr std::array<Scripted, 18> kScript{{
    {kLoad, "mov.u64 %rd9, %clock64;", 2, WarpState::kNoInstruction, true},
    {kLoad, "mul.wide.u32 %rd3, %r1, 4;", 2, WarpState::kImcMiss},
    {kLoad, "ld.global.u32 %r4, [%rd3];", 2, WarpState::kLgThrottle},
    {kStep, "mov.u64 %rd10, %clock64;", 3, WarpState::kWait, true},
    {kStep, "and.b32 %r5, %r4, 1;", 4, WarpState::kLongScoreboard},
    {kStep, "setp.eq.b32 %p1, %r5, 1;", 4, WarpState::kWait},
    {kStep, "@%p1 bra $L__BB0_4;", 4, WarpState::kWait},
    {kEvenPath, "mov.u64 %rd11, %clock64;", 5, WarpState::kBranchResolve, true},
    {kEvenPath, "add.s32 %r6, %r4, 3;", 5, WarpState::kNotSelected},
    {kEvenPath, "xor.b32 %r4, %r6, 5;", 6, WarpState::kWait},
    {kOddPath, "mov.u64 %rd12, %clock64;", 8, WarpState::kBranchResolve, true},
    {kOddPath, "mul.lo.s32 %r6, %r4, 3;", 8, WarpState::kMathPipeThrottle},
    {kOddPath, "st.shared.u32 [%r7], %r6;", 9, WarpState::kMioThrottle},
    {kOddPath, "ld.shared.u32 %r8, [%r7];", 9, WarpState::kShortScoreboard},
    {kOddPath, "bar.sync 0;", 9, WarpState::kBarrier},
    {kStore, "mov.u64 %rd13, %clock64;", 11, WarpState::kWait, true},
    {kStore, "st.global.u32 [%rd5], %r4;", 11, WarpState::kDispatch},
    {kStore, "membar.gl;", 11, WarpState::kMembar},
}};
constexpr uint32_t kBeforeBegin = kScript.size();  // the prologue, before the probe begins

std::shared_ptr<const Listing> listingOf(const std::string& source_file) {
  Listing listing;
  for (const Scripted& line : kScript) {
    if (line.of_probe) {
      listing.push_back({line.text, kProbeFile, 120, source_file, line.line});
    } else {
      listing.push_back({line.text, source_file, line.line, "", 0});
    }
  }
  listing.push_back({"mov.u32 %r1, %tid.x;", source_file, 1, "", 0});
  return std::make_shared<const Listing>(std::move(listing));
}

void addSpan(const Span& span, Trace& trace) {
  uint32_t count = 0, first = 0;
  for (uint32_t i = 0; i < kScript.size(); ++i) {
    if (kScript[i].region != span.region) continue;
    if (count++ == 0) first = i;
  }
  for (uint32_t i = 0; i < count; ++i) {
    const int64_t issue = span.begin_cycles + (span.end_cycles - span.begin_cycles) * i / count;
    const int64_t gap = issue - trace.instructions.back().issue_cycles - 1;
    const bool waits = gap > 0;
    trace.instructions.push_back({issue, first + i, span.mask,
                                  waits ? kScript[first + i].waits_for : WarpState::kSelected,
                                  static_cast<uint32_t>(waits ? gap : 0)});
  }
}

}  // namespace

void addInstructions(Run& run) {
  run.request.log_instructions = true;
  run.listing = listingOf(run.source_file);
  Trace& trace = run.trace;
  trace.instructions.clear();
  for (TraceWarp& warp : trace.warps) {
    warp.first_instruction = static_cast<uint32_t>(trace.instructions.size());
    trace.instructions.push_back({warp.begin_cycles - 12, kBeforeBegin, warp.live, WarpState::kSelected, 0});
    forEachSpan(trace, warp, [&](const Span& span) { addSpan(span, trace); });
    warp.instruction_count = static_cast<uint32_t>(trace.instructions.size()) - warp.first_instruction;
  }
}

}  // namespace warpscope::testing
