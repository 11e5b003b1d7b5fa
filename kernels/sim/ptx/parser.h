// Reads PTX text into a Module. Accepts what the opcode table (opcode_table.h) lists, up to PTX ISA 9.0.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kernels/core/error.h"
#include "kernels/sim/ptx/module.h"

namespace warpscope::ptx {

// `name` is the file's name, for messages. Fails with the first error of the text (kBadRequest): "NAME:LINE:
// what is wrong, and the instruction as written". No text makes it crash.
Expected<Module> parseModule(std::string_view text, std::string name);

// As parseModule, but continues after anything that is not supported and lists every such place, for
// `warpscope ptx`. The module holds those functions as far as they were understood and must not be executed.
struct Unsupported {
  uint32_t ptx_line = 0;
  std::string what;  // "tex.2d.v4.f32.f32 ...: textures are not supported"
};
struct ModuleReport {
  Module module;
  std::vector<Unsupported> unsupported;
};
Expected<ModuleReport> reportModule(std::string_view text, std::string name);

// For PTX that was written by hand, and has no .file directive: makes the lines of the PTX itself the source
// lines of its instructions.
void nameOwnLines(Module& module);

}  // namespace warpscope::ptx
