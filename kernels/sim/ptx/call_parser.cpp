#include "kernels/sim/ptx/function_parser.h"
#include "kernels/sim/ptx/types.h"

namespace warpscope::ptx {

struct FunctionParser::CallOperands {
  std::vector<RawOperand> results, arguments;
  RawOperand callee;
  std::string_view prototype;  // of an indirect call; or a list of targets
};

// "(a, b)"
bool FunctionParser::readCallList(std::vector<RawOperand>& list, std::string& why) {
  TokenCursor& cursor = state_.cursor;
  cursor.next();
  if (cursor.accept(")")) return true;
  do {
    std::optional<RawOperand> operand = reader_.read(why);
    if (!operand) return false;
    list.push_back(std::move(*operand));
  } while (cursor.accept(","));
  if (!cursor.accept(")")) why = fmt::format("')' is expected before {}", describe(cursor.peek()));
  return why.empty();
}

// Reads "(results), callee, (arguments), prototype"; everything but the callee may be absent.
bool FunctionParser::readCallee(CallOperands& call, std::string& why) {
  TokenCursor& cursor = state_.cursor;
  if (cursor.peek().is("(")) {
    if (!readCallList(call.results, why)) return false;
    if (!cursor.accept(",")) return why = "a callee is expected after the results", false;
  }
  std::optional<RawOperand> callee = reader_.read(why);
  if (!callee) return false;
  call.callee = std::move(*callee);
  if (cursor.accept(",")) {
    if (cursor.peek().is("(")) {
      if (!readCallList(call.arguments, why)) return false;
      if (!cursor.accept(",")) return true;
    }
    call.prototype = cursor.next().text;
  }
  return true;
}

bool FunctionParser::signatureOf(const CallOperands& call, Signature& signature, std::string& why) {
  uint32_t callee = call.callee.operand.index;
  if (call.callee.kind == RawOperand::Kind::kRegister) {
    if (bytesOf(call.callee.type) != 8 || isFloat(call.callee.type)) {
      why = fmt::format("'{}' cannot hold the address of a function", call.callee.name);
      return false;
    }
    if (const Signature* known = scopes_.findSignature(call.prototype)) {
      signature = *known;
      return true;
    }
    const std::vector<std::string_view>* targets = scopes_.findTargets(call.prototype);
    const auto first = targets ? state_.functions.find(targets->front()) : state_.functions.end();
    if (first == state_.functions.end()) {
      why = "an indirect call needs a .callprototype or .calltargets before it";
      return false;
    }
    callee = first->second;
  } else if (call.callee.kind != RawOperand::Kind::kFunction) {
    why = fmt::format("there is no function '{}' before this", call.callee.name);
    return false;
  }
  const Function& function = state_.module.functions[callee];
  if (function.is_entry) {
    why = fmt::format("'{}' is a kernel, which cannot be called", function.name);
    return false;
  }
  for (const uint32_t i : function.results) signature.results.push_back(function.variables[i]);
  for (const uint32_t i : function.parameters) signature.parameters.push_back(function.variables[i]);
  return true;
}

// Finds the local .param variables that are passed; a register or constant gets a new one of its own.
bool FunctionParser::passAll(const std::vector<RawOperand>& given, const std::vector<Variable>& wanted,
                             bool results, std::vector<uint32_t>& variables, std::string& why) {
  const char* what = results ? "results" : "arguments";
  if (given.size() != wanted.size()) {
    why = fmt::format("{} {} are given, {} wanted", given.size(), what, wanted.size());
    return false;
  }
  for (size_t i = 0; i < given.size(); ++i) {
    const RawOperand& operand = given[i];
    const uint32_t index = operand.operand.index;
    if (operand.kind == RawOperand::Kind::kVariable && operand.space == Space::kParam &&
        operand.operand.local) {
      // A parameter without a size ends a variable argument list.
      const uint64_t has = function_.variables[index].bytes;
      if (has != wanted[i].bytes && wanted[i].bytes != 0) {
        why = fmt::format("'{}' has {} bytes, {} are wanted", operand.name, has, wanted[i].bytes);
        return false;
      }
      variables.push_back(index);
      continue;
    }
    const Type type = wanted[i].type;
    RawOperand value = operand;
    if (operand.kind == RawOperand::Kind::kConstant && !results) {
      const std::optional<uint64_t> bits = constantAs(operand.constant, type);
      value.operand = {.kind = Operand::Kind::kImmediate, .bits = bits.value_or(0)};
      if (!bits) value.kind = RawOperand::Kind::kName;
    }
    const bool fits = value.kind == RawOperand::Kind::kConstant ||
                      (value.kind == RawOperand::Kind::kRegister && registerFits(value.type, type, true));
    if (!fits || value.operand.negated || wanted[i].bytes != bytesOf(type)) {
      why = fmt::format("'{}' cannot be passed as a .{} of {} bytes", operand.name, typeName(type),
                        wanted[i].bytes);
      return false;
    }
    variables.push_back(static_cast<uint32_t>(function_.variables.size()));
    Variable passed = wanted[i];
    passed.name = operand.name;
    function_.variables.push_back(std::move(passed));
    (results ? results_to_load_ : arguments_to_store_).emplace_back(variables.back(), value);
  }
  return true;
}

bool FunctionParser::parseCall(const OpcodeMeaning& meaning, Instruction& instruction, std::string& why) {
  CallOperands call;
  Signature signature;
  if (!readCallee(call, why) || !signatureOf(call, signature, why)) return false;
  const OpcodeMatch& opcode = meaning.matches.front().opcode;
  instruction.op = Op::kCall;
  instruction.entry = opcode.entry;
  instruction.modifiers = opcode.modifiers;
  instruction.operands = {call.callee.operand};
  return passAll(call.results, signature.results, true, instruction.call_results, why) &&
         passAll(call.arguments, signature.parameters, false, instruction.call_arguments, why);
}

}  // namespace warpscope::ptx
