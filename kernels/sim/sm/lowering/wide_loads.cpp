// Loads of neighbouring words of shared memory and of constants, which ptxas 13.0 merges into LDS.64, LDS.128
// and ULDC.64 where it can tell that the address is aligned: it knows where a block's variables are, so that
// a row of a tile is. Of the merged loads the first one's access stands for all: lanes that read the same
// words share them, and lanes with words of their own need as many wavefronts for the first word, as their
// addresses lie that far apart.
#include <algorithm>
#include <bit>

#include "kernels/sim/sm/lowering/graph.h"
#include "kernels/sim/sm/lowering/passes.h"

namespace warpscope::sim::lowering {
namespace {

using ptx::Op;

constexpr uint32_t kMostBytes = 16, kMostConstantBytes = 8;
constexpr uint32_t kAligned = 10;  // a constant's or variable's: 2^10

class WideLoads {
 public:
  explicit WideLoads(Graph& graph) : graph_(graph), makers_(graph.values.size()) {
    for (uint32_t o = 0; o < graph.operations.size(); ++o) {
      if (graph.operations[o].dropped) continue;
      for (const Value v : graph.operations[o].destinations) makers_[graph.resolve(v)].push_back(o);
    }
  }

  void merge() {
    for (const SegmentInfo& segment : graph_.segments) {
      std::vector<Word> words;
      for (const uint32_t o : segment.operations) {
        const Operation& operation = graph_.operations[o];
        if (operation.dropped || operation.instruction == nullptr) continue;
        if (operation.writes_memory || operation.pinned) mergeWords(words);
        if (isWord(operation)) words.push_back(wordOf(o));
      }
      mergeWords(words);
    }
  }

 private:
  struct Word {
    uint32_t operation = 0;
    Value base = kNone;  // kNone: a variable, whose address is the offset
    int64_t offset = 0;
  };

  bool isWord(const Operation& operation) const {
    const Instruction& in = *operation.instruction;
    // ULDC.64 loads two constants.
    return in.kind == Kind::kLoad && in.op == Op::kLd &&
           (in.space == ptx::Space::kShared || graph_.loadsConstantOfAll(operation)) && in.vector == 1 &&
           ptx::bytesOf(in.type) == 4 && operation.guard == kNone &&
           in.modifiers.semantics <= ptx::Semantics::kWeak && operation.destinations.size() == 1 &&
           graph_.values[operation.destinations[0]].definitions == 1;
  }

  Word wordOf(uint32_t o) const {
    const Operation& load = graph_.operations[o];
    if (load.instruction->address_bits == 0)
      return {o, kNone, static_cast<int64_t>(load.instruction->immediate)};
    Word word{o, graph_.resolve(load.sources[0]), static_cast<int64_t>(load.instruction->immediate)};
    for (int depth = 0; depth < 8; ++depth) {
      const Operation* maker = onlyMaker(word.base);
      if (maker == nullptr || maker->instruction->op != Op::kAdd || maker->sources.size() != 2) break;
      const Value by = graph_.resolve(maker->sources[1]);
      if (!graph_.isConstant(by)) break;
      word.base = graph_.resolve(maker->sources[0]);
      word.offset += static_cast<int32_t>(graph_.values[by].bits);
    }
    return word;
  }

  const Operation* onlyMaker(Value v) const {
    if (makers_[v].size() != 1) return nullptr;
    const Operation& maker = graph_.operations[makers_[v][0]];
    return maker.instruction != nullptr && maker.guard == kNone ? &maker : nullptr;
  }

  void mergeWords(std::vector<Word>& words) {
    std::ranges::stable_sort(words, [](const Word& a, const Word& b) {
      return a.base != b.base ? a.base < b.base : a.offset < b.offset;
    });
    for (size_t i = 0; i < words.size();) {
      const uint32_t count = countFrom(words, i);
      uint32_t first = words[i].operation;  // in the text
      for (size_t j = i; j < i + count; ++j) first = std::min(first, words[j].operation);
      for (size_t j = i; j < i + count; ++j) {
        if (words[j].operation != first) absorb(first, words[j].operation);
      }
      i += count;
    }
    words.clear();
  }

  // How many words from this one on are loaded at once.
  uint32_t countFrom(const std::vector<Word>& words, size_t first) const {
    const bool constants = graph_.operations[words[first].operation].instruction->space == ptx::Space::kConst;
    for (uint32_t count = (constants ? kMostConstantBytes : kMostBytes) / 4; count > 1; count /= 2) {
      bool neighbours = first + count <= words.size();
      for (size_t i = 1; i < count && neighbours; ++i) {
        neighbours = words[first + i].base == words[first].base &&
                     words[first + i].offset == words[first].offset + 4 * static_cast<int64_t>(i);
      }
      const auto bits = static_cast<uint32_t>(std::bit_width(count * 4) - 1);
      if (neighbours && words[first].offset % (count * 4) == 0 && aligned(words[first].base, 0) >= bits)
        return count;
    }
    return 1;
  }

  // The lower bits of a value that are known to be zero. A value that is carried around a loop is as its
  // first one is, and its steps.
  uint32_t aligned(Value v, int depth) const {
    constexpr int kDeep = 6;
    if (v == kNone) return kAligned;
    const ValueInfo& info = graph_.values[v];
    if (info.kind == ValueKind::kConstant || info.kind == ValueKind::kSharedAddress)
      return std::min<uint32_t>(static_cast<uint32_t>(std::countr_zero(info.bits)), kAligned);
    if (makers_[v].empty()) return 0;
    if (depth > kDeep) return makers_[v].size() > 1 ? kAligned : 0;
    uint32_t least = kAligned;
    for (const uint32_t o : makers_[v]) least = std::min(least, alignedBy(graph_.operations[o], depth));
    return least;
  }

  uint32_t alignedBy(const Operation& maker, int depth) const {
    if (maker.instruction == nullptr || maker.instruction->kind != Kind::kRegister) return 0;
    const auto of = [&](size_t i) { return aligned(graph_.resolve(maker.sources[i]), depth + 1); };
    const Instruction& in = *maker.instruction;
    if (ptx::isFloat(in.type) || maker.sources.empty()) return 0;
    switch (in.op) {
      case Op::kMov:
        return of(0);
      case Op::kAdd:
      case Op::kSub:
      case Op::kOr:
      case Op::kXor:
        return maker.sources.size() < 2 ? 0 : std::min(of(0), of(1));
      case Op::kAnd:
        return maker.sources.size() < 2 ? 0 : std::max(of(0), of(1));
      case Op::kMul:
        return maker.sources.size() < 2 || in.modifiers.part == ptx::Part::kHi
                   ? 0
                   : std::min(of(0) + of(1), kAligned);
      case Op::kMad:
        return maker.sources.size() < 3 || in.modifiers.part == ptx::Part::kHi
                   ? 0
                   : std::min(of(0) + of(1), of(2));
      case Op::kShl: {
        const Value by = graph_.resolve(maker.sources[1]);
        if (!graph_.isConstant(by)) return 0;
        return static_cast<uint32_t>(std::min<uint64_t>(of(0) + graph_.values[by].bits, kAligned));
      }
      default:
        return 0;
    }
  }

  void absorb(uint32_t into, uint32_t load) {
    const Value v = graph_.operations[load].destinations[0];
    graph_.values[v].definition = into;
    graph_.operations[into].destinations.push_back(v);
    graph_.operations[load].destinations.clear();
    graph_.operations[load].dropped = true;
  }

  Graph& graph_;
  std::vector<std::vector<uint32_t>> makers_;  // by value: operations
};

}  // namespace

void widenLoads(Graph& graph) {
  WideLoads(graph).merge();
}

}  // namespace warpscope::sim::lowering
