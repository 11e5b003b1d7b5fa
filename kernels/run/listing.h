// A kernel's instructions as text, for values that refer to them by index: the PTX and the source line of
// each.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace warpscope {

// An instruction of the kernel, or of a function it calls. File names are as in the PTX, relative to the
// repository.
struct ListedInstruction {
  std::string text;   // "add.s32 %r1, %r2, 4;"
  std::string file;   // empty: unknown
  uint32_t line = 0;  // 0: unknown
  // The place where the line was inlined (the outermost caller's line); empty and 0: it was not inlined.
  std::string inlined_file;
  uint32_t inlined_line = 0;

  bool operator==(const ListedInstruction&) const = default;
};
using Listing = std::vector<ListedInstruction>;

// Its line in that file: its own or, if it was inlined from another file, its caller's; 0 if neither is in
// the file.
inline uint32_t lineIn(const std::string& file, const ListedInstruction& instruction) {
  if (instruction.file == file) return instruction.line;
  return instruction.inlined_file == file ? instruction.inlined_line : 0;
}

}  // namespace warpscope
