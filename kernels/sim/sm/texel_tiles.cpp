#include "kernels/sim/sm/texel_tiles.h"

namespace warpscope::sim {
namespace {

constexpr uint64_t kTileRowBytes = 64, kTileRows = 8, kTileBytes = kTileRowBytes * kTileRows;
constexpr uint32_t kSectorColumns = 4;  // sectors of a line
constexpr uint32_t kWideTexelBytes = 16;

uint64_t tilesOf(uint64_t size, uint64_t of_tile) {
  return (size + of_tile - 1) / of_tile;
}

bool isVolume(const ImageDescription& image) {
  return image.dimensions == 3;
}

bool isTexture(const ImageDescription& image) {
  return image.use == ImageDescription::Use::kTexture;
}

}  // namespace

TexelPlace placeOf(const ImageDescription& image, uint64_t offset) {
  if (image.linear_memory) return {offset, static_cast<uint32_t>(offset / 32 % kSectorColumns)};
  const uint64_t row_bytes = uint64_t{image.width} * image.texel.bytes();
  const uint64_t row = offset / row_bytes, x = offset % row_bytes;
  const uint64_t y = row % image.height, z = row / image.height;
  const uint64_t tiles_of_row = tilesOf(row_bytes, kTileRowBytes);
  const uint64_t tile =
      (z * tilesOf(image.height, kTileRows) + y / kTileRows) * tiles_of_row + x / kTileRowBytes;
  const uint64_t in_tile = x % 64 / 32 * 256 + y % 8 / 2 * 64 + x % 32 / 16 * 32 + y % 2 * 16 + x % 16;
  // Neighbouring slices of a volume are read together: a fetch that blends them takes no longer for it.
  const uint64_t column = in_tile / 32 % kSectorColumns + z % 2 * kSectorColumns;
  return {tile * kTileBytes + in_tile, static_cast<uint32_t>(column)};
}

uint64_t tiledBytes(const ImageDescription& image) {
  if (image.linear_memory) return image.bytes();
  const uint64_t row_bytes = uint64_t{image.width} * image.texel.bytes();
  return tilesOf(row_bytes, kTileRowBytes) * tilesOf(image.height, kTileRows) * image.depth * kTileBytes;
}

// These were counted on an H200 (580.159.04, 2026-11-28) with fetches of one kind that hit L1, on full SMs.
uint32_t lanesOfRequest(const ImageDescription& image) {
  if (image.linear_memory) return image.texel.bytes() < kWideTexelBytes ? 8 : 4;
  return isTexture(image) || isVolume(image) ? 4 : 8;
}

uint32_t lanesLookedUp(const ImageDescription& image) {
  const bool wide = isVolume(image) || image.texel.bytes() == kWideTexelBytes;
  return image.linear_filter && wide ? 2 : lanesOfRequest(image);
}

uint32_t lookups(const ImageDescription& image) {
  return image.linear_filter && image.texel.bytes() == kWideTexelBytes ? 2 : 1;
}

uint32_t leastCycles(const ImageDescription& image) {
  return (isTexture(image) && !image.linear_memory) || isVolume(image) ? 8 : 4;
}

}  // namespace warpscope::sim
