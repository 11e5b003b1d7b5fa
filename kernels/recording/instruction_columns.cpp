#include <cstring>

#include "kernels/recording/byte_io.h"
#include "kernels/recording/columns.h"

namespace warpscope {
namespace {

constexpr uint64_t kStateBits = 5;  // the reason of a wait is below its cycles
static_assert(kWarpStates <= 1U << kStateBits);

// Distributes the instructions to the warps.
Expected<void> readCounts(std::span<const std::byte> column, size_t instructions, Trace& trace) {
  ByteReader in(column);
  uint64_t first = 0;
  for (TraceWarp& warp : trace.warps) {
    const uint64_t count = in.variable();
    if (!in.ok() || count > instructions - first) break;
    warp.first_instruction = static_cast<uint32_t>(first);
    warp.instruction_count = static_cast<uint32_t>(count);
    first += count;
  }
  if (!in.ok() || in.remaining() != 0 || first != instructions) {
    return fail(ErrorKind::kDamagedFile,
                "column instruction_counts: {} of {} instructions belong to a warp, {} bytes are left over",
                first, instructions, in.remaining());
  }
  return {};
}

// Reads one instruction from each column; returns false if a value is invalid.
class InstructionReader {
 public:
  InstructionReader(const ColumnViews& columns, size_t listed)
      : clocks_(columns[kIssueColumn]),
        indices_(columns[kListedColumn]),
        masks_(columns[kLanesColumn]),
        waits_(columns[kWaitColumn]),
        listed_(listed) {}

  void beginWarp(const TraceWarp& warp) {
    clock_ = static_cast<uint64_t>(warp.begin_cycles);
    first_ = true;
  }
  bool read(TraceInstruction& instruction) {
    const int64_t later = unzigzag(clocks_.variable());
    // Only the first instruction may come before the reference of its clock.
    if (!first_ && (later < 0 || static_cast<int64_t>(clock_ + static_cast<uint64_t>(later)) <
                                     static_cast<int64_t>(clock_))) {
      return false;
    }
    first_ = false;
    clock_ += static_cast<uint64_t>(later);
    index_ += static_cast<uint64_t>(unzigzag(indices_.variable()));
    const uint64_t wait = waits_.variable();
    const uint64_t state = wait & ((1U << kStateBits) - 1), cycles = wait >> kStateBits;
    if (index_ >= listed_ || state >= kWarpStates || cycles > UINT32_MAX) return false;
    instruction.issue_cycles = static_cast<int64_t>(clock_);
    instruction.listed = static_cast<uint32_t>(index_);
    instruction.mask = {masks_.fixed<uint32_t>()};
    instruction.waited_for = static_cast<WarpState>(state);
    instruction.waited_cycles = static_cast<uint32_t>(cycles);
    return clocks_.ok() && indices_.ok() && masks_.ok() && waits_.ok();
  }
  size_t remaining() const {
    return clocks_.remaining() + indices_.remaining() + masks_.remaining() + waits_.remaining();
  }

 private:
  ByteReader clocks_, indices_, masks_, waits_;
  size_t listed_;
  uint64_t clock_ = 0, index_ = 0;
  bool first_ = true;
};

}  // namespace

size_t instructionsOfWarps(const Trace& trace) {
  size_t count = 0;
  for (const TraceWarp& warp : trace.warps) count += warp.instruction_count;
  return count;
}

Expected<void> makeInstructionColumns(const Trace& trace, Columns& columns) {
  ByteWriter counts, clocks, indices, masks, waits;
  uint32_t index_before = 0;
  for (const TraceWarp& warp : trace.warps) {
    if (uint64_t{warp.first_instruction} + warp.instruction_count > trace.instructions.size()) {
      return fail(ErrorKind::kWorkFailed, "block {} warp {}: its instructions lie outside of the trace",
                  warp.block.value, warp.warp_in_block);
    }
    counts.variable(warp.instruction_count);
    auto clock_before = static_cast<uint64_t>(warp.begin_cycles);
    for (const TraceInstruction& instruction : trace.instructionsOf(warp)) {
      const auto clock = static_cast<uint64_t>(instruction.issue_cycles);
      clocks.variable(zigzag(static_cast<int64_t>(clock - clock_before)));
      clock_before = clock;
      indices.variable(zigzag(int64_t{instruction.listed} - int64_t{index_before}));
      index_before = instruction.listed;
      masks.fixed(instruction.mask.bits);
      waits.variable((uint64_t{instruction.waited_cycles} << kStateBits) |
                     static_cast<uint64_t>(instruction.waited_for));
    }
  }
  columns[kCountColumn] = counts.take();
  columns[kIssueColumn] = clocks.take();
  columns[kListedColumn] = indices.take();
  columns[kLanesColumn] = masks.take();
  columns[kWaitColumn] = waits.take();
  return {};
}

Expected<void> readInstructionColumns(const ColumnViews& columns, size_t instructions, size_t listed,
                                      Trace& trace) {
  if (columns[kIssueColumn].size() < instructions || columns[kListedColumn].size() < instructions ||
      columns[kWaitColumn].size() < instructions ||
      columns[kLanesColumn].size() != instructions * sizeof(uint32_t)) {
    return fail(ErrorKind::kDamagedFile, "columns of instructions: {} instructions cannot be in them",
                instructions);
  }
  if (auto read = readCounts(columns[kCountColumn], instructions, trace); !read) return read;
  trace.instructions.resize(instructions);
  InstructionReader in(columns, listed);
  size_t at = 0;
  for (const TraceWarp& warp : trace.warps) {
    in.beginWarp(warp);
    for (uint32_t i = 0; i < warp.instruction_count; ++i, ++at) {
      if (!in.read(trace.instructions[at])) {
        return fail(ErrorKind::kDamagedFile, "columns of instructions: instruction {} is not readable", at);
      }
    }
  }
  if (in.remaining() != 0) {
    return fail(ErrorKind::kDamagedFile, "columns of instructions: {} bytes are left over", in.remaining());
  }
  return {};
}

}  // namespace warpscope
