#include "kernels/sim/sm/lowering/index_steps.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace warpscope::sim::lowering {
namespace {

using ptx::Op;

constexpr uint64_t kUnknown = std::numeric_limits<uint64_t>::max();
constexpr int kDepth = 8;  // operations back from an address

uint64_t lowestBit(uint64_t bits) {
  return bits & (~bits + 1);
}

uint64_t product(uint64_t a, uint64_t b) {
  return b != 0 && a > kUnknown / b ? kUnknown : a * b;
}

Steps times(Steps steps, uint64_t factor) {
  return {product(steps.most, factor), product(steps.multiple, std::max<uint64_t>(factor, 1))};
}

Steps sum(Steps a, Steps b) {
  return {a.most > kUnknown - b.most ? kUnknown : a.most + b.most, std::gcd(a.multiple, b.multiple)};
}

class IndexReader {
 public:
  explicit IndexReader(Graph& graph) : graph_(graph) {}

  Steps addressOf(const Operation& access) {
    const Operation* reader = &access;
    for (int depth = 0; depth < kDepth && !reader->sources.empty(); ++depth) {
      const Operation* maker = makerFor(graph_, *reader, reader->sources[0]);
      if (maker == nullptr) return ofCarried(reader->sources[0]);
      if (maker->instruction->kind == Kind::kLocalAddress) return {.most = 0, .multiple = 1};
      if (isConversion(*maker)) {
        reader = maker;
        continue;
      }
      if (maker->instruction->op != Op::kAdd || maker->sources.size() != 2) return {};
      for (const size_t side : {0U, 1U}) {
        if (isVariable(*maker, side)) return of(*maker, 1 - side, kDepth);
      }
      if (constant(*maker, 1) == nullptr) return {};
      reader = maker;
    }
    return {};
  }

  // Whether an operand is a variable's address, with constants added.
  bool isVariable(const Operation& operation, size_t side) {
    const Operation* reader = &operation;
    for (int depth = 0; depth < kDepth; ++depth, side = 0) {
      const Operation* maker = makerFor(graph_, *reader, reader->sources[side]);
      if (maker == nullptr) return false;
      if (maker->instruction->kind == Kind::kLocalAddress) return true;
      const bool adds = maker->instruction->op == Op::kAdd && constant(*maker, 1) != nullptr;
      if (!adds && !isConversion(*maker)) return false;
      reader = maker;
    }
    return false;
  }

 private:
  // A value that a loop carries, set to constants or to the address of a variable, and stepped by constants.
  Steps ofCarried(Value v) {
    v = graph_.resolve(v);
    uint64_t multiple = 0;
    for (const Operation& operation : graph_.operations) {
      if (operation.instruction == nullptr || operation.destinations.size() != 1 ||
          graph_.resolve(operation.destinations[0]) != v)
        continue;
      const bool adds = operation.instruction->op == Op::kAdd && constant(operation, 1) != nullptr;
      const bool sets = operation.instruction->op == Op::kMov;
      if (adds && graph_.resolve(operation.sources[0]) == v) {
        multiple = std::gcd(multiple, *constant(operation, 1));
      } else if (sets && constant(operation, 0) != nullptr) {
        multiple = std::gcd(multiple, *constant(operation, 0));
      } else if (!(adds || sets) || !isVariable(operation, 0)) {
        return {};
      }
    }
    return {kUnknown, std::max<uint64_t>(multiple, 1)};
  }

  // To a generic address or back.
  static bool isConversion(const Operation& operation) {
    return operation.instruction->op == Op::kCvta && operation.instruction->space == ptx::Space::kLocal;
  }

  const uint64_t* constant(const Operation& operation, size_t i) const {
    if (i >= operation.sources.size()) return nullptr;
    const ValueInfo& info = graph_.values[graph_.resolve(operation.sources[i])];
    return info.kind == ValueKind::kConstant ? &info.bits : nullptr;
  }

  Steps of(const Operation& reader, size_t i, int depth) {
    if (const uint64_t* bits = constant(reader, i)) return {*bits, std::max<uint64_t>(*bits, 1)};
    if (depth == 0) return {};
    const Operation* maker = makerFor(graph_, reader, reader.sources[i]);
    if (maker == nullptr) return ofCarried(reader.sources[i]);
    if (maker->sources.empty()) return {};
    const auto source = [&](size_t k) { return of(*maker, k, depth - 1); };
    const uint64_t* by = constant(*maker, 1);
    switch (maker->instruction->op) {
      case Op::kCvt:
      case Op::kMov:
        return source(0);
      case Op::kAdd:
        return by != nullptr ? source(0) : sum(source(0), source(1));
      case Op::kAnd:
        if (by == nullptr) return {};
        return {std::min(source(0).most, *by), std::max(source(0).multiple, lowestBit(*by))};
      case Op::kShl:
        return by != nullptr && *by < 64 ? times(source(0), uint64_t{1} << *by) : Steps{};
      case Op::kMul:
        return by != nullptr ? times(source(0), *by) : Steps{};
      case Op::kShr:
        return by != nullptr && *by < 64 ? Steps{source(0).most >> *by, 1} : Steps{};
      case Op::kRem:
        return by != nullptr && *by > 0 ? Steps{*by - 1, 1} : Steps{};
      default:
        return maker->sources.size() < 2 ? Steps{} : ofTwo(*maker, source(0), source(1));
    }
  }

  static Steps ofTwo(const Operation& maker, Steps a, Steps b) {
    switch (maker.instruction->op) {
      case Op::kSub:
        return {kUnknown, std::gcd(a.multiple, b.multiple)};
      case Op::kOr:
      case Op::kXor:
        return {kUnknown, std::min(lowestBit(a.multiple), lowestBit(b.multiple))};
      case Op::kSelp:
        return {std::max(a.most, b.most), std::gcd(a.multiple, b.multiple)};
      default:
        return {};
    }
  }

  Graph& graph_;
};

}  // namespace

const Operation* makerFor(Graph& graph, const Operation& reader, Value v) {
  if (const Operation* only = graph.makerOf(v)) return only;
  const std::vector<uint32_t>& list = graph.segments[reader.segment].operations;
  const Operation* last = nullptr;
  for (const uint32_t o : list) {
    const Operation& operation = graph.operations[o];
    if (&operation == &reader) break;
    const bool writes = std::ranges::any_of(
        operation.destinations, [&](Value made) { return graph.resolve(made) == graph.resolve(v); });
    if (writes) last = operation.instruction != nullptr && operation.guard == kNone ? &operation : nullptr;
  }
  return last;
}

bool isKnownAddress(Graph& graph, const Operation& reader, size_t source) {
  return IndexReader(graph).isVariable(reader, source);
}

Steps indexSteps(Graph& graph, const Operation& access) {
  return IndexReader(graph).addressOf(access);
}

}  // namespace warpscope::sim::lowering
