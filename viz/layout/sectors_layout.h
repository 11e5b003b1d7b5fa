// One request of global or local memory as a picture: the lines that it touches side by side, each of four
// sectors, and what each lane asks for in them.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/run/lane_log.h"

namespace warpscope {

struct SectorBox {
  float left = 0, right = 0;
  uint64_t address = 0;      // of its first byte
  bool moved = false;        // some lane asks for something in it
  uint32_t bytes_asked = 0;  // different ones, of its 32
  LaneMask lanes;            // that ask
};

struct LineBox {
  float left = 0, right = 0;
  uint64_t address = 0;
  bool follows = true;  // directly behind the line before it
};

// A stretch of bytes that a lane asks for, as it lies in the picture.
struct LaneStretch {
  int lane = 0;
  float left = 0, right = 0;
};

struct SectorsLayout {
  std::vector<LineBox> lines;
  std::vector<SectorBox> sectors;  // four a line
  std::vector<LaneStretch> stretches;
};

// Between the two edges, `gap` pixels between lines.
SectorsLayout layOutSectors(const MemoryRequest& request, float left, float right, float gap);

}  // namespace warpscope
