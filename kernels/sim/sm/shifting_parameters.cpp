#include "kernels/sim/sm/shifting_parameters.h"

#include <span>

namespace warpscope::sim {
namespace {

// Parameters that a value depends on.
using ParameterSet = uint64_t;
constexpr size_t kMostParameters = 64;

bool isConstant(Row row) {
  return row.index < 0;
}

// Its result takes two rows.
bool isWide(const Instruction& in) {
  return in.modifiers.part == ptx::Part::kWide || ptx::bytesOf(in.type) == 8 || in.destination_bits == 64;
}

bool isProductWithConstant(const Instruction& in) {
  return in.modifiers.part != ptx::Part::kHi && (isConstant(in.sources[0]) || isConstant(in.sources[1]));
}

// Whether its result moves as its operands do, or by a constant multiple of that.
bool isLinear(const Instruction& in) {
  using ptx::Op;
  if (in.modifiers.carry_out || in.destination_count != 1 || ptx::isFloat(in.type)) return false;
  switch (in.op) {
    case Op::kMov:
    case Op::kCvt:
    case Op::kCvta:
      return in.source_count == 1;
    case Op::kAdd:
    case Op::kSub:
      return true;
    case Op::kMul:
    case Op::kMad:
      return isProductWithConstant(in);
    case Op::kShl:
      return isConstant(in.sources[1]);
    default:
      return false;
  }
}

// Follows the parameters from register to register, segment by segment, until nothing is added any more.
class Shifts {
 public:
  explicit Shifts(const Code& code)
      : code_(code), at_begin_(code.segments.size(), Rows(code.functions[0].rows + 1)) {}

  // The parameters that decide more than where the kernel works.
  ParameterSet deciding() {
    enter(code_.functions[0].entry, at_begin_.front());
    while (!open_.empty()) {
      const uint32_t segment = open_.back();
      open_.pop_back();
      follow(code_.segments[segment], at_begin_[segment]);
    }
    return deciding_;
  }

 private:
  using Rows = std::vector<ParameterSet>;

  void follow(const Segment& segment, Rows rows) {
    for (uint32_t pc = segment.first; pc < segment.first + segment.count; ++pc) {
      const Instruction& in = code_.instructions[pc];
      step(in, rows);
      if (in.kind == Kind::kBranch) enter(in.target, rows);
      const bool always = in.guard == kNoPredicate;
      if (always && (in.kind == Kind::kBranch || in.kind == Kind::kExit || in.kind == Kind::kReturn)) return;
    }
    enter(segment.first + segment.count, rows);
  }

  // Control comes to the segment that begins at `pc`.
  void enter(uint32_t pc, const Rows& rows) {
    if (pc >= code_.instructions.size()) return;
    const uint32_t segment = code_.segment_of[pc];
    bool more = !seen_[segment];
    seen_[segment] = true;
    for (size_t row = 0; row < rows.size(); ++row) {
      ParameterSet& known = at_begin_[segment][row];
      more = more || (rows[row] & ~known) != 0;
      known |= rows[row];
    }
    if (more) open_.push_back(segment);
  }

  void step(const Instruction& in, Rows& rows) {
    const bool by_address = in.space == ptx::Space::kParam && in.kind != Kind::kLoadParameter;
    if (by_address) deciding_ = ~ParameterSet{0};
    const bool plain = in.space == ptx::Space::kGlobal && !accessesImage(in.op) && !accessesMatrix(in.op);
    if (in.kind == Kind::kLoadParameter) {
      write(in, loaded(in), rows);
    } else if (in.kind == Kind::kRegister && isLinear(in)) {
      write(in, of(in, 0, rows), rows);
    } else {
      if (in.kind != Kind::kLoad || !plain) {
        const bool stores = in.kind == Kind::kStore || in.kind == Kind::kReduction;
        deciding_ |= of(in, stores && plain ? 1 : 0, rows);
      }
      write(in, 0, rows);
    }
  }

  // Returns the parameters that the instruction loads as a whole. A parameter that it loads in part counts as
  // deciding, because the parts are not followed.
  ParameterSet loaded(const Instruction& in) {
    ParameterSet loaded = 0;
    const uint64_t end = in.immediate + uint64_t{ptx::bytesOf(in.type)} * in.vector;
    for (size_t i = 0; i < code_.parameters.size(); ++i) {
      const KernelParameter& parameter = code_.parameters[i];
      const uint64_t parameter_end = uint64_t{parameter.offset} + parameter.bytes;
      if (parameter.offset >= end || parameter_end <= in.immediate) continue;
      const bool whole = parameter.offset == in.immediate && parameter_end == end;
      (whole ? loaded : deciding_) |= ParameterSet{1} << i;
    }
    return loaded;
  }

  // What the sources from `first` on depend on.
  static ParameterSet of(const Instruction& in, size_t first, const Rows& rows) {
    ParameterSet all = 0;
    for (size_t i = first; i < in.source_count; ++i) {
      if (isRegister(in.sources[i])) all |= rows[static_cast<size_t>(in.sources[i].index)];
    }
    return all;
  }

  static void write(const Instruction& in, ParameterSet parameters, Rows& rows) {
    const ParameterSet kept = in.guard == kNoPredicate ? 0 : ~ParameterSet{0};
    for (const Row row : std::span(in.destinations).first(in.destination_count)) {
      if (!isRegister(row)) continue;
      const auto at = static_cast<size_t>(row.index);
      rows[at] = (rows[at] & kept) | parameters;
      if (isWide(in) && at + 1 < rows.size()) rows[at + 1] = (rows[at + 1] & kept) | parameters;
    }
  }

  const Code& code_;
  std::vector<Rows> at_begin_;  // by segment
  std::vector<bool> seen_ = std::vector<bool>(at_begin_.size());
  std::vector<uint32_t> open_;  // segments that are to be followed
  ParameterSet deciding_ = 0;
};

// Whether control only goes where branches say, within the kernel itself.
bool canBeFollowed(const Code& code) {
  if (code.functions.size() != 1 || code.parameters.size() > kMostParameters) return false;
  for (const Instruction& in : code.instructions) {
    if (in.kind == Kind::kIndirectBranch || in.kind == Kind::kCall || in.kind == Kind::kIndirectCall)
      return false;
  }
  return true;
}

}  // namespace

std::vector<bool> shiftingParameters(const Code& code) {
  std::vector<bool> shifting(code.parameters.size());
  if (!canBeFollowed(code)) return shifting;
  const ParameterSet deciding = Shifts(code).deciding();
  for (size_t i = 0; i < shifting.size(); ++i) shifting[i] = (deciding >> i & 1) == 0;
  return shifting;
}

}  // namespace warpscope::sim
