// Reads one function's body: declarations, labels, scopes and instructions. Owns the function until take();
// errors go to the ParserState.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/sim/ptx/binder.h"
#include "kernels/sim/ptx/operands.h"
#include "kernels/sim/ptx/parser_state.h"
#include "kernels/sim/ptx/scopes.h"

namespace warpscope::ptx {

// A parameter or result of a device function that the text declares as a register. Here all of them are in
// .param space: parameters are loaded into their register at the beginning, and results are stored before
// each return.
struct RegisterParameter {
  uint32_t variable = 0;
  std::string_view name;
  Type type = Type::kNone;
};

class FunctionParser {
 public:
  // `function` has its name, parameters and results; `names` are their names within the body.
  FunctionParser(ParserState& state, Function function, const std::vector<std::string_view>& names);

  void addRegisterParameters(const std::vector<RegisterParameter>& parameters,
                             std::vector<RegisterParameter> results);
  // Parses from the body's { to its }.
  void parseBody();
  Function take() { return std::move(function_); }

 private:
  // Directives and labels (function_parser.cpp).
  void parseStatement();
  void parseDirective();
  void parseRegisters();
  void parseBodyVariables(Space space);
  void parseLocation();
  void parseLabel();
  void finish(uint32_t line);

  // Instructions (instruction_parser.cpp).
  void parseInstruction();
  void refuseStatement(size_t begin, const std::string& why);
  bool parseGuard(Operand& guard, std::string& why);
  bool parseOperation(std::string_view opcode, Instruction& instruction, std::string& why);
  bool parseCall(const OpcodeMeaning& meaning, Instruction& instruction, std::string& why);
  bool resolveTargets(std::string_view name, Instruction& instruction, std::string& why);
  void emit(Instruction instruction);
  uint32_t emitIntoRegister(const NeedsRegister& need, const Instruction& like);
  void emitParameterMove(Op op, uint32_t variable, const Operand& value, Type type, const Instruction& like);
  void emitReturn(Instruction instruction);
  const OpcodeEntry* entryOf(std::string_view opcode, Op op);

  // Calls (call_parser.cpp).
  struct CallOperands;
  bool readCallList(std::vector<RawOperand>& list, std::string& why);
  bool readCallee(CallOperands& call, std::string& why);
  bool signatureOf(const CallOperands& call, Signature& signature, std::string& why);
  bool passAll(const std::vector<RawOperand>& given, const std::vector<Variable>& wanted, bool results,
               std::vector<uint32_t>& variables, std::string& why);

  ParserState& state_;
  Function function_;
  Scopes scopes_;
  OperandReader reader_;
  std::vector<RegisterParameter> register_results_;
  SourceLine source_;
  // A place inside an inlined function -> the outermost caller's.
  std::map<SourcePoint, SourcePoint> inlined_at_;
  // The instruction being parsed.
  uint32_t statement_line_ = 0;
  std::string statement_text_;
  std::vector<std::pair<uint32_t, RawOperand>> results_to_load_;  // after a call: variable, register
  std::vector<std::pair<uint32_t, RawOperand>> arguments_to_store_;
};

}  // namespace warpscope::ptx
