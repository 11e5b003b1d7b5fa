// A kernel's instructions as text, for what refers to them by index: which PTX, and from which source line.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace warpscope {

// Of the kernel, or of a function it calls. Files are as the PTX names them, relative to the repository.
struct ListedInstruction {
  std::string text;   // "add.s32 %r1, %r2, 4;"
  std::string file;   // empty: unknown
  uint32_t line = 0;  // 0: unknown
  // Where the line was inlined, the outermost caller's; empty and 0: it was not.
  std::string inlined_file;
  uint32_t inlined_line = 0;

  bool operator==(const ListedInstruction&) const = default;
};
using Listing = std::vector<ListedInstruction>;

// Its line in that file: its own or, where it was inlined from another file, its caller's; 0: none of both.
uint32_t lineIn(const std::string& file, const ListedInstruction& instruction);

}  // namespace warpscope
