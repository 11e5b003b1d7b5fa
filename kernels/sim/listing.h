// The instructions of a kernel as text, with the source line of each.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/run/listing.h"
#include "kernels/sim/ptx/module.h"

namespace warpscope::sim {

using FileName = std::function<std::string(uint32_t number)>;  // of a .file directive; empty: there is none
ListedInstruction listInstruction(const std::string& text, const ptx::SourceLine& line, const FileName& file);

// A kernel's listing by line of its module's PTX.
struct PtxListing {
  Listing instructions;  // of the kernel, then of the module's other functions that are not kernels
  std::vector<uint32_t> ptx_lines;  // of each

  // The instruction that is on a line of the PTX, or the nearest before it in the same function; where there
  // is none, the function's first. nullopt: the line is not in any of these functions.
  std::optional<uint32_t> instructionAt(uint32_t ptx_line) const;

  struct Part {
    uint32_t first_line = 0, end_line = 0;  // of the PTX
    uint32_t first = 0, end = 0;            // into instructions
  };
  std::vector<Part> parts;
};
// What of the text is not supported by the simulated GPU is left out. Empty if there is no such kernel.
PtxListing listPtx(std::string_view ptx, const std::string& entry);

}  // namespace warpscope::sim
