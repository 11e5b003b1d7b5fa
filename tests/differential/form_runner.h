// Runs the kernels of instruction forms (kernel_text.h), simulated or on a device.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kernels/core/error.h"
#include "kernels/device/sim/simt/decode.h"
#include "tests/differential/kernel_text.h"
#include "tests/differential/reference.h"

namespace warpscope::test {

inline constexpr size_t kFormsPerModule = 100;
inline constexpr uint32_t kBlockThreads = 128;

// What a kernel reads and leaves, as kernelText() lays it out.
std::vector<uint64_t> inputArray(const Form& form, const std::vector<Inputs>& inputs);
// A thread's destinations.
std::vector<Value> outputsOf(const Form& form, const std::vector<uint64_t>& array, uint32_t thread);

// A module's text, parsed and decoded and executed without timing.
class SimulatedForms {
 public:
  static Expected<std::unique_ptr<SimulatedForms>> load(const std::string& text, const std::string& name);
  Expected<std::vector<uint64_t>> run(const Form& form, const std::string& kernel,
                                      const std::vector<uint64_t>& inputs);

 private:
  std::unique_ptr<sim::GlobalMemory> memory_;
  sim::LoadedModule module_;
  uint64_t inputs_at_ = 0, outputs_at_ = 0;
};

}  // namespace warpscope::test
