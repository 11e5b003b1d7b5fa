// One request to global or local memory as a picture: the lines that it touches side by side, each with four
// sectors, and the bytes in them that each lane asks for.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/run/lane_log.h"

namespace warpscope {

struct SectorBox {
  float left = 0, right = 0;
  uint64_t address = 0;      // of its first byte
  bool moved = false;        // some lane asks for bytes in it
  uint32_t bytes_asked = 0;  // distinct bytes, of its 32
  LaneMask lanes;            // the lanes that ask for bytes in it
};

struct LineBox {
  float left = 0, right = 0;
  uint64_t address = 0;
  bool follows = true;  // directly after the previous line
};

// Consecutive bytes that a lane asks for, as a range in the picture.
struct LaneStretch {
  int lane = 0;
  float left = 0, right = 0;
};

struct SectorsLayout {
  std::vector<LineBox> lines;
  std::vector<SectorBox> sectors;  // four per line
  std::vector<LaneStretch> stretches;
};

// Lays out between the two edges, with `gap` pixels between lines.
SectorsLayout layOutSectors(const MemoryRequest& request, float left, float right, float gap);

}  // namespace warpscope
