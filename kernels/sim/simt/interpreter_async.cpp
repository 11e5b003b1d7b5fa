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

void completePhases(MbarrierObject& object) {
  if (object.pending != 0 || object.transactions != 0) return;
  object.pending = object.expected;
  object.phase = (object.phase + 1U) & 7U;
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

bool Block::State::mbarrier(const Warp& warp, const LaneAccess& access) {
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
    std::byte* at = sharedBytes() + access.addresses[lane];
    uint64_t before = 0;
    std::memcpy(&before, at, sizeof before);
    MbarrierObject object = MbarrierObject::unpack(before);
    const bool counted =
        in.source_count > 1 && in.op != ptx::Op::kMbarrierTestWait && in.op != ptx::Op::kMbarrierTryWait;
    const uint32_t count = counted ? registers.in(in.sources[1])[lane] : 1;
    const bool transactions = in.op == ptx::Op::kMbarrierExpectTx || modifiers.expect_tx;
    if (counted && (count > kMostArrivals || (count == 0 && !transactions))) {
      raise(warp, access.pc, lane,
            fmt::format("mbarrier: a count of {} (1 to {} are possible)", count, kMostArrivals));
      return false;
    }
    switch (in.op) {
      case ptx::Op::kMbarrierInit:
        object = {count, count, 0, 0};
        break;
      case ptx::Op::kMbarrierInval:
        object = {};
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
        break;
      case ptx::Op::kCpAsyncMbarrierArrive:
        // Its copies are done. Without .noinc the instruction first increments the pending count, so its
        // arrival cancels out.
        if (!modifiers.no_increment) break;
        [[fallthrough]];
      default: {  // arrive, arrive_drop
        const uint32_t arrivals = modifiers.expect_tx ? 1 : count;
        if (modifiers.expect_tx) object.transactions += static_cast<int32_t>(count);
        if (arrivals > object.pending) {
          raise(warp, access.pc, lane,
                fmt::format("mbarrier: {} more arrivals than the {} that are pending", arrivals,
                            object.pending));
          return false;
        }
        object.pending -= arrivals;
        if (modifiers.drop) object.expected -= arrivals;
        completePhases(object);
        if (in.destination_count > 0 && in.destinations[0].index != kSinkRow) {
          registers.out64(in.destinations[0])[lane] = before;
        }
      }
    }
    const uint64_t after = object.pack();
    std::memcpy(at, &after, sizeof after);
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
