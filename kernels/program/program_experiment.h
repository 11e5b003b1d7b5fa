// A user's program as a family: its kernels are the variants, the sizes of its launch comments the
// parameters.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "kernels/experiments/experiment.h"
#include "kernels/program/launch_rules.h"
#include "kernels/program/signature.h"

namespace warpscope {

// A kernel of the file: how it is launched, and how it records itself.
struct ProgramKernel {
  KernelSignature signature;
  LaunchRules rules;
  std::vector<Region> regions;  // empty: it is not marked
  std::vector<std::string> notes;
  bool is_marked = false;
};

class ProgramExperiment final : public Experiment {
 public:
  // `module`: the name under which the program's PTX was added (kernel_modules.h).
  ProgramExperiment(std::shared_ptr<const Program> program, std::string module,
                    std::vector<ProgramKernel> kernels);

  const FamilyInfo& info() const override { return info_; }
  Expected<LaunchPlan> plan(const RunRequest& request, const DeviceLimits& limits) const override;
  std::vector<Prediction> predictions(const RunRequest& request, const DeviceLimits& limits) const override;
  Expected<std::vector<Region>> regions(const std::string& variant) const override;
  std::string sourceFile(const std::string& variant) const override;
  std::shared_ptr<const std::string> source(const std::string& variant) const override;

  const Program& program() const { return *program_; }
  const ProgramKernel* kernel(const std::string& name) const;  // nullptr: there is none

 private:
  using Outputs = std::shared_ptr<const std::vector<Bytes>>;  // or why there are none

  Expected<LaunchPlan> planOf(const ProgramKernel& kernel, const ParameterValues& parameters,
                              int depth) const;
  Expected<BufferSpec> bufferOf(const ProgramKernel& kernel, size_t parameter, uint64_t count,
                                const ParameterValues& parameters, int depth) const;
  // What a launch of the kernel leaves, as the simulated GPU computes it. The last few are kept.
  Expected<Outputs> simulated(const ProgramKernel& kernel, const ParameterValues& parameters,
                              int depth) const;
  Verification verify(const ProgramKernel& kernel, const ParameterValues& parameters,
                      std::span<const std::span<const std::byte>> outputs) const;
  Verification verifyBySimulation(const ProgramKernel& kernel, const ParameterValues& parameters,
                                  std::span<const std::span<const std::byte>> outputs) const;
  std::vector<size_t> outputParameters(const ProgramKernel& kernel) const;

  std::shared_ptr<const Program> program_;
  std::string module_;
  std::shared_ptr<const std::string> source_;
  std::vector<ProgramKernel> kernels_;
  FamilyInfo info_;

  struct Simulated {
    std::string kernel;
    ParameterValues parameters;
    Expected<Outputs> outputs;
  };
  mutable std::mutex mutex_;
  mutable std::vector<Simulated> simulated_;  // the latest last
};

}  // namespace warpscope
