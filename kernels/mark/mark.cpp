#include "kernels/mark/mark.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "kernels/experiments/experiment.h"
#include "kernels/experiments/kernel_modules.h"
#include "kernels/mark/entry_text.h"
#include "kernels/mark/places.h"
#include "kernels/mark/probe_text.h"
#include "kernels/probe/layout.h"
#include "kernels/sim/ptx/parser.h"

namespace warpscope {
namespace {

using ptx::Op;

constexpr const char* kMarkedSuffix = "_warpscope_marked";
constexpr const char* kLaidOut = "its PTX is not laid out as it must be for marks";

// What is inserted before lines, from 1, in the order in which it was added.
using Insertions = std::map<uint32_t, std::vector<std::string>>;

bool isLabelLine(std::string_view line) {
  const size_t end = line.find_last_not_of(" \t\r");
  return end != std::string_view::npos && line[end] == ':';
}
bool isStatement(std::string_view line) {
  const size_t begin = line.find_first_not_of(" \t\r");
  return begin != std::string_view::npos && line[begin] != '.' && !line.substr(begin).starts_with("//");
}

class SourceLines {
 public:
  explicit SourceLines(std::string_view text) : lines_(linesOf(text)) {}

  // "sum += in[i];", shortened
  std::string text(uint32_t line) const {
    constexpr size_t kMostCharacters = 32;
    if (line == 0 || line > lines_.size()) return "";
    std::string_view text = lines_[line - 1];
    text = text.substr(0, text.find("//"));
    const size_t begin = text.find_first_not_of(" \t}");
    if (begin == std::string_view::npos) return "";
    text = text.substr(begin, text.find_last_not_of(" \t\r{") + 1 - begin);
    if (text.size() <= kMostCharacters) return std::string(text);
    size_t cut = kMostCharacters - 1;
    while (cut > 0 && (static_cast<unsigned char>(text[cut]) & 0xC0U) == 0x80U)
      --cut;  // a character of UTF-8
    return std::string(text.substr(0, cut)) + "…";
  }

 private:
  std::vector<std::string_view> lines_;
};

std::string regionName(const MarkPlace& place, const SourceLines& source) {
  if (place.kind == "start") return place.kind;
  if (place.first_line == 0) return place.kind.empty() ? "unknown line" : place.kind;
  const std::string code = source.text(place.first_line);
  const std::string kind = place.kind.empty() ? "" : place.kind + ", ";
  return code.empty() ? fmt::format("{}line {}", kind, place.first_line)
                      : fmt::format("{}{}: {}", kind, place.first_line, code);
}

// One entry of a module.
class EntryMarker {
 public:
  EntryMarker(const ptx::Function& function, const std::vector<std::string_view>& lines,
              const SourceLines& source)
      : function_(function), lines_(lines), source_(source), probe_(symbolName(kProbeParamsVariable)) {}

  MarkedKernel mark(MarkLevel level, const LineOf& line_of) {
    MarkedKernel kernel{function_.name, {}, {}, {}};
    const auto range = findEntryRange(lines_, function_.ptx_line);
    if (!range || function_.instructions.empty()) {
      kernel.notes.emplace_back("it has no instructions");
      return kernel;
    }
    range_ = *range;
    const std::vector<MarkPlace> places = markPlaces(function_, level, line_of);
    const MarkPlace& start = places.front();
    const uint32_t id = *regionId(kernel, regionName(start, source_), start.first_line, start.last_line);
    insert(function_.instructions.front().ptx_line, probe_.registers() + probe_.begin(id));
    const bool by_hand = addHandMarks(kernel);
    for (size_t i = 1; i < places.size() && (!by_hand || level == MarkLevel::kFine); ++i)
      addMark(kernel, places[i]);
    addExits();
    noteCalls(kernel);
    kernel.marked_entry = function_.name + kMarkedSuffix;
    return kernel;
  }

  std::string declaration() const { return probe_.declaration(); }
  const EntryRange& range() const { return range_; }

  // The copy of the entry with all that was inserted.
  std::string copy() const {
    std::string text = "\n";
    for (uint32_t line = range_.head; line <= range_.close; ++line) {
      if (const auto before = insertions_.find(line); before != insertions_.end()) {
        for (const std::string& each : before->second) text += each;
      }
      text += line <= range_.open ? renamed(lines_[line - 1]) : std::string(lines_[line - 1]);
      text += '\n';
    }
    return text;
  }

 private:
  void insert(uint32_t line, std::string text) { insertions_[line].push_back(std::move(text)); }

  // Only the entry's own name; those of its parameters contain it.
  std::string renamed(std::string_view line) const {
    std::string text(line);
    const size_t entry = text.find(".entry");
    const size_t from = entry == std::string::npos ? (startsWithName(line) ? 0 : std::string::npos) : entry;
    if (from == std::string::npos) return text;
    const size_t at = text.find(function_.name, from);
    if (at != std::string::npos) text.insert(at + function_.name.size(), kMarkedSuffix);
    return text;
  }
  // ".entry" may stand on a line of its own.
  bool startsWithName(std::string_view line) const {
    const size_t begin = line.find_first_not_of(" \t");
    return begin != std::string_view::npos && line.substr(begin).starts_with(function_.name) &&
           line.find('_' + std::string("param")) == std::string_view::npos;
  }

  uint32_t lineOfInstruction(uint32_t instruction) const {
    return instruction < function_.instructions.size() ? function_.instructions[instruction].ptx_line
                                                       : range_.close;
  }

  std::optional<uint32_t> regionId(MarkedKernel& kernel, const std::string& name, uint32_t first,
                                   uint32_t last) {
    const auto known = std::ranges::find(kernel.regions, name, &Region::name);
    if (known != kernel.regions.end()) return known->id.value;
    if (kernel.regions.size() >= kProbeExitRegion) {
      if (kernel.notes.empty())
        kernel.notes.push_back(fmt::format("only its first {} regions are marked", kProbeExitRegion));
      return std::nullopt;
    }
    const auto id = static_cast<uint32_t>(kernel.regions.size());
    kernel.regions.push_back({RegionId{id}, name, first, last});
    return id;
  }

  void addMark(MarkedKernel& kernel, const MarkPlace& place) {
    const auto id = regionId(kernel, regionName(place, source_), place.first_line, place.last_line);
    if (!id) return;
    uint32_t line = lineOfInstruction(place.instruction);
    if (place.before_label) {
      // Above the labels of the instruction, and what the compiler says of them.
      uint32_t above = line;
      while (above > range_.open + 1 && (!isStatement(lines_[above - 2]) || isLabelLine(lines_[above - 2]))) {
        --above;
        if (isLabelLine(lines_[above - 1])) line = above;
      }
    }
    insert(beforeCallSequence(line), probe_.mark(*id));
  }

  // The parameters of a call are stored right before it, in a block of their own with it ("{ // callseq"),
  // without branches between.
  uint32_t beforeCallSequence(uint32_t line) const {
    int depth = 0;
    for (uint32_t above = line; --above > range_.open;) {
      const std::string_view text = lines_[above - 1];
      if (isLabelLine(text)) return line;
      depth += static_cast<int>(std::ranges::count(text, '}') - std::ranges::count(text, '{'));
      if (depth < 0) return text.find("callseq") == std::string_view::npos ? line : above;
    }
    return line;
  }

  bool addHandMarks(MarkedKernel& kernel) {
    bool any = false;
    uint32_t source_line = 0;
    for (uint32_t line = range_.open + 1; line < range_.close; ++line) {
      const std::string_view text = lines_[line - 1];
      if (const size_t loc = text.find(".loc"); loc != std::string_view::npos) {
        uint32_t file = 0;
        std::sscanf(std::string(text.substr(loc)).c_str(), ".loc %u %u", &file, &source_line);
      }
      const auto name = handMark(text);
      if (!name) continue;
      any = true;
      // Not before the entry's own mark, which declares the registers.
      const uint32_t at = std::max(line, function_.instructions.front().ptx_line);
      if (const auto id = regionId(kernel, *name, source_line, source_line)) insert(at, probe_.mark(*id));
    }
    return any;
  }

  void addExits() {
    const auto& all = function_.instructions;
    for (const ptx::Instruction& each : all) {
      if (each.op != Op::kRet && each.op != Op::kExit) continue;
      if (each.guard.kind == ptx::Operand::Kind::kNone) {
        insert(each.ptx_line, probe_.exit());
      } else {
        const std::string name = function_.registers[each.guard.index].name;
        insert(each.ptx_line, probe_.exitIf((each.guard.negated ? "!" : "") + name));
      }
    }
    const ptx::Instruction& last = all.back();
    const bool leaves =
        (last.op == Op::kRet || last.op == Op::kExit || last.op == Op::kTrap || last.op == Op::kBra) &&
        last.guard.kind == ptx::Operand::Kind::kNone;
    if (!leaves) insert(range_.close, probe_.exit() + "\tret;\n");
  }

  void noteCalls(MarkedKernel& kernel) const {
    const bool calls = std::ranges::any_of(function_.instructions,
                                           [](const ptx::Instruction& each) { return each.op == Op::kCall; });
    if (calls) kernel.notes.emplace_back("the functions that it calls are not marked");
  }

  const ptx::Function& function_;
  const std::vector<std::string_view>& lines_;
  const SourceLines& source_;
  ProbeText probe_;
  EntryRange range_;
  Insertions insertions_;
};

// The line behind the module's directives, where variables can be declared.
uint32_t lineBehindDirectives(const std::vector<std::string_view>& lines) {
  uint32_t behind = 0;
  for (uint32_t line = 1; line <= lines.size(); ++line) {
    const std::string_view text = lines[line - 1];
    const size_t begin = text.find_first_not_of(" \t");
    if (begin == std::string_view::npos || text[begin] != '.') continue;
    const std::string_view directive = text.substr(begin);
    if (directive.starts_with(".version") || directive.starts_with(".target") ||
        directive.starts_with(".address_size"))
      behind = line;
  }
  return behind;
}

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
  std::map<uint32_t, std::string> copies;  // by the line behind which they come
  copies[lineBehindDirectives(lines)] = ProbeText(symbolName(kProbeParamsVariable)).declaration();
  for (size_t f = 0; f < parsed->module.functions.size(); ++f) {
    const ptx::Function& function = parsed->module.functions[f];
    if (!function.is_entry) continue;
    const ptx::Function& written = original->module.functions[f];
    const auto line_of = [&](uint32_t instruction) {
      if (source_is_ptx) return written.instructions[instruction].ptx_line;
      return sourceLineOf(parsed->module, function.instructions[instruction], source_file);
    };
    EntryMarker marker(function, lines, source);
    marked.kernels.push_back(marker.mark(level, line_of));
    if (!marked.kernels.back().marked_entry.empty()) copies[marker.range().close] += marker.copy();
  }
  for (uint32_t line = 1; line <= lines.size(); ++line) {
    marked.ptx += lines[line - 1];
    marked.ptx += '\n';
    if (const auto copy = copies.find(line); copy != copies.end()) marked.ptx += copy->second;
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
