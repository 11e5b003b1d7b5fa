#include "kernels/sim/simt/decode_instruction.h"

#include <algorithm>

#include "kernels/sim/ptx/opcode_table.h"
#include "kernels/sim/simt/instruction_kind.h"
#include "kernels/sim/simt/interpreter_state.h"
#include "kernels/sim/simt/matrix_multiply.h"
#include "kernels/sim/simt/table_operands.h"

namespace warpscope::sim {
namespace {

using ptx::Op;
using ptx::Operand;
using ptx::Space;
using ptx::Type;
using OperandKind = ptx::Operand::Kind;

// Whether a GPU leaves some operands of this instruction to a subroutine.
bool hasRareCases(const Instruction& in) {
  if (in.kind != Kind::kRegister || (in.type != ptx::Type::kF32 && in.type != ptx::Type::kF64)) return false;
  if (in.modifiers.approx || in.modifiers.full) return false;
  return in.op == ptx::Op::kDiv || in.op == ptx::Op::kRcp || in.op == ptx::Op::kSqrt;
}

}  // namespace

tl::unexpected<Error> InstructionDecoder::refuse(const std::string& why) const {
  return fail(ErrorKind::kBadRequest, "{}:{}: {}: {}", module_.name, from_->ptx_line, from_->text, why);
}

Row InstructionDecoder::constant(uint64_t bits, uint32_t bytes) {
  if (bytes < 8)
    bits &= bytes == 1 ? 0xFFU : bytes == 2 ? 0xFFFFU : 0xFFFFFFFFU;  // 8- and 16-bit values: zero-extended
  const uint32_t rows = std::max(bytes / 4, 1U);
  const auto [at, is_new] =
      constants_.try_emplace({bits, rows}, static_cast<uint32_t>(code_.constants.size() / kRowWords));
  if (is_new) {
    for (uint32_t lane = 0; lane < 32; ++lane) {
      code_.constants.push_back(static_cast<uint32_t>(bits));
      if (rows >= 2) code_.constants.push_back(static_cast<uint32_t>(bits >> 32));
    }
    if (rows == 4) code_.constants.resize(code_.constants.size() + 64, 0);  // the upper halves of 128 bits
  }
  return constantRow(at->second);
}

const ptx::Variable& InstructionDecoder::variable(const Operand& operand) const {
  return operand.local ? function_->function->variables[operand.index] : module_.variables[operand.index];
}

bool InstructionDecoder::isKernelParameter(const Operand& operand) const {
  return operand.local && function_->is_kernel_parameter[operand.index];
}

uint64_t InstructionDecoder::placeOf(const Operand& operand) const {
  const ptx::Variable& named = variable(operand);
  const auto offset = static_cast<uint64_t>(operand.offset);
  if (operand.local) return function_->variables[operand.index] + offset;
  if (named.space == Space::kShared) return layout_.shared_offsets[operand.index] + offset;
  return loaded_.variable_addresses[operand.index] + offset;
}

Type InstructionDecoder::widthOf(const Operand& operand) const {
  if (operand.kind != OperandKind::kRegister) return Type::kNone;
  return bitsOf(ptx::bytesOf(function_->function->registers[operand.index].type));
}

void InstructionDecoder::addSource(const Operand& operand, Type type) {
  const bool is_predicate = operand.kind == OperandKind::kRegister
                                ? function_->predicates[operand.index] != kNoPredicate
                                : type == Type::kPred;
  if (is_predicate) {
    const size_t at = out_.predicate_sources[0] == kNoPredicate && !out_.predicate_source_negated[0] ? 0 : 1;
    if (operand.kind == OperandKind::kRegister) {
      out_.predicate_sources[at] = function_->predicates[operand.index];
      out_.predicate_source_negated[at] = operand.negated;
    } else {
      out_.predicate_source_negated[at] = operand.bits == 0;
    }
    return;
  }
  const Row row = operand.kind == OperandKind::kRegister ? function_->rows[operand.index]
                                                         : constant(operand.bits, ptx::bytesOf(type));
  if (out_.source_count < out_.sources.size()) out_.sources[out_.source_count++] = row;
}

void InstructionDecoder::addDestination(const Operand& operand) {
  if (out_.destination_count >= out_.destinations.size()) return;
  const bool known = operand.kind == OperandKind::kRegister;
  out_.destinations[out_.destination_count++] = known ? function_->rows[operand.index] : Row{kSinkRow};
}

Expected<void> InstructionDecoder::decodeAddress(const Operand& operand) {
  out_.immediate = static_cast<uint64_t>(operand.offset);
  if (operand.has_base) {
    out_.address_bits = ptx::bytesOf(function_->function->registers[operand.index].type) == 8 ? 64 : 32;
    out_.sources[0] = function_->rows[operand.index];
    if (out_.space == Space::kParam) out_.space = Space::kGeneric;  // parameters have generic addresses here
  } else {
    out_.address_bits = 0;
    out_.sources[0] = constant(0, 8);
    if (!operand.absolute) {
      const Space space = variable(operand).space;
      if (out_.space == Space::kGeneric || (out_.space == Space::kGlobal && space == Space::kConst))
        out_.space = space;
      if (out_.space == Space::kSharedCluster) out_.space = space;  // the block's own
      if (out_.space != space) return refuse("a variable of another state space");
      out_.immediate = placeOf(operand);
    } else if (out_.space == Space::kParam) {
      return refuse("a parameter without a name");
    }
  }
  out_.source_count = 1;
  return {};
}

// ld, st, atom, red, mbarrier: the address is sources[0], whatever precedes it in the text.
Expected<void> InstructionDecoder::decodeMemory() {
  const auto patterns = tableOperands(from_->entry->operands);
  const auto address =
      std::find_if(from_->operands.begin(), from_->operands.end(),
                   [](const Operand& operand) { return operand.kind == OperandKind::kAddress; });
  if (address == from_->operands.end()) return refuse("no address");
  if (auto decoded = decodeAddress(*address); !decoded) return decoded;
  if (from_->op == Op::kImageQuery && out_.address_bits != 64)
    return refuse("the texture or surface must be an object's handle in a register of 64 bits");
  const bool parameter = out_.kind == Kind::kLoad || out_.kind == Kind::kStore;
  if (parameter && !address->has_base && !address->absolute && isKernelParameter(*address)) {
    if (out_.kind == Kind::kStore) return refuse("a kernel's parameters are constant");
    out_.kind = Kind::kLoadParameter;
    if (out_.immediate + uint64_t{ptx::bytesOf(out_.type)} * out_.vector > layout_.parameter_bytes ||
        out_.immediate > layout_.parameter_bytes) {
      return refuse("beyond the kernel's parameters");
    }
  }
  Type width = Type::kNone;
  for (size_t i = 0; i < from_->operands.size(); ++i) {
    const Operand& operand = from_->operands[i];
    const TableOperand pattern = i < patterns.size() ? patterns[i] : TableOperand{};
    if (operand.kind == OperandKind::kAddress) {  // a texture or surface has coordinates
      for (const Operand& part : operand.parts) addSource(part, typeOf(pattern, *from_));
      continue;
    }
    const auto& parts = operand.parts;
    for (const Operand& part : parts) {
      const Type of = widthOf(part);
      if (of != Type::kNone && width != Type::kNone && of != width)
        return refuse("registers of different widths");
      if (of != Type::kNone) width = of;
    }
    if (parts.empty() && (out_.kind != Kind::kMbarrier && out_.kind != Kind::kAtomic)) {
      width = widthOf(operand) == Type::kNone ? width : widthOf(operand);
    }
    if (pattern.is_predicate_destination) {
      if (operand.kind == OperandKind::kRegister)
        out_.predicate_destinations[0] = function_->predicates[operand.index];
    } else if (pattern.is_destination) {
      if (parts.empty()) addDestination(operand);
      for (const Operand& part : parts) addDestination(part);
    } else {
      if (parts.empty()) addSource(operand, typeOf(pattern, *from_));
      // An immediate among registers that are wider than the type gets a row as wide as theirs.
      const Type wider = ptx::bytesOf(width) > ptx::bytesOf(out_.type) ? width : out_.type;
      for (const Operand& part : parts) addSource(part, wider);
    }
    if (!parts.empty()) out_.vector = static_cast<uint8_t>(parts.size());
  }
  if (out_.kind == Kind::kLoad || out_.kind == Kind::kStore || out_.kind == Kind::kLoadParameter) {
    out_.type2 = width != Type::kNone ? width : bitsOf(ptx::bytesOf(out_.type));
  }
  return {};
}

// mapa, getctarank and isspacep.shared: `immediate` is a variable's place, if there is one; the rank is the
// last source.
Expected<void> InstructionDecoder::decodeClusterAddress() {
  if (from_->op == Op::kIsspacep) return decodeOperands();
  addDestination(from_->operands[0]);
  out_.address_bits = ptx::bytesOf(out_.type) == 8 ? 64 : 32;
  const Operand& of = from_->operands[1];
  if (of.kind == OperandKind::kVariable) {
    out_.address_bits = 0;
    out_.immediate = placeOf(of);
  } else {
    addSource(of, out_.type);
  }
  if (from_->op == Op::kMapa) addSource(from_->operands[2], Type::kU32);
  return {};
}

// isspacep.const: `immediate` and the `target` bytes from there on hold the module's const variables, which
// were placed one after another.
void InstructionDecoder::addConstWindow() {
  uint64_t begin = 0, end = 0;
  for (size_t i = 0; i < module_.variables.size(); ++i) {
    if (module_.variables[i].space != Space::kConst) continue;
    const uint64_t address = loaded_.variable_addresses[i];
    begin = begin == 0 ? address : std::min(begin, address);
    end = std::max(end, address + module_.variables[i].bytes);
  }
  out_.immediate = begin;
  out_.target = static_cast<uint32_t>(end - begin);
}

// mov of an address, and cvta of a variable's address.
Expected<void> InstructionDecoder::decodeMoveAddress() {
  const Operand& of = from_->operands[1];
  addDestination(from_->operands[0]);
  const uint32_t bytes = std::max(ptx::bytesOf(out_.type), 4U);
  if (of.kind == OperandKind::kFunction) {
    out_.sources[0] = constant(kFunctionWindow + uint64_t{of.index} * 16, bytes);
  } else {
    uint64_t place = placeOf(of);
    const Space space = variable(of).space;
    const bool in_frame = space == Space::kLocal || (space == Space::kParam && !isKernelParameter(of));
    const bool to_generic = from_->op == Op::kCvta;
    out_.space = space;
    if (space == Space::kParam) place += in_frame ? kLocalWindow : kParameterWindow;
    if (to_generic && space == Space::kShared) place += kSharedWindow;
    if (to_generic && space == Space::kLocal) place += kLocalWindow;
    if (in_frame) {
      out_.kind = Kind::kLocalAddress;
      out_.immediate = place;
      out_.type2 = bitsOf(bytes);
      return {};
    }
    out_.sources[0] = constant(place, bytes);
  }
  out_.source_count = 1;
  ptx::Instruction move;
  move.op = Op::kMov;
  move.types[0] = bitsOf(bytes);
  out_.op = Op::kMov;
  out_.handler = selectHandler(move);
  return {};
}

Expected<void> InstructionDecoder::decodeCall() {
  const Operand& callee = from_->operands[0];
  const auto& variables = function_->function->variables;
  std::vector<uint32_t> places;
  const auto add_places = [&](const std::vector<uint32_t>& indices) {
    for (const uint32_t i : indices) {
      places.push_back(static_cast<uint32_t>(function_->variables[i]));
      places.push_back(static_cast<uint32_t>(variables[i].bytes));
    }
  };
  add_places(from_->call_arguments);
  add_places(from_->call_results);
  if (callee.kind == OperandKind::kFunction) {
    const ptx::Function& function = module_.functions[callee.index];
    if (isProvided(function)) {
      out_.kind = function.name == "vprintf"                   ? Kind::kPrint
                  : function.name == "cudaGraphSetConditional" ? Kind::kSetCondition
                                                               : Kind::kTrap;
      if (out_.kind == Kind::kSetCondition && (places.size() != 4 || places[1] != 8 || places[3] != 4))
        return refuse("cudaGraphSetConditional takes a handle of 64 bits and a value of 32");
      if (out_.kind == Kind::kPrint &&
          (places.size() < 4 || places[1] < 8 || places[3] < 8 || (places.size() > 4 && places[5] < 4))) {
        return refuse("vprintf takes a format and the address of its arguments");
      }
    } else {
      const auto matches = [&](const std::vector<uint32_t>& formal, const std::vector<uint32_t>& actual) {
        return std::equal(
            formal.begin(), formal.end(), actual.begin(), actual.end(),
            [&](uint32_t f, uint32_t a) { return function.variables[f].bytes == variables[a].bytes; });
      };
      if (!matches(function.parameters, from_->call_arguments) ||
          !matches(function.results, from_->call_results)) {
        return refuse(fmt::format("{} has other parameters or results", function.name));
      }
      out_.target =
          layout_.function_of.at(callee.index);  // becomes an instruction index once all are decoded
    }
  } else {
    if (widthOf(callee) != Type::kB64) return refuse("a function's address has 64 bits");
    out_.kind = Kind::kIndirectCall;
    addSource(callee, Type::kB64);
  }
  out_.table = static_cast<uint32_t>(code_.tables.size());
  code_.tables.push_back(std::move(places));
  return {};
}

Expected<void> InstructionDecoder::decodeOperands() {
  const auto patterns = tableOperands(from_->entry->operands);
  size_t predicates = 0;
  for (size_t i = 0; i < from_->operands.size(); ++i) {
    const Operand& operand = from_->operands[i];
    const TableOperand pattern = i < patterns.size() ? patterns[i] : TableOperand{};
    const Type type = typeOf(pattern, *from_);
    const bool is_predicate =
        operand.kind == OperandKind::kRegister && function_->predicates[operand.index] != kNoPredicate;
    if (pattern.is_destination) {
      if (is_predicate || pattern.is_predicate_destination ||
          (operand.kind == OperandKind::kSink && out_.destination_count > 0)) {
        if (is_predicate && predicates < 2)
          out_.predicate_destinations[predicates] = function_->predicates[operand.index];
        ++predicates;
      } else if (!operand.parts.empty()) {
        for (const Operand& part : operand.parts) addDestination(part);
        out_.vector = static_cast<uint8_t>(operand.parts.size());
      } else {
        addDestination(operand);
      }
    } else if (!operand.parts.empty()) {
      const Type part_type = bitsOf(ptx::bytesOf(type) / static_cast<uint32_t>(operand.parts.size()));
      for (const Operand& part : operand.parts) addSource(part, part_type);
      out_.vector = static_cast<uint8_t>(operand.parts.size());
    } else if (pattern.text == "i") {
      out_.immediate = operand.bits;
    } else if (operand.kind == OperandKind::kRegister || operand.kind == OperandKind::kImmediate) {
      addSource(operand, type);
    }
  }
  return {};
}

Expected<Instruction> InstructionDecoder::decode(const FunctionLayout& function, const ptx::Instruction& from,
                                                 uint32_t first) {
  function_ = &function;
  from_ = &from;
  first_ = first;
  out_ = {};
  out_.kind = kindOf(from);
  out_.op = from.op;
  out_.type = from.types[0];
  out_.type2 = from.types[1];
  out_.space = accessesImage(from.op) ? Space::kGlobal : from.space;
  out_.modifiers = from.modifiers;
  out_.modifiers.float_coordinates = from.op == Op::kTex && from.types[1] == Type::kF32;
  out_.vector = from.modifiers.vector;
  if (from.guard.kind == OperandKind::kRegister) {
    out_.guard = function.predicates[from.guard.index];
    out_.guard_negated = from.guard.negated;
  }
  if (auto decoded = decodeByKind().and_then([this] { return complete(); }); !decoded)
    return tl::unexpected(decoded.error());
  return out_;
}

Expected<void> InstructionDecoder::decodeByKind() {
  switch (out_.kind) {
    case Kind::kLoad:
    case Kind::kStore:
    case Kind::kAtomic:
    case Kind::kReduction:
    case Kind::kMbarrier:
      if (out_.kind == Kind::kMbarrier) out_.type = Type::kB64;
      return decodeMemory();
    case Kind::kAsyncCopy:
      return decodeAsyncCopy();
    case Kind::kBulkCopy:
    case Kind::kAsyncStore:
      return from_->modifiers.dimensions > 0 ? decodeTensor() : decodeBulk();
    case Kind::kClusterAddress:
      return decodeClusterAddress();
    case Kind::kCall:
      return decodeCall();
    case Kind::kBranch:
      out_.target = first_ + from_->operands[0].index;
      return {};
    case Kind::kIndirectBranch:
      addSource(from_->operands[0], Type::kU32);
      out_.table = static_cast<uint32_t>(code_.tables.size());
      code_.tables.emplace_back();
      for (const uint32_t target : from_->targets) code_.tables.back().push_back(first_ + target);
      return {};
    case Kind::kReadSpecial:
      out_.special = from_->operands[1].special;
      if (tellsTime(out_.special)) out_.kind = Kind::kClock;
      if (out_.type == Type::kPred) {
        out_.predicate_destinations[0] = function_->predicates[from_->operands[0].index];
        return {};
      }
      addDestination(from_->operands[0]);
      out_.type2 = widthOf(from_->operands[0]);
      return {};
    case Kind::kGridDependency:
    case Kind::kClusterBarrier:
    case Kind::kNothing:
      return {};
    case Kind::kRegister:
      if (from_->op == Op::kMoveAddress ||
          (from_->op == Op::kCvta && from_->operands[1].kind != OperandKind::kRegister &&
           from_->operands[1].kind != OperandKind::kImmediate)) {
        return decodeMoveAddress();
      }
      [[fallthrough]];
    default:
      return decodeOperands();
  }
}

// Sets the fields that depend on all operands: windows of addresses, widths of registers, the handler.
Expected<void> InstructionDecoder::complete() {
  if (from_->op == Op::kCvta && out_.handler == nullptr) {
    out_.immediate = ptx::isShared(from_->space)     ? kSharedWindow
                     : from_->space == Space::kLocal ? kLocalWindow
                                                     : 0;
  }
  if (from_->op == Op::kIsspacep && from_->space == Space::kConst) addConstWindow();
  if (from_->op == Op::kCvt) {
    const auto wider_bits = [&](const Operand& operand, ptx::Type type) {
      if (operand.kind != OperandKind::kRegister) return uint8_t{0};
      const uint32_t bytes = ptx::bytesOf(function_->function->registers[operand.index].type);
      return static_cast<uint8_t>(bytes > ptx::bytesOf(type) ? 8 * bytes : 0);
    };
    out_.destination_bits = wider_bits(from_->operands[0], from_->types[0]);
    out_.source_bits = wider_bits(from_->operands[1], from_->types[1]);
  }
  if (from_->op == Op::kMma || from_->op == Op::kMovmatrix) {  // all lanes are members
    out_.sources[out_.source_count++] = constant(0xFFFFFFFF, 4);
    out_.handler = selectMatrixHandler(*from_);
  }
  if (out_.kind == Kind::kWarpRegister || out_.kind == Kind::kWarpBarrier) {
    out_.member_source = static_cast<uint8_t>(out_.source_count - 1);
  }
  if (from_->op == Op::kMbarrierPendingCount) out_.handler = &Block::State::pendingCount;
  const bool handled = out_.kind == Kind::kRegister || out_.kind == Kind::kWarpRegister;
  if (handled && out_.handler == nullptr) out_.handler = selectHandler(*from_);
  if (handled && out_.handler == nullptr) return refuse("this form is not executed here");
  out_.ends_segment = endsSegment(out_);
  out_.has_rare_cases = hasRareCases(out_);
  return {};
}

}  // namespace warpscope::sim
