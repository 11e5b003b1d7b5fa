// Where texels lie in memory as a GPU stores its arrays, and how its texture units read them. An image of the
// simulated GPU lies row by row; only the caches of the model see the tiles.
//
// An array consists of tiles of 512 bytes: 64 bytes of each of 8 rows ("Tegra X1 Technical Reference Manual",
// block linear surfaces: a GOB). In it, a sector of 32 bytes holds 16 bytes of two rows, a line of 128 bytes
// 32 of four. Counters of an H200 say so, too (580.159.04, 2026-11-28): a quad of lanes that read 16 bytes of
// a row ask for one sector, those that read a column for two, and warps of two neighbouring rows share their
// sectors; an array of one dimension is stored like others, so that half of each sector is read.
#pragma once

#include <cstdint>

#include "kernels/core/image.h"

namespace warpscope::sim {

struct TexelPlace {
  uint64_t offset = 0;  // in bytes, from the image's first
  // Which bytes of a line the data stage reads in one cycle besides others, at most: those of lines whose
  // columns differ.
  uint32_t column = 0;
};

// Of the byte `offset` of an image whose rows follow each other. Linear memory is not in tiles.
TexelPlace placeOf(const ImageDescription& image, uint64_t offset);
// How many bytes its tiles take.
uint64_t tiledBytes(const ImageDescription& image);

// The lanes of a request: the texture units take a warp's fetch as so many lanes after each other.
uint32_t lanesOfRequest(const ImageDescription& image);
// Of these, the lanes whose texels are looked up together.
uint32_t lanesLookedUp(const ImageDescription& image);
// How often they are looked up.
uint32_t lookups(const ImageDescription& image);
// The cycles for which an instruction takes an SM's texture units at least, however few lanes it has. Their
// input takes a request a cycle.
uint32_t leastCycles(const ImageDescription& image);

}  // namespace warpscope::sim
