#include "kernels/sim/listing.h"

#include <algorithm>
#include <limits>

#include "kernels/sim/ptx/parser.h"

namespace warpscope::sim {

ListedInstruction listInstruction(const std::string& text, const ptx::SourceLine& line,
                                  const FileName& file) {
  // A line of the toolkit's headers says less than the one that calls it.
  const std::string in = file(line.at.file);
  const bool in_header = line.called_at.file != 0 && (in.starts_with('/') || in.starts_with("cuda/include/"));
  const ptx::SourcePoint& at = in_header ? line.called_at : line.at;
  return {text, file(at.file), at.line, file(line.inlined_at.file), line.inlined_at.line};
}

PtxListing listPtx(std::string_view ptx, const std::string& entry) {
  PtxListing listing;
  auto report = ptx::reportModule(ptx, "");
  if (!report) return listing;
  ptx::Module& module = report->module;
  if (module.files.empty()) ptx::nameOwnLines(module);
  const auto kernel = std::ranges::find(module.functions, entry, &ptx::Function::name);
  if (kernel == module.functions.end()) return listing;
  const FileName file = [&](uint32_t number) {
    const auto found = module.files.find(number);
    return found == module.files.end() ? std::string() : found->second;
  };
  const auto add = [&](const ptx::Function& function) {
    PtxListing::Part part;
    part.first_line = function.ptx_line;
    part.end_line = std::numeric_limits<uint32_t>::max();
    for (const ptx::Function& other : module.functions) {
      if (other.ptx_line > function.ptx_line) part.end_line = std::min(part.end_line, other.ptx_line);
    }
    part.first = static_cast<uint32_t>(listing.instructions.size());
    for (const ptx::Instruction& instruction : function.instructions) {
      listing.instructions.push_back(listInstruction(instruction.text, instruction.source, file));
      listing.ptx_lines.push_back(instruction.ptx_line);
    }
    part.end = static_cast<uint32_t>(listing.instructions.size());
    if (part.end > part.first) listing.parts.push_back(part);
  };
  add(*kernel);
  for (const ptx::Function& function : module.functions) {
    if (!function.is_entry && !function.is_declared_only) add(function);
  }
  return listing;
}

std::optional<uint32_t> PtxListing::instructionAt(uint32_t ptx_line) const {
  for (const Part& part : parts) {
    if (ptx_line < part.first_line || ptx_line >= part.end_line) continue;
    const auto begin = ptx_lines.begin() + part.first, end = ptx_lines.begin() + part.end;
    const auto after = std::upper_bound(begin, end, ptx_line);
    if (after == begin) return part.first;
    // The first of those on the same line.
    return static_cast<uint32_t>(std::lower_bound(begin, after, *(after - 1)) - ptx_lines.begin());
  }
  return std::nullopt;
}

}  // namespace warpscope::sim
