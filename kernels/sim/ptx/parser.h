// Reads PTX text into a Module. Accepts what the opcode table (opcode_table.h) lists, PTX ISA up to 9.0.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kernels/core/error.h"
#include "kernels/sim/ptx/module.h"

namespace warpscope::ptx {

// `name` is the file's, for messages. Errors (kBadRequest): "NAME:LINE: what, and the instruction as
// written"; the first of the text. Never crashes, whatever the text.
Expected<Module> parseModule(std::string_view text, std::string name);

// As parseModule, but goes on behind what is not supported and lists every such place; the module has those
// functions as far as they were understood and must not be executed. For `warpscope ptx`.
struct Unsupported {
  uint32_t ptx_line = 0;
  std::string what;  // "tex.2d.v4.f32.f32 ...: textures are not supported"
};
struct ModuleReport {
  Module module;
  std::vector<Unsupported> unsupported;
};
Expected<ModuleReport> reportModule(std::string_view text, std::string name);

}  // namespace warpscope::ptx
