#include "kernels/sim/sm/sampled_sms.h"

#include <algorithm>
#include <span>
#include <vector>

namespace warpscope::sim {
namespace {

// With 8, cycles differ from those on all SMs by 1.7 % on average over 401 kernels (tests/truth/open), with 4
// by 2.0 %. Runs take up to 8 % longer than with 4.
constexpr uint32_t kSampledSms = 8;
// At least so many rounds say how long the rounds take that are left out; fewer where probes record, whose
// launch need not be timed as well.
constexpr uint64_t kSteadyRounds = 16, kRecordedSteadyRounds = 8;
// The SMs are filled so many times before that: blocks that began together run in step at first, and queues
// are still growing. With 1, `atomic_per_thread` would take 23 % less than with all rounds. With 2,
// reductions of 2^24 differ by 2.3 % in the mean, 10 % at most (`syncwarp`).
constexpr uint64_t kUnsteadyFillings = 2;
constexpr double kWorthSkipping = 1.25;  // so many times the rounds that are simulated

bool isAmong(std::span<const Row> rows, Row row) {
  return std::ranges::find(rows, row.index, &Row::index) != rows.end();
}

// Whether anything uses the first result of the instruction at `at`, before its row is written again. nvcc
// writes atom where nothing does, too; ptxas makes a reduction of it.
bool isUsed(const Code& code, uint32_t at) {
  const Row row = code.instructions[at].destinations[0];
  if (row.index == kSinkRow) return false;
  std::vector<bool> seen(code.instructions.size());
  std::vector<uint32_t> next{at + 1};
  while (!next.empty()) {
    const uint32_t pc = next.back();
    next.pop_back();
    if (pc >= seen.size() || seen[pc]) continue;
    seen[pc] = true;
    const Instruction& in = code.instructions[pc];
    const bool passes_on = in.kind == Kind::kCall || in.kind == Kind::kIndirectCall ||
                           in.kind == Kind::kIndirectBranch || in.kind == Kind::kPrint ||
                           in.kind == Kind::kSetCondition;
    if (passes_on || isAmong(std::span(in.sources).first(in.source_count), row)) return true;
    const bool always = in.guard == kNoPredicate;
    if (always && isAmong(std::span(in.destinations).first(in.destination_count), row)) continue;
    const bool ends = in.kind == Kind::kExit || in.kind == Kind::kReturn;
    if (in.kind == Kind::kBranch) next.push_back(in.target);
    if (!always || (in.kind != Kind::kBranch && !ends)) next.push_back(pc + 1);
  }
  return false;
}

// Whether control can come back to an instruction. A way back must at some point branch from it, or from
// behind it, to it or before it.
bool mayRepeat(const Code& code, uint32_t at) {
  for (uint32_t pc = 0; pc < code.instructions.size(); ++pc) {
    const Instruction& in = code.instructions[pc];
    if (in.kind == Kind::kCall || in.kind == Kind::kIndirectBranch) return true;
    if (in.kind == Kind::kBranch && pc >= at && in.target <= at) return true;
  }
  return false;
}

Influence influenceOf(const Code& code, uint32_t pc) {
  const Instruction& in = code.instructions[pc];
  switch (in.kind) {
    case Kind::kAtomic:
      if (ptx::isShared(in.space) || !isUsed(code, pc)) return Influence::kNone;
      return mayRepeat(code, pc) ? Influence::kAny : Influence::kOrder;
    case Kind::kLoad:
      return !ptx::isShared(in.space) && isStrong(in.modifiers) ? Influence::kBarrier : Influence::kNone;
    case Kind::kReadSpecial:
      return in.special == ptx::Special::kSmid || in.special == ptx::Special::kWarpid ? Influence::kAny
                                                                                      : Influence::kNone;
    case Kind::kClock:
    case Kind::kPrint:
    case Kind::kIndirectCall:
      return Influence::kAny;
    default:
      return Influence::kNone;
  }
}

}  // namespace

Influence influenceOfBlocks(const Code& code) {
  auto most = Influence::kNone;
  uint32_t strong_loads = 0;
  for (uint32_t pc = 0; pc < code.instructions.size(); ++pc) {
    const Influence influence = influenceOf(code, pc);
    strong_loads += influence == Influence::kBarrier ? 1 : 0;
    most = std::max(most, influence);
  }
  return strong_loads > 1 ? Influence::kAny : most;
}

std::vector<bool> atomicsThatOrder(const Code& code) {
  std::vector<bool> atomics(code.instructions.size());
  for (uint32_t pc = 0; pc < code.instructions.size(); ++pc)
    atomics[pc] = influenceOf(code, pc) == Influence::kOrder;
  return atomics;
}

uint32_t smsInUse(uint64_t blocks, uint32_t sm_count) {
  return static_cast<uint32_t>(std::clamp<uint64_t>(blocks, 1, std::max(sm_count, 1U)));
}

uint32_t sampledSms(Influence influence, uint64_t blocks, uint32_t sm_count, uint32_t at_least) {
  const uint32_t in_use = smsInUse(blocks, sm_count);
  const uint32_t sampled = std::max(kSampledSms, 2 * std::min(at_least, sm_count));
  if (2 * sampled > in_use) return 0;
  return influence == Influence::kAny ? 0 : sampled;
}

TimedBlocks sampledBlocks(uint32_t sampled, uint32_t sms_in_use, uint64_t blocks, uint32_t blocks_per_sm,
                          uint64_t recorded_rounds, uint32_t plain) {
  const uint32_t last = recorded_rounds > 0 ? plain : sampled / 2;
  TimedBlocks selection{{.stride = sms_in_use, .first = sampled - last, .last = last}};
  const uint64_t filling = std::max(blocks_per_sm, 1U);
  const uint64_t whole_rounds = blocks / sms_in_use;
  // The recorded blocks that are in flight when no other one is recorded any more slow down those that
  // follow.
  const uint64_t recorded = std::min(recorded_rounds, whole_rounds) + filling;
  selection.steady_from = std::max(kUnsteadyFillings * filling, recorded_rounds > 0 ? recorded : 0);
  const bool timed = recorded_rounds == 0 || plain > 0;
  const uint64_t steady = timed ? kSteadyRounds : kRecordedSteadyRounds;
  const uint64_t before = selection.steady_from + (steady + filling - 1) / filling * filling;
  const auto simulated = static_cast<double>(before + filling);
  if (static_cast<double>(whole_rounds) < kWorthSkipping * simulated) return selection;
  selection.skip_from = before;
  selection.skip_until = whole_rounds - filling;
  return selection;
}

uint64_t representative(const TimedBlocks& selection, uint64_t block, uint64_t blocks, uint32_t recording) {
  if (selection.contains(block)) return block;
  uint64_t round = block / selection.stride;
  const uint64_t column = block % selection.stride;
  if (round >= selection.skip_from && round < selection.skip_until) {
    const uint64_t steady = selection.skip_from - selection.steady_from;
    round = selection.steady_from + (round - selection.skip_from) % steady;
  }
  const uint64_t begin = round * selection.stride, before_last = selection.stride - selection.last;
  if (selection.contains(begin + column)) return begin + column;
  // The last round of a grid may end before the last SMs, and has at least one of the first ones.
  const uint64_t of_round = std::min(blocks - begin, selection.stride);
  const uint64_t first = std::min(selection.first, of_round);
  const uint64_t last = of_round - std::min(of_round, before_last);
  const uint64_t silent = first - std::min<uint64_t>(recording, first);
  if (silent + last == 0) return begin + column % first;
  const uint64_t chosen = column % (silent + last);
  return begin + (chosen < silent ? first - silent + chosen : before_last + chosen - silent);
}

}  // namespace warpscope::sim
