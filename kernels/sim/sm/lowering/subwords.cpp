// Bytes and shorts in vectors, as ptxas 13.0 has them for sm_90: a vector of them is loaded as one register,
// out of which each element that is read is taken by a PRMT (which also extends it); and a vector is stored
// out of one register, into which a PRMT puts each element but the first. Conversions to floating point (I2F)
// read a half or a byte of a register by themselves, but those of unsigned bytes are done in 32 bits (I2FP)
// after a PRMT.
#include <algorithm>

#include "kernels/sim/sm/lowering/graph.h"
#include "kernels/sim/sm/lowering/passes.h"
#include "kernels/sim/sm/lowering/units.h"

namespace warpscope::sim::lowering {
namespace {

class Subwords {
 public:
  explicit Subwords(Graph& graph) : graph_(graph), uses_(countUses(graph)) {}

  void split() {
    const auto count = static_cast<uint32_t>(graph_.operations.size());
    for (uint32_t o = 0; o < count; ++o) {
      const Operation& operation = graph_.operations[o];
      if (operation.dropped || operation.access < 0 || operation.instruction == nullptr ||
          operation.guard != kNone)
        continue;
      const Instruction& in = *operation.instruction;
      if (in.vector < 2 || ptx::bytesOf(in.type) >= 4 || accessesMatrix(in.op) || accessesImage(in.op))
        continue;
      if (in.kind == Kind::kLoad) takeOut(o);
      if (in.kind == Kind::kStore) putIn(o);
    }
  }

 private:
  // A load's elements come out of the register that it loads.
  void takeOut(uint32_t load) {
    const std::vector<Value> elements = graph_.operations[load].destinations;
    if (std::ranges::any_of(elements, [&](Value v) { return graph_.values[v].definitions != 1; })) return;
    std::vector<Value> words;
    for (size_t i = 0; i < wordsOf(load); ++i) words.push_back(graph_.addValue(ValueKind::kRegister));
    for (const Value word : words) {
      graph_.values[word].definition = load;
      graph_.values[word].definitions = 1;
    }
    std::vector<uint32_t> added;
    for (size_t i = 0; i < elements.size(); ++i) {
      const uint32_t direct = convertDirectly(load, elements[i], words[i * words.size() / elements.size()]);
      if (uses_[elements[i]] <= direct) continue;
      graph_.values[elements[i]].definitions = 0;  // counted anew by addOperation
      added.push_back(add(load, {words[i * words.size() / elements.size()]}, elements[i]));
    }
    graph_.operations[load].destinations = words;
    std::vector<uint32_t>& list = graph_.segments[graph_.operations[load].segment].operations;
    list.insert(std::ranges::find(list, load) + 1, added.begin(), added.end());
  }

  // Has the conversions that can read an element in the register that is loaded do so; returns how many.
  uint32_t convertDirectly(uint32_t load, Value element, Value word) {
    const bool bytes = ptx::bytesOf(graph_.operations[load].instruction->type) == 1;
    uint32_t count = 0;
    for (Operation& operation : graph_.operations) {
      if (operation.dropped || operation.instruction == nullptr || operation.sources.size() != 1 ||
          operation.sources[0] != element || !convertsToFloat(*operation.instruction, bytes))
        continue;
      operation.sources[0] = word;
      ++count;
    }
    return count;
  }

  static bool convertsToFloat(const Instruction& in, bool bytes) {
    return in.op == ptx::Op::kCvt && in.type == ptx::Type::kF32 && !ptx::isFloat(in.type2) &&
           ptx::bytesOf(in.type2) == 2 && (!bytes || ptx::isSigned(in.type2));
  }

  // A store's elements are put together before it.
  void putIn(uint32_t store) {
    const std::vector<Value> sources = graph_.operations[store].sources;
    const size_t count = graph_.operations[store].instruction->vector;
    if (sources.size() < count) return;
    const size_t first = sources.size() - count, per_word = count / wordsOf(store);
    std::vector<Value> stored(sources.begin(), sources.begin() + static_cast<std::ptrdiff_t>(first));
    std::vector<uint32_t> added;
    for (size_t word = 0; word < wordsOf(store); ++word) {
      Value packed = sources[first + word * per_word];
      for (size_t i = 1; i < per_word; ++i) {
        const Value element = sources[first + word * per_word + i];
        const Value into = graph_.addValue(ValueKind::kRegister);
        added.push_back(add(store, {packed, element}, into));
        packed = into;
      }
      stored.push_back(packed);
    }
    graph_.operations[store].sources = std::move(stored);
    std::vector<uint32_t>& list = graph_.segments[graph_.operations[store].segment].operations;
    list.insert(std::ranges::find(list, store), added.begin(), added.end());
  }

  size_t wordsOf(uint32_t access) const {
    const Instruction& in = *graph_.operations[access].instruction;
    return std::max<size_t>(1, size_t{in.vector} * ptx::bytesOf(in.type) / 4);
  }

  uint32_t add(uint32_t access, std::vector<Value> sources, Value to) {
    Operation permute;
    permute.pc = graph_.operations[access].pc;
    permute.segment = graph_.operations[access].segment;
    permute.unit = chainUnit(*graph_.profile, Pipe::kInt, 1);
    permute.sources = std::move(sources);
    permute.destinations = {to};
    permute.pure = true;
    return graph_.addOperation(std::move(permute));
  }

  Graph& graph_;
  std::vector<uint32_t> uses_;
};

}  // namespace

void splitSubwords(Graph& graph) {
  Subwords(graph).split();
}

}  // namespace warpscope::sim::lowering
