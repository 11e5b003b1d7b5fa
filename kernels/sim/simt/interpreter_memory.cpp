// Loads and stores of a warp's lanes.
#include <algorithm>
#include <bit>
#include <cstring>

#include "kernels/sim/simt/interpreter_state.h"

namespace warpscope::sim {

// The loops over 32 lanes below are also compiled for AVX2; the better version is chosen at run time. It is
// chosen before a sanitizer's library is ready, so builds with one have a single version.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define WARPSCOPE_LANE_CLONES __attribute__((target_clones("arch=x86-64-v3", "default")))
#else
#define WARPSCOPE_LANE_CLONES
#endif

namespace {

using ptx::Space;
using ptx::Type;

// Properties of all the addresses of an access.
struct AddressSummary {
  uint64_t bits = 0;           // all addresses OR-ed: gives the alignment
  uint64_t scattered = 0;      // 0: consecutive lanes have consecutive addresses
  uint64_t out_of_bounds = 0;  // top bit set: some lane is outside [origin, origin + limit]
};

WARPSCOPE_LANE_CLONES void addOffset64(const uint64_t* base, uint64_t offset, uint64_t* addresses) {
  for (uint32_t lane = 0; lane < 32; ++lane) addresses[lane] = base[lane] + offset;
}
WARPSCOPE_LANE_CLONES void addOffset32(const uint32_t* base, uint64_t offset, uint64_t* addresses) {
  for (uint32_t lane = 0; lane < 32; ++lane) addresses[lane] = (base[lane] + offset) & 0xFFFFFFFFU;
}

WARPSCOPE_LANE_CLONES void summarizeAll(const uint64_t* addresses, uint64_t origin, uint64_t limit,
                                        uint64_t stride, AddressSummary& summary) {
  uint64_t bits = 0, scattered = 0, outside = 0;
  const uint64_t first = addresses[0];
  for (uint64_t lane = 0; lane < 32; ++lane) {
    const uint64_t address = addresses[lane];
    const uint64_t offset = address - origin;
    bits |= address;
    scattered |= address ^ (first + lane * stride);
    outside |= offset | (limit - offset);
  }
  summary = {bits, scattered, outside};
}

WARPSCOPE_LANE_CLONES void summarizeSome(const uint64_t* addresses, uint32_t mask, uint64_t origin,
                                         uint64_t limit, AddressSummary& summary) {
  uint64_t bits = 0, outside = 0;
  for (uint32_t lane = 0; lane < 32; ++lane) {
    const uint64_t active = uint64_t{0} - ((mask >> lane) & 1U);
    const uint64_t offset = addresses[lane] - origin;
    bits |= addresses[lane] & active;
    outside |= (offset | (limit - offset)) & active;
  }
  summary = {bits, 1, outside};
}

// The memory that the lanes of an access address.
struct Region {
  std::byte* host = nullptr;
  uint64_t origin = 0;       // the address of host
  uint64_t bytes = 0;        // from there on
  uint64_t lane_stride = 0;  // for local memory

  std::byte* at(const LaneAccess& access, uint32_t lane, uint64_t offset) const {
    return host + (access.addresses[lane] - origin + lane * lane_stride + offset);
  }
};

Region regionOf(Block::State& block, const Warp& warp, Space space) {
  switch (space) {
    case Space::kGlobal: {
      const uint64_t bytes = block.launch.memory->extent();
      return {block.launch.memory->at(kGlobalBase, 0), kGlobalBase, bytes, 0};
    }
    case Space::kShared:
      return {block.sharedBytes(), 0, block.shared_bytes, 0};
    case Space::kConst:
      return {const_cast<std::byte*>(block.launch.parameters.data()), 0, block.launch.parameters.size(), 0};
    default:
      return {warp.local.get(), 0, warp.stack_bytes, warp.stack_bytes};
  }
}

// Moves one element per lane. Element is the type in memory, Word the register's type.
template <class Element, class Word>
void loadElements(const Region& region, const LaneAccess& access, uint64_t offset, Word* row, Word keep) {
  const auto one = [&](uint32_t lane) {
    Element element;
    std::memcpy(&element, region.at(access, lane, offset), sizeof element);
    row[lane] = static_cast<Word>(element) & keep;
  };
  if (access.mask == 0xFFFFFFFFU) {
    for (uint32_t lane = 0; lane < 32; ++lane) one(lane);
  } else {
    for (uint32_t rest = access.mask; rest != 0; rest &= rest - 1)
      one(static_cast<uint32_t>(std::countr_zero(rest)));
  }
}

template <class Element, class Word>
void storeElements(const Region& region, const LaneAccess& access, uint64_t offset, const Word* row) {
  const auto one = [&](uint32_t lane) {
    const Element element = static_cast<Element>(row[lane]);
    std::memcpy(region.at(access, lane, offset), &element, sizeof element);
  };
  if (access.mask == 0xFFFFFFFFU) {
    for (uint32_t lane = 0; lane < 32; ++lane) one(lane);
  } else {
    for (uint32_t rest = access.mask; rest != 0; rest &= rest - 1)
      one(static_cast<uint32_t>(std::countr_zero(rest)));
  }
}

template <class Element>
void loadAs(const Region& region, const LaneAccess& access, uint64_t offset, Row row) {
  switch (access.instruction.type2) {
    case Type::kB64:
      return loadElements<Element>(region, access, offset, access.registers.out64(row), ~uint64_t{0});
    case Type::kB16:
      return loadElements<Element>(region, access, offset, access.registers.out(row), uint32_t{0xFFFF});
    default:
      return loadElements<Element>(region, access, offset, access.registers.out(row), ~uint32_t{0});
  }
}

void loadRow(const Region& region, const LaneAccess& access, uint64_t offset, Row row) {
  switch (access.instruction.type) {
    case Type::kS8:
      return loadAs<int8_t>(region, access, offset, row);
    case Type::kU8:
    case Type::kB8:
      return loadAs<uint8_t>(region, access, offset, row);
    case Type::kS16:
      return loadAs<int16_t>(region, access, offset, row);
    case Type::kS32:
      return loadAs<int32_t>(region, access, offset, row);
    default:
      break;
  }
  switch (ptx::bytesOf(access.instruction.type)) {
    case 2:
      return loadAs<uint16_t>(region, access, offset, row);
    case 4:
      return loadAs<uint32_t>(region, access, offset, row);
    case 8:
      return loadAs<uint64_t>(region, access, offset, row);
    default:
      break;
  }
  // A 128-bit value is two halves of 32 lanes each.
  uint64_t* halves = access.registers.out64(row);
  loadElements<uint64_t>(region, access, offset, halves, ~uint64_t{0});
  loadElements<uint64_t>(region, access, offset + 8, halves + 32, ~uint64_t{0});
}

void storeRow(const Region& region, const LaneAccess& access, uint64_t offset, Row row) {
  const uint32_t bytes = ptx::bytesOf(access.instruction.type);
  if (bytes == 16) {
    const uint64_t* halves = access.registers.in64(row);
    storeElements<uint64_t>(region, access, offset, halves);
    return storeElements<uint64_t>(region, access, offset + 8, halves + 32);
  }
  if (access.instruction.type2 == Type::kB64) {
    const uint64_t* from = access.registers.in64(row);
    switch (bytes) {
      case 1:
        return storeElements<uint8_t>(region, access, offset, from);
      case 2:
        return storeElements<uint16_t>(region, access, offset, from);
      case 4:
        return storeElements<uint32_t>(region, access, offset, from);
      default:
        return storeElements<uint64_t>(region, access, offset, from);
    }
  }
  const uint32_t* from = access.registers.in(row);
  switch (bytes) {
    case 1:
      return storeElements<uint8_t>(region, access, offset, from);
    case 2:
      return storeElements<uint16_t>(region, access, offset, from);
    default:
      return storeElements<uint32_t>(region, access, offset, from);
  }
}

// Whether a row of registers has the same layout as the memory of 32 consecutive lanes.
bool plainRow(const Instruction& instruction) {
  const uint32_t bytes = ptx::bytesOf(instruction.type);
  return instruction.vector == 1 &&
         ((bytes == 4 && instruction.type2 == Type::kB32) || (bytes == 8 && instruction.type2 == Type::kB64));
}

bool check(Block::State& block, const Warp& warp, const LaneAccess& access, const Region& region,
           uint32_t bytes, uint32_t alignment, AddressSummary& summary) {
  if (access.mask == 0xFFFFFFFFU) {
    summarizeAll(access.addresses, region.origin, region.bytes - bytes, bytes, summary);
  } else {
    summarizeSome(access.addresses, access.mask, region.origin, region.bytes - bytes, summary);
  }
  if ((summary.bits & (alignment - 1)) == 0 && (summary.out_of_bounds >> 63) == 0) return true;
  for (uint32_t rest = access.mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(rest));
    const uint64_t offset = access.addresses[lane] - region.origin;
    if ((access.addresses[lane] & (alignment - 1)) != 0 || offset > region.bytes ||
        bytes > region.bytes - offset) {
      block.raiseAddress(warp, access, lane, bytes);
      return false;
    }
  }
  return true;
}

}  // namespace

uint32_t accessBytes(const Instruction& instruction) {
  if (accessesMatrix(instruction.op)) return matrixAccessBytes(instruction);
  return ptx::bytesOf(instruction.type) * instruction.vector;
}

void laneAddresses(const Instruction& instruction, const Registers& registers, uint32_t local_base,
                   uint64_t* addresses) {
  switch (instruction.address_bits) {
    case 64:
      return addOffset64(registers.in64(instruction.sources[0]), instruction.immediate, addresses);
    case 32:
      return addOffset32(registers.in(instruction.sources[0]), instruction.immediate, addresses);
    default: {
      const bool in_frame = instruction.space == Space::kLocal || instruction.space == Space::kParam;
      std::fill_n(addresses, 32, instruction.immediate + (in_frame ? local_base : 0));
    }
  }
}

SpaceMasks resolveSpaces(uint32_t mask, uint64_t* addresses) {
  SpaceMasks masks;
  for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(rest));
    const uint64_t address = addresses[lane];
    const uint32_t bit = 1U << lane;
    if (address - kSharedWindow < kSharedWindows) {
      addresses[lane] = address - kSharedWindow;
      (addresses[lane] < kWindowBytes ? masks.shared : masks.cluster) |= bit;
    } else if (address - kLocalWindow < kWindowBytes) {
      masks.local |= bit;
      addresses[lane] = address - kLocalWindow;
    } else if (address - kParameterWindow < kWindowBytes) {
      masks.parameters |= bit;
      addresses[lane] = address - kParameterWindow;
    } else {
      masks.global |= bit;
    }
  }
  return masks;
}

bool Block::State::load(const Warp& warp, const LaneAccess& access) {
  const Instruction& in = access.instruction;
  const uint32_t element = ptx::bytesOf(in.type), bytes = element * in.vector;
  const Region region = regionOf(access.owner == nullptr ? *this : *access.owner, warp, access.space);
  AddressSummary summary;
  if (!check(*this, warp, access, region, bytes, bytes, summary)) return false;
  if (summary.scattered == 0 && region.lane_stride == 0 && plainRow(in)) {
    if (in.destinations[0].index == kSinkRow) return true;
    std::memcpy(access.registers.out(in.destinations[0]), region.host + (access.addresses[0] - region.origin),
                size_t{32} * bytes);
    return true;
  }
  for (uint32_t i = 0; i < in.vector; ++i) {
    if (in.destinations[i].index != kSinkRow)
      loadRow(region, access, uint64_t{i} * element, in.destinations[i]);
  }
  return true;
}

namespace {

void noteStore(GlobalMemory& memory, const LaneAccess& access, uint64_t bytes) {
  for (uint32_t rest = access.mask; rest != 0; rest &= rest - 1) {
    memory.noteWritten(access.addresses[std::countr_zero(rest)], bytes);
  }
}

}  // namespace

bool Block::State::store(const Warp& warp, const LaneAccess& access) {
  const Instruction& in = access.instruction;
  const uint32_t element = ptx::bytesOf(in.type), bytes = element * in.vector;
  const Region region = regionOf(access.owner == nullptr ? *this : *access.owner, warp, access.space);
  AddressSummary summary;
  if (!check(*this, warp, access, region, bytes, bytes, summary)) return false;
  const bool consecutive = summary.scattered == 0 && region.lane_stride == 0;
  if (access.space == Space::kGlobal) {
    if (consecutive) {
      launch.memory->noteWritten(access.addresses[0], size_t{32} * bytes);
    } else {
      noteStore(*launch.memory, access, bytes);
    }
  }
  if (consecutive && plainRow(in)) {
    std::memcpy(region.host + (access.addresses[0] - region.origin), access.registers.in(in.sources[1]),
                size_t{32} * bytes);
    return true;
  }
  for (uint32_t i = 0; i < in.vector; ++i) storeRow(region, access, uint64_t{i} * element, in.sources[i + 1]);
  return true;
}

bool Block::State::valid(const Warp& warp, const LaneAccess& access, uint32_t bytes) {
  AddressSummary summary;
  const Region region = regionOf(access.owner == nullptr ? *this : *access.owner, warp, access.space);
  return check(*this, warp, access, region, bytes, bytes, summary);
}

void Block::State::loadZero(const LaneAccess& access, uint32_t mask) {
  const Instruction& in = access.instruction;
  const uint32_t words =
      in.type2 == Type::kB128 || in.type2 == Type::kB64 || ptx::bytesOf(in.type) == 8 ? 2 : 1;
  for (uint32_t i = 0; i < in.destination_count; ++i) {
    if (in.destinations[i].index == kSinkRow) continue;
    uint32_t* row = access.registers.out(in.destinations[i]);
    for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
      const auto at = static_cast<size_t>(std::countr_zero(rest)) * words;
      std::fill_n(row + at, words, 0U);
      if (in.type2 == Type::kB128) std::fill_n(row + 64 + at, words, 0U);
    }
  }
}

std::byte* Block::State::hostAddress(const Warp& warp, Space space, uint32_t lane, uint64_t address) {
  const Region region = regionOf(*this, warp, space);
  return region.host + (address - region.origin) + lane * region.lane_stride;
}

}  // namespace warpscope::sim
