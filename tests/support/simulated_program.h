// Runs PTX on the simulated GPU's functional executor alone, for tests and benchmarks of kernels/sim/simt.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "kernels/experiments/experiment.h"
#include "kernels/experiments/kernel_modules.h"
#include "kernels/sim/simt/decode.h"
#include "kernels/sim/simt/functional_grid.h"

namespace warpscope::test {

// A module, loaded into its own memory.
class SimulatedProgram {
 public:
  // Throws on malformed PTX, because the test is wrong then.
  SimulatedProgram(std::string_view ptx, const std::string& name);

  uint64_t allocate(uint64_t bytes, uint8_t fill = 0, const std::string& name = "buffer");
  uint64_t variable(const std::string& name) const;  // its address; throws if there is none
  sim::GlobalMemory& memory() { return *memory_; }
  template <class T>
  T* host(uint64_t address, uint64_t count = 1) {
    return reinterpret_cast<T*>(memory_->at(address, count * sizeof(T)));
  }
  const std::shared_ptr<const sim::Code>& code(const std::string& kernel);

  // A launch for any driver; valid as long as this object lives and no other kernel is requested. Arguments
  // are in order, each naturally aligned.
  sim::Launch launch(const std::string& kernel, Dim3 grid, Dim3 block,
                     const std::vector<std::vector<std::byte>>& arguments, uint32_t dynamic_shared_bytes = 0);
  Expected<sim::FunctionalResult> run(const std::string& kernel, Dim3 grid, Dim3 block,
                                      const std::vector<std::vector<std::byte>>& arguments,
                                      const sim::FunctionalOptions& options = {},
                                      uint32_t dynamic_shared_bytes = 0, const std::stop_token& stop = {});
  std::string printed;  // by vprintf

 private:
  std::unique_ptr<sim::GlobalMemory> memory_;
  sim::LoadedModule module_;
  std::string decoded_name_;
  std::shared_ptr<const sim::Code> decoded_;
};

// An experiment's plan with its inputs uploaded; run() may be called repeatedly.
class SimulatedPlan {
 public:
  SimulatedPlan(const LaunchPlan& plan, ProbeKind kind, const std::vector<std::byte>& probe);
  sim::Launch launch();
  Expected<sim::FunctionalResult> run(sim::FunctionalOptions options = {});  // including following launches
  std::vector<Bytes> outputs();
  SimulatedProgram& program() { return program_; }
  // The first argument, whose buffers were allocated in program().
  template <class T>
  void setProbe(const T& params) {
    arguments_[0].resize(sizeof params);
    std::memcpy(arguments_[0].data(), &params, sizeof params);
  }

 private:
  const LaunchPlan plan_;
  SimulatedProgram program_;
  std::string entry_;
  std::vector<uint64_t> buffers_;
  std::vector<std::vector<std::byte>> arguments_;
};

}  // namespace warpscope::test
