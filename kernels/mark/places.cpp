#include "kernels/mark/places.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "kernels/sim/ptx/control_flow.h"

namespace warpscope {
namespace {

using ptx::Instruction;
using ptx::Op;

// ptxas turns the sides of a short branch into predicated instructions: seven of them, as seen in what it
// makes of the catalog. One more is safe.
constexpr uint32_t kPredicated = 8;
// A trip of a loop with so many instructions is marked even at the coarse level: a mark costs about 15.
constexpr uint32_t kLongTrip = 96;
// The same for the fine level; marks in shorter loops fill the log, and double the kernel's time.
constexpr uint32_t kFineTrip = 32;
// Instructions between marks of a block without branches, at the fine level.
constexpr uint32_t kLongStretch = 16;

// Neither memory nor other lanes keep a warp waiting for it.
bool isQuick(const Instruction& instruction) {
  return instruction.op < Op::kLd || (instruction.op == Op::kLd && instruction.space == ptx::Space::kParam);
}

bool isBlockBarrier(const Instruction& instruction) {
  return instruction.op == Op::kBar;
}

class PlaceFinder {
 public:
  PlaceFinder(const ptx::Function& function, MarkLevel level, const LineOf& line_of)
      : function_(function), level_(level), line_of_(line_of), flow_(ptx::controlFlow(function)) {
    findLoops();
  }

  std::vector<MarkPlace> find() {
    if (function_.instructions.empty()) return {};
    add(0, "start");
    markLoops();
    markBranches();
    markBarriers();
    if (level_ == MarkLevel::kFine) markLines();
    dropRepeated();
    std::vector<MarkPlace> places;
    for (auto& [at, place] : places_) places.push_back(std::move(place));
    return places;
  }

 private:
  struct Loop {
    uint32_t header = 0, last = 0;  // blocks, in the order of the text
    uint32_t instructions = 0;
    bool is_innermost = true, has_barrier = false;
    bool contains(uint32_t block) const { return block >= header && block <= last; }
  };

  // Compilers lay loops out in one piece, so one that does not jump back over its header is none for us.
  void findLoops() {
    std::map<uint32_t, uint32_t> last_of;  // by header
    predecessors_.resize(flow_.blocks.size());
    is_header_.resize(flow_.blocks.size());
    for (uint32_t b = 0; b < flow_.blocks.size(); ++b) {
      for (const uint32_t to : flow_.blocks[b].successors) {
        ++predecessors_[to];
        is_header_[to] = is_header_[to] || to <= b;
        if (to <= b) last_of[to] = std::max(last_of[to], b);
      }
    }
    for (const auto& [header, last] : last_of) {
      Loop loop{header, last};
      for (uint32_t b = header; b <= last; ++b) {
        loop.instructions += flow_.blocks[b].count;
        for (uint32_t i = 0; i < flow_.blocks[b].count; ++i) {
          loop.has_barrier =
              loop.has_barrier || isBlockBarrier(function_.instructions[flow_.blocks[b].first + i]);
        }
      }
      loop.is_innermost = std::ranges::none_of(last_of, [&](const auto& other) {
        return other.first != loop.header && loop.contains(other.first) && loop.contains(other.second);
      });
      loops_.push_back(loop);
    }
  }

  uint32_t lineOf(uint32_t instruction) const {
    return instruction < function_.instructions.size() ? line_of_(instruction) : 0;
  }
  // The line of the instruction or, where the compiler does not say, of the last one above.
  uint32_t lineAt(uint32_t instruction) const {
    for (uint32_t i = instruction + 1; i-- > 0;) {
      if (const uint32_t line = lineOf(i); line != 0) return line;
    }
    return 0;
  }
  // The first line of the rest of the block that is not before `least`, because compilers move code down from
  // further up; and the last line of what follows it closely.
  std::pair<uint32_t, uint32_t> linesFrom(uint32_t instruction, uint32_t least) const {
    constexpr uint32_t kSameStatement = 3;  // lines
    if (instruction >= function_.instructions.size()) return {0, 0};
    const ptx::BasicBlock& block = flow_.blocks[flow_.block_of[instruction]];
    std::vector<uint32_t> lines;
    for (uint32_t i = instruction; i < block.first + block.count; ++i) {
      if (const uint32_t line = lineOf(i); line != 0) lines.push_back(line);
    }
    if (lines.empty()) return {lineAt(instruction), lineAt(instruction)};
    uint32_t first = lines.front();
    if (least != 0) {
      std::ranges::sort(lines);
      const auto found = std::ranges::lower_bound(lines, least);
      if (found != lines.end()) first = *found;
    }
    uint32_t last = first;
    for (const uint32_t line : lines) {
      if (line > last && line <= last + kSameStatement) last = line;
    }
    return {first, last};
  }

  // `least`: the line of what leads there.
  void add(uint32_t instruction, const std::string& kind, bool before_label = false, uint32_t least = 0) {
    const std::pair key{instruction, !before_label};
    if (places_.contains(key)) return;
    const auto [first, last] = linesFrom(instruction, least);
    places_[key] = {instruction, before_label, kind, first, last};
  }

  // A mark a few cycles before another one, which the same lanes reach next, says nothing that that one does
  // not. Barriers end regions, and are not passed over.
  bool isRepeated(const MarkPlace& place, const MarkPlace& next) const {
    if (place.instruction == 0 || next.instruction - place.instruction > kPredicated) return false;
    const bool straight = flow_.block_of[place.instruction] == flow_.block_of[next.instruction] ||
                          (next.before_label && fallsThroughTo(flow_.block_of[next.instruction]) &&
                           flow_.block_of[place.instruction] + 1 == flow_.block_of[next.instruction]);
    if (!straight) return false;
    for (uint32_t i = place.instruction; i < next.instruction; ++i) {
      if (!isQuick(function_.instructions[i])) return false;
    }
    return true;
  }
  void dropRepeated() {
    for (auto place = places_.begin(); place != places_.end();) {
      const auto next = std::next(place);
      if (next == places_.end()) return;
      place = isRepeated(place->second, next->second) ? places_.erase(place) : next;
    }
  }

  // Whether lanes come to the block by falling through from the one before it.
  bool fallsThroughTo(uint32_t block) const {
    if (block == 0) return false;
    const auto& successors = flow_.blocks[block - 1].successors;
    if (!std::ranges::count(successors, block)) return false;
    const ptx::BasicBlock& before = flow_.blocks[block - 1];
    const Instruction& last = function_.instructions[before.first + before.count - 1];
    return last.op != Op::kBra || last.guard.kind != ptx::Operand::Kind::kNone;
  }

  void markLoops() {
    for (const Loop& loop : loops_) {
      const uint32_t header = flow_.blocks[loop.header].first;
      const uint32_t long_trip = level_ == MarkLevel::kFine ? kFineTrip : kLongTrip;
      const bool each_trip = !loop.is_innermost || loop.instructions >= long_trip;
      if (each_trip && !loop.has_barrier) {
        add(header, "loop");
      } else if (fallsThroughTo(loop.header)) {
        add(header, "loop", true);
      }
      // The ways out of it.
      for (uint32_t b = loop.header; b <= loop.last; ++b) {
        for (const uint32_t to : flow_.blocks[b].successors) {
          if (!loop.contains(to) && instructionsFrom(to) > kPredicated)
            add(flow_.blocks[to].first, "after loop", false, lineAt(header));
        }
      }
    }
  }

  // Instructions that a warp executes at least from the block on, counted up to a few.
  uint32_t instructionsFrom(uint32_t block) const {
    uint32_t count = 0;
    std::set<uint32_t> seen;
    while (seen.insert(block).second && count <= kPredicated) {
      count += flow_.blocks[block].count;
      if (flow_.blocks[block].successors.empty()) break;
      block = flow_.blocks[block].successors.front();
    }
    return count;
  }

  // Whether what is executed from `side` on before the ways join again is so short.
  bool isPredicated(uint32_t side, uint32_t join) const {
    uint32_t instructions = 0;
    std::set<uint32_t> seen;
    std::vector<uint32_t> open{side};
    while (!open.empty()) {
      const uint32_t block = open.back();
      open.pop_back();
      if (block == join || !seen.insert(block).second) continue;
      instructions += flow_.blocks[block].count;
      if (instructions > kPredicated || is_header_[block]) return false;
      for (const uint32_t to : flow_.blocks[block].successors) open.push_back(to);
    }
    return true;
  }

  void markBranches() {
    for (uint32_t b = 0; b < flow_.blocks.size(); ++b) {
      const ptx::BasicBlock& block = flow_.blocks[b];
      if (block.successors.size() < 2 || isLoopBranch(b) || isInShortLoop(b)) continue;
      const uint32_t join = flow_.post_dominator[b];
      const uint32_t line = lineAt(block.first + block.count - 1);
      bool any_side = false;
      for (const uint32_t side : block.successors) {
        if (side == join || predecessors_[side] > 1 || isPredicated(side, join)) continue;
        any_side = true;
        add(flow_.blocks[side].first, "", false, line);
      }
      const bool joins = any_side && join != ptx::ControlFlow::kExit && instructionsFrom(join) > kPredicated;
      if (joins) add(flow_.blocks[join].first, "joined", false, line);
    }
  }
  bool isInShortLoop(uint32_t b) const {
    return std::ranges::any_of(loops_, [&](const Loop& loop) {
      return loop.contains(b) && loop.is_innermost && loop.instructions < kFineTrip;
    });
  }
  // It decides about another trip; what comes then is marked as loops are.
  bool isLoopBranch(uint32_t b) const {
    return std::ranges::any_of(flow_.blocks[b].successors, [&](uint32_t to) { return to <= b; }) ||
           std::ranges::any_of(loops_, [&](const Loop& loop) {
             return loop.contains(b) && std::ranges::any_of(flow_.blocks[b].successors,
                                                            [&](uint32_t to) { return !loop.contains(to); });
           });
  }
  void markBarriers() {
    for (uint32_t i = 0; i < function_.instructions.size(); ++i) {
      if (isBlockBarrier(function_.instructions[i]) && i + 1 < function_.instructions.size())
        add(i + 1, "after barrier", false, lineAt(i));
    }
  }

  void markLines() {
    for (const ptx::BasicBlock& block : flow_.blocks) {
      if (block.count <= kPredicated) continue;
      uint32_t line = 0, since = kLongStretch;
      for (uint32_t i = block.first; i < block.first + block.count; ++i, ++since) {
        const uint32_t here = lineOf(i);
        if (here == 0 || here == line) continue;
        line = here;
        if (since < kLongStretch) continue;
        add(i, "");
        since = 0;
      }
    }
  }

  const ptx::Function& function_;
  MarkLevel level_;
  const LineOf& line_of_;
  ptx::ControlFlow flow_;
  std::vector<Loop> loops_;
  std::vector<uint32_t> predecessors_;                     // by block: how many it has
  std::vector<bool> is_header_;                            // by block: of a loop
  std::map<std::pair<uint32_t, bool>, MarkPlace> places_;  // before a label comes first
};

}  // namespace

uint32_t sourceLineOf(const ptx::Module& module, const ptx::Instruction& instruction,
                      const std::string& source_file) {
  const std::filesystem::path wanted = std::filesystem::path(source_file).filename();
  const auto is_wanted = [&](const ptx::SourcePoint& point) {
    const auto file = module.files.find(point.file);
    return point.file != 0 && file != module.files.end() &&
           std::filesystem::path(file->second).filename() == wanted;
  };
  if (is_wanted(instruction.source.inlined_at)) return instruction.source.inlined_at.line;
  return is_wanted(instruction.source.at) ? instruction.source.at.line : 0;
}

std::vector<MarkPlace> markPlaces(const ptx::Function& function, MarkLevel level, const LineOf& line_of) {
  return PlaceFinder(function, level, line_of).find();
}

}  // namespace warpscope
