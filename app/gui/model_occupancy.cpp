// The part of the model that is about the occupancy lab: the kernel at hand, moving the controls that set its
// block, registers and shared memory, and what a sweep over block sizes found.
#include <algorithm>
#include <cstdlib>
#include <utility>

#include "app/gui/family_lookup.h"
#include "app/gui/model.h"
#include "kernels/experiments/roles.h"

namespace warpscope {
namespace {

std::string kernelKey(const LaunchPlan& plan) {
  return plan.module + "/" + plan.kernel;
}

uint32_t distance(uint32_t a, uint32_t b) {
  return a > b ? a - b : b - a;
}

}  // namespace

const ParameterSpec* Model::controlOf(OccupancyAxis axis) const {
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
  for (const ParameterSpec* spec : controls()) {
    if (moves(*spec)) return spec;
  }
  return nullptr;
}

std::optional<LaunchPlan> Model::planOf(const RunRequest& request) const {
  const auto experiment = findExperiment(request.family);
  if (device() == nullptr || !experiment) return std::nullopt;
  const auto complete = completeRequest((*experiment)->info(), request, kind());
  if (!complete) return std::nullopt;
  auto plan = (*experiment)->plan(*complete, device()->limits);
  if (!plan) return std::nullopt;
  return std::move(*plan);
}

const std::optional<KernelAtHand>& Model::kernelAtHand() {
  if (at_hand_) return *at_hand_;
  at_hand_.emplace();
  const auto plan = planOf(requestOf(variant_));
  if (!plan) return *at_hand_;
  KernelAtHand kernel{.grid = plan->grid, .block = plan->block};
  const auto known = resources_of_kernel_.find(kernelKey(*plan));
  if (known != resources_of_kernel_.end()) {
    kernel.resources = known->second;
  } else if (shown_.run != nullptr) {
    kernel.resources = shown_.run->resources;
    kernel.compiled = false;
  } else {
    return *at_hand_;
  }
  kernel.resources.dynamic_shared_bytes = plan->dynamic_shared_bytes;
  at_hand_ = kernel;
  return *at_hand_;
}

void Model::learnResources(const Run& run) {
  const auto plan = planOf(run.request);
  if (!plan) return;
  resources_of_kernel_[kernelKey(*plan)] = run.resources;
  at_hand_.reset();
}

void Model::forgetDevice() {
  resources_of_kernel_.clear();
  at_hand_.reset();
  sweeps_.forget();
}

bool Model::setLaunched(OccupancyAxis axis, uint32_t value) {
  const ParameterSpec* spec = controlOf(axis);
  if (spec == nullptr) return false;
  const std::vector<int64_t> offered = offeredValues(*spec);
  // What a choice stands for: a block's threads by what would be launched, registers as they are written.
  const auto meaning = [&](int64_t choice) -> uint32_t {
    if (axis == OccupancyAxis::kRegisters) {
      return static_cast<uint32_t>(std::strtoul(formatParameter(*spec, choice).c_str(), nullptr, 10));
    }
    if (axis == OccupancyAxis::kShared) return static_cast<uint32_t>(choice);
    RunRequest request = requestOf(variant_);
    request.parameters[spec->name] = choice;
    const auto plan = planOf(request);
    return plan ? static_cast<uint32_t>(plan->block.count()) : UINT32_MAX;
  };
  int64_t best = this->value(spec->name);
  uint32_t least = UINT32_MAX;
  for (const int64_t choice : offered) {
    const uint32_t off = distance(meaning(choice), value);
    if (off >= least) continue;
    least = off;
    best = choice;
  }
  setParameter(spec->name, best);
  return true;
}

std::optional<SweepWish> Model::blockSweep() const {
  const ParameterSpec* spec = controlOf(OccupancyAxis::kBlock);
  return spec == nullptr ? std::nullopt : std::optional(SweepWish{.parameter = spec->name});
}

std::map<uint32_t, const SweptRun*> Model::sweptBlocks() const {
  std::map<uint32_t, const SweptRun*> blocks;
  const ParameterSpec* spec = controlOf(OccupancyAxis::kBlock);
  if (spec == nullptr || !sweep_wish_ || sweep_wish_->parameter != spec->name || sweep_lines_.empty()) {
    return blocks;
  }
  for (const int64_t value : sweep_lines_.front().values) {
    const SweptRun* run = sweeps_.find(sweep_lines_.front().at(spec->name, value));
    if (run != nullptr && run->problem.empty()) blocks[run->block_threads] = run;
  }
  return blocks;
}

}  // namespace warpscope
