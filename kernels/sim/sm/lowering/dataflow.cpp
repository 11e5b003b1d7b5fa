#include <algorithm>

#include "kernels/sim/sm/lowering/graph.h"
#include "kernels/sim/sm/lowering/passes.h"
#include "kernels/sim/sm/lowering/units.h"
#include "kernels/sim/sm/lowering/webs.h"

namespace warpscope::sim::lowering {
namespace {

using ptx::Op;
using ptx::Type;

uint8_t wordsOf(Type type) {
  return static_cast<uint8_t>(std::max(1U, (ptx::bytesOf(type) + 3) / 4));
}

bool is64(ptx::Special special) {
  return special == ptx::Special::kClock64 || special == ptx::Special::kGlobaltimer;
}

uint8_t destinationWords(const Instruction& in) {
  switch (in.op) {
    case Op::kLd:
    case Op::kSuld:
      return wordsOf(in.type2 != Type::kNone ? in.type2 : in.type);
    case Op::kMul:
    case Op::kMad:
      return in.modifiers.part == ptx::Part::kWide ? static_cast<uint8_t>(2 * wordsOf(in.type))
                                                   : wordsOf(in.type);
    case Op::kMoveUnpack:
      return static_cast<uint8_t>(std::max(1U, ptx::bytesOf(in.type) / 4 / std::max<uint32_t>(1, in.vector)));
    case Op::kReadSpecial:
      return is64(in.special) ? 2 : wordsOf(in.type);
    case Op::kPopc:
    case Op::kClz:
    case Op::kBfind:
    case Op::kGetctarank:
      return 1;
    default:
      return wordsOf(in.type);
  }
}

// Whether source `i`, if it is an immediate operand, has 64 bits.
bool isWideSource(const Instruction& in, uint32_t i) {
  switch (in.op) {
    case Op::kShl:
    case Op::kShr:
      return i == 0 && ptx::bytesOf(in.type) == 8;
    case Op::kMul:
    case Op::kMad:
      return in.modifiers.part == ptx::Part::kWide ? i == 2 && ptx::bytesOf(in.type) == 4
                                                   : ptx::bytesOf(in.type) == 8;
    case Op::kCvt:
      return ptx::bytesOf(in.type2) == 8;
    case Op::kTex:
    case Op::kImageQuery:
    case Op::kSuld:
      return i == 0;
    case Op::kSust:
      return i == 0 || (i > in.modifiers.dimensions && ptx::bytesOf(in.type) == 8);
    case Op::kLdmatrix:
    case Op::kStmatrix:
    case Op::kMatrixLoad:
    case Op::kMatrixStore:
      return i == 0 && in.address_bits == 64;
    case Op::kMma:
    case Op::kMovmatrix:
      return false;
    case Op::kLd:
    case Op::kAtom:
    case Op::kRed:
    case Op::kSt:
      return i == 0 ? in.address_bits == 64 : ptx::bytesOf(in.type) == 8;
    default:
      return ptx::bytesOf(in.type) == 8;
  }
}

bool isMemory(Kind kind) {
  return kind == Kind::kLoad || kind == Kind::kStore || kind == Kind::kAtomic || kind == Kind::kReduction ||
         kind == Kind::kAsyncCopy || kind == Kind::kAsyncStore;
}

bool hasEffects(const Instruction& in) {
  switch (in.kind) {
    case Kind::kRegister:
    case Kind::kReadSpecial:
    case Kind::kClusterAddress:
    case Kind::kLocalAddress:
    case Kind::kLoadParameter:
    case Kind::kNothing:
      return false;
    case Kind::kLoad:
      return in.modifiers.semantics > ptx::Semantics::kWeak;
    default:
      return true;
  }
}

class Builder {
 public:
  Builder(const Code& code, const DeviceProfile& profile) : code_(code) {
    graph_.code = &code;
    graph_.profile = &profile;
  }

  Graph build() {
    graph_.predicated_branch.resize(code_.instructions.size());
    graph_.meets_at_sync.resize(code_.instructions.size());
    graph_.exit_branch.resize(code_.instructions.size());
    graph_.yields.resize(code_.instructions.size());
    graph_.segments.resize(code_.segments.size());
    graph_.operations.resize(code_.instructions.size());
    for (uint32_t s = 0; s < code_.segments.size(); ++s) fillSegment(s);
    analyzeFlow(graph_);
    std::vector<Accessed> accessed(code_.instructions.size());
    for (size_t pc = 0; pc < accessed.size(); ++pc) accessed[pc] = accessedBy(code_.instructions[pc]);
    for (uint32_t f = 0; f < code_.functions.size(); ++f) {
      const std::vector<uint32_t> order = reversePostorder(graph_, f);
      const Webs webs = findWebs(graph_, order, accessed);
      const Value first = static_cast<Value>(graph_.values.size());
      graph_.values.resize(first + webs.count);
      for (const uint32_t s : order) connect(s, webs, first);
    }
    return std::move(graph_);
  }

 private:
  void fillSegment(uint32_t s) {
    const Segment& segment = code_.segments[s];
    SegmentInfo& info = graph_.segments[s];
    info.group_first = s;
    if (segment.count > 0) info.function = code_.function_of[segment.first];
    for (uint32_t pc = segment.first; pc < segment.first + segment.count; ++pc) {
      Operation& operation = graph_.operations[pc];
      const Instruction& in = code_.instructions[pc];
      operation.pc = pc;
      operation.segment = s;
      operation.instruction = &in;
      if (isMemory(in.kind)) operation.access = info.accesses++;
      operation.reads_memory = in.kind == Kind::kLoad || in.kind == Kind::kAtomic;
      operation.writes_memory = isMemory(in.kind) && in.kind != Kind::kLoad;
      operation.pinned = hasEffects(in);
      const bool ends = in.kind >= Kind::kAtomic && in.kind != Kind::kNothing &&
                        in.kind != Kind::kAsyncCopy && in.kind != Kind::kClusterAddress;
      operation.ends_segment = ends && pc + 1 == segment.first + segment.count;
      operation.unit = unitOf(in, *graph_.profile);
      operation.transfer = transferOf(in);
      info.operations.push_back(pc);
    }
  }

  static Transfer transferOf(const Instruction& in) {
    switch (in.kind) {
      case Kind::kBranch:
      case Kind::kIndirectBranch:
      case Kind::kCall:
      case Kind::kIndirectCall:
        return Transfer::kBranch;
      case Kind::kReturn:
      case Kind::kTrap:
      case Kind::kExit:
        return Transfer::kExit;
      default:
        return Transfer::kNot;
    }
  }

  static Accessed accessedBy(const Instruction& in) {
    Accessed a;
    for (uint32_t i = 0; i < in.source_count; ++i) {
      if (in.sources[i].index >= 0 && in.sources[i].index != kSinkRow)
        a.uses.push_back(rowKey(in.sources[i].index));
    }
    for (const PredicateIndex p : in.predicate_sources) {
      if (p != kNoPredicate) a.uses.push_back(predicateKey(p));
    }
    if (in.guard != kNoPredicate) a.uses.push_back(predicateKey(in.guard));
    for (uint32_t i = 0; i < in.destination_count; ++i) {
      if (in.destinations[i].index >= 0 && in.destinations[i].index != kSinkRow)
        a.definitions.push_back(rowKey(in.destinations[i].index));
    }
    for (const PredicateIndex p : in.predicate_destinations) {
      if (p != kNoPredicate) a.definitions.push_back(predicateKey(p));
    }
    a.partial = in.guard != kNoPredicate;
    return a;
  }

  Value constantOf(const Instruction& in, uint32_t i) {
    const size_t word = size_t{~static_cast<uint32_t>(in.sources[i].index)} * kRowWords;
    uint64_t bits = word < code_.constants.size() ? code_.constants[word] : 0;
    const bool wide = isWideSource(in, i);
    if (wide && word + 1 < code_.constants.size()) bits |= uint64_t{code_.constants[word + 1]} << 32U;
    if (in.op == Op::kMov && in.space == ptx::Space::kShared)
      return graph_.intern(ValueKind::kSharedAddress, bits, 1);
    return graph_.intern(ValueKind::kConstant, bits, wide ? 2 : 1);
  }

  void connect(uint32_t segment, const Webs& webs, Value first) {
    for (const uint32_t pc : graph_.segments[segment].operations) {
      const Instruction& in = code_.instructions[pc];
      std::vector<Value> sources, destinations;
      size_t use = 0, definition = 0;
      for (uint32_t i = 0; i < in.source_count; ++i) {
        if (in.sources[i].index == kSinkRow) continue;
        sources.push_back(in.sources[i].index < 0 ? constantOf(in, i) : first + webs.uses[pc][use++]);
      }
      for (const PredicateIndex p : in.predicate_sources) {
        if (p != kNoPredicate) sources.push_back(first + webs.uses[pc][use++]);
      }
      if (in.guard != kNoPredicate) {
        graph_.operations[pc].guard = first + webs.uses[pc][use++];
        sources.push_back(graph_.operations[pc].guard);
      }
      const size_t rows = webs.definitions[pc].size() - predicateDestinations(in);
      for (; definition < webs.definitions[pc].size(); ++definition) {
        const Value v = first + webs.definitions[pc][definition];
        ValueInfo& info = graph_.values[v];
        info.kind = definition < rows ? ValueKind::kRegister : ValueKind::kPredicate;
        info.words = definition < rows ? destinationWords(in) : 1;
        info.definition = info.definitions++ == 0 ? pc : kNone;
        destinations.push_back(v);
      }
      graph_.operations[pc].sources = std::move(sources);
      graph_.operations[pc].destinations = std::move(destinations);
    }
  }

  static size_t predicateDestinations(const Instruction& in) {
    return static_cast<size_t>(std::count_if(in.predicate_destinations.begin(),
                                             in.predicate_destinations.end(),
                                             [](PredicateIndex p) { return p != kNoPredicate; }));
  }

  const Code& code_;
  Graph graph_;
};

}  // namespace

Graph buildGraph(const Code& code, const DeviceProfile& profile) {
  return Builder(code, profile).build();
}

}  // namespace warpscope::sim::lowering
