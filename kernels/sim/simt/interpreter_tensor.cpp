// Bulk copies of tensors: cp.async.bulk.tensor (PTX ISA 9.0, 9.7.9.25.5). A copy moves the box at some
// coordinates; its rows lie one after another in shared memory, there in chunks of 16 bytes, which a swizzle
// permutes, and wherever the tensor's map says in global memory. What is outside of the tensor is read as
// zeros and not written. The mbarrier counts all bytes of the box.
//
// What the PTX ISA does not say was found on an H100 (580.159.04, 2026-11-26; elements of 1 to 4 bytes, one
// and two dimensions): a box begins at a multiple of 16 bytes of the rows, and a store at no negative
// coordinate, or else it is an illegal instruction; a store writes rows to a multiple of 16 bytes, even where
// the tensor's end before that.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "kernels/sim/simt/interpreter_state.h"

namespace warpscope::sim {

namespace {

constexpr uint32_t kChunk = 16;
constexpr uint32_t kSharedAlignment = 128;  // of a box
constexpr uint32_t kMostRowBytes = 256 * 8;

// Between a row and its chunks in a block's shared memory, where the box begins at `offset`.
template <class Move>
void forEachChunk(const TensorTile& tile, uint32_t offset, uint32_t row, const Move& move) {
  const auto bytes = static_cast<uint32_t>(tile.map.description.rowBytes());
  for (uint32_t at = 0; at < bytes; at += kChunk)
    move(swizzled(tile.map.description.swizzle, offset + row * bytes + at), at);
}

uint32_t bytesStored(const TensorTile::Row& row) {
  return row.bytes() == 0 ? 0 : (row.bytes() + kChunk - 1) / kChunk * kChunk;
}

}  // namespace

std::optional<TensorMap> Block::State::tensorMapAt(const Warp& warp, uint64_t address, const BulkCopy& copy) {
  const uint64_t offset = address - kParameterWindow;
  const std::byte* at = nullptr;
  if (offset < kWindowBytes) {
    const bool inside = offset + kTensorMapBytes <= launch.parameters.size();
    at = inside ? launch.parameters.data() + offset : nullptr;
  } else {
    at = launch.memory->at(address, kTensorMapBytes);
  }
  const auto fails = [&](const std::string& what) {
    raise(warp, copy.pc, copy.lane, what);
    return std::nullopt;
  };
  if (address % kTensorMapAlignment != 0)
    return fails(fmt::format("misaligned tensor map: its address {:#x} is not a multiple of {}", address,
                             kTensorMapAlignment));
  if (at == nullptr) return fails(fmt::format("illegal address: a tensor map at {:#x}", address));
  auto map = decodeTensorMap(std::span<const std::byte, kTensorMapBytes>(at, kTensorMapBytes));
  if (map) return map;
  return fails(
      fmt::format("there is no tensor map at {:#x}: the host makes it (cuTensorMapEncodeTiled) and "
                  "passes it as a __grid_constant__ parameter",
                  address));
}

bool Block::State::describeTensor(const Warp& warp, const Instruction& in, const Registers& registers,
                                  BulkCopy& copy) {
  const FurtherAddresses& further = code.further_addresses[in.table];
  const auto fails = [&](const std::string& what) {
    raise(warp, copy.pc, copy.lane, what);
    return false;
  };
  const auto map = tensorMapAt(warp, furtherAddress(further.map, in, registers, copy.lane), copy);
  if (!map) return false;
  if (map->description.rank != in.modifiers.dimensions)
    return fails(fmt::format("a bulk copy of {} dimensions with the map of a {}", in.modifiers.dimensions,
                             describeTensorMap(map->description)));
  auto tile = std::make_shared<TensorTile>(TensorTile{*map, {}});
  for (uint32_t i = 0; i < map->description.rank; ++i)
    tile->at[i] = static_cast<int32_t>(registers.in(in.sources[further.map.source + 1 + i])[copy.lane]);
  const int64_t begins = int64_t{tile->at[0]} * map->description.elementBytes();
  if (begins % kChunk != 0)
    return fails(
        fmt::format("misaligned bulk copy of a tensor: its box begins at byte {} of the rows, which is not a "
                    "multiple of {}",
                    begins, kChunk));
  const bool stores = in.modifiers.bulk == ptx::BulkWay::kStore;
  if (stores && std::ranges::any_of(tile->at, [](int64_t at) { return at < 0; }))
    return fails("illegal bulk copy of a tensor: a store must not begin at a negative coordinate");
  copy.bytes = static_cast<uint32_t>(map->description.boxBytes());
  copy.tile = tile;
  const uint64_t shared = furtherAddress(further.from, in, registers, copy.lane);
  if (shared % kSharedAlignment != 0)
    return fails(
        fmt::format("misaligned bulk copy of a tensor: its shared address {:#x} is not a multiple of {}",
                    shared, kSharedAlignment));
  const bool possible = tile->forEachRow([&](uint32_t, const TensorTile::Row& row) {
    const uint32_t bytes = stores ? bytesStored(row) : row.bytes();
    if (bytes == 0 || launch.memory->at(row.global, bytes) != nullptr) return true;
    return fails(fmt::format("illegal address: a bulk copy of {} bytes at global address {:#x}, of a {}",
                             bytes, row.global, describeTensorMap(map->description)));
  });
  if (!possible) return false;
  if (stores) return takeSource(warp, shared, copy);
  std::optional<uint32_t> ranks;
  if (in.modifiers.multicast) ranks = registers.in(in.sources[further.mask])[copy.lane] & 0xFFFFU;
  return takeTarget(warp, shared, furtherAddress(further.mbarrier, in, registers, copy.lane), ranks, copy);
}

bool Block::State::moveTile(const BulkCopy& copy, bool with_bytes) {
  const TensorTile& tile = *copy.tile;
  std::array<std::byte, kMostRowBytes> bytes{};
  if (code.instructions[copy.pc].modifiers.bulk == ptx::BulkWay::kStore) {
    State* starter = cluster->blocks[copy.rank];
    if (starter == nullptr) return sourceIsGone(copy);
    return !with_bytes || tile.forEachRow([&](uint32_t index, const TensorTile::Row& row) {
      forEachChunk(tile, copy.from_offset, index, [&](uint32_t shared, uint32_t at) {
        std::memcpy(&bytes[at], starter->sharedBytes() + shared, kChunk);
      });
      if (row.bytes() == 0) return true;
      const uint32_t stored = bytesStored(row);
      std::memcpy(launch.memory->at(row.global, stored), &bytes[row.begin], stored);
      launch.memory->noteWritten(row.global, stored);
      return true;
    });
  }
  return deliver(copy, [&](std::byte* shared_bytes_there) {
    if (!with_bytes) return;
    tile.forEachRow([&](uint32_t index, const TensorTile::Row& row) {
      bytes.fill(std::byte{});
      if (row.bytes() > 0)
        std::memcpy(&bytes[row.begin], launch.memory->at(row.global, row.bytes()), row.bytes());
      forEachChunk(tile, copy.to_offset, index, [&](uint32_t shared, uint32_t at) {
        std::memcpy(shared_bytes_there + shared, &bytes[at], kChunk);
      });
      return true;
    });
  });
}

}  // namespace warpscope::sim
