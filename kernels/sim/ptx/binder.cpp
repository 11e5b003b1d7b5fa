#include "kernels/sim/ptx/binder.h"

#include <fmt/format.h>

#include "kernels/sim/ptx/matrix.h"
#include "kernels/sim/ptx/types.h"

namespace warpscope::ptx {
namespace {

using Kind = RawOperand::Kind;
using Shape = OperandPattern::Shape;

class Binder {
 public:
  Binder(const FormMatch& match, Binding& binding) : match_(match), binding_(binding) {}

  bool run(const std::vector<RawOperand>& operands) {
    const auto& patterns = match_.form->operands;
    Instruction& instruction = binding_.instruction;
    instruction.op = match_.opcode.entry->op;
    instruction.entry = match_.opcode.entry;
    instruction.types = match_.opcode.types;
    instruction.space = match_.opcode.space;
    instruction.modifiers = match_.opcode.modifiers;
    size_t given = 0;
    for (size_t i = 0; i < patterns.size(); ++i) {
      if (given >= operands.size()) return patterns[i].may_be_absent ? checkSpecialRules() : tooFew();
      const RawOperand& operand = operands[given++];
      if (shapeFits(patterns[i], operand)) ++progress_;
      if (!bind(patterns[i], operand)) return false;
      if (patterns[i].has_second) {
        ++i;
        if (!bindSecond(patterns[i], operand)) return false;
      } else if (!operand.second.empty()) {
        return refuse(fmt::format("'{}' takes no second destination", describe(operand)));
      }
      ++progress_;
    }
    if (given < operands.size()) return refuse(fmt::format("more operands than the {} it takes", given));
    return checkSpecialRules();
  }

  size_t progress() const { return progress_; }
  const std::string& why() const { return why_; }

 private:
  // Whether the pattern is meant for this kind of operand, even if its details are wrong.
  static bool shapeFits(const OperandPattern& pattern, const RawOperand& operand) {
    if (operand.kind == Kind::kVector) {
      return pattern.shape == Shape::kPack || pattern.shape == Shape::kUnpack ||
             pattern.shape == Shape::kFragment;
    }
    if (operand.kind == Kind::kSpecial) return pattern.shape == Shape::kSpecial;
    if (operand.kind == Kind::kVariable) return pattern.shape == Shape::kVariableAddress;
    return false;
  }

  bool refuse(std::string why) {
    why_ = std::move(why);
    return false;
  }
  bool tooFew() {
    return refuse(fmt::format("too few operands; it is {}", formatEntry(*match_.opcode.entry)));
  }

  static std::string describe(const RawOperand& operand) {
    switch (operand.kind) {
      case Kind::kRegister:
        return fmt::format("{} (.{})", operand.name, typeName(operand.type));
      case Kind::kAddress:
        return "an address [...]";
      case Kind::kVector:
        return fmt::format("a vector of {}", operand.parts.size());
      case Kind::kSink:
        return "_";
      default:
        return std::string(operand.name);
    }
  }

  Type typeOf(const OperandPattern& pattern) const {
    using From = OperandPattern::TypeFrom;
    switch (pattern.type_from) {
      case From::kFirst:
        return match_.opcode.types[0];
      case From::kSecond:
        return match_.opcode.types[1];
      case From::kThird:
        return match_.opcode.types[2];
      case From::kTwiceFirst:
        return twiceAsWide(match_.opcode.types[0]);
      case From::kFixed:
      case From::kAddressSized:
        break;
    }
    return pattern.fixed;
  }

  bool bind(const OperandPattern& pattern, const RawOperand& operand) {
    switch (pattern.shape) {
      case Shape::kValue:
        return bindValue(pattern, operand);
      case Shape::kAddress:
        return bindAddress(operand);
      case Shape::kImage:
        return bindImage(pattern, operand);
      case Shape::kFragment:
        return bindFragment(pattern, operand);
      case Shape::kImmediate:
        if (operand.kind != Kind::kConstant) return unfit("a constant", operand);
        return pushConstant(operand, Type::kB32);
      case Shape::kPack:
      case Shape::kUnpack:
        return bindPack(pattern, operand);
      case Shape::kVariableAddress:
        return bindVariable(operand);
      case Shape::kSpecial:
        return bindSpecial(operand);
      case Shape::kLabel:
        if (operand.kind != Kind::kName) return unfit("a label", operand);
        binding_.label = operand.name;
        return push({.kind = Operand::Kind::kLabel});
      case Shape::kTargets:
        if (operand.kind != Kind::kName) return unfit("a list of targets", operand);
        binding_.targets = operand.name;
        return true;
      case Shape::kCallee:
        break;
    }
    return refuse("a call is not written like this");
  }

  bool push(Operand operand) {
    binding_.instruction.operands.push_back(std::move(operand));
    return true;
  }

  bool unfit(std::string_view wanted, const RawOperand& operand) {
    if (operand.kind == Kind::kName)
      return refuse(fmt::format("there is no register or variable '{}'", operand.name));
    return refuse(fmt::format("{} is expected where {} is given", wanted, describe(operand)));
  }

  bool bindSecond(const OperandPattern& pattern, const RawOperand& first) {
    if (first.second.empty()) return push({.kind = Operand::Kind::kSink});
    return bindValue(pattern, first.second.front());
  }

  bool bindValue(const OperandPattern& pattern, const RawOperand& operand) {
    const uint32_t length = match_.opcode.modifiers.vector;
    const bool image = match_.opcode.modifiers.dimensions > 0;  // suld and sust have vectors of one
    if (pattern.may_be_vector && (length > 1 || (image && operand.kind == Kind::kVector)))
      return bindVector(pattern, operand, length);
    const Type type = typeOf(pattern);
    switch (operand.kind) {
      case Kind::kRegister:
        return bindRegister(pattern, operand, type);
      case Kind::kSink:
        if (!pattern.is_destination || !pattern.may_be_sink) return unfit("a register", operand);
        return push(operand.operand);
      case Kind::kConstant:
        if (pattern.is_destination) return unfit("a register", operand);
        return pushConstant(operand, type);
      case Kind::kSpecial:
        if (pattern.is_destination || match_.opcode.entry->op != Op::kCvt) break;
        return needRegister(operand, operand.special.type, type);
      default:
        break;
    }
    return unfit(pattern.is_destination ? "a register" : "a register or constant", operand);
  }

  bool bindRegister(const OperandPattern& pattern, const RawOperand& operand, Type type) {
    if (operand.operand.negated && (pattern.is_destination || type != Type::kPred)) {
      return refuse(fmt::format("'!{}': only a source predicate can be negated", operand.name));
    }
    if (pattern.type_from == OperandPattern::TypeFrom::kAddressSized) {
      if (!isAddressRegister(operand.type)) return unfit("a register of 32 or 64 bits", operand);
    } else if (!registerFits(operand.type, type, pattern.may_be_wider)) {
      return unfit(fmt::format("a register of type .{}", typeName(type)), operand);
    }
    return push(operand.operand);
  }

  static bool isAddressRegister(Type type) {
    return (bytesOf(type) == 4 || bytesOf(type) == 8) && !isFloat(type);
  }

  bool pushConstant(const RawOperand& operand, Type type) {
    if (type == Type::kPred) {
      if (operand.constant.isFloat()) return unfit("a predicate", operand);
      // mov.pred takes a constant directly.
      if (match_.opcode.entry->op != Op::kMov) return needRegister(operand, Type::kPred, type);
      return push({.kind = Operand::Kind::kImmediate, .bits = operand.constant.bits == 0 ? 0U : 1U});
    }
    const std::optional<uint64_t> bits = constantAs(operand.constant, type);
    if (!bits) return refuse(fmt::format("the constant '{}' is not a .{}", operand.name, typeName(type)));
    return push({.kind = Operand::Kind::kImmediate, .bits = *bits});
  }

  bool needRegister(const RawOperand& operand, Type has, Type wanted) {
    if (wanted != Type::kPred && !registerFits(has, wanted, true))
      return unfit("a value of this width", operand);
    binding_.needs.push_back({binding_.instruction.operands.size(), has, operand});
    return push({.kind = Operand::Kind::kRegister});
  }

  // ld.v4, st.v4: each part is bound as a scalar would be.
  bool bindVector(const OperandPattern& pattern, const RawOperand& operand, uint32_t length) {
    if (operand.kind != Kind::kVector || operand.parts.size() != length) {
      return unfit(fmt::format("a vector of {}", length), operand);
    }
    OperandPattern scalar = pattern;
    scalar.may_be_vector = false;
    scalar.may_be_sink = pattern.is_destination;
    return bindParts(scalar, operand);
  }

  // The registers of a lane's part of a matrix; a single one may be written without braces.
  bool bindFragment(const OperandPattern& pattern, const RawOperand& operand) {
    const Instruction& instruction = binding_.instruction;
    uint32_t length = instruction.modifiers.vector;
    Type type = Type::kB32;
    if (instruction.modifiers.m > 0) {
      const FragmentOperand fragment = fragmentOperand(instruction, pattern.name.front());
      length = fragmentRegisters(instruction.modifiers, fragment.role, fragment.element);
      type = fragmentRegisterType(fragment.element);
    }
    OperandPattern scalar = pattern;
    scalar.shape = Shape::kValue;
    scalar.type_from = OperandPattern::TypeFrom::kFixed;
    scalar.fixed = type;
    RawOperand parts = operand;
    if (length == 1 && operand.kind == Kind::kRegister) {
      parts.kind = Kind::kVector;
      parts.parts = {operand};
    }
    return bindVector(scalar, parts, length);
  }

  bool bindParts(const OperandPattern& scalar, const RawOperand& operand) {
    std::vector<Operand> before;
    std::swap(before, binding_.instruction.operands);
    for (const RawOperand& part : operand.parts) {
      if (!part.second.empty()) return unfit("a register", part);
      if (!bindValue(scalar, part)) return false;
    }
    std::swap(before, binding_.instruction.operands);
    return push({.kind = Operand::Kind::kVector, .parts = std::move(before)});
  }

  // mov between a register and the parts that fill it.
  bool bindPack(const OperandPattern& pattern, const RawOperand& operand) {
    const size_t count = operand.parts.size();
    if (operand.kind != Kind::kVector || (count != 2 && count != 4))
      return unfit("a vector of 2 or 4", operand);
    static constexpr std::pair<uint32_t, Type> kBySize[] = {
        {1, Type::kB8}, {2, Type::kB16}, {4, Type::kB32}, {8, Type::kB64}};
    OperandPattern scalar = pattern;
    scalar.shape = Shape::kValue;
    scalar.type_from = OperandPattern::TypeFrom::kFixed;
    scalar.fixed = Type::kNone;
    scalar.may_be_sink = pattern.is_destination;
    for (const auto& [bytes, type] : kBySize) {
      if (bytes * count == bytesOf(match_.opcode.types[0])) scalar.fixed = type;
    }
    if (scalar.fixed == Type::kNone) return unfit("a vector of fewer parts", operand);
    return bindParts(scalar, operand);
  }

  bool bindAddress(const RawOperand& operand) {
    Operand address = operand.operand;
    if (!operand.parts.empty()) return refuse("an address takes no coordinates");
    if (operand.kind == Kind::kVariable && operand.is_indexed) {
      address.kind = Operand::Kind::kAddress;
    } else if (operand.kind != Kind::kAddress) {
      return unfit("an address [...]", operand);
    }
    Space& space = binding_.instruction.space;
    const bool of_variable = !address.has_base && !address.absolute;
    if (of_variable && space == Space::kGeneric) space = operand.space;
    if (of_variable && spaceOfAddress() != operand.space)
      return unfit("an address of the state space that it must have here", operand);
    if (address.has_base && !isAddressRegister(operand.type))
      return unfit("an address of 32 or 64 bits", operand);
    return push(address);
  }

  // Where the variable must be whose address is the next operand: copies have several addresses. A block's
  // own variable is in the shared memory of its cluster.
  Space spaceOfAddress() const {
    const Instruction& instruction = binding_.instruction;
    const size_t at = instruction.operands.size();
    const bool bulk = instruction.op == Op::kBulkCopy || instruction.op == Op::kBulkReduce;
    if (instruction.op == Op::kCpAsync) return at == 0 ? Space::kShared : Space::kGlobal;
    if (bulk && at == 0)
      return instruction.modifiers.bulk == BulkWay::kStore ? Space::kGlobal : Space::kShared;
    if (bulk && at == 1)
      return instruction.modifiers.bulk == BulkWay::kLoad ? Space::kGlobal : Space::kShared;
    return bulk || isShared(instruction.space) ? Space::kShared : instruction.space;
  }

  // [handle, {x, y}]: the handle is a register of 64 bits, for a tensor its map's address; each coordinate is
  // bound as a value. 3D textures have a fourth, which is ignored (9.7.10.1).
  bool bindImage(const OperandPattern& pattern, const RawOperand& operand) {
    const size_t count = match_.opcode.modifiers.dimensions;
    const Op op = match_.opcode.entry->op;
    const bool tensor = op == Op::kBulkCopy || op == Op::kPrefetch;
    const char* what = tensor ? "a tensor map [a, {x, ...}]" : "a texture or surface [a, {x, ...}]";
    if (operand.kind != Kind::kAddress) return unfit(what, operand);
    if (!operand.operand.has_base || bytesOf(operand.type) != 8) {
      return refuse(
          tensor ? "the tensor map's address must be in a register of 64 bits"
                 : "the texture or surface must be an object's handle in a register of 64 bits; references "
                   "(.texref, .surfref) are not supported");
    }
    const bool fourth = !tensor && count == 3 && operand.parts.size() == 4;
    if (operand.parts.size() != count && !fourth) {
      return refuse(fmt::format("{} coordinate{} expected, not {}", count, count == 1 ? " is" : "s are",
                                operand.parts.size()));
    }
    OperandPattern scalar = pattern;
    scalar.shape = Shape::kValue;
    RawOperand coordinates = operand;
    coordinates.parts.resize(count);
    if (!bindParts(scalar, coordinates)) return false;
    Operand image = operand.operand;
    image.parts = std::move(binding_.instruction.operands.back().parts);
    binding_.instruction.operands.back() = std::move(image);
    return true;
  }

  bool bindVariable(const RawOperand& operand) {
    if (operand.kind != Kind::kVariable && operand.kind != Kind::kFunction) {
      return unfit("the name of a variable or function", operand);
    }
    const bool is_cvta = match_.opcode.entry->op == Op::kCvta;
    const Space space = isShared(match_.opcode.space) ? Space::kShared : match_.opcode.space;
    if (match_.opcode.entry->op != Op::kMov && match_.opcode.entry->op != Op::kMoveAddress &&
        operand.space != space)
      return unfit("a variable of that state space", operand);
    const bool narrow = bytesOf(match_.opcode.types[0]) == 4;
    const bool wide_only = operand.kind == Kind::kFunction || operand.space == Space::kGlobal ||
                           operand.space == Space::kConst || is_cvta;
    if (narrow && wide_only) return refuse(fmt::format("the address of '{}' takes 64 bits", operand.name));
    return push(operand.operand);
  }

  bool bindSpecial(const RawOperand& operand) {
    if (operand.kind != Kind::kSpecial) return unfit("a special register", operand);
    const bool is_predicate = operand.special.type == Type::kPred;
    if (is_predicate != (match_.opcode.types[0] == Type::kPred))
      return refuse(fmt::format("{} is {}a predicate", operand.name, is_predicate ? "" : "not "));
    const uint32_t has = bytesOf(operand.special.type), takes = bytesOf(match_.opcode.types[0]);
    // %gridid used to have 32 bits (10.7); a 16-bit mov takes the lower half of a 32-bit register.
    const bool fits = has == takes || (has == 4 && takes == 2) ||
                      (operand.special.special == Special::kGridid && takes == 4);
    if (!fits) return refuse(fmt::format("{} has {} bits", operand.name, has * 8));
    return push({.kind = Operand::Kind::kSpecial, .special = operand.special.special});
  }

  bool checkSpecialRules() {
    const Instruction& instruction = binding_.instruction;
    if (instruction.op == Op::kCpAsync) {
      const uint64_t bytes = instruction.operands[2].bits;
      const bool only_16 = instruction.modifiers.cache == CacheOp::kCg;
      if (bytes != 16 && (only_16 || (bytes != 4 && bytes != 8))) {
        return refuse(only_16 ? "cp.async.cg copies 16 bytes" : "cp.async.ca copies 4, 8 or 16 bytes");
      }
    }
    if (instruction.op == Op::kMbarrierArrive && instruction.space == Space::kSharedCluster &&
        instruction.operands[0].kind != Operand::Kind::kSink) {
      return refuse("an mbarrier of another block gives no state: the destination must be _");
    }
    const uint32_t bytes = bytesOf(instruction.types[0]) * instruction.modifiers.vector;
    const bool moves = instruction.op == Op::kStAsync || instruction.op == Op::kLd ||
                       instruction.op == Op::kSt || instruction.op == Op::kSuld ||
                       instruction.op == Op::kSust;
    if (moves && bytes > 16) {
      return refuse("a vector of more than 16 bytes is not supported");
    }
    return true;
  }

  const FormMatch& match_;
  Binding& binding_;
  std::string why_;
  size_t progress_ = 0;
};

}  // namespace

bool bindOperands(const OpcodeMeaning& meaning, const std::vector<RawOperand>& operands, Binding& binding,
                  std::string& why) {
  size_t furthest = 0;
  for (const FormMatch& match : meaning.matches) {
    binding = {};
    Binder binder(match, binding);
    if (binder.run(operands)) return true;
    // Among several forms, the one that matched furthest explains best what is wrong.
    if (why.empty() || binder.progress() > furthest) why = binder.why();
    furthest = std::max(furthest, binder.progress());
  }
  return false;
}

}  // namespace warpscope::ptx
