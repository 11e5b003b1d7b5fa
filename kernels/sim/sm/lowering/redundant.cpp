// This pass drops loads of what the warp has in a register already. Between two loads of a word, ptxas keeps
// it unless some path has a store to the same kind of memory, a reduction, a barrier, a fence, a call or the
// end of a loop. Read-only data are kept across all of these but calls (66 kernels compiled with ptxas 13.0
// for sm_90, 2026-11-28).
//
// ptxas compares registers, not types. A vector of bytes or shorts is one or more words, and a float is a
// word like an integer. But 64 bits are not two words, a byte or short that is extended with its sign is not
// one that is extended with zeros, and read-only data are never taken from a plain load. A load of more words
// replaces an earlier one in the same stretch of code (144 pairs of loads, compiled as above).
#include <algorithm>
#include <optional>
#include <span>

#include "kernels/sim/sm/lowering/graph.h"
#include "kernels/sim/sm/lowering/passes.h"
#include "kernels/sim/sm/lowering/units.h"

namespace warpscope::sim::lowering {
namespace {

class Redundant {
 public:
  explicit Redundant(Graph& graph) : graph_(graph), uses_(countUses(graph)), loaded_(graph.segments.size()) {}

  void drop() {
    for (const Loop& loop : graph_.loops) {
      Spaces written = kNothing;
      for (const uint32_t s : loop.segments) {
        for (const uint32_t o : graph_.segments[s].operations)
          written |= writtenBy(graph_.operations[o]) | changedBy(graph_.operations[o]);
      }
      written_in_.push_back(written);
    }
    for (uint32_t f = 0; f < graph_.code->functions.size(); ++f) {
      for (const uint32_t s : reversePostorder(graph_, f)) {
        loaded_[s] = knownBefore(s);
        for (const uint32_t o : std::vector(graph_.segments[s].operations)) visit(o, loaded_[s]);
      }
    }
    if (!dropped_) return;
    for (Operation& operation : graph_.operations) {
      for (Value& v : operation.sources) v = graph_.resolve(v);
      if (operation.guard != kNone) operation.guard = graph_.resolve(operation.guard);
    }
  }

 private:
  // Which memory's words are no longer known.
  using Spaces = uint32_t;
  enum : Spaces { kNothing = 0, kGlobal = 1, kShared = 2, kLocal = 4, kWritable = 7, kAll = 15 };

  static Spaces spaceOf(ptx::Space space) {
    if (ptx::isShared(space)) return kShared;
    if (space == ptx::Space::kGlobal) return kGlobal;
    return space == ptx::Space::kLocal ? kLocal : kWritable;
  }

  // Only a call makes ptxas load read-only data and constants again.
  static Spaces spaceOf(const Instruction& load) {
    if (load.modifiers.cache == ptx::CacheOp::kNc || load.space == ptx::Space::kConst)
      return kAll & ~kWritable;
    return spaceOf(load.space);
  }

  void forget(std::vector<uint32_t>& loaded, Spaces written) const {
    if (written == kNothing) return;
    std::erase_if(loaded,
                  [&](uint32_t o) { return (spaceOf(*graph_.operations[o].instruction) & written) != 0; });
  }

  // The loads that are known on all ways into the segment. Behind a loop, these are only those of read-only
  // data; in a loop, those that nothing in it can change.
  std::vector<uint32_t> knownBefore(uint32_t s) const {
    const SegmentInfo& segment = graph_.segments[s];
    std::optional<std::vector<uint32_t>> known;
    for (const uint32_t before : segment.predecessors) {
      const SegmentInfo& from = graph_.segments[before];
      // Unreachable, or the way back of a loop.
      if (from.order == kNone || from.order >= segment.order) continue;
      std::vector<uint32_t> out = loaded_[before];
      if (from.loop != kNone && !graph_.inLoop(s, from.loop)) forget(out, kWritable);
      if (!known) {
        known = std::move(out);
      } else {
        std::erase_if(*known, [&](uint32_t o) { return std::ranges::find(out, o) == out.end(); });
      }
    }
    if (!known) return {};
    for (uint32_t l = segment.loop; l != kNone; l = graph_.loops[l].parent) {
      if (graph_.loops[l].header == s) forget(*known, written_in_[l]);
    }
    return *known;
  }

  void visit(uint32_t index, std::vector<uint32_t>& loaded) {
    Operation& operation = graph_.operations[index];
    if (operation.dropped || operation.instruction == nullptr) return;
    forget(loaded, writtenBy(operation));
    if (!isPlainLoad(operation)) return;
    for (const uint32_t before : loaded) {
      if (const auto place = placeIn(graph_.operations[before], operation)) {
        takeFrom(before, *place, index);
        return;
      }
    }
    std::erase_if(loaded, [&](uint32_t before) {
      Operation& narrow = graph_.operations[before];
      const auto place = placeIn(operation, narrow);
      if (!place || narrow.segment != operation.segment || !sameElements(narrow, operation)) return false;
      // It moves to where the first of its words is loaded.
      std::vector<uint32_t>& list = graph_.segments[operation.segment].operations;
      const auto own = std::ranges::find(list, index), at = std::ranges::find(list, before);
      if (at < own) std::rotate(at, own, own + 1);
      takeFrom(index, *place, before);
      return true;
    });
    constexpr size_t kMost = 32;
    if (loaded.size() < kMost) loaded.push_back(index);
  }

  // An atomic whose result is read, and a load that is volatile or acquires, do not let ptxas load again what
  // it has.
  Spaces writtenBy(const Operation& operation) const {
    if (operation.dropped || operation.instruction == nullptr) return kNothing;
    const Instruction& in = *operation.instruction;
    switch (in.kind) {
      case Kind::kRegister:
      case Kind::kWarpRegister:
      case Kind::kReadSpecial:
      case Kind::kLocalAddress:
      case Kind::kLoad:
      case Kind::kLoadParameter:
      case Kind::kBranch:
      case Kind::kNothing:
        return kNothing;
      case Kind::kAtomic:
        if (isRead(operation.destinations)) return kNothing;
        return spaceOf(in.space);
      case Kind::kStore:
      case Kind::kReduction:
        return spaceOf(in.space);
      case Kind::kAsyncCopy:
        return kShared;
      case Kind::kCall:
      case Kind::kIndirectCall:
      case Kind::kReturn:
        return kAll;
      default:
        return kWritable;
    }
  }

  // In a loop all atomics count.
  static Spaces changedBy(const Operation& operation) {
    const bool is_atomic = operation.instruction != nullptr && operation.instruction->kind == Kind::kAtomic;
    if (!is_atomic) return kNothing;
    return spaceOf(operation.instruction->space);
  }

  bool isPlainLoad(const Operation& operation) const {
    const Instruction& in = *operation.instruction;
    return in.kind == Kind::kLoad && operation.guard == kNone &&
           in.modifiers.semantics <= ptx::Semantics::kWeak && in.op == ptx::Op::kLd &&
           in.space != ptx::Space::kParam &&
           std::ranges::all_of(
               operation.destinations,
               [&](Value v) { return graph_.values[v].definitions == 1 && graph_.resolve(v) == v; }) &&
           std::ranges::all_of(operation.sources,
                               [&](Value v) { return graph_.values[graph_.resolve(v)].definitions <= 1; });
  }

  // The registers that a load fills.
  struct Registers {
    uint32_t bytes = 0;  // of each
    uint32_t count = 1;
    bool extends_sign = false;
  };
  static Registers registersOf(const Instruction& in) {
    constexpr uint32_t kWord = 4;
    const uint32_t bytes = ptx::bytesOf(in.type), vector = std::max<uint32_t>(in.vector, 1);
    if (bytes >= kWord) return {bytes, vector};
    if (vector == 1) return {bytes, 1, ptx::isSigned(in.type)};
    const uint32_t of_register = std::min(kWord, bytes * vector);
    return {of_register, bytes * vector / of_register};
  }

  static bool sameElements(const Operation& a, const Operation& b) {
    return ptx::bytesOf(a.instruction->type) == ptx::bytesOf(b.instruction->type);
  }

  // How many bytes behind the beginning of the first load the second begins, if the first has all of it.
  std::optional<uint32_t> placeIn(const Operation& a, const Operation& b) const {
    const Instruction &x = *a.instruction, &y = *b.instruction;
    const bool from_same =
        x.space == y.space && x.address_bits == y.address_bits && x.modifiers.cache == y.modifiers.cache &&
        std::ranges::equal(a.sources, b.sources,
                           [&](Value v, Value w) { return graph_.resolve(v) == graph_.resolve(w); });
    const auto has_all = [](const Operation& load) {
      return load.destinations.size() == std::max<size_t>(load.instruction->vector, 1);
    };
    if (!from_same || !has_all(a) || !has_all(b)) return std::nullopt;
    const auto words = [&](const Operation& load) { return graph_.values[load.destinations[0]].words; };
    if (words(a) != words(b)) return std::nullopt;
    const Registers of_a = registersOf(x), of_b = registersOf(y);
    if (of_a.bytes != of_b.bytes || of_a.extends_sign != of_b.extends_sign) return std::nullopt;
    const uint64_t place = y.immediate - x.immediate;
    const uint64_t first = place / of_a.bytes;
    if (place % of_a.bytes != 0 || first >= of_a.count || of_b.count > of_a.count - first)
      return std::nullopt;
    // ptxas loads only the words of a vector that something reads.
    if (of_a.count > of_b.count && sameElements(a, b)) {
      const auto taken =
          std::span(a.destinations).subspan(place / ptx::bytesOf(x.type), b.destinations.size());
      if (!std::ranges::all_of(taken, [&](Value v) { return isRead({&v, 1}); })) return std::nullopt;
    }
    return static_cast<uint32_t>(place);
  }

  bool isRead(std::span<const Value> values) const {
    return std::ranges::any_of(values, [&](Value v) { return uses_[graph_.resolve(v)] > 0; });
  }

  // The load `index` has what `from` loads, so many bytes behind its beginning.
  void takeFrom(uint32_t from, uint32_t place, uint32_t index) {
    Operation& load = graph_.operations[index];
    const Operation& whole = graph_.operations[from];
    const uint32_t bytes = ptx::bytesOf(whole.instruction->type);
    if (sameElements(whole, load)) {
      for (size_t i = 0; i < load.destinations.size(); ++i)
        graph_.values[load.destinations[i]].alias = graph_.resolve(whole.destinations[place / bytes + i]);
      load.dropped = dropped_ = true;
      return;
    }
    // Elements are taken out of the words; words are there already.
    const auto elements = static_cast<uint32_t>(load.destinations.size());
    const uint32_t issues =
        load.instruction->vector > 1 && ptx::bytesOf(load.instruction->type) < 4 ? elements : 0;
    load.access = -1;
    load.reads_memory = false;
    load.unit = sequenceUnit(*graph_.profile, Pipe::kInt, issues, 1);
    load.sources = {graph_.resolve(whole.destinations[place / bytes])};
  }

  Graph& graph_;
  std::vector<uint32_t> uses_;
  std::vector<std::vector<uint32_t>> loaded_;  // by segment: loads whose values are known at its end
  std::vector<Spaces> written_in_;             // by loop
  bool dropped_ = false;
};

}  // namespace

void dropRedundantLoads(Graph& graph) {
  Redundant(graph).drop();
}

}  // namespace warpscope::sim::lowering
