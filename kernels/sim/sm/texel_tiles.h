// Where texels lie in memory as a GPU stores its arrays, and how its texture units read them. An image of the
// simulated GPU lies row by row; only the caches of the model see the tiles.
//
// An array consists of tiles of 512 bytes: 64 bytes of each of 8 rows ("Tegra X1 Technical Reference Manual",
// block linear surfaces: a GOB). In it, a sector of 32 bytes holds 16 bytes of two rows, a line of 128 bytes
// 32 of four. Counters of an H200 say so, too (580.159.04, 2026-11-28): a quad of lanes that read 16 bytes of
// a row ask for one sector, a quad that reads a column asks for two, and warps of two neighbouring rows share
// their sectors. An array of one dimension has tiles, too, so that fetches read only half of each sector.
#pragma once

#include <cstdint>

#include "kernels/core/image.h"

namespace warpscope::sim {

struct TexelPlace {
  uint64_t offset = 0;  // in bytes, from the image's first
  // The data stage reads sectors of several lines in one cycle if their columns differ.
  uint32_t column = 0;
};

// Where the byte `offset` of an image lies that is stored row by row here. Linear memory has no tiles.
TexelPlace placeOf(const ImageDescription& image, uint64_t offset);
// How many bytes its tiles take.
uint64_t tiledBytes(const ImageDescription& image);

// The texture units split a warp's instruction into requests of so many lanes.
uint32_t lanesOfRequest(const ImageDescription& image);
// They look up the texels of so many of these lanes together,
uint32_t lanesLookedUp(const ImageDescription& image);
// and so many times.
uint32_t lookups(const ImageDescription& image);
// An instruction takes an SM's texture units at least so many cycles, however few lanes it has. Their input
// takes one request a cycle.
uint32_t leastCycles(const ImageDescription& image);

}  // namespace warpscope::sim
