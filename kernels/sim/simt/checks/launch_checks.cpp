#include "kernels/sim/simt/checks/launch_checks.h"

#include <fmt/format.h>

#include <bit>

#include "kernels/core/units.h"

namespace warpscope::sim {
namespace {

Dim3 placeIn(const Dim3& extent, uint64_t linear) {
  const uint64_t plane = uint64_t{extent.x} * extent.y;
  return {static_cast<uint32_t>(linear % extent.x), static_cast<uint32_t>(linear % plane / extent.x),
          static_cast<uint32_t>(linear / plane)};
}

const char* actionOf(const Instruction& instruction) {
  switch (instruction.kind) {
    case Kind::kLoad:
      return "read";
    case Kind::kStore:
      return "write";
    case Kind::kAtomic:
    case Kind::kReduction:
    case Kind::kMbarrier:
      return "atomic";
    case Kind::kAsyncCopy:
      return "copy";
    case Kind::kBarrier:
    case Kind::kWarpBarrier:
      return "barrier";
    default:
      return "at";
  }
}

const char* verbOf(const Instruction& instruction) {
  switch (instruction.kind) {
    case Kind::kLoad:
      return "reads";
    case Kind::kStore:
      return "writes";
    case Kind::kAsyncCopy:
      return "copies";
    default:
      return "updates";
  }
}

Executor executorOf(const AccessRecord& record) {
  return {record.block, record.warp * 32U + static_cast<uint32_t>(std::countr_zero(record.mask)), record.pc};
}

const char* missingOrder(const AccessRecord& a, const AccessRecord& b) {
  if (a.block != b.block) {
    return "blocks of one launch are ordered by atomics with fences only: split the work into two launches, "
           "or "
           "signal with __threadfence() and an atomic";
  }
  return a.warp == b.warp ? "lanes of a warp need __syncwarp() between them"
                          : "__syncthreads() is missing between them";
}

const char* spaceName(ptx::Space space) {
  switch (space) {
    case ptx::Space::kShared:
      return "shared";
    case ptx::Space::kLocal:
      return "local";
    default:
      return "global";
  }
}

}  // namespace

void UnwrittenReads::add(uint64_t address, uint32_t bytes, const Executor& reader) {
  reads_.try_emplace(address, Read{reader, bytes});
}

void UnwrittenReads::forget(uint64_t address, uint32_t bytes) {
  if (reads_.empty()) return;
  // A read of up to 16 bytes may begin before the range and reach into it.
  constexpr uint64_t kWidest = 32;
  for (uint64_t at = address < kWidest ? 0 : address - kWidest; at < address + bytes; ++at) {
    const auto read = reads_.find(at);
    if (read != reads_.end() && at + read->second.bytes > address) reads_.erase(read);
  }
}

// An instruction's source line as the kernel's author sees it: code inlined from the toolkit's headers (whose
// paths are absolute) counts as the line that called it.
static const ptx::SourcePoint& authorsLine(const Code& code, uint32_t pc) {
  const ptx::SourceLine& line = code.lines[pc];
  const bool foreign = line.at.file < code.files.size() && code.files[line.at.file].starts_with('/');
  return foreign && line.inlined_at.file != 0 ? line.inlined_at : line.at;
}

LaunchChecks::LaunchChecks(const Launch& of, WrittenMemory& written_memory, TouchedMemory* touched_memory)
    : launch(of), written(written_memory), allocations(*of.memory), touched(touched_memory) {
  if (touched == nullptr) return;
  std::map<HazardPlace, uint32_t> first;
  for (uint32_t pc = 0; pc < of.code->instructions.size(); ++pc)
    first_of_line.push_back(first.try_emplace(placeOf(pc), pc).first->second);
}

HazardPlace LaunchChecks::placeOf(uint32_t pc) const {
  if (pc >= launch.code->lines.size()) return {0, pc};
  const ptx::SourcePoint& point = authorsLine(*launch.code, pc);
  // A line of PTX may hold several accesses.
  const bool by_instruction = point.file == 0 || launch.code->is_own_source;
  return by_instruction ? HazardPlace{0, pc} : HazardPlace{point.file, point.line};
}

HazardAccess LaunchChecks::describe(const Executor& executor) const {
  const Code& code = *launch.code;
  HazardAccess access;
  access.block = placeIn(launch.grid, executor.block);
  access.thread = placeIn(launch.block, executor.thread);
  access.warp = executor.thread / 32;
  access.lane = executor.thread % 32;
  if (executor.pc >= code.instructions.size()) return access;
  const Instruction& instruction = code.instructions[executor.pc];
  access.action = actionOf(instruction);
  if (instruction.kind == Kind::kLoad || instruction.kind == Kind::kStore ||
      instruction.kind == Kind::kAtomic || instruction.kind == Kind::kReduction) {
    access.bytes = ptx::bytesOf(instruction.type) * instruction.vector;
  }
  if (executor.pc < code.texts.size()) access.ptx = code.texts[executor.pc];
  if (executor.pc >= code.lines.size()) return access;
  const ptx::SourcePoint& point = authorsLine(code, executor.pc);
  if (point.file != 0 && point.file < code.files.size()) {
    access.source_file = code.files[point.file];
    access.line = point.line;
  }
  return access;
}

std::string LaunchChecks::who(const Executor& executor) const {
  return fmt::format("thread {} of block {}", formatDim(placeIn(launch.block, executor.thread)),
                     formatDim(placeIn(launch.grid, executor.block)));
}

std::string LaunchChecks::locate(Hazard& hazard, ptx::Space space, uint64_t address, uint32_t bytes,
                                 uint64_t space_bytes) const {
  hazard.space = spaceName(space);
  hazard.address = address;
  if (space == ptx::Space::kGlobal) {
    const AllocationIndex::Place place = allocations.describe(address, bytes);
    hazard.allocation = place.allocation;
    hazard.offset = place.offset;
    return fmt::format("at {:#x}, {}", address, place.where);
  }
  hazard.allocation = fmt::format("{} memory ({})", hazard.space, bytesText(space_bytes));
  // Shared and local addresses have 32 bits, so a very high one lies below 0.
  hazard.offset = static_cast<int64_t>(static_cast<int32_t>(static_cast<uint32_t>(address)));
  const int64_t past = hazard.offset + bytes - static_cast<int64_t>(space_bytes);
  if (hazard.offset < 0) {
    return fmt::format("{} before the start of {}", bytesText(static_cast<uint64_t>(-hazard.offset)),
                       hazard.allocation);
  }
  if (past > 0) {
    return fmt::format("{} past the end of {}", bytesText(static_cast<uint64_t>(past)), hazard.allocation);
  }
  return fmt::format("at offset {} of {}", formatCount(hazard.offset), hazard.allocation);
}

void LaunchChecks::reportRace(const Race& race, ptx::Space space, uint64_t space_bytes) {
  const Executor earlier = executorOf(race.earlier), later = executorOf(race.later);
  const uint64_t memory = space == ptx::Space::kGlobal ? allocations.idOf(race.address) : 0;
  log.add({HazardKind::kRace, placeOf(later.pc), placeOf(earlier.pc), memory}, 1, [&] {
    Hazard found;
    found.kind = HazardKind::kRace;
    found.kernel = launch.code->kernel;
    found.access = describe(later);
    found.second = describe(earlier);
    const std::string where = locate(found, space, race.address, found.access.bytes, space_bytes);
    const auto& code = launch.code->instructions;
    found.message = fmt::format("{} {} and {} {} the same {} {}, and nothing orders the two: {}",
                                who(earlier), verbOf(code[earlier.pc]), who(later), verbOf(code[later.pc]),
                                bytesText(found.access.bytes), where, missingOrder(race.earlier, race.later));
    return found;
  });
}

void LaunchChecks::reportUnwritten(const Executor& reader, ptx::Space space, uint64_t address, uint32_t bytes,
                                   uint64_t space_bytes, uint64_t count) {
  const HazardPlace place = placeOf(reader.pc);
  log.add({HazardKind::kUninitialized, place, place, 0}, count, [&] {
    Hazard hazard;
    hazard.kind = HazardKind::kUninitialized;
    hazard.kernel = launch.code->kernel;
    hazard.access = describe(reader);
    const std::string where = locate(hazard, space, address, bytes, space_bytes);
    hazard.message = fmt::format("{} {} {} {} that nobody has written", who(reader),
                                 verbOf(launch.code->instructions[reader.pc]), bytesText(bytes), where);
    return hazard;
  });
}

void LaunchChecks::touch(uint32_t pc, uint64_t address, uint64_t bytes, bool writes, Strength strength) {
  using Touch = TouchedMemory::Touch;
  // Two launches share no block: what is atomic in a block only is not for them.
  const bool strong = strength == Strength::kDevice;
  const Touch touch = strong   ? writes ? Touch::kStrongWrite : Touch::kStrongRead
                      : writes ? Touch::kWrite
                               : Touch::kRead;
  touched->add(touch, address, bytes, first_of_line[pc]);
}

void LaunchChecks::finish() {
  if (touched != nullptr) {
    touched->describePlaces([&](uint32_t pc) {
      HazardAccess access = describe({.pc = pc});
      // Others on the line may be of another size and kind.
      access.ptx.clear();
      access.bytes = 0;
      return access;
    });
  }
  unwritten.take([&](const Executor& reader, uint64_t address, uint32_t bytes, uint64_t count) {
    reportUnwritten(reader, ptx::Space::kGlobal, address, bytes, 0, count);
  });
}

}  // namespace warpscope::sim
