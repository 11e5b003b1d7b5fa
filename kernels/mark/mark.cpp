#include "kernels/mark/mark.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "kernels/experiments/experiment.h"
#include "kernels/experiments/kernel_modules.h"
#include "kernels/mark/entry_marker.h"
#include "kernels/mark/entry_text.h"
#include "kernels/mark/places.h"
#include "kernels/mark/probe_text.h"
#include "kernels/probe/layout.h"
#include "kernels/sim/ptx/parser.h"

namespace warpscope {
namespace {

constexpr const char* kLaidOut = "its PTX is not laid out as it must be for marks";

// Why no kernel of the module can be marked; empty: they can.
std::string whyNotMarked(std::string_view ptx, const ptx::Module& module) {
  for (const std::string& ours : {std::string("%ws_"), std::string("$WS_"), std::string(kMarkedSuffix),
                                  symbolName(kProbeParamsVariable)}) {
    if (ptx.find(ours) != std::string_view::npos)
      return fmt::format("it is marked already: it has names with '{}'", ours);
  }
  // activemask is the youngest instruction of a mark (PTX ISA, "Parallel Synchronization and Communication
  // Instructions": activemask).
  constexpr uint32_t kLeastMajor = 6, kLeastMinor = 2;
  uint32_t major = 0, minor = 0;
  std::sscanf(module.version.c_str(), "%u.%u", &major, &minor);
  if (std::pair(major, minor) < std::pair(kLeastMajor, kLeastMinor)) {
    return fmt::format("its PTX is of version {}; marks need {}.{} (compile it anew)", module.version,
                       kLeastMajor, kLeastMinor);
  }
  constexpr uint64_t kConstantBytes = 65536;  // PTX ISA, "Constant State Space"
  uint64_t constant_bytes = sizeof(ProbeParams);
  for (const ptx::Variable& variable : module.variables) {
    if (variable.space == ptx::Space::kConst) constant_bytes += variable.bytes + variable.alignment;
  }
  if (constant_bytes > kConstantBytes) {
    return fmt::format("its constants leave no room for the marks' {} bytes of constant memory",
                       sizeof(ProbeParams));
  }
  return {};
}

size_t instructionCount(const ptx::Function& function) {
  return function.instructions.size();
}

MarkedModule unmarked(std::string_view ptx, const ptx::Module& module, const std::string& reason) {
  MarkedModule unchanged;
  unchanged.ptx = ptx;
  for (const ptx::Function& each : module.functions) {
    if (each.is_entry) unchanged.kernels.push_back({each.name, {}, {}, {reason}});
  }
  return unchanged;
}

}  // namespace

Expected<MarkedModule> markModule(std::string_view ptx, const std::string& name, MarkLevel level,
                                  const std::string& source_file, std::string_view source_text) {
  const auto original = ptx::reportModule(ptx, name);
  if (!original) return tl::unexpected(original.error());
  MarkedModule marked;
  if (level == MarkLevel::kOff) {
    marked.ptx = ptx;
    return marked;
  }
  const std::string text = oneStatementALine(ptx);
  const std::vector<std::string_view> lines = linesOf(text);
  const auto parsed = ptx::reportModule(text, name);
  const bool same = parsed && std::ranges::equal(parsed->module.functions, original->module.functions, {},
                                                 instructionCount, instructionCount);
  const std::string reason = same ? whyNotMarked(ptx, parsed->module) : kLaidOut;
  if (!reason.empty()) return unmarked(ptx, original->module, reason);
  const SourceLines source(source_text);
  const bool source_is_ptx = source_text == ptx;
  // What is added comes behind the text, so that messages name the lines that the user's text has.
  marked.ptx = ptx;
  marked.ptx += '\n' + ProbeText(symbolName(kProbeParamsVariable)).declaration();
  for (size_t f = 0; f < parsed->module.functions.size(); ++f) {
    const ptx::Function& function = parsed->module.functions[f];
    if (!function.is_entry) continue;
    const ptx::Function& written = original->module.functions[f];
    const auto line_of = [&](uint32_t instruction) {
      if (source_is_ptx) return written.instructions[instruction].ptx_line;
      return sourceLineOf(parsed->module, function.instructions[instruction], source_file);
    };
    EntryMarker marker(parsed->module, function, lines, source);
    marked.kernels.push_back(marker.mark(level, line_of));
    if (!marked.kernels.back().marked_entry.empty()) marked.ptx += marker.copy();
  }
  // What is launched must be what was read, whatever the text looked like.
  const auto again = ptx::reportModule(marked.ptx, name);
  const auto copied = std::ranges::count_if(
      marked.kernels, [](const MarkedKernel& each) { return !each.marked_entry.empty(); });
  if (!again ||
      again->module.functions.size() != parsed->module.functions.size() + static_cast<size_t>(copied) ||
      again->unsupported.size() > 2 * parsed->unsupported.size())
    return unmarked(ptx, original->module, kLaidOut);
  return marked;
}

}  // namespace warpscope
