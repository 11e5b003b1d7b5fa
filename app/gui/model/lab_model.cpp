#include "app/gui/model/lab_model.h"

#include <cstdlib>
#include <utility>

#include "kernels/experiments/experiment.h"

namespace warpscope {
namespace {

std::string kernelKey(const LaunchPlan& plan) {
  return plan.module + "/" + plan.kernel;
}

uint32_t distance(uint32_t a, uint32_t b) {
  return a > b ? a - b : b - a;
}

std::optional<LaunchPlan> planOf(const RunRequest& request, const DeviceDescription* device) {
  const auto experiment = findExperiment(request.family);
  if (device == nullptr || !experiment) return std::nullopt;
  const auto complete = completeRequest((*experiment)->info(), request, *device);
  if (!complete) return std::nullopt;
  auto plan = (*experiment)->plan(*complete, device->limits);
  if (!plan) return std::nullopt;
  return std::move(*plan);
}

// The value that a control's choice stands for: for a block, the threads that would be launched; for
// registers, the number as written.
uint32_t meaning(OccupancyAxis axis, const ParameterSpec& control, int64_t value, RunRequest request,
                 const DeviceDescription* device) {
  if (axis == OccupancyAxis::kRegisters) {
    return static_cast<uint32_t>(std::strtoul(formatParameter(control, value).c_str(), nullptr, 10));
  }
  if (axis == OccupancyAxis::kShared) return static_cast<uint32_t>(value);
  request.parameters[control.name] = value;
  const auto plan = planOf(request, device);
  return plan ? static_cast<uint32_t>(plan->block.count()) : UINT32_MAX;
}

}  // namespace

const ParameterSpec* launchControl(const FamilyInfo& family, const std::string& variant, OccupancyAxis axis) {
  const auto moves = [axis](const ParameterSpec& spec) {
    switch (axis) {
      case OccupancyAxis::kBlock:
        return shapesBlock(spec.role);
      case OccupancyAxis::kRegisters:
        return spec.role == ParameterRole::kRegisters;
      case OccupancyAxis::kShared:
        return spec.role == ParameterRole::kSharedBytes;
    }
    return false;
  };
  for (const ParameterSpec* spec : parametersOf(family, variant)) {
    if (moves(*spec)) return spec;
  }
  return nullptr;
}

const std::optional<PlannedKernel>& LabModel::kernel(const RunRequest& request,
                                                     const DeviceDescription* device, const Run* shown) {
  if (kernel_) return *kernel_;
  kernel_.emplace();
  const auto plan = planOf(request, device);
  if (!plan) return *kernel_;
  PlannedKernel kernel{.grid = plan->grid, .block = plan->block};
  const auto known = resources_of_kernel_.find(kernelKey(*plan));
  if (known != resources_of_kernel_.end()) {
    kernel.resources = known->second;
  } else if (shown != nullptr) {
    kernel.resources = shown->resources;
    kernel.compiled = false;
  } else {
    return *kernel_;
  }
  kernel.resources.dynamic_shared_bytes = plan->dynamic_shared_bytes;
  kernel_ = kernel;
  return *kernel_;
}

std::optional<int64_t> LabModel::nearestOffered(OccupancyAxis axis, const ParameterSpec& control,
                                                uint32_t wanted, const std::vector<int64_t>& offered,
                                                const RunRequest& request, const DeviceDescription* device) {
  std::optional<int64_t> best;
  uint32_t least = UINT32_MAX;
  for (const int64_t value : offered) {
    const uint32_t off = distance(meaning(axis, control, value, request, device), wanted);
    if (off >= least) continue;
    least = off;
    best = value;
  }
  return best;
}

void LabModel::learn(const Run& run, const DeviceDescription* device) {
  const auto plan = planOf(run.request, device);
  if (!plan) return;
  resources_of_kernel_[kernelKey(*plan)] = run.resources;
  kernel_.reset();
}

void LabModel::deviceChanged() {
  resources_of_kernel_.clear();
  kernel_.reset();
}

}  // namespace warpscope
