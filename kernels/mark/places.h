// Where a kernel is marked, and what each mark begins, by its control flow. Knows nothing of texts.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/run/program.h"
#include "kernels/sim/ptx/module.h"

namespace warpscope {

struct MarkPlace {
  uint32_t instruction = 0;  // the mark comes right before it
  // Only on the way that falls through from the instruction before, not for those who jump here: the mark
  // then precedes the label.
  bool before_label = false;
  std::string kind;         // "", "loop", "after loop", "after barrier", "joined"
  uint32_t first_line = 0;  // in the source; 0: unknown
  uint32_t last_line = 0;
};

// The source's line that an instruction (an index into the function's) is of; 0: none.
using LineOf = std::function<uint32_t(uint32_t instruction)>;

// In the order of the instructions.
std::vector<MarkPlace> markPlaces(const ptx::Function& function, MarkLevel level, const LineOf& line_of);

// The line in `source_file` that an instruction comes from, or was inlined into; 0: none.
uint32_t sourceLineOf(const ptx::Module& module, const ptx::Instruction& instruction,
                      const std::string& source_file);

}  // namespace warpscope
