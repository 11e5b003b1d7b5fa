// cudaGraphSetConditional, with which a kernel sets the condition of a conditional node of its graph ("CUDA
// Graphs", "Conditional Graph Nodes", CUDA C++ Programming Guide): a call of a function that the toolkit's
// device runtime library defines, with the handle and the value.
#include <bit>
#include <cstring>

#include "kernels/sim/simt/interpreter_state.h"

namespace warpscope::sim {

bool Block::State::setCondition(const Warp& warp, const Path& path, const Instruction& in, uint32_t mask) {
  const Frame& frame = warp.frames[path.frame];
  const auto& places = code.tables[in.table];  // offset and size of the handle and the value in the frame
  for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(rest));
    const std::byte* local = warp.localOf(lane) + frame.local_base;
    uint64_t handle = 0;
    uint32_t value = 0;
    std::memcpy(&handle, local + places[0], sizeof handle);
    std::memcpy(&value, local + places[2], sizeof value);
    const std::string problem = launch.set_condition ? launch.set_condition(handle, value)
                                                     : "the launch is in no graph with conditional nodes";
    if (problem.empty()) continue;
    raise(warp, path.pc, lane, "cudaGraphSetConditional: " + problem);
    return false;
  }
  return true;
}

}  // namespace warpscope::sim
