#include "kernels/run/listing.h"

namespace warpscope {

uint32_t lineIn(const std::string& file, const ListedInstruction& instruction) {
  if (instruction.file == file) return instruction.line;
  return instruction.inlined_file == file ? instruction.inlined_line : 0;
}

}  // namespace warpscope
