// Runs the kernels of instruction forms (kernel_text.h) and of programs (program.h) on the simulator.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kernels/core/error.h"
#include "kernels/sim/simt/decode.h"
#include "kernels/sim/simt/functional_grid.h"
#include "tests/differential/kernel_text.h"
#include "tests/differential/program.h"
#include "tests/differential/reference.h"

namespace warpscope::test {

inline constexpr size_t kFormsPerModule = 100;
inline constexpr uint32_t kBlockThreads = 128;

// The inputs and outputs of a kernel, as kernelText() lays them out.
std::vector<uint64_t> inputArray(const Form& form, const std::vector<Inputs>& inputs);
// The destinations of a thread.
std::vector<Value> outputsOf(const Form& form, const std::vector<uint64_t>& array, uint32_t thread);

// One launch of a kernel `(.param .u64 inputs, .param .u64 outputs)`, and perhaps a third parameter.
struct KernelRun {
  std::string kernel;
  std::span<const uint64_t> inputs;
  size_t output_words = 0;
  uint32_t blocks = 1;               // each with kBlockThreads threads
  std::span<const std::byte> third;  // aligned to 64 bytes
  uint32_t cluster = 1;              // blocks of a cluster
  // In place of `third`: as Program's members of these names.
  std::optional<TensorMapDescription> tensor = {};
  bool tensor_is_written = false;
};
KernelRun runOf(const Form& form, const std::string& kernel, const std::vector<uint64_t>& inputs);
KernelRun runOf(const Program& program, const std::string& kernel, const std::vector<Record>& inputs);

// The text of a module, parsed, decoded and executed without timing.
class SimulatedForms {
 public:
  static Expected<std::unique_ptr<SimulatedForms>> load(const std::string& text, const std::string& name);
  Expected<std::vector<uint64_t>> run(const KernelRun& what);

  // The same in steps, for a driver other than the functional one.
  Expected<sim::Launch> prepare(const KernelRun& what);
  std::vector<uint64_t> outputs(const KernelRun& what) const;
  const ptx::Module& module() const { return *module_.module; }

 private:
  std::unique_ptr<sim::GlobalMemory> memory_;
  sim::LoadedModule module_;
  std::shared_ptr<const sim::Code> code_;
  uint64_t inputs_at_ = 0, outputs_at_ = 0;
};

}  // namespace warpscope::test
