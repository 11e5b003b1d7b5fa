// The names that a function's body knows: registers, variables, labels and prototypes, in nested scopes ({
// ... }).
#pragma once

#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "kernels/sim/ptx/declarations.h"
#include "kernels/sim/ptx/module.h"

namespace warpscope::ptx {

// From a .callprototype, or from a function's own declaration.
struct Signature {
  std::vector<Variable> results, parameters;
};

// An instruction that names a label, kept until the label's place is known.
struct LabelUse {
  std::string_view label;
  uint32_t instruction = 0;
  int32_t target = -1;  // which of Instruction::targets; -1: the operand instead
  uint32_t line = 0;
};

struct KnownRegister {
  uint32_t index = 0;
  Type type = Type::kNone;
  uint32_t vector_length = 1;  // for .v2, .v4: registers index .. index + length - 1
};

class Scopes {
 public:
  explicit Scopes(Function& function) : function_(function) { open(); }

  void open() { scopes_.emplace_back(); }
  // Passes label uses that this scope cannot resolve to the enclosing one; at the outermost scope they are
  // returned.
  std::vector<LabelUse> close();
  size_t depth() const { return scopes_.size(); }

  // Returns false if the scope already has the name.
  bool addRegister(std::string_view name, Type type, uint32_t vector_length);
  // "%r<100>": %r0 .. %r99, each made when it is first used.
  void addRegisters(std::string_view prefix, uint64_t count, Type type);
  bool addVariable(std::string_view name, uint32_t index, bool local);
  bool addLabel(std::string_view name, uint32_t instruction);
  bool addTargets(std::string_view name, std::vector<std::string_view>&& labels);
  bool addSignature(std::string_view name, Signature&& signature);
  void useLabel(const LabelUse& use) { scopes_.back().uses.push_back(use); }
  // Makes a register that the text does not name.
  uint32_t makeRegister(std::string_view name, Type type);

  struct KnownVariable {
    uint32_t index = 0;
    bool local = true;  // the function's own; else the module's
  };
  std::optional<KnownRegister> findRegister(std::string_view name);
  std::optional<KnownVariable> findVariable(std::string_view name) const;
  // The variable that an operand names.
  const Variable& variable(const Operand& operand, const Module& module) const {
    return operand.local ? function_.variables[operand.index] : module.variables[operand.index];
  }
  const std::vector<std::string_view>* findTargets(std::string_view name) const;
  const Signature* findSignature(std::string_view name) const;

 private:
  struct Range {
    std::string_view prefix;
    uint64_t count = 0;
    Type type = Type::kNone;
  };
  struct Scope {
    std::unordered_map<std::string_view, KnownRegister> registers;
    std::vector<Range> ranges;
    std::unordered_map<std::string_view, KnownVariable> variables;
    std::unordered_map<std::string_view, uint32_t> labels;
    std::unordered_map<std::string_view, std::vector<std::string_view>> targets;
    std::unordered_map<std::string_view, Signature> signatures;
    std::vector<LabelUse> uses;
  };

  std::optional<KnownRegister> findWhole(std::string_view name);

  Function& function_;
  std::vector<Scope> scopes_;
};

}  // namespace warpscope::ptx
