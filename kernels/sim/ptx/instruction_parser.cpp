#include "kernels/sim/ptx/function_parser.h"
#include "kernels/sim/ptx/types.h"

namespace warpscope::ptx {
namespace {

constexpr size_t kMostTextInMessage = 160;

std::string shortened(const std::string& text) {
  return text.size() <= kMostTextInMessage ? text : text.substr(0, kMostTextInMessage) + "...";
}

}  // namespace

void FunctionParser::parseInstruction() {
  const size_t begin = state_.cursor.position;
  const Token& first = state_.cursor.peek();
  Instruction instruction;
  std::string why;
  results_to_load_.clear();
  arguments_to_store_.clear();
  bool understood = parseGuard(instruction.guard, why);
  if (understood) {
    const Token& opcode = state_.cursor.peek();
    if (opcode.kind != Token::Kind::kName) {
      return state_.failAt(opcode.line, fmt::format("an instruction is expected, not {}", describe(opcode)));
    }
    state_.cursor.next();
    understood = parseOperation(opcode.text, instruction, why);
  }
  if (understood && !state_.cursor.peek().is(";")) {
    understood = false;
    why = fmt::format("{} is not expected here", describe(state_.cursor.peek()));
  }
  if (!understood) return refuseStatement(begin, why);
  state_.cursor.next();
  statement_text_ = state_.textFrom(first);
  if (instruction.op == Op::kRet) {
    emitReturn(std::move(instruction));
  } else {
    emit(std::move(instruction));
  }
}

// Refuses the whole statement, wherever in it parsing stopped, and continues after it.
void FunctionParser::refuseStatement(size_t begin, const std::string& why) {
  results_to_load_.clear();
  arguments_to_store_.clear();
  TokenCursor& cursor = state_.cursor;
  cursor.position = begin;
  const Token& first = cursor.peek();
  int depth = 0;
  while (cursor.peek().kind != Token::Kind::kEnd && !cursor.peek().is(";")) {
    depth += cursor.peek().is("{") ? 1 : cursor.peek().is("}") ? -1 : 0;
    if (depth < 0) break;
    cursor.next();
  }
  const std::string text = shortened(state_.textFrom(first));
  cursor.accept(";");
  state_.refuseAt(first.line, fmt::format("{}: {}", text, why));
}

bool FunctionParser::parseGuard(Operand& guard, std::string& why) {
  if (!state_.cursor.accept("@")) return true;
  const bool negated = state_.cursor.accept("!");
  const Token& name = state_.cursor.next();
  const auto known = name.kind == Token::Kind::kName ? scopes_.findRegister(name.text) : std::nullopt;
  if (!known || known->type != Type::kPred) {
    why = fmt::format("the guard {} is not a predicate register", describe(name));
    return false;
  }
  guard = {.kind = Operand::Kind::kRegister, .negated = negated, .index = known->index};
  return true;
}

bool FunctionParser::parseOperation(std::string_view opcode, Instruction& instruction, std::string& why) {
  const Operand guard = instruction.guard;
  const OpcodeMeaning& meaning = state_.opcodes.meaning(opcode);
  if (meaning.matches.empty()) {
    why = meaning.why;
    return false;
  }
  if (meaning.matches.front().opcode.entry->op == Op::kCall) return parseCall(meaning, instruction, why);
  const std::optional<std::vector<RawOperand>> operands = reader_.readAll(why);
  Binding binding;
  if (!operands || !bindOperands(meaning, *operands, binding, why)) return false;
  instruction = std::move(binding.instruction);
  instruction.guard = guard;
  for (const NeedsRegister& need : binding.needs) {
    instruction.operands[need.operand].index = emitIntoRegister(need, instruction);
  }
  const auto place = static_cast<uint32_t>(function_.instructions.size());
  if (!binding.label.empty()) scopes_.useLabel({binding.label, place, -1, statement_line_});
  return binding.targets.empty() || resolveTargets(binding.targets, instruction, why);
}

bool FunctionParser::resolveTargets(std::string_view name, Instruction& instruction, std::string& why) {
  const std::vector<std::string_view>* labels = scopes_.findTargets(name);
  if (labels == nullptr) {
    why = fmt::format("there is no list of targets '{}' before this", name);
    return false;
  }
  const auto place = static_cast<uint32_t>(function_.instructions.size());
  instruction.targets.resize(labels->size());
  for (size_t i = 0; i < labels->size(); ++i) {
    scopes_.useLabel({(*labels)[i], place, static_cast<int32_t>(i), statement_line_});
  }
  return true;
}

void FunctionParser::emit(Instruction instruction) {
  const Instruction like = [&] {
    Instruction result;
    result.guard = instruction.guard;
    return result;
  }();
  for (const auto& [variable, value] : arguments_to_store_) {
    const Type type = function_.variables[variable].type;
    emitParameterMove(Op::kSt, variable, value.operand, type, like);
  }
  arguments_to_store_.clear();
  instruction.source = source_;
  instruction.ptx_line = statement_line_;
  instruction.text = statement_text_;
  function_.instructions.push_back(std::move(instruction));
  for (const auto& [variable, value] : results_to_load_) {
    emitParameterMove(Op::kLd, variable, value.operand, function_.variables[variable].type, like);
  }
  results_to_load_.clear();
}

const OpcodeEntry* FunctionParser::entryOf(std::string_view opcode, Op op) {
  for (const FormMatch& match : state_.opcodes.meaning(opcode).matches) {
    if (match.opcode.entry->op == op) return match.opcode.entry;
  }
  return nullptr;
}

// Brings a special register or a constant predicate into a new register by a mov.
uint32_t FunctionParser::emitIntoRegister(const NeedsRegister& need, const Instruction& like) {
  Instruction mov;
  const bool is_special = need.source.kind == RawOperand::Kind::kSpecial;
  mov.op = is_special ? Op::kReadSpecial : Op::kMov;
  mov.types[0] = need.type;
  mov.entry = entryOf(fmt::format("mov.{}", typeName(need.type)), mov.op);
  mov.guard = like.guard;
  const uint32_t index = scopes_.makeRegister(need.source.name, need.type);
  mov.operands.push_back({.kind = Operand::Kind::kRegister, .index = index});
  if (is_special) {
    mov.operands.push_back({.kind = Operand::Kind::kSpecial, .special = need.source.special.special});
  } else {
    const uint64_t bit = need.source.constant.bits == 0 ? 0 : 1;
    mov.operands.push_back({.kind = Operand::Kind::kImmediate, .bits = bit});
  }
  mov.source = source_;
  mov.ptx_line = statement_line_;
  mov.text = fmt::format("mov.{} _, {};", typeName(need.type), need.source.name);
  function_.instructions.push_back(std::move(mov));
  return index;
}

// Emits st.param or ld.param for a register that the text passes directly.
void FunctionParser::emitParameterMove(Op op, uint32_t variable, const Operand& value, Type type,
                                       const Instruction& like) {
  Instruction move;
  move.op = op;
  move.types[0] = type;
  move.space = Space::kParam;
  const char* name = op == Op::kLd ? "ld" : "st";
  move.entry = entryOf(fmt::format("{}.param.{}", name, typeName(type)), op);
  move.guard = like.guard;
  Operand address{.kind = Operand::Kind::kAddress, .local = true, .index = variable};
  move.operands = {value, std::move(address)};
  if (op == Op::kSt) std::swap(move.operands[0], move.operands[1]);
  move.source = source_;
  move.ptx_line = statement_line_;
  move.text = fmt::format("{}.param.{} ({});", name, typeName(type), function_.variables[variable].name);
  function_.instructions.push_back(std::move(move));
}

void FunctionParser::emitReturn(Instruction instruction) {
  for (const RegisterParameter& result : register_results_) {
    Operand value{.kind = Operand::Kind::kRegister};
    value.index = scopes_.findRegister(result.name)->index;
    emitParameterMove(Op::kSt, result.variable, value, result.type, instruction);
  }
  emit(std::move(instruction));
}

}  // namespace warpscope::ptx
