#include "kernels/sim/sm/stalls.h"

#include <algorithm>
#include <array>
#include <limits>

namespace warpscope::sim {
namespace {

constexpr size_t kSpacings = static_cast<size_t>(Spacing::kNone);

bool isArithmetic(Pipe pipe) {
  return pipe == Pipe::kInt || pipe == Pipe::kIntMultiply || pipe == Pipe::kFp64;
}

// The times of a list of operations as its compiler sees them, from 0.
class CompiledTimes {
 public:
  explicit CompiledTimes(uint32_t registers) : ready_(registers, 0) {}

  // When it can begin, if the one before it issued last at `before`.
  uint32_t earliest(const IssueOp& op, uint32_t before, const IssueOp* last) const {
    uint32_t cycle = last == nullptr ? 0 : before + last->stall_cycles;
    for (const uint16_t value : std::span(op.awaited).first(op.awaited_count))
      cycle = std::max(cycle, ready_[value]);
    if (op.spacing != Spacing::kNone) cycle = std::max(cycle, next_of_[static_cast<size_t>(op.spacing)]);
    if (last != nullptr && last->pipe == op.pipe && isArithmetic(op.pipe) && last->on_pipe == last->issues)
      cycle = std::max(cycle, before + (last->pipe_ticks + kPipeTicks - 1) / kPipeTicks);
    return cycle;
  }

  // It issues for the last time at `cycle`.
  void issue(const IssueOp& op, uint32_t cycle) {
    if (op.spacing != Spacing::kNone) next_of_[static_cast<size_t>(op.spacing)] = cycle + op.spacing_cycles;
    const bool fixed = op.kind == OpClass::kFixed && (op.score == ScoreClass::kFixed || op.late_cycles > 0);
    const uint32_t latency = std::max(op.latency_cycles, op.special_cycles) - op.special_cycles;
    for (uint32_t i = 0; i < op.destination_count; ++i) {
      const uint32_t early = i + op.early_count >= op.destination_count ? op.early_cycles : 0;
      ready_[op.destinations[i]] = fixed ? cycle + latency - std::min(early, latency) : 0;
    }
  }

  void forget(const IssueOp& op) {
    for (const uint16_t value : std::span(op.destinations).first(op.destination_count)) ready_[value] = 0;
  }
  void begin() { next_of_.fill(0); }

 private:
  std::vector<uint32_t> ready_;  // by value
  std::array<uint32_t, kSpacings> next_of_{};
};

}  // namespace

void setStalls(std::vector<IssueOp>& ops, const MachineCode& machine) {
  constexpr uint32_t kMost = std::numeric_limits<uint8_t>::max();
  CompiledTimes times(machine.registers);
  for (size_t s = 0; s < machine.segments.size(); ++s) {
    const MachineSegment& segment = machine.segments[s];
    if (segment.group_first != s) continue;
    const auto of_group = std::span(ops).subspan(segment.first, segment.count);
    times.begin();
    IssueOp* last = nullptr;
    uint32_t before = 0;
    for (IssueOp& op : of_group) {
      const uint32_t begin = times.earliest(op, before, last);
      if (last != nullptr) last->stall_cycles = static_cast<uint8_t>(std::min(begin - before, kMost));
      before = begin + op.issues - 1;
      times.issue(op, before);
      last = &op;
    }
    for (const IssueOp& op : of_group) times.forget(op);
  }
}

}  // namespace warpscope::sim
