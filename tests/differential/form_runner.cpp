#include "tests/differential/form_runner.h"

#include <cstring>
#include <stop_token>

#include "kernels/device/sim/ptx/parser.h"
#include "kernels/device/sim/simt/functional_grid.h"

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

Expected<std::vector<uint64_t>> SimulatedForms::run(const Form& form, const std::string& kernel,
                                                    const std::vector<uint64_t>& inputs) {
  const auto code = sim::decodeKernel(module_, kernel);
  if (!code) return tl::unexpected(code.error());
  if (!inputs.empty())
    std::memcpy(memory_->at(inputs_at_, 8 * inputs.size()), inputs.data(), 8 * inputs.size());
  std::vector<uint64_t> outputs(size_t{outputCells(form)} * kThreadsPerForm);
  std::byte* left = memory_->at(outputs_at_, 8 * outputs.size());
  std::memset(left, 0, 8 * outputs.size());
  sim::Launch launch;
  launch.code = code->get();
  launch.memory = memory_.get();
  launch.parameters.resize(16);
  std::memcpy(launch.parameters.data(), &inputs_at_, 8);
  std::memcpy(launch.parameters.data() + 8, &outputs_at_, 8);
  launch.grid = {kThreadsPerForm / kBlockThreads, 1, 1};
  launch.block = {kBlockThreads, 1, 1};
  const auto result = sim::runFunctional(launch, {.threads = 1}, std::stop_token{});
  if (!result) return tl::unexpected(result.error());
  std::memcpy(outputs.data(), left, 8 * outputs.size());
  return outputs;
}

}  // namespace warpscope::test
