// cp.async and mbarriers.
#include <bit>
#include <cstring>

#include "kernels/sim/simt/interpreter_state.h"

namespace warpscope::sim {

namespace {

// An mbarrier object is opaque to programs (PTX ISA 9.0, 9.7.13.15.1). Here its 64 bits hold the arrivals
// expected in each phase, the arrivals and transactions pending in the current one, and the number of
// completed phases. The state that mbarrier.arrive returns is the object's previous value.
struct MbarrierObject {
  uint32_t expected = 0, pending = 0;
  int32_t transactions = 0;
  uint32_t phase = 0;

  static MbarrierObject unpack(uint64_t bits) {
    return {static_cast<uint32_t>(bits & 0xFFFFFU), static_cast<uint32_t>((bits >> 20) & 0xFFFFFU),
            static_cast<int32_t>(static_cast<int64_t>(bits << 3) >> 43), static_cast<uint32_t>(bits >> 61)};
  }
  uint64_t pack() const {
    return (expected & 0xFFFFFU) | (uint64_t{pending & 0xFFFFFU} << 20) |
           (uint64_t{static_cast<uint32_t>(transactions) & 0x1FFFFFU} << 40) | (uint64_t{phase & 7U} << 61);
  }
};

constexpr uint32_t kMostArrivals = (1U << 20) - 1;  // PTX ISA 9.0, 9.7.13.15.2

bool completePhases(MbarrierObject& object) {
  if (object.pending != 0 || object.transactions != 0) return false;
  object.pending = object.expected;
  object.phase = (object.phase + 1U) & 7U;
  return true;
}

}  // namespace

void Block::State::describeCopy(const Instruction& in, const Registers& registers, uint32_t mask,
                                PendingCopy& copy) const {
  copy.mask = mask;
  copy.bytes = in.vector;
  const auto to_offset = static_cast<uint64_t>(static_cast<int64_t>(static_cast<int32_t>(in.immediate)));
  const auto from_offset = static_cast<uint64_t>(static_cast<int64_t>(in.immediate) >> 32);
  const uint32_t ignored = in.predicate_sources[0] == kNoPredicate ? 0
                           : in.predicate_source_negated[0] ? ~registers.predicates[in.predicate_sources[0]]
                                                            : registers.predicates[in.predicate_sources[0]];
  for (uint32_t lane = 0; lane < 32; ++lane) {
    const uint64_t to =
        in.address_bits == 32 ? registers.in(in.sources[0])[lane] : registers.in64(in.sources[0])[lane];
    copy.to[lane] = to + to_offset;
    copy.from[lane] = registers.in64(in.sources[1])[lane] + from_offset;
    uint32_t bytes = in.source_count > 2 ? registers.in(in.sources[2])[lane] : copy.bytes;
    if (((ignored >> lane) & 1U) != 0) bytes = 0;
    copy.source_bytes[lane] = bytes > copy.bytes ? copy.bytes : bytes;
  }
}

// Bytes beyond the source's size are zero.
void Block::State::copyNow(const Warp& warp, const PendingCopy& copy, uint32_t mask) {
  for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(rest));
    std::byte* to = hostAddress(warp, ptx::Space::kShared, lane, copy.to[lane]);
    const uint32_t bytes = copy.source_bytes[lane];
    if (bytes > 0) std::memcpy(to, hostAddress(warp, ptx::Space::kGlobal, lane, copy.from[lane]), bytes);
    std::memset(to + bytes, 0, copy.bytes - bytes);
  }
}

bool Block::State::receive(const Warp& warp, uint32_t pc, uint32_t lane, uint64_t offset, uint32_t bytes) {
  const auto known = mbarriers.find(offset);
  if (known == mbarriers.end()) {
    raise(warp, pc, lane,
          fmt::format("an mbarrier at shared address {:#x} of the block with rank {} that is not initialised",
                      offset, rank));
    return false;
  }
  known->second.received_bytes += bytes;
  uint64_t bits = 0;
  std::memcpy(&bits, sharedBytes() + offset, sizeof bits);
  MbarrierObject object = MbarrierObject::unpack(bits);
  object.transactions -= static_cast<int32_t>(bytes);
  const bool completed = completePhases(object);
  bits = object.pack();
  std::memcpy(sharedBytes() + offset, &bits, sizeof bits);
  if (completed) phaseCompleted(offset, pc);
  return true;
}

// Of a path that asks one mbarrier with all its lanes, and to which all answers were no.
bool Block::State::awaitPhase(const Warp& warp, Path& path, const Instruction& in, uint32_t mask) const {
  const Registers registers = warp.registers(code, path);
  if ((registers.predicates[in.predicate_destinations[0]] & mask) != 0) return false;
  alignas(64) uint64_t addresses[32];
  laneAddresses(in, registers, 0, addresses);
  const uint64_t first = addresses[std::countr_zero(mask)];
  for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    if (addresses[std::countr_zero(rest)] != first) return false;
  }
  path.state = Path::State::kWaitingForPhase;
  path.mbarrier = static_cast<uint32_t>(first) & static_cast<uint32_t>(kWindowBytes - 1);
  return true;
}

void Block::State::phaseCompleted(uint64_t offset, uint32_t pc) {
  mbarriers[offset] = {};
  cluster->time_outs = 0;
  for (Warp& warp : warps) {
    bool any = false;
    for (Path& path : warp.paths) {
      if (path.state != Path::State::kWaitingForPhase || path.mbarrier != offset) continue;
      path.state = Path::State::kReady;
      any = true;
      if (path.asks_again) continue;
      const Instruction& in = code.instructions[path.pc];
      warp.registers(code, path).predicates[in.predicate_destinations[0]] |= path.mask;
      ++path.pc;
    }
    if (!any) continue;
    if (warp.paths.size() > 1) warp.mergeEqual();
    cluster->woken.push_back({rank, warp.index_in_block, pc});
  }
}

std::string Block::State::phaseText(uint64_t offset) const {
  uint64_t bits = 0;
  std::memcpy(&bits, reinterpret_cast<const std::byte*>(shared.data()) + offset, sizeof bits);
  const MbarrierObject object = MbarrierObject::unpack(bits);
  std::string text =
      fmt::format("for a phase of the mbarrier at shared address {:#x}: {} of {} arrivals are pending",
                  offset, object.pending, object.expected);
  const auto known = mbarriers.find(offset);
  if (known == mbarriers.end()) return text;
  const Phase& phase = known->second;
  if (phase.expected_bytes != 0 || phase.received_bytes != 0) {
    text += fmt::format(", {} bytes were expected and {} have arrived", phase.expected_bytes,
                        phase.received_bytes);
  }
  return text;
}

bool Block::State::mbarrier(const Warp& warp, const LaneAccess& access) {
  State& home = access.owner == nullptr ? *this : *access.owner;
  const Instruction& in = access.instruction;
  const Registers& registers = access.registers;
  if (access.space != ptx::Space::kShared) {
    raise(warp, access.pc, static_cast<uint32_t>(std::countr_zero(access.mask)),
          "an mbarrier outside shared memory");
    return false;
  }
  if (!valid(warp, access, 8)) return false;
  const ptx::Modifiers& modifiers = in.modifiers;
  for (uint32_t rest = access.mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(rest));
    const uint64_t offset = access.addresses[lane];
    std::byte* at = home.sharedBytes() + offset;
    uint64_t before = 0;
    std::memcpy(&before, at, sizeof before);
    MbarrierObject object = MbarrierObject::unpack(before);
    const bool counted =
        in.source_count > 1 && in.op != ptx::Op::kMbarrierTestWait && in.op != ptx::Op::kMbarrierTryWait;
    const uint32_t count = counted ? registers.in(in.sources[1])[lane] : 1;
    const bool transactions =
        in.op == ptx::Op::kMbarrierExpectTx || in.op == ptx::Op::kMbarrierCompleteTx || modifiers.expect_tx;
    if (in.op != ptx::Op::kMbarrierInit && !home.mbarriers.contains(offset)) {
      raise(warp, access.pc, lane,
            fmt::format("an mbarrier at shared address {:#x} that is not initialised", offset));
      return false;
    }
    bool completed = false;
    if (counted && (count > kMostArrivals || (count == 0 && !transactions))) {
      raise(warp, access.pc, lane,
            fmt::format("mbarrier: a count of {} (1 to {} are possible)", count, kMostArrivals));
      return false;
    }
    switch (in.op) {
      case ptx::Op::kMbarrierInit:
        object = {count, count, 0, 0};
        home.mbarriers[offset] = {};
        break;
      case ptx::Op::kMbarrierInval:
        object = {};
        home.mbarriers.erase(offset);
        break;
      case ptx::Op::kMbarrierTestWait:
      case ptx::Op::kMbarrierTryWait: {
        uint32_t phase = 0;
        bool over = false;
        if (modifiers.parity) {
          phase = registers.in(in.sources[1])[lane];
          over = (object.phase & 1U) != (phase & 1U);
        } else {
          over = object.phase != MbarrierObject::unpack(registers.in64(in.sources[1])[lane]).phase;
        }
        uint32_t& predicate = registers.predicates[in.predicate_destinations[0]];
        predicate = over ? predicate | (1U << lane) : predicate & ~(1U << lane);
        break;
      }
      case ptx::Op::kMbarrierExpectTx:
        object.transactions += static_cast<int32_t>(count);
        home.mbarriers[offset].expected_bytes += count;
        break;
      case ptx::Op::kMbarrierCompleteTx:
        object.transactions -= static_cast<int32_t>(count);
        home.mbarriers[offset].received_bytes += count;
        completed = completePhases(object);
        break;
      case ptx::Op::kCpAsyncMbarrierArrive:
        // Its copies are done. Without .noinc the instruction first increments the pending count, so its
        // arrival cancels out.
        if (!modifiers.no_increment) break;
        [[fallthrough]];
      default: {  // arrive, arrive_drop
        const uint32_t arrivals = modifiers.expect_tx ? 1 : count;
        if (modifiers.expect_tx) {
          object.transactions += static_cast<int32_t>(count);
          home.mbarriers[offset].expected_bytes += count;
        }
        if (arrivals > object.pending) {
          raise(warp, access.pc, lane,
                fmt::format("mbarrier: {} more arrivals than the {} that are pending", arrivals,
                            object.pending));
          return false;
        }
        object.pending -= arrivals;
        if (modifiers.drop) object.expected -= arrivals;
        completed = completePhases(object);
        if (in.destination_count > 0 && in.destinations[0].index != kSinkRow) {
          registers.out64(in.destinations[0])[lane] = before;
        }
      }
    }
    const uint64_t after = object.pack();
    std::memcpy(at, &after, sizeof after);
    if (completed) home.phaseCompleted(offset, access.pc);
  }
  return true;
}

void Block::State::pendingCount(const Instruction& in, const Registers& registers, uint32_t mask) {
  for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(rest));
    registers.out(in.destinations[0])[lane] =
        MbarrierObject::unpack(registers.in64(in.sources[0])[lane]).pending;
  }
}

}  // namespace warpscope::sim
