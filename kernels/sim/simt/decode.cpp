#include "kernels/sim/simt/decode.h"

#include <algorithm>
#include <cstring>

#include "kernels/sim/ptx/control_flow.h"
#include "kernels/sim/simt/contraction.h"
#include "kernels/sim/simt/decode_instruction.h"
#include "kernels/sim/simt/decode_layout.h"

namespace warpscope::sim {

namespace {

using ptx::Op;

bool leavesForGood(const ptx::Instruction& in) {
  const bool guarded = in.guard.kind == ptx::Operand::Kind::kRegister;
  return !guarded && (in.op == Op::kBra || in.op == Op::kBrx || in.op == Op::kRet || in.op == Op::kExit ||
                      in.op == Op::kTrap);
}

// A function ends with a return, even where the text has none.
bool needsReturn(const ptx::Function& function) {
  const auto& instructions = function.instructions;
  if (instructions.empty() || !leavesForGood(instructions.back())) return true;
  return std::any_of(instructions.begin(), instructions.end(), [&](const ptx::Instruction& in) {
    const bool branch = in.op == Op::kBra && in.operands[0].index >= instructions.size();
    return branch || std::any_of(in.targets.begin(), in.targets.end(),
                                 [&](uint32_t t) { return t >= instructions.size(); });
  });
}

void setReconvergence(const ptx::Function& function, uint32_t first, Code& code, std::vector<bool>& begins) {
  const ptx::ControlFlow flow = ptx::controlFlow(function);
  for (const ptx::BasicBlock& block : flow.blocks) begins[first + block.first] = true;
  for (uint32_t i = 0; i < function.instructions.size(); ++i) {
    Instruction& in = code.instructions[first + i];
    if (in.kind != Kind::kBranch && in.kind != Kind::kIndirectBranch) continue;
    const uint32_t meet = flow.post_dominator[flow.block_of[i]];
    if (meet != ptx::ControlFlow::kExit) in.reconverge = first + flow.blocks[meet].first;
    const std::vector<uint32_t>& earlier = flow.earlier_meetings[flow.block_of[i]];
    if (earlier.empty()) continue;
    in.meetings = static_cast<uint32_t>(code.meetings.size());
    code.meetings.emplace_back();
    for (const uint32_t block : earlier) code.meetings.back().push_back(first + flow.blocks[block].first);
  }
}

void cutSegments(Code& code, std::vector<bool> begins) {
  const auto count = static_cast<uint32_t>(code.instructions.size());
  for (const CodeFunction& function : code.functions) begins[function.entry] = true;
  for (uint32_t i = 0; i < count; ++i) {
    const Instruction& in = code.instructions[i];
    if (in.kind == Kind::kBranch) begins[in.target] = true;
    if (in.kind == Kind::kIndirectBranch) {
      for (const uint32_t target : code.tables[in.table]) begins[target] = true;
    }
    if (in.kind == Kind::kClock || in.kind == Kind::kWarpRegister || in.kind == Kind::kWarpBarrier)
      begins[i] = true;
    // Lanes with different targets take it in turn; what comes before it, they have executed together.
    if (in.kind == Kind::kIndirectBranch || in.kind == Kind::kIndirectCall) begins[i] = true;
    if (in.ends_segment && i + 1 < count) begins[i + 1] = true;
  }
  code.segment_of.resize(count);
  for (uint32_t i = 0; i < count; ++i) {
    if (begins[i]) code.segments.push_back({i, 0});
    ++code.segments.back().count;
    code.segment_of[i] = static_cast<uint32_t>(code.segments.size() - 1);
  }
}

// Whether it computes or uses an address in another block's shared memory, or waits for its cluster.
bool reachesCluster(const Instruction& in) {
  return in.op == ptx::Op::kMapa || in.op == ptx::Op::kGetctarank || in.kind == Kind::kClusterBarrier ||
         in.space == ptx::Space::kSharedCluster;
}

Expected<void> decodeFunction(const FunctionLayout& layout, InstructionDecoder& decoder, Code& code) {
  const ptx::Function& function = *layout.function;
  const auto first = static_cast<uint32_t>(code.instructions.size());
  CodeFunction decoded;
  decoded.name = function.name;
  decoded.entry = first;
  decoded.rows = layout.row_count;
  decoded.predicates = layout.predicate_count;
  decoded.local_bytes = layout.local_bytes;
  decoded.frame_bytes = layout.frame_bytes;
  const auto places = [&](const std::vector<uint32_t>& variables, std::vector<CodeFunction::Parameter>& to) {
    for (const uint32_t i : variables) {
      to.push_back(
          {static_cast<uint32_t>(layout.variables[i]), static_cast<uint32_t>(function.variables[i].bytes)});
    }
  };
  if (!function.is_entry) places(function.parameters, decoded.parameters);
  places(function.results, decoded.results);
  for (const uint32_t i : function.not_unrolled) code.not_unrolled.push_back(first + i);
  for (const ptx::Instruction& from : contracted(function)) {
    auto in = decoder.decode(layout, from, first);
    if (!in) return tl::unexpected(in.error());
    code.instructions.push_back(*in);
    code.texts.push_back(from.text);
    code.lines.push_back(from.source);
  }
  if (needsReturn(function)) {
    Instruction end;
    end.kind = Kind::kReturn;
    end.op = Op::kRet;
    end.ends_segment = true;
    code.instructions.push_back(end);
    code.texts.emplace_back("}");
    code.lines.push_back(code.lines.empty() ? ptx::SourceLine{} : code.lines.back());
  }
  decoded.end = static_cast<uint32_t>(code.instructions.size());
  code.function_of.resize(decoded.end, static_cast<uint32_t>(code.functions.size()));
  code.functions.push_back(std::move(decoded));
  return {};
}

}  // namespace

Expected<LoadedModule> loadModule(std::shared_ptr<const ptx::Module> module, GlobalMemory& memory) {
  LoadedModule loaded;
  loaded.module = std::move(module);
  const auto& variables = loaded.module->variables;
  loaded.variable_addresses.assign(variables.size(), 0);
  for (const ptx::Space space :
       {ptx::Space::kConst, ptx::Space::kGlobal}) {  // isspacep: const variables stay together
    for (size_t i = 0; i < variables.size(); ++i) {
      if (variables[i].space != space) continue;
      auto address = memory.allocate(variables[i].bytes, variables[i].name);
      if (!address) return tl::unexpected(address.error());
      loaded.variable_addresses[i] = *address;
    }
  }
  for (size_t i = 0; i < variables.size(); ++i) {
    const ptx::Variable& variable = variables[i];
    if (loaded.variable_addresses[i] == 0) continue;
    std::byte* host = memory.at(loaded.variable_addresses[i], variable.bytes);
    if (host == nullptr) continue;
    std::memset(host, 0, variable.bytes);
    memory.noteWritten(loaded.variable_addresses[i], variable.bytes);
    if (!variable.initial.empty()) {
      std::memcpy(host, variable.initial.data(), std::min<uint64_t>(variable.initial.size(), variable.bytes));
    }
    for (const auto& relocation : variable.relocations) {
      const uint64_t base = relocation.is_function ? kFunctionWindow + uint64_t{relocation.index} * 16
                            : variables[relocation.index].space == ptx::Space::kShared
                                ? kSharedWindow
                                : loaded.variable_addresses[relocation.index];
      const uint64_t value =
          (base + static_cast<uint64_t>(relocation.addend)) >> (8 * std::min(relocation.skip, 7U));
      const uint32_t bytes = std::min(relocation.bytes, 8U);
      if (relocation.at <= variable.bytes && bytes <= variable.bytes - relocation.at) {
        std::memcpy(host + relocation.at, &value, bytes);
      }
    }
  }
  return loaded;
}

Expected<std::shared_ptr<const Code>> decodeKernel(const LoadedModule& loaded, const std::string& kernel) {
  const ptx::Module& module = *loaded.module;
  const auto found = std::find_if(
      module.functions.begin(), module.functions.end(),
      [&](const ptx::Function& function) { return function.is_entry && function.name == kernel; });
  if (found == module.functions.end())
    return fail(ErrorKind::kBadRequest, "{} has no kernel {}", module.name, kernel);
  auto layout = layOut(loaded, static_cast<uint32_t>(found - module.functions.begin()));
  if (!layout) return tl::unexpected(layout.error());

  auto code = std::make_shared<Code>();
  code->kernel = kernel;
  code->parameters = layout->parameters;
  code->parameter_bytes = layout->parameter_bytes;
  code->static_shared_bytes = layout->static_shared_bytes;
  code->stack_bytes = layout->stack_bytes;
  code->recursive = layout->recursive;
  code->max_threads_per_block = found->max_threads_per_block.value_or(1024);
  code->max_registers = found->max_registers;
  code->is_own_source = module.is_own_source;
  code->required_cluster = found->required_cluster;
  code->explicit_cluster = found->explicit_cluster;
  code->max_cluster_rank = found->max_cluster_rank.value_or(0);
  code->threads_per_sm = uint64_t{found->max_threads_per_block.value_or(0)} * found->min_blocks_per_sm;
  for (const auto& [number, file] : module.files) {
    if (number > 0xFFFF) continue;
    if (code->files.size() <= number) code->files.resize(number + 1);
    code->files[number] = file;
  }
  code->tables.emplace_back(module.functions.size(), kNowhere);
  InstructionDecoder decoder(loaded, *layout, *code);
  for (const FunctionLayout& function : layout->functions) {
    if (auto decoded = decodeFunction(function, decoder, *code); !decoded)
      return tl::unexpected(decoded.error());
    code->tables[0][function.module_index] =
        function.function->is_entry ? kNowhere : code->functions.back().entry;
  }
  std::vector<bool> begins(code->instructions.size(), false);
  for (size_t i = 0; i < layout->functions.size(); ++i) {
    setReconvergence(*layout->functions[i].function, code->functions[i].entry, *code, begins);
  }
  for (Instruction& in : code->instructions) {
    if (in.kind == Kind::kCall) in.target = code->functions[in.target].entry;
  }
  code->uses_clusters = std::ranges::any_of(code->instructions, reachesCluster);
  cutSegments(*code, std::move(begins));
  for (uint32_t i = 0; i < layout->functions.size(); ++i) nameRegisters(layout->functions[i], i, *code);
  for (uint32_t i = 0; i < layout->functions.size(); ++i) shareRows(layout->functions[i], i, *code);
  return code;
}

}  // namespace warpscope::sim
