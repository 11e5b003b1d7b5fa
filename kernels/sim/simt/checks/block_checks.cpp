#include "kernels/sim/simt/checks/block_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "kernels/core/units.h"

namespace warpscope::sim {
namespace {

using ptx::Semantics;
using ptx::Space;

BlockClocks::Scope scopeOf(const Instruction& instruction) {
  return instruction.modifiers.scope == ptx::Scope::kCta ? BlockClocks::Scope::kBlock
                                                         : BlockClocks::Scope::kDevice;
}

bool acquires(Semantics semantics) {
  return semantics == Semantics::kAcquire || semantics == Semantics::kAcqRel || semantics == Semantics::kSc;
}
bool releases(Semantics semantics) {
  return semantics == Semantics::kRelease || semantics == Semantics::kAcqRel || semantics == Semantics::kSc;
}

// The bytes that each lane of a store writes, as memory will hold them.
void gatherValues(const MemoryAccess& access, uint32_t mask, std::array<StoredValue, 32>& values) {
  const Instruction& instruction = *access.instruction;
  const uint32_t bytes = ptx::bytesOf(instruction.type);
  for (uint32_t element = 0; element < instruction.vector; ++element) {
    const auto* row =
        reinterpret_cast<const std::byte*>(access.registers->in(instruction.sources[element + 1]));
    const uint32_t stride = std::max(bytes, 4U);
    forLanes(mask, [&](uint32_t lane) {
      std::memcpy(values[lane].data() + size_t{element} * bytes, row + size_t{lane} * stride, bytes);
    });
  }
}

bool valuesKnown(const MemoryAccess& access) {
  return access.instruction->kind == Kind::kStore && access.registers != nullptr &&
         access.bytes == ptx::bytesOf(access.instruction->type) * access.instruction->vector &&
         access.bytes <= sizeof(StoredValue);
}

// Whether a branch leads to the kernel's end.
bool endsKernel(const Code& code, uint32_t pc) {
  return pc >= code.instructions.size() || code.instructions[pc].kind == Kind::kExit ||
         (code.instructions[pc].kind == Kind::kReturn && code.function_of[pc] == 0);
}

// Lanes that a guard keeps from the barrier, or that the present path will only meet again after a branch
// that it is still inside of: they do not reach this barrier together with it. Lanes that only leave the
// kernel do not count, since no barrier waits for them.
uint32_t lanesElsewhere(const Code& code, const Warp& warp, const BarrierArrival& arrival) {
  uint32_t elsewhere = 0;
  const Path& path = warp.paths[warp.current];
  for (uint32_t at = path.join; at != kNoJoin; at = warp.joins[at].parent) {
    if (!endsKernel(code, warp.joins[at].pc)) elsewhere |= warp.joins[at].expected;
  }
  if (code.instructions[arrival.pc].guard != kNoPredicate && !endsKernel(code, arrival.pc + 1)) {
    for (const Path& other : warp.paths) {
      if (other.pc == arrival.pc + 1 && other.frame == path.frame) elsewhere |= other.mask;
    }
  }
  return elsewhere & ~arrival.mask & ~warp.exited;
}

}  // namespace

BlockChecks::BlockChecks(LaunchChecks& launch, uint32_t shared_bytes)
    : launch_(launch), clocks_(static_cast<uint32_t>(launch.launch.block.count())), written_(shared_bytes) {}

void BlockChecks::begin(uint32_t block, std::byte* shared) {
  clocks_.restart(block);
  grid_waits_.begin(static_cast<uint32_t>(launch_.launch.block.count()));
  shadow_.clear();
  written_.set(0, written_.size(), false);
  published_.clear();
  barriers_ = {};
  shared_ = shared;
  peers_.clear();
}

void BlockChecks::end() {
  unwritten_.take([&](const Executor& reader, uint64_t address, uint32_t bytes, uint64_t count) {
    launch_.reportUnwritten(reader, Space::kShared, address, bytes, written_.size(), count);
  });
}

uint32_t BlockChecks::filter(const Warp& warp, const MemoryAccess& access) {
  if (access.mask == 0 || access.bytes == 0) return access.mask;
  const uint32_t mask = inBounds(warp, access, aligned(warp, access, access.mask));
  if (access.space == Space::kLocal && access.writes) ++changes_;
  if (mask == 0 || access.space == Space::kLocal) return mask;
  if (access.reads) checkWritten(warp, access, mask);
  if (launch_.primary != nullptr && access.space == Space::kGlobal) checkPrimary(warp, access, mask);
  checkRaces(warp, access, mask);
  if (access.writes) markWritten(access, mask);
  if (launch_.touched != nullptr && access.space == Space::kGlobal) noteTouched(access, mask);
  return mask;
}

// Lanes that follow one another are noted together.
void BlockChecks::noteTouched(const MemoryAccess& access, uint32_t mask) {
  const Strength strength = strengthOf(access);
  uint64_t begin = 0, end = 0;
  const auto note = [&] {
    if (end > begin) launch_.touch(access.pc, begin, end - begin, access.writes, strength);
  };
  forLanes(mask, [&](uint32_t lane) {
    const uint64_t address = access.addresses[lane];
    if (address == end) {
      end += access.bytes;
      return;
    }
    note();
    begin = address;
    end = address + access.bytes;
  });
  note();
}

uint64_t BlockChecks::spaceBytes(const Warp& warp, Space space) const {
  if (space == Space::kShared) return written_.size();
  return space == Space::kLocal ? warp.stack_bytes : 0;
}

uint32_t BlockChecks::aligned(const Warp& warp, const MemoryAccess& access, uint32_t mask) {
  uint32_t bad = 0;
  forLanes(mask,
           [&](uint32_t lane) { bad |= (access.addresses[lane] % access.bytes != 0 ? 1U : 0U) << lane; });
  if (bad != 0) {
    reportAddress(HazardKind::kMisaligned, warp, access, static_cast<uint32_t>(std::countr_zero(bad)),
                  static_cast<uint64_t>(std::popcount(bad)));
  }
  return mask & ~bad;
}

uint32_t BlockChecks::inBounds(const Warp& warp, const MemoryAccess& access, uint32_t mask) {
  uint32_t outside = 0, freed = 0;
  const uint64_t size = spaceBytes(warp, access.space);
  forLanes(mask, [&](uint32_t lane) {
    const uint64_t address = access.addresses[lane];
    if (access.space != Space::kGlobal) {
      if (address >= size || access.bytes > size - address) outside |= 1U << lane;
      return;
    }
    const AllocationIndex::Verdict verdict = launch_.allocations.judge(address, access.bytes);
    if (verdict == AllocationIndex::Verdict::kOutside) outside |= 1U << lane;
    if (verdict == AllocationIndex::Verdict::kFreed) freed |= 1U << lane;
  });
  for (const auto& [kind, lanes] :
       {std::pair{HazardKind::kOutOfBounds, outside}, {HazardKind::kUseAfterFree, freed}}) {
    if (lanes == 0) continue;
    reportAddress(kind, warp, access, static_cast<uint32_t>(std::countr_zero(lanes)),
                  static_cast<uint64_t>(std::popcount(lanes)));
  }
  return mask & ~outside & ~freed;
}

void BlockChecks::reportAddress(HazardKind kind, const Warp& warp, const MemoryAccess& access, uint32_t lane,
                                uint64_t count) {
  const HazardPlace place = launch_.placeOf(access.pc);
  launch_.log.add({kind, place, place, 0}, count, [&] {
    Hazard hazard;
    hazard.kind = kind;
    hazard.kernel = launch_.launch.code->kernel;
    hazard.access = launch_.describe(executor(warp, lane, access.pc));
    hazard.access.bytes = access.bytes;
    const std::string where = launch_.locate(hazard, access.space, access.addresses[lane], access.bytes,
                                             spaceBytes(warp, access.space));
    const char* verb = access.atomic ? "updates" : access.writes ? "writes" : "reads";
    hazard.message = fmt::format("{} {} {} byte{} {}", launch_.who(executor(warp, lane, access.pc)), verb,
                                 access.bytes, access.bytes == 1 ? "" : "s", where);
    if (kind == HazardKind::kMisaligned)
      hazard.message += fmt::format(": not a multiple of {}", access.bytes);
    if (kind == HazardKind::kUseAfterFree) hazard.message += ", which has been freed";
    return hazard;
  });
}

void BlockChecks::checkWritten(const Warp& warp, const MemoryAccess& access, uint32_t mask) {
  const bool shared = access.space == Space::kShared;
  BlockChecks& of = home(access);
  UnwrittenReads& reads = shared ? of.unwritten_ : launch_.unwritten;
  forLanes(mask, [&](uint32_t lane) {
    const uint64_t address = access.addresses[lane];
    const auto hole = shared ? of.written_.firstUnwritten(address, access.bytes)
                             : launch_.written.firstUnwritten(address, access.bytes);
    if (hole) reads.add(address, access.bytes, executor(warp, lane, access.pc));
  });
}

void BlockChecks::markWritten(const MemoryAccess& access, uint32_t mask) {
  forLanes(mask, [&](uint32_t lane) {
    if (access.space == Space::kShared) {
      home(access).written_.set(access.addresses[lane], access.bytes);
    } else {
      launch_.written.written(access.addresses[lane], access.bytes);
    }
  });
}

bool BlockChecks::sameAfterwards(const MemoryAccess& access, uint32_t mask) {
  const ptx::AtomOp op = access.instruction->modifiers.atom_op;
  if (access.registers == nullptr || access.bytes > sizeof(uint64_t)) return false;
  bool same = true;
  forLanes(mask, [&](uint32_t lane) {
    uint64_t now = 0, operand = 0;
    const auto* row =
        reinterpret_cast<const std::byte*>(access.registers->in(access.instruction->sources[1]));
    std::memcpy(&operand, row + size_t{lane} * std::max(access.bytes, 4U), access.bytes);
    if (const std::byte* at = hostAddress(access, lane)) std::memcpy(&now, at, access.bytes);
    switch (op) {
      case ptx::AtomOp::kCas:
        same = same && now != operand;
        break;
      case ptx::AtomOp::kExch:
        same = same && now == operand;
        break;
      case ptx::AtomOp::kAnd:
        same = same && (now & operand) == now;
        break;
      case ptx::AtomOp::kOr:
        same = same && (now | operand) == now;
        break;
      case ptx::AtomOp::kAdd:
      case ptx::AtomOp::kXor:
        same = same && operand == 0;
        break;
      default:
        same = false;
    }
  });
  return same;
}

const std::byte* BlockChecks::hostAddress(const MemoryAccess& access, uint32_t lane) {
  const uint64_t address = access.addresses[lane];
  return access.space == Space::kShared ? home(access).shared_ + address
                                        : launch_.launch.memory->at(address, access.bytes);
}

Strength BlockChecks::strengthOf(const MemoryAccess& access) const {
  const Instruction& instruction = *access.instruction;
  const Strength scoped =
      scopeOf(instruction) == BlockClocks::Scope::kBlock ? Strength::kBlock : Strength::kDevice;
  if (instruction.kind == Kind::kMbarrier) {
    // Threads of other blocks arrive with the scope of the cluster.
    return instruction.op == ptx::Op::kMbarrierInit || instruction.op == ptx::Op::kMbarrierInval
               ? Strength::kPlain
           : peers_.empty() ? Strength::kBlock
                            : Strength::kDevice;
  }
  if (access.atomic) return scoped;
  switch (instruction.modifiers.semantics) {
    case Semantics::kNone:
    case Semantics::kWeak:
      return Strength::kPlain;
    case Semantics::kVolatile:
      return access.space == Space::kShared ? Strength::kVolatile : Strength::kDevice;
    default:
      return scoped;
  }
}

void BlockChecks::checkRaces(const Warp& warp, const MemoryAccess& access, uint32_t mask) {
  const bool shared = access.space == Space::kShared;
  BlockChecks& of = home(access);
  ShadowMemory& shadow = shared ? of.shadow_ : launch_.shadow;
  const Strength strength = strengthOf(access);
  CheckedAccess checked;
  checked.addresses = access.addresses;
  checked.bytes = access.bytes;
  checked.record.block = clocks_.block();
  checked.record.mask = mask;
  checked.record.pc = std::min(access.pc, kMaxRecordedPc) & kMaxRecordedPc;
  checked.record.warp = warp.index_in_block & 31U;
  checked.record.strength = static_cast<uint32_t>(strength) & 7U;
  checked.record.writes = access.writes ? 1 : 0;
  if (access.writes && !access.atomic) checkCollision(warp, access, checked);
  if (access.writes && (access.atomic ? !sameAfterwards(access, mask) : checked.unchanged != mask))
    ++changes_;

  auto with_strength = [&](uint32_t lane) {
    CheckedAccess mine = checked;
    if (strength == Strength::kVolatile && access.writes && clocks_.freshlyFenced(thread(warp, lane))) {
      mine.record.strength = static_cast<uint32_t>(Strength::kVolatileReleased) & 7U;
    }
    return mine;
  };
  forLanes(mask, [&](uint32_t lane) {
    const std::optional<Race> race = findRace(shadow, clocks_, with_strength(lane), lane);
    if (!race) return;
    launch_.reportRace(*race, access.space, written_.size());
    (shared ? of.unwritten_ : launch_.unwritten).forget(race->address, access.bytes);
  });
  forLanes(mask, [&](uint32_t lane) { remember(shadow, clocks_, with_strength(lane), lane); });
  if (strength != Strength::kPlain) order(warp, access, strength, mask);
  if (access.writes && strength < Strength::kBlock) {
    forLanes(mask, [&](uint32_t lane) { clocks_.wrote(thread(warp, lane)); });
  }
}

void BlockChecks::checkCollision(const Warp& warp, const MemoryAccess& access, CheckedAccess& checked) {
  if (!valuesKnown(access)) return;
  std::array<StoredValue, 32> values;
  gatherValues(access, checked.record.mask, values);
  forLanes(checked.record.mask, [&](uint32_t lane) {
    const std::byte* now = hostAddress(access, lane);
    if (now != nullptr && std::memcmp(now, values[lane].data(), access.bytes) == 0) {
      checked.unchanged |= 1U << lane;
    }
  });
  if (!lanesOverlap(checked)) return;
  const std::optional<LanePair> pair = findCollision(checked, values);
  if (!pair) return;
  Race race{checked.record, checked.record, access.addresses[pair->second]};
  race.earlier.mask = 1U << pair->first;
  race.later.mask = 1U << pair->second;
  launch_.reportRace(race, access.space, spaceBytes(warp, access.space));
}

Published* BlockChecks::publishedAt(const MemoryAccess& access, uint64_t address, bool make) {
  auto& locations = access.space == Space::kShared ? home(access).published_ : launch_.published;
  if (make) return &locations[address];
  const auto found = locations.find(address);
  return found == locations.end() ? nullptr : &found->second;
}

void BlockChecks::order(const Warp& warp, const MemoryAccess& access, Strength strength, uint32_t mask) {
  const auto scope = strength == Strength::kDevice ? BlockClocks::Scope::kDevice : BlockClocks::Scope::kBlock;
  const bool mbarrier = access.instruction->kind == Kind::kMbarrier;
  const Semantics semantics = mbarrier ? Semantics::kAcqRel : access.instruction->modifiers.semantics;
  const bool reads = access.reads || mbarrier;
  forLanes(mask, [&](uint32_t lane) {
    const uint32_t who = thread(warp, lane);
    if (access.writes && releases(semantics)) clocks_.release(who, scope);
    Published* published =
        publishedAt(access, access.addresses[lane], access.writes && clocks_.publishes(who));
    if (published == nullptr) return;
    if (reads) clocks_.strongRead(who, scope, *published);
    if (access.writes) clocks_.strongWrite(who, scope, access.atomic || mbarrier, *published);
    if (reads && acquires(semantics)) clocks_.acquire(who, scope);
  });
}

void BlockChecks::fence(const Warp& warp, uint32_t pc, uint32_t mask) {
  if (launch_.launch.code->instructions[pc].modifiers.of_proxies) return;
  const auto scope = scopeOf(launch_.launch.code->instructions[pc]);
  forLanes(mask, [&](uint32_t lane) {
    clocks_.acquire(thread(warp, lane), scope);
    clocks_.release(thread(warp, lane), scope);
  });
}

void BlockChecks::barrierArrival(const Warp& warp, const BarrierArrival& arrival) {
  const Code& code = *launch_.launch.code;
  const Instruction& instruction = code.instructions[arrival.pc];
  const bool waits = instruction.modifiers.bar != ptx::BarKind::kArrive;
  Waiting& waiting = barriers_[arrival.barrier % 16];
  waiting.parts.push_back({warp.index_in_block, arrival.mask, waits});
  waiting.lanes += static_cast<uint32_t>(std::popcount(arrival.mask));
  waiting.all_wait = waiting.all_wait && waits;

  const uint32_t elsewhere = lanesElsewhere(code, warp, arrival);
  if (!instruction.modifiers.aligned || elsewhere == 0) return;
  const HazardPlace place = launch_.placeOf(arrival.pc);
  launch_.log.add({HazardKind::kDivergentBarrier, place, place, 0}, 1, [&] {
    const auto first = static_cast<uint32_t>(std::countr_zero(arrival.mask));
    const Executor here = executor(warp, first, arrival.pc);
    Hazard hazard;
    hazard.kind = HazardKind::kDivergentBarrier;
    hazard.kernel = code.kernel;
    hazard.access = launch_.describe(here);
    hazard.message = fmt::format(
        "only {} of the {} lanes of warp {} of block {} reach this barrier together ({} first), because it "
        "follows a branch that the others did not take: move __syncthreads() to where all threads pass",
        std::popcount(arrival.mask), std::popcount(arrival.mask | elsewhere), warp.index_in_block,
        clocks_.block(), launch_.who(here));
    return hazard;
  });
  launch_.stop = true;
}

void BlockChecks::blockBarrier(uint32_t barrier, uint32_t running) {
  if (launch_.primary != nullptr) grid_waits_.blockBarrier();
  Waiting& waiting = barriers_[barrier % 16];
  if (waiting.all_wait && waiting.lanes >= running) {
    clocks_.wholeBarrier();
  } else {
    clocks_.partialBarrier(waiting.parts);
  }
  waiting = {};
}

bool BlockChecks::clusterHasFenced() {
  const auto has_fenced = [&](const BlockChecks* block) {
    for (uint32_t t = 0; t < launch_.launch.block.count(); ++t) {
      if (!block->clocks_.freshlyFenced(t)) return false;
    }
    return true;
  };
  return peers_.empty() ? has_fenced(this) : std::ranges::all_of(peers_, has_fenced);
}

void BlockChecks::clusterBarrier() {
  if (peers_.empty()) return clocks_.wholeBarrier();
  Knowledge all;
  for (BlockChecks* block : peers_) {
    block->clocks_.wholeBarrier();
    all = join(all, block->clocks_.knowledgeOfAll());
  }
  for (BlockChecks* block : peers_) block->clocks_.learnAll(all);
}

}  // namespace warpscope::sim
