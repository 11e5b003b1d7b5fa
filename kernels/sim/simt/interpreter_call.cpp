// Parameters and results of device functions: they are in the local memory of the frames, and are copied.
#include <bit>
#include <cstring>

#include "kernels/sim/simt/interpreter_state.h"

namespace warpscope::sim {

namespace {

struct Copy {
  uint64_t from, to;
  uint32_t bytes;
};

void copyLanes(const Warp& warp, const Copy& copy, uint32_t mask) {
  for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    std::byte* local = warp.localOf(static_cast<uint32_t>(std::countr_zero(rest)));
    std::memcpy(local + copy.to, local + copy.from, copy.bytes);
  }
}

}  // namespace

bool Block::State::passArguments(const Warp& warp, const Instruction& instruction, uint32_t callee,
                                 uint32_t caller_frame, uint32_t callee_frame, uint32_t mask) {
  const CodeFunction& function = code.functions[callee];
  const auto& places = code.tables[instruction.table];
  if (places.size() != 2 * (function.parameters.size() + function.results.size())) return false;
  for (size_t i = 0; i < places.size() / 2; ++i) {
    const bool argument = i < function.parameters.size();
    const auto& formal = argument ? function.parameters[i] : function.results[i - function.parameters.size()];
    if (formal.bytes != places[2 * i + 1]) return false;
  }
  for (size_t i = 0; i < function.parameters.size(); ++i) {
    const auto& to = function.parameters[i];
    copyLanes(warp,
              {warp.frames[caller_frame].local_base + places[2 * i],
               warp.frames[callee_frame].local_base + to.offset, to.bytes},
              mask);
  }
  return true;
}

void Block::State::passResults(const Warp& warp, uint32_t callee_frame, uint32_t mask) {
  const Frame& frame = warp.frames[callee_frame];
  const CodeFunction& function = code.functions[frame.function];
  const auto& places = code.tables[code.instructions[frame.call_pc].table];
  const uint32_t caller_base = warp.frames[frame.parent].local_base;
  for (size_t i = 0; i < function.results.size(); ++i) {
    const auto& from = function.results[i];
    copyLanes(warp,
              {frame.local_base + from.offset, caller_base + places[2 * (function.parameters.size() + i)],
               from.bytes},
              mask);
  }
}

}  // namespace warpscope::sim
