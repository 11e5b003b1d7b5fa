// Which line of the PTX each machine instruction of a loaded module came from: read from the line table that
// the driver's compiler puts into the module's code (a cubin, which is an ELF file) when it is asked for line
// information. The table is DWARF 2 in section .nv_debug_line_sass; its addresses are relocated by the
// functions' symbols ("DWARF Debugging Information Format" 2.0.0, section 6.2; System V ABI, "Object Files").
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warpscope::cuda {

class CubinLines {
 public:
  // From damaged or foreign bytes it keeps whatever it can read, possibly nothing.
  explicit CubinLines(std::span<const std::byte> cubin);

  // The line, from 1, of the instruction at this byte of a function; 0: not known.
  uint32_t lineAt(std::string_view function, uint64_t offset) const;
  bool empty() const { return rows_.empty(); }

 private:
  struct Place {
    uint32_t section = 0;
    uint64_t address = 0;  // in the section
    auto operator<=>(const Place&) const = default;
  };
  std::map<std::string, Place, std::less<>> functions_;
  std::map<Place, uint32_t> rows_;  // each holds until the next; line 0: the end of a sequence
};

}  // namespace warpscope::cuda
