// What the load-store unit makes of a warp's addresses: 128-byte lines with 32-byte sectors for global and
// local memory, wavefronts for shared memory. Pure functions of addresses; they know no time.
#pragma once

#include <cstdint>

namespace warpscope::sim {

inline constexpr uint32_t kLineBytes = 128;
inline constexpr uint32_t kSectorBytes = 32;
inline constexpr uint32_t kSectorsPerLine = kLineBytes / kSectorBytes;

// How many sectors a mask of them names: four bits to look up, where counting bits is a call.
constexpr uint32_t sectorCount(uint8_t sectors) {
  constexpr uint64_t kCounts = 0x4332322132212110;
  return static_cast<uint32_t>(kCounts >> (4 * (sectors & 0xFU))) & 0xFU;
}

// One line that a request touches.
struct LineAccess {
  uint64_t line = 0;    // address / 128
  uint8_t sectors = 0;  // touched ones, bit i for sector i
  uint8_t full = 0;     // of those, the ones of which every byte is touched
};

// The most lines that one request of a warp can touch: each lane's bytes (at most 32, naturally aligned) lie
// in one line; local memory interleaves lanes by words, so that a lane's 32 bytes lie in 8 lines (9
// unaligned).
inline constexpr uint32_t kMaxLines = 32 * 9;

// Merges what the lanes of `mask` access, `bytes` each, into lines, in the order of first touch. `lines` has
// room for kMaxLines; returns how many were written.
uint32_t coalesce(const uint64_t* addresses, uint32_t mask, uint32_t bytes, LineAccess* lines);
// The same for a thread's local memory: `addresses` are offsets in the lanes' own memories, which lie word by
// word interleaved behind `base` (a multiple of 128): word w of lane i at base + 128 w + 4 i.
uint32_t coalesceLocal(uint64_t base, const uint64_t* addresses, uint32_t mask, uint32_t bytes,
                       LineAccess* lines);

// A shared-memory request takes one wavefront for each further distinct word in a bank. Lanes that access the
// same word share it (broadcast). 8-byte accesses go as two half-warps, 16-byte ones as four quarter-warps
// ("Shared Memory", CUDA C++ Programming Guide; 64- and 128-bit rules as observed since Maxwell).
// How many of a warp's lanes go together: they have at most 128 bytes in all.
constexpr uint32_t lanesTogether(uint32_t bytes) {
  return bytes <= 4 ? 32 : bytes <= 8 ? 16 : bytes <= 16 ? 8 : 4;
}
struct SharedWavefronts {
  uint32_t wavefronts = 0;
  uint32_t minimum = 0;    // without any conflict: 1, 2 or 4, less where a group has no lanes
  uint32_t same_word = 0;  // the most lanes that meet in one word: what an atomic has to serialise
};
SharedWavefronts sharedWavefronts(const uint64_t* addresses, uint32_t mask, uint32_t bytes);

}  // namespace warpscope::sim
