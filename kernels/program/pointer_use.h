// What a kernel does with the addresses that it is passed, as its instructions show: which of them it reads
// through, which it writes through. Registers are followed without regard to paths, so the answer is what may
// happen.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/sim/ptx/module.h"

namespace warpscope {

struct PointerUse {
  bool is_address = false;  // something is loaded or stored through it
  bool is_read = false, is_written = false;
  bool is_float = false;        // what is loaded or stored first
  bool is_float_value = false;  // the parameter itself is loaded as a float
  uint32_t access_bytes = 0;    // of one element of the first access
  // It is the handle of a texture or surface object of so many dimensions; 0: it is not.
  uint32_t image_dimensions = 0, image_channels = 1;
  bool is_surface = false, is_signed = false;
  bool by_index = false;  // all fetches are of texels by their indices
};

// By the entry's parameters, in order.
std::vector<PointerUse> pointerUses(const ptx::Function& entry);

}  // namespace warpscope
