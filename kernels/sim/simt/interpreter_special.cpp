// Instructions that read what a thread is given rather than computes: special registers, clocks, parameters.
#include <algorithm>
#include <bit>
#include <cstring>

#include "kernels/sim/simt/interpreter_state.h"

namespace warpscope::sim {

namespace {

using ptx::Special;
using ptx::Type;

// Writes the same value to all lanes, or one per lane, to a destination of the instruction's width.
template <class ValueOf>
void write(const Instruction& in, const Registers& registers, Row destination, uint32_t mask,
           ValueOf value_of) {
  if (destination.index == kSinkRow) return;
  if (in.type2 == Type::kB64) {
    uint64_t* row = registers.out64(destination);
    for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<uint32_t>(std::countr_zero(rest));
      row[lane] = value_of(lane);
    }
    return;
  }
  const uint32_t keep = in.type2 == Type::kB16 ? 0xFFFFU : 0xFFFFFFFFU;
  uint32_t* row = registers.out(destination);
  if (mask == 0xFFFFFFFFU) {
    for (uint32_t lane = 0; lane < 32; ++lane) row[lane] = static_cast<uint32_t>(value_of(lane)) & keep;
    return;
  }
  for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(rest));
    row[lane] = static_cast<uint32_t>(value_of(lane)) & keep;
  }
}

uint64_t readElement(const std::byte* from, Type type) {
  uint64_t value = 0;
  const uint32_t bytes = ptx::bytesOf(type);
  std::memcpy(&value, from, std::min(bytes, 8U));
  if (!ptx::isSigned(type) || bytes == 8) return value;
  const uint32_t shift = 64 - 8 * bytes;
  return static_cast<uint64_t>(static_cast<int64_t>(value << shift) >> shift);
}

}  // namespace

void Block::State::readSpecial(const Warp& warp, const Instruction& in, const Registers& registers,
                               uint32_t mask) const {
  const auto all = [&](uint64_t value) {
    write(in, registers, in.destinations[0], mask, [value](uint32_t) { return value; });
  };
  const auto each = [&](auto value_of) { write(in, registers, in.destinations[0], mask, value_of); };
  switch (in.special) {
    case Special::kIsExplicitCluster: {
      uint32_t& predicate = registers.predicates[in.predicate_destinations[0]];
      predicate = launch.explicit_cluster ? predicate | mask : predicate & ~mask;
      return;
    }
    case Special::kClusterIdX:
      return all(block_index[0] / launch.cluster.x);
    case Special::kClusterIdY:
      return all(block_index[1] / launch.cluster.y);
    case Special::kClusterIdZ:
      return all(block_index[2] / launch.cluster.z);
    case Special::kNclusterIdX:
      return all(clusterGrid(launch).x);
    case Special::kNclusterIdY:
      return all(clusterGrid(launch).y);
    case Special::kNclusterIdZ:
      return all(clusterGrid(launch).z);
    case Special::kClusterCtaidX:
      return all(block_index[0] % launch.cluster.x);
    case Special::kClusterCtaidY:
      return all(block_index[1] % launch.cluster.y);
    case Special::kClusterCtaidZ:
      return all(block_index[2] % launch.cluster.z);
    case Special::kClusterNctaidX:
      return all(launch.cluster.x);
    case Special::kClusterNctaidY:
      return all(launch.cluster.y);
    case Special::kClusterNctaidZ:
      return all(launch.cluster.z);
    case Special::kClusterCtarank:
      return all(rank);
    case Special::kClusterNctarank:
      return all(launch.cluster.count());
    case Special::kTidX:
      return each([&](uint32_t lane) { return uint64_t{warp.thread_index[0][lane]}; });
    case Special::kTidY:
      return each([&](uint32_t lane) { return uint64_t{warp.thread_index[1][lane]}; });
    case Special::kTidZ:
      return each([&](uint32_t lane) { return uint64_t{warp.thread_index[2][lane]}; });
    case Special::kNtidX:
      return all(launch.block.x);
    case Special::kNtidY:
      return all(launch.block.y);
    case Special::kNtidZ:
      return all(launch.block.z);
    case Special::kCtaidX:
      return all(block_index[0]);
    case Special::kCtaidY:
      return all(block_index[1]);
    case Special::kCtaidZ:
      return all(block_index[2]);
    case Special::kNctaidX:
      return all(launch.grid.x);
    case Special::kNctaidY:
      return all(launch.grid.y);
    case Special::kNctaidZ:
      return all(launch.grid.z);
    case Special::kLaneid:
      return each([](uint32_t lane) { return uint64_t{lane}; });
    case Special::kWarpid:
      return all(warp.hardware_slot);
    case Special::kNwarpid:
      return all(launch.max_warps_per_sm);
    case Special::kSmid:
      return all(warp.smid);
    case Special::kNsmid:
      return all(launch.sm_count);
    case Special::kGridid:
      return all(launch.grid_id);
    case Special::kGridWorkspaceHi:
      return all(launch.grid_workspace >> 32);
    case Special::kGridWorkspaceLo:
      return all(launch.grid_workspace & 0xFFFFFFFFU);
    case Special::kLanemaskEq:
      return each([](uint32_t lane) { return uint64_t{1U << lane}; });
    case Special::kLanemaskLe:
      return each([](uint32_t lane) { return (uint64_t{2} << lane) - 1; });
    case Special::kLanemaskLt:
      return each([](uint32_t lane) { return (uint64_t{1} << lane) - 1; });
    case Special::kLanemaskGe:
      return each([](uint32_t lane) { return uint64_t{0xFFFFFFFFU << lane}; });
    case Special::kLanemaskGt:
      return each([](uint32_t lane) { return uint64_t{0xFFFFFFFEU << lane}; });
    case Special::kDynamicSmemSize:
      return all(launch.dynamic_shared_bytes);
    case Special::kTotalSmemSize:
      return all(shared_bytes);
    default:
      return all(0);
  }
}

void Block::State::writeClock(const Instruction& in, const Registers& registers, uint32_t mask,
                              uint64_t time) {
  const bool high = in.special == Special::kClockHi || in.special == Special::kGlobaltimerHi;
  const uint64_t value = high ? time >> 32 : time;
  write(in, registers, in.destinations[0], mask, [value](uint32_t) { return value; });
}

void Block::State::readUniform(const Instruction& in, const Registers& registers, uint32_t mask,
                               uint32_t local_base) const {
  if (in.kind == Kind::kLocalAddress) {
    const uint64_t address = in.immediate + local_base;
    write(in, registers, in.destinations[0], mask, [address](uint32_t) { return address; });
    return;
  }
  const uint32_t bytes = ptx::bytesOf(in.type);
  for (uint32_t i = 0; i < in.vector; ++i) {
    const uint64_t at = in.immediate + uint64_t{i} * bytes;  // decode has made sure that it lies in the block
    const uint64_t value = readElement(launch.parameters.data() + at, in.type);
    write(in, registers, in.destinations[i], mask, [value](uint32_t) { return value; });
  }
}

}  // namespace warpscope::sim
