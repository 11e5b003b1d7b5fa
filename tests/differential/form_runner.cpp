#include "tests/differential/form_runner.h"

#include <algorithm>
#include <cstring>

#include "kernels/sim/ptx/parser.h"
#include "kernels/sim/simt/tensor_map.h"

namespace warpscope::test {
namespace {

constexpr uint64_t kMostCells = 12;
constexpr uint64_t kArrayBytes = kMostCells * 8 * kThreadsPerForm;

}  // namespace

std::vector<uint64_t> inputArray(const Form& form, const std::vector<Inputs>& inputs) {
  std::vector<uint64_t> array(size_t{inputCells(form)} * kThreadsPerForm);
  for (uint32_t thread = 0; thread < kThreadsPerForm; ++thread) {
    size_t cell = 0, next = 0;
    const auto append = [&](uint32_t cells) {
      for (uint32_t i = 0; i < cells; ++i) array[cell++ * kThreadsPerForm + thread] = inputs[thread][next][i];
      ++next;
    };
    for (const Slot& slot : form.slots) {
      if (!slot.is_destination && slot.kind == Slot::Kind::kRegister) append(slot.cells());
    }
    if (form.reads_carry) append(1);
  }
  return array;
}

std::vector<Value> outputsOf(const Form& form, const std::vector<uint64_t>& array, uint32_t thread) {
  std::vector<Value> values;
  size_t cell = 0;
  const auto append = [&](uint32_t cells) {
    Value value{};
    for (uint32_t i = 0; i < cells; ++i) value[i] = array.at(cell++ * kThreadsPerForm + thread);
    values.push_back(value);
  };
  for (const Slot& slot : form.slots) {
    if (slot.is_destination) append(slot.cells());
  }
  if (form.writes_carry) append(1);
  return values;
}

Expected<std::unique_ptr<SimulatedForms>> SimulatedForms::load(const std::string& text,
                                                               const std::string& name) {
  auto forms = std::make_unique<SimulatedForms>();
  auto memory = sim::GlobalMemory::create(uint64_t{1} << 24);
  if (!memory) return tl::unexpected(memory.error());
  forms->memory_ = std::move(*memory);
  auto parsed = ptx::parseModule(text, name);
  if (!parsed) return tl::unexpected(parsed.error());
  auto loaded = sim::loadModule(std::make_shared<const ptx::Module>(std::move(*parsed)), *forms->memory_);
  if (!loaded) return tl::unexpected(loaded.error());
  forms->module_ = std::move(*loaded);
  for (uint64_t* address : {&forms->inputs_at_, &forms->outputs_at_}) {
    const auto allocated = forms->memory_->allocate(kArrayBytes, "array");
    if (!allocated) return tl::unexpected(allocated.error());
    *address = *allocated;
  }
  return forms;
}

KernelRun runOf(const Form& form, const std::string& kernel, const std::vector<uint64_t>& inputs) {
  return {kernel, inputs, size_t{outputCells(form)} * kThreadsPerForm, kThreadsPerForm / kBlockThreads, {}};
}

KernelRun runOf(const Program& program, const std::string& kernel, const std::vector<Record>& inputs) {
  static_assert(kProgramThreads == kBlockThreads);
  const size_t words = inputs.size() * kRecordCells;
  return {
      kernel,         {inputs.front().data(), words}, words, kProgramBlocks, programBlob(), program.cluster,
      program.tensor, program.tensor_is_written};
}

Expected<sim::Launch> SimulatedForms::prepare(const KernelRun& what) {
  const auto code = sim::decodeKernel(module_, what.kernel);
  if (!code) return tl::unexpected(code.error());
  code_ = *code;
  if (!what.inputs.empty())
    std::memcpy(memory_->at(inputs_at_, what.inputs.size_bytes()), what.inputs.data(),
                what.inputs.size_bytes());
  std::memset(memory_->at(outputs_at_, 8 * what.output_words), 0, 8 * what.output_words);
  sim::Launch launch;
  launch.code = code_.get();
  launch.memory = memory_.get();
  constexpr size_t kThird = 64;
  std::vector<std::byte> third(what.third.begin(), what.third.end());
  if (what.tensor)
    third = sim::encodeTensorMap({*what.tensor, what.tensor_is_written ? outputs_at_ : inputs_at_});
  launch.parameters.resize(third.empty() ? 16 : kThird + third.size());
  std::memcpy(launch.parameters.data(), &inputs_at_, 8);
  std::memcpy(launch.parameters.data() + 8, &outputs_at_, 8);
  if (!third.empty()) std::ranges::copy(third, launch.parameters.begin() + kThird);
  launch.grid = {what.blocks, 1, 1};
  launch.block = {kBlockThreads, 1, 1};
  launch.cluster = {what.cluster, 1, 1};
  launch.explicit_cluster = what.cluster > 1;
  return launch;
}

std::vector<uint64_t> SimulatedForms::outputs(const KernelRun& what) const {
  std::vector<uint64_t> words(what.output_words);
  std::memcpy(words.data(), memory_->at(outputs_at_, 8 * words.size()), 8 * words.size());
  return words;
}

Expected<std::vector<uint64_t>> SimulatedForms::run(const KernelRun& what) {
  const auto launch = prepare(what);
  if (!launch) return tl::unexpected(launch.error());
  constexpr uint64_t kStepLimit = 1'000'000;
  const auto result = sim::runFunctional(*launch, {.threads = 1, .step_limit = kStepLimit}, {});
  if (!result) return tl::unexpected(result.error());
  return outputs(what);
}

}  // namespace warpscope::test
