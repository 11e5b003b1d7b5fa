// The load-store unit's conversion of a warp's addresses into 128-byte lines with 32-byte sectors (global and
// local memory) or wavefronts (shared memory). Pure functions of addresses; they know nothing of time.
#pragma once

#include <cstdint>

namespace warpscope::sim {

inline constexpr uint32_t kLineBytes = 128;
inline constexpr uint32_t kSectorBytes = 32;
inline constexpr uint32_t kSectorsPerLine = kLineBytes / kSectorBytes;
inline constexpr uint32_t kBanks = 32, kWordBytes = 4;  // of shared memory

// The number of sectors in a mask: a table lookup by four bits, where counting bits would be a call.
constexpr uint32_t sectorCount(uint8_t sectors) {
  constexpr uint64_t kCounts = 0x4332322132212110;
  return static_cast<uint32_t>(kCounts >> (4 * (sectors & 0xFU))) & 0xFU;
}

// One line that a request accesses. Without initialisers, so that an array with room for many costs nothing.
struct LineAccess {
  uint64_t line;    // address / 128
  uint8_t sectors;  // accessed sectors, bit i for sector i
  uint8_t full;     // those of which every byte is accessed
  uint32_t words;   // accessed words of 4 bytes, bit i for word i
};

// The most lines that one request of a warp can access: each lane's bytes (at most 32, naturally aligned) are
// in one line; local memory interleaves lanes by words, so that a lane's 32 bytes are in 8 lines (9 if
// unaligned).
inline constexpr uint32_t kMaxLines = 32 * 9;

// Merges the accesses of the lanes in `mask`, `bytes` each, into lines, in the order of first access. `lines`
// must have room for kMaxLines; returns how many were written.
uint32_t coalesce(const uint64_t* addresses, uint32_t mask, uint32_t bytes, LineAccess* lines);
// The same for a thread's local memory: `addresses` are offsets in the lanes' own memories, which are
// interleaved word by word from `base` (a multiple of 128) on: word w of lane i is at base + 128 w + 4 i.
uint32_t coalesceLocal(uint64_t base, const uint64_t* addresses, uint32_t mask, uint32_t bytes,
                       LineAccess* lines);

// A shared-memory request takes one wavefront for each further distinct word in a bank. Lanes that access the
// same word share it (broadcast). 8-byte accesses go as two half-warps, 16-byte ones as four quarter-warps
// ("Shared Memory", CUDA C++ Programming Guide; 64- and 128-bit rules as observed since Maxwell).
// The number of a warp's lanes that are served together: at most 128 bytes in all.
constexpr uint32_t lanesTogether(uint32_t bytes) {
  return bytes <= 4 ? 32 : bytes <= 8 ? 16 : bytes <= 16 ? 8 : 4;
}
struct SharedWavefronts {
  uint32_t wavefronts = 0;
  uint32_t minimum = 0;    // without any conflict: 1, 2 or 4; less where a group has no lanes
  uint32_t same_word = 0;  // most lanes that access one word: what an atomic has to serialise
};
SharedWavefronts sharedWavefronts(const uint64_t* addresses, uint32_t mask, uint32_t bytes);

}  // namespace warpscope::sim
