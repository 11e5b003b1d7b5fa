#include "kernels/sim/simt/decode_layout.h"

#include <algorithm>
#include <functional>
#include <set>

namespace warpscope::sim {

namespace {

using ptx::Operand;
using ptx::Space;

constexpr uint64_t kMostLocalBytes = 512
                                     << 10;  // per thread, CUDA C++ Programming Guide 13.0, table of limits
constexpr uint64_t kMostSharedBytes = 256 << 10;     // per block; a device may have less
constexpr uint64_t kMostParameterBytes = 32764;      // CUDA 12.1 and later
constexpr uint32_t kRecursionStackBytes = 32 << 10;  // per thread, where calls have no static bound
constexpr uint32_t kMostRows = 60000;

uint64_t align(uint64_t offset, uint32_t alignment) {
  const uint64_t unit = std::max(alignment, 1U);
  return (offset + unit - 1) / unit * unit;
}

// Visits every operand, including parts of vectors and guards.
void forEachOperand(const ptx::Instruction& instruction, const std::function<void(const Operand&)>& use) {
  if (instruction.guard.kind == Operand::Kind::kRegister) use(instruction.guard);
  for (const Operand& operand : instruction.operands) {
    use(operand);
    for (const Operand& part : operand.parts) use(part);
  }
}

// The functions that a kernel can call, directly or through pointers.
class CallGraph {
 public:
  CallGraph(const ptx::Module& module, uint32_t kernel) : module_(module) { reach(kernel); }

  const std::vector<uint32_t>& reached() const { return reached_; }
  const std::set<uint32_t>& callees(uint32_t function) const { return edges_.at(function); }

 private:
  void reach(uint32_t kernel) {
    visit(kernel);
    for (size_t next = 0; next < reached_.size();) {
      const uint32_t now = reached_[next++];
      bool indirect = false;
      for (const ptx::Instruction& in : module_.functions[now].instructions) {
        if (in.op != ptx::Op::kCall || in.operands.empty()) continue;
        if (in.operands[0].kind == Operand::Kind::kFunction) {
          edges_[now].insert(in.operands[0].index);
          visit(in.operands[0].index);
        } else {
          indirect = true;
        }
      }
      if (!indirect) continue;
      for (const uint32_t each : addressTaken()) {
        edges_[now].insert(each);
        visit(each);
      }
    }
  }
  void visit(uint32_t function) {
    if (!edges_.contains(function)) {
      edges_[function];
      reached_.push_back(function);
    }
  }
  const std::set<uint32_t>& addressTaken() {
    if (searched_) return taken_;
    searched_ = true;
    for (const ptx::Variable& variable : module_.variables) {
      for (const auto& relocation : variable.relocations) {
        if (relocation.is_function) taken_.insert(relocation.index);
      }
    }
    for (const ptx::Function& function : module_.functions) {
      for (const ptx::Instruction& in : function.instructions) {
        if (in.op == ptx::Op::kCall) continue;
        forEachOperand(in, [&](const Operand& operand) {
          if (operand.kind == Operand::Kind::kFunction) taken_.insert(operand.index);
        });
      }
    }
    std::erase_if(taken_, [&](uint32_t i) {
      return module_.functions[i].is_entry || module_.functions[i].is_declared_only;
    });
    return taken_;
  }

  const ptx::Module& module_;
  std::vector<uint32_t> reached_;
  std::map<uint32_t, std::set<uint32_t>> edges_;
  std::set<uint32_t> taken_;
  bool searched_ = false;
};

void placeRegisters(FunctionLayout& layout) {
  const ptx::Function& function = *layout.function;
  layout.rows.assign(function.registers.size(), Row{-1});
  layout.predicates.assign(function.registers.size(), kNoPredicate);
  for (const ptx::Instruction& in : function.instructions) {
    forEachOperand(in, [&](const Operand& operand) {
      const bool is_register = operand.kind == Operand::Kind::kRegister ||
                               (operand.kind == Operand::Kind::kAddress && operand.has_base);
      if (!is_register || operand.index >= function.registers.size()) return;
      if (layout.rows[operand.index].index >= 0 || layout.predicates[operand.index] != kNoPredicate) return;
      const ptx::Type type = function.registers[operand.index].type;
      if (type == ptx::Type::kPred) {
        layout.predicates[operand.index] = static_cast<PredicateIndex>(layout.predicate_count++);
        return;
      }
      layout.rows[operand.index] = {static_cast<int32_t>(layout.row_count)};
      layout.row_count += std::max(ptx::bytesOf(type) / 4, 1U);
    });
  }
}

class Placer {
 public:
  Placer(const LoadedModule& module, KernelLayout& layout) : module_(*module.module), layout_(layout) {}

  Expected<void> place(uint32_t kernel) {
    const CallGraph graph(module_, kernel);
    for (const uint32_t index : graph.reached()) {
      const ptx::Function& function = module_.functions[index];
      if (function.is_declared_only) {
        if (isProvided(function)) continue;
        return fail(ErrorKind::kBadRequest, "{}: kernel {} calls {}, which is declared but not defined",
                    module_.name, module_.functions[kernel].name, function.name);
      }
      layout_.function_of[index] = static_cast<uint32_t>(layout_.functions.size());
      layout_.functions.push_back({.module_index = index, .function = &function});
    }
    placeModuleShared();
    for (FunctionLayout& function : layout_.functions) {
      placeRegisters(function);
      if (function.row_count > kMostRows || function.predicate_count > kMostRows) {
        return fail(ErrorKind::kBadRequest, "{}: {} uses more than {} registers", module_.name,
                    function.function->name, kMostRows);
      }
      if (auto placed = placeVariables(function); !placed) return placed;
    }
    placeDynamicShared();
    if (shared_end_ > kMostSharedBytes) {
      return fail(ErrorKind::kBadRequest,
                  "{}: kernel {} has {} bytes of static shared memory; {} are possible", module_.name,
                  module_.functions[kernel].name, shared_end_, kMostSharedBytes);
    }
    layout_.static_shared_bytes = static_cast<uint32_t>(shared_end_);
    return measureStack(graph, kernel);
  }

 private:
  uint64_t placeShared(const ptx::Variable& variable) {
    shared_end_ = align(shared_end_, variable.alignment);
    const uint64_t offset = shared_end_;
    shared_end_ += std::min(variable.bytes, kMostSharedBytes + 1);
    return offset;
  }

  // Places the variables that the reached functions name; static ones in the order of the text.
  void placeModuleShared() {
    std::set<uint32_t> used;
    for (const FunctionLayout& function : layout_.functions) {
      for (const ptx::Instruction& in : function.function->instructions) {
        forEachOperand(in, [&](const Operand& operand) {
          const bool variable =
              operand.kind == Operand::Kind::kVariable ||
              (operand.kind == Operand::Kind::kAddress && !operand.has_base && !operand.absolute);
          if (variable && !operand.local && operand.index < module_.variables.size())
            used.insert(operand.index);
        });
      }
    }
    layout_.shared_offsets.assign(module_.variables.size(), 0);
    for (const uint32_t i : used) {
      if (module_.variables[i].space != Space::kShared) continue;
      if (module_.variables[i].bytes == 0) {
        dynamic_.push_back(i);
      } else {
        layout_.shared_offsets[i] = placeShared(module_.variables[i]);
      }
    }
  }
  void placeDynamicShared() {
    for (const uint32_t i : dynamic_) layout_.shared_offsets[i] = align(shared_end_, 16);
    for (const auto& [function, variable] : dynamic_local_) {
      layout_.functions[function].variables[variable] = align(shared_end_, 16);
    }
  }

  Expected<void> placeVariables(FunctionLayout& layout) {
    const ptx::Function& function = *layout.function;
    layout.variables.assign(function.variables.size(), 0);
    layout.is_kernel_parameter.assign(function.variables.size(), false);
    if (function.is_entry) {
      for (const uint32_t i : function.parameters) {
        const ptx::Variable& variable = function.variables[i];
        layout_.parameter_bytes = static_cast<uint32_t>(align(layout_.parameter_bytes, variable.alignment));
        layout.variables[i] = layout_.parameter_bytes;
        layout.is_kernel_parameter[i] = true;
        layout_.parameters.push_back({layout_.parameter_bytes, static_cast<uint32_t>(variable.bytes),
                                      variable.alignment, variable.type});
        if (variable.bytes > kMostParameterBytes ||
            layout_.parameter_bytes + variable.bytes > kMostParameterBytes) {
          return fail(ErrorKind::kBadRequest, "{}: kernel {} has more than {} bytes of parameters",
                      module_.name, function.name, kMostParameterBytes);
        }
        layout_.parameter_bytes += static_cast<uint32_t>(variable.bytes);
      }
    }
    uint64_t end = 0;
    const auto place_local = [&](Space space) -> Expected<void> {
      for (size_t i = 0; i < function.variables.size(); ++i) {
        const ptx::Variable& variable = function.variables[i];
        if (variable.space != space || layout.is_kernel_parameter[i]) continue;
        end = align(end, std::max(variable.alignment, 4U));
        layout.variables[i] = end;
        end += std::min(variable.bytes, kMostLocalBytes + 1);
        if (end > kMostLocalBytes) {
          return fail(ErrorKind::kBadRequest, "{}: {} has more than {} bytes of local memory", module_.name,
                      function.name, kMostLocalBytes);
        }
      }
      return {};
    };
    if (auto placed = place_local(Space::kLocal); !placed) return placed;
    layout.local_bytes = static_cast<uint32_t>(end);
    if (auto placed = place_local(Space::kParam); !placed) return placed;
    layout.frame_bytes = static_cast<uint32_t>(align(end, 16));
    for (size_t i = 0; i < function.variables.size(); ++i) {
      const ptx::Variable& variable = function.variables[i];
      if (variable.space != Space::kShared) continue;
      if (variable.bytes == 0) {
        dynamic_local_.emplace_back(&layout - layout_.functions.data(), i);
      } else {
        layout.variables[i] = placeShared(variable);
      }
    }
    return {};
  }

  // Finds the most local memory that calls in progress at the same time can need.
  Expected<void> measureStack(const CallGraph& graph, uint32_t kernel) {
    enum class Mark : uint8_t { kNew, kOpen, kDone };
    std::map<uint32_t, Mark> marks;
    std::map<uint32_t, uint64_t> needs;
    const std::function<uint64_t(uint32_t)> need = [&](uint32_t function) -> uint64_t {
      const auto found = layout_.function_of.find(function);
      if (found == layout_.function_of.end()) return 0;
      if (marks[function] == Mark::kDone) return needs[function];
      if (marks[function] == Mark::kOpen) {
        layout_.recursive = true;
        return 0;
      }
      marks[function] = Mark::kOpen;
      uint64_t deepest = 0;
      for (const uint32_t callee : graph.callees(function)) deepest = std::max(deepest, need(callee));
      marks[function] = Mark::kDone;
      return needs[function] = deepest + layout_.functions[found->second].frame_bytes;
    };
    uint64_t bytes = need(kernel);
    if (layout_.recursive) bytes += kRecursionStackBytes;
    if (bytes > kMostLocalBytes) {
      return fail(ErrorKind::kBadRequest,
                  "{}: kernel {} needs {} bytes of local memory a thread; {} are possible", module_.name,
                  module_.functions[kernel].name, bytes, kMostLocalBytes);
    }
    layout_.stack_bytes = static_cast<uint32_t>(bytes);
    return {};
  }

  const ptx::Module& module_;
  KernelLayout& layout_;
  uint64_t shared_end_ = 0;
  std::vector<uint32_t> dynamic_;
  std::vector<std::pair<size_t, size_t>> dynamic_local_;
};

}  // namespace

bool isProvided(const ptx::Function& function) {
  return function.name == "vprintf" || function.name == "__assertfail" ||
         function.name == "cudaGraphSetConditional";
}

Expected<KernelLayout> layOut(const LoadedModule& module, uint32_t kernel) {
  KernelLayout layout;
  const auto placed = Placer(module, layout).place(kernel);
  if (!placed) return tl::unexpected(placed.error());
  return layout;
}

}  // namespace warpscope::sim
