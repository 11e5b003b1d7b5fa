#include "kernels/mark/entry_marker.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdio>

#include "kernels/experiments/experiment.h"
#include "kernels/experiments/kernel_modules.h"
#include "kernels/probe/layout.h"

namespace warpscope {
namespace {

using ptx::Op;

bool isLabelLine(std::string_view line) {
  const size_t end = line.find_last_not_of(" \t\r");
  return end != std::string_view::npos && line[end] == ':';
}
bool isStatement(std::string_view line) {
  const size_t begin = line.find_first_not_of(" \t\r");
  return begin != std::string_view::npos && line[begin] != '.' && !line.substr(begin).starts_with("//");
}

std::string regionName(const MarkPlace& place, const SourceLines& source) {
  if (place.kind == "start") return place.kind;
  if (place.first_line == 0) return place.kind.empty() ? "unknown line" : place.kind;
  const std::string code = source.text(place.first_line);
  const std::string kind = place.kind.empty() ? "" : place.kind + ", ";
  return code.empty() ? fmt::format("{}line {}", kind, place.first_line)
                      : fmt::format("{}{}: {}", kind, place.first_line, code);
}

bool isNameEnd(std::string_view text, size_t at) {
  return at >= text.size() || (std::isalnum(static_cast<unsigned char>(text[at])) == 0 && text[at] != '_' &&
                               text[at] != '$' && text[at] != '%');
}

}  // namespace

std::string SourceLines::text(uint32_t line) const {
  constexpr size_t kMostCharacters = 32;
  if (line == 0 || line > lines_.size()) return "";
  std::string_view text = lines_[line - 1];
  text = text.substr(0, text.find("//"));
  const size_t begin = text.find_first_not_of(" \t}");
  if (begin == std::string_view::npos) return "";
  text = text.substr(begin, text.find_last_not_of(" \t\r{") + 1 - begin);
  if (text.size() <= kMostCharacters) return std::string(text);
  size_t cut = kMostCharacters - 1;
  while (cut > 0 && (static_cast<unsigned char>(text[cut]) & 0xC0U) == 0x80U) --cut;  // a character of UTF-8
  return std::string(text.substr(0, cut)) + "…";
}

EntryMarker::EntryMarker(const ptx::Module& module, const ptx::Function& function,
                         const std::vector<std::string_view>& lines, const SourceLines& source)
    : module_(module),
      function_(function),
      lines_(lines),
      source_(source),
      probe_(symbolName(kProbeParamsVariable)) {}

MarkedKernel EntryMarker::mark(MarkLevel level, const LineOf& line_of) {
  MarkedKernel kernel{function_.name, {}, {}, {}};
  const auto range = findEntryRange(lines_, function_.ptx_line);
  if (!range || function_.instructions.empty()) {
    kernel.notes.emplace_back("it has no instructions");
    return kernel;
  }
  range_ = *range;
  findCallSequences();
  const std::vector<MarkPlace> places = markPlaces(function_, level, line_of);
  const MarkPlace& start = places.front();
  const uint32_t id = *regionId(kernel, regionName(start, source_), start.first_line, start.last_line);
  begin_line_ = aboveLabels(function_.instructions.front().ptx_line);
  insert(begin_line_, probe_.registers() + probe_.begin(id));
  const bool by_hand = addHandMarks(kernel);
  for (size_t i = 1; i < places.size() && (!by_hand || level == MarkLevel::kFine); ++i)
    addMark(kernel, places[i]);
  addExits();
  noteCalls(kernel);
  kernel.marked_entry = function_.name + kMarkedSuffix;
  return kernel;
}

std::string EntryMarker::copy() const {
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

// Only the entry's own name, behind ".entry" or alone on the next line; those of its parameters contain it.
std::string EntryMarker::renamed(std::string_view line) const {
  constexpr std::string_view kEntry = ".entry";
  const size_t entry = line.find(kEntry);
  const size_t at =
      line.find_first_not_of(" \t", entry == std::string_view::npos ? 0 : entry + kEntry.size());
  std::string text(line);
  if (at == std::string_view::npos || !line.substr(at).starts_with(function_.name)) return text;
  const size_t end = at + function_.name.size();
  if (isNameEnd(line, end)) text.insert(end, kMarkedSuffix);
  return text;
}

std::optional<uint32_t> EntryMarker::regionId(MarkedKernel& kernel, const std::string& name, uint32_t first,
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

void EntryMarker::addMark(MarkedKernel& kernel, const MarkPlace& place) {
  const auto id = regionId(kernel, regionName(place, source_), place.first_line, place.last_line);
  if (!id) return;
  const uint32_t line = function_.instructions[place.instruction].ptx_line;
  insert(beforeCallSequence(place.before_label ? aboveLabels(line) : line), probe_.mark(*id));
}

// Above the labels of an instruction, and what the compiler says of them.
uint32_t EntryMarker::aboveLabels(uint32_t line) const {
  uint32_t above = line;
  while (above > range_.open + 1 && (!isStatement(lines_[above - 2]) || isLabelLine(lines_[above - 2]))) {
    --above;
    if (isLabelLine(lines_[above - 1])) line = above;
  }
  return line;
}

// The parameters of a call are stored right before it, in a block of their own with it ("{ // callseq"),
// without branches between.
void EntryMarker::findCallSequences() {
  sequence_of_.assign(range_.close - range_.open, 0);
  uint32_t begin = 0;
  int64_t depth = 0;
  for (uint32_t line = range_.open + 1; line < range_.close; ++line) {
    const std::string_view text = lines_[line - 1];
    sequence_of_[line - range_.open] = begin;
    if (begin == 0 && text.find("callseq") != std::string_view::npos) begin = line;
    if (begin != 0) depth += std::ranges::count(text, '{') - std::ranges::count(text, '}');
    if (depth <= 0 || isLabelLine(text)) begin = 0, depth = 0;
  }
}

uint32_t EntryMarker::beforeCallSequence(uint32_t line) const {
  const uint32_t begin = line > range_.open && line < range_.close ? sequence_of_[line - range_.open] : 0;
  return begin != 0 ? begin : line;
}

bool EntryMarker::addHandMarks(MarkedKernel& kernel) {
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
    const uint32_t at = std::max(line, begin_line_);
    if (const auto id = regionId(kernel, *name, source_line, source_line)) insert(at, probe_.mark(*id));
  }
  return any;
}

void EntryMarker::addExits() {
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
  const bool is_last =
      last.op == Op::kRet || last.op == Op::kExit || last.op == Op::kTrap || last.op == Op::kBra;
  const bool leaves = is_last && last.guard.kind == ptx::Operand::Kind::kNone &&
                      !function_.labels.contains(static_cast<uint32_t>(all.size()));
  if (!leaves) insert(range_.close, probe_.exit() + "\tret;\n");
}

void EntryMarker::noteCalls(MarkedKernel& kernel) const {
  // printf and its like, which the module only declares, are nobody's own.
  const auto calls_own = [&](const ptx::Instruction& each) {
    if (each.op != Op::kCall) return false;
    const ptx::Operand& callee = each.operands[0];
    return callee.kind != ptx::Operand::Kind::kFunction || !module_.functions[callee.index].is_declared_only;
  };
  const bool calls = std::ranges::any_of(function_.instructions, calls_own);
  if (calls) kernel.notes.emplace_back("the functions that it calls are not marked");
}

}  // namespace warpscope
