// The occupancy lab's part of the model: its numbers, and the kernel that the current settings would launch,
// known without launching it except for the registers that the compiler assigned.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/gui/model/lab_numbers.h"
#include "kernels/experiments/experiment.h"
#include "kernels/occupancy/curves.h"
#include "kernels/run/run.h"

namespace warpscope {

// The kernel that the present settings would launch.
struct PlannedKernel {
  Dim3 grid, block;
  KernelResources resources;
  bool compiled = true;  // false: resources are those of the kernel that ran last, until this one ran
};

// The control of a variant that sets its block, registers or shared memory; null: it has none.
const ParameterSpec* launchControl(const FamilyInfo& family, const std::string& variant, OccupancyAxis axis);

class LabModel {
 public:
  const LabNumbers& numbers() const { return numbers_; }
  void setNumbers(LabNumbers numbers) { numbers_ = std::move(numbers); }

  // nullopt: no device is open (null), the settings are impossible, or nothing has run yet.
  const std::optional<PlannedKernel>& kernel(const RunRequest& request, const DeviceDescription* device,
                                             const Run* shown);
  // The value among those that the control offers that launches what is nearest to `wanted`: threads of a
  // block, registers of a thread, or bytes of a block. `request` has all other settings.
  static std::optional<int64_t> nearestOffered(OccupancyAxis axis, const ParameterSpec& control,
                                               uint32_t wanted, const std::vector<int64_t>& offered,
                                               const RunRequest& request, const DeviceDescription* device);

  void learn(const Run& run, const DeviceDescription* device);  // remembers what its kernel was compiled to
  void settingsChanged() { kernel_.reset(); }
  void deviceChanged();

 private:
  LabNumbers numbers_;
  std::optional<std::optional<PlannedKernel>> kernel_;          // nullopt: must be determined again
  std::map<std::string, KernelResources> resources_of_kernel_;  // on the open device, by module and kernel
};

}  // namespace warpscope
