// 64-bit integers are pairs of 32-bit registers, and ptxas computes only the halves that are read: addresses
// in local, shared and constant memory are their lower halves, a test of the upper half (as nvcc puts before
// a 64-bit division) needs no lower one, and what is combined with a half that is known to be zero is a copy.
// Seen in the SASS of the truth suite's strided_read, interpreter and base64 (sm_90, ptxas 13.0).
#include <algorithm>

#include "kernels/sim/sm/lowering/graph.h"
#include "kernels/sim/sm/lowering/passes.h"
#include "kernels/sim/sm/lowering/units.h"

namespace warpscope::sim::lowering {
namespace {

using ptx::Op;
using ptx::Type;

constexpr uint8_t kLow = 1, kHigh = 2, kBoth = 3;

bool isWideInteger(Type type) {
  return ptx::bytesOf(type) == 8 && !ptx::isFloat(type);
}

class Halves {
 public:
  explicit Halves(Graph& graph) : graph_(graph), read_(graph.values.size()), makers_(graph.values.size()) {
    for (uint32_t o = 0; o < graph.operations.size(); ++o) {
      for (const Value v : graph.operations[o].destinations) makers_[v].push_back(o);
    }
  }

  void narrow() {
    for (const Operation& operation : graph_.operations) {
      if (hasEffects(operation)) readSources(operation, kBoth);
    }
    while (!work_.empty()) {
      const Operation& operation = graph_.operations[work_.back()];
      work_.pop_back();
      uint8_t of_results = 0;
      for (const Value v : operation.destinations) of_results |= read_[v];
      if (!hasEffects(operation)) readSources(operation, of_results);
    }
    for (Operation& operation : graph_.operations) cost(operation);
  }

 private:
  static bool hasEffects(const Operation& operation) {
    return operation.pinned || operation.writes_memory || operation.transfer != Transfer::kNot;
  }

  void readSources(const Operation& operation, uint8_t of_results) {
    for (size_t i = 0; i < operation.sources.size(); ++i) {
      const Value v = operation.sources[i];
      const uint8_t now = read_[v] | readOf(operation, i, of_results);
      if (now == read_[v]) continue;
      read_[v] = now;
      work_.insert(work_.end(), makers_[v].begin(), makers_[v].end());
    }
  }

  // Which halves of source `i` the result's halves depend on.
  uint8_t readOf(const Operation& operation, size_t i, uint8_t of_results) const {
    const Instruction& in = *operation.instruction;
    if (in.kind == Kind::kLoad || in.kind == Kind::kStore || in.kind == Kind::kAtomic ||
        in.kind == Kind::kReduction) {
      const bool short_address =
          in.space == ptx::Space::kLocal || in.space == ptx::Space::kShared || in.space == ptx::Space::kConst;
      return i == 0 && in.address_bits != 0 && short_address ? kLow : kBoth;
    }
    if (in.kind != Kind::kRegister || of_results == 0) return kBoth;
    if (in.op == Op::kCvt) {
      const bool integers = !ptx::isFloat(in.type) && !ptx::isFloat(in.type2) && !in.modifiers.sat;
      return integers && ptx::bytesOf(in.type) <= 4 ? kLow : kBoth;
    }
    if (!isWideInteger(in.type)) return kBoth;
    switch (in.op) {
      case Op::kAdd:
      case Op::kSub:
        return in.modifiers.carry_out || (of_results & kHigh) != 0 ? kBoth : kLow;
      case Op::kMul:
      case Op::kMad:
        return in.modifiers.part == ptx::Part::kLo && (of_results & kHigh) == 0 ? kLow : kBoth;
      case Op::kNeg:
        return (of_results & kHigh) != 0 ? kBoth : kLow;
      case Op::kShl:
        return i == 0 && (of_results & kHigh) == 0 ? kLow : kBoth;
      case Op::kAnd:
        return of_results & ~maskedBy(operation, i);
      case Op::kOr:
      case Op::kXor:
      case Op::kNot:
      case Op::kMov:
        return of_results;
      case Op::kSelp:
        return i < 2 ? of_results : kBoth;
      default:
        return kBoth;
    }
  }

  // The halves that the other source of an AND clears.
  uint8_t maskedBy(const Operation& operation, size_t i) const {
    if (operation.sources.size() < 2 || i > 1) return 0;
    const Value mask = operation.sources[1 - i];
    return (all(mask, kLow, false) ? kLow : 0) | (all(mask, kHigh, false) ? kHigh : 0);
  }

  // What is known about a half of a value: whether all its bits are this one.
  bool all(Value v, uint8_t half, bool bit, int depth = 0) const {
    const ValueInfo& info = graph_.values[v];
    if (info.kind == ValueKind::kConstant) {
      const auto bits = static_cast<uint32_t>(half == kLow ? info.bits : info.bits >> 32U);
      return bits == (bit ? 0xFFFFFFFFU : 0U);
    }
    if (bit || depth > 3 || info.definitions != 1 || info.definition == kNone) return false;
    const Operation& maker = graph_.operations[info.definition];
    if (maker.guard != kNone || maker.instruction == nullptr) return false;
    return makesZero(maker, half, depth);
  }

  bool makesZero(const Operation& maker, uint8_t half, int depth) const {
    const Instruction& in = *maker.instruction;
    const auto zero = [&](size_t i) { return all(maker.sources[i], half, false, depth + 1); };
    if (in.kind == Kind::kLoad) return half == kHigh && !ptx::isSigned(in.type) && ptx::bytesOf(in.type) <= 4;
    if (in.kind != Kind::kRegister) return false;
    switch (in.op) {
      case Op::kCvt:
        return half == kHigh && !ptx::isFloat(in.type2) && !ptx::isSigned(in.type2) &&
               ptx::bytesOf(in.type2) <= 4;
      case Op::kAnd:
        return zero(0) || zero(1);
      case Op::kOr:
      case Op::kXor:
        return zero(0) && zero(1);
      case Op::kShl:
        return half == kLow && shift(maker) >= 32;
      case Op::kShr:
        return half == kHigh && !ptx::isSigned(in.type) && shift(maker) >= 32;
      case Op::kSelp:
        return zero(0) && zero(1);
      default:
        return false;
    }
  }

  // 0 if it is not known.
  uint32_t shift(const Operation& operation) const {
    const Value by = operation.sources.size() > 1 ? operation.sources[1] : kNone;
    if (by == kNone || graph_.values[by].kind != ValueKind::kConstant) return 0;
    return static_cast<uint32_t>(std::min<uint64_t>(graph_.values[by].bits & 0xFFFFFFFFU, 64));
  }

  void cost(Operation& operation) {
    if (operation.instruction == nullptr || operation.instruction->kind != Kind::kRegister) return;
    const Instruction& in = *operation.instruction;
    if (in.op == Op::kSetp) {
      compare(operation, in);
      return;
    }
    const bool wide_result =
        operation.destinations.size() == 1 && graph_.values[operation.destinations[0]].words == 2;
    if (!wide_result || ptx::isFloat(in.type)) return;
    const Value to = operation.destinations[0];
    const uint8_t read = read_[to];
    if (read == kLow) {
      operation.narrow = true;
      graph_.values[to].words = 1;
    }
    if (!isWideInteger(in.type)) return;
    uint32_t issues = 0;
    for (const uint8_t half : {kLow, kHigh}) {
      if ((read & half) != 0) issues += costOf(operation, half);
    }
    switch (in.op) {
      case Op::kAdd:
      case Op::kSub:
      case Op::kNeg:
        if (!in.modifiers.carry_out) operation.unit = chainUnit(*graph_.profile, Pipe::kInt, issues);
        return;
      case Op::kShl:
      case Op::kShr:
      case Op::kAnd:
      case Op::kOr:
      case Op::kXor:
      case Op::kNot:
      case Op::kMov:
      case Op::kSelp:  // neither half waits for the other
        operation.unit = sequenceUnit(*graph_.profile, Pipe::kInt, issues, std::min(issues, 1U));
        return;
      case Op::kMul:
      case Op::kMad:
        multiply(operation, in.modifiers.part);
        return;
      default:
        return;
    }
  }

  // Each upper half that is zero saves a product of it, and where it is the first factor's the sum goes into
  // the product that remains.
  void multiply(Operation& operation, ptx::Part part) const {
    if (part == ptx::Part::kHi) return;
    const DeviceProfile& profile = *graph_.profile;
    if (operation.narrow) operation.unit = multiplyAddUnit(profile);
    if (operation.narrow || part != ptx::Part::kLo || operation.sources.size() < 2) return;
    const Value first = operation.sources[0], second = operation.sources[1];
    const bool short_second = all(second, kHigh, false);
    if (graph_.values[first].kind != ValueKind::kConstant && all(first, kHigh, false))
      operation.unit = productUnit(profile, 2, 2, 1, short_second ? 0 : 1);  // IADD3 adds zero in the end
    else if (short_second || all(second, kHigh, true))
      operation.unit = productUnit(profile, 3, 3, 1, 1);
  }

  // The instructions that one half of the result takes: none if it is a constant or a copy.
  uint32_t costOf(const Operation& operation, uint8_t half) const {
    const auto is = [&](size_t i, bool bit) {
      return i < operation.sources.size() && all(operation.sources[i], half, bit);
    };
    const uint32_t by = shift(operation);
    switch (operation.instruction->op) {
      case Op::kAnd:
        return is(0, false) || is(1, false) || is(0, true) || is(1, true) ? 0 : 1;
      case Op::kOr:
      case Op::kXor:
        return is(0, false) || is(1, false) ? 0 : 1;
      case Op::kShl:
        if (by >= 32) return half == kLow || by == 32 ? 0 : 1;
        return 1;
      case Op::kShr:
        if (by >= 32 && half == kLow) return by == 32 ? 0 : 1;
        return half == kHigh && !ptx::isSigned(operation.instruction->type) && (by >= 32 || is(0, false)) ? 0
                                                                                                          : 1;
      case Op::kSelp:
        return (is(0, false) && is(1, false)) || (is(0, true) && is(1, true)) ? 0 : 1;
      default:
        return 1;
    }
  }

  // Halves that are zero on both sides need no comparison.
  void compare(Operation& operation, const Instruction& in) {
    if (!isWideInteger(in.type) || operation.sources.size() < 2) return;
    const bool equality =
        in.modifiers.compare == ptx::Compare::kEq || in.modifiers.compare == ptx::Compare::kNe;
    uint32_t issues = 0;
    for (const uint8_t half : {kLow, kHigh}) {
      const bool zero = all(operation.sources[0], half, false) && all(operation.sources[1], half, false);
      if (!zero || (half == kLow && !equality)) ++issues;
    }
    operation.unit = compareUnit(*graph_.profile, std::max(issues, 1U));
  }

  Graph& graph_;
  std::vector<uint8_t> read_;  // by value: its halves that are
  std::vector<std::vector<uint32_t>> makers_;
  std::vector<uint32_t> work_;
};

}  // namespace

void narrowHalves(Graph& graph) {
  Halves(graph).narrow();
}

}  // namespace warpscope::sim::lowering
