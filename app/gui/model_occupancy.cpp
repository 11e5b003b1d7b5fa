// The part of the model that is about the occupancy lab: the kernel at hand, moving the controls that set its
// block, registers and shared memory, and the sweep over block sizes in the background.
#include <algorithm>
#include <cstdlib>
#include <utility>

#include "app/gui/family_lookup.h"
#include "app/gui/model.h"

namespace warpscope {
namespace {

std::string kernelKey(const LaunchPlan& plan) {
  return plan.module + "/" + plan.kernel;
}

// The same launch but for the control that sets the block; how it is recorded does not matter.
bool sameBut(const std::string& control, const RunRequest& a, const RunRequest& b) {
  if (a.family != b.family || a.variant != b.variant) return false;
  ParameterValues mine = a.parameters, others = b.parameters;
  mine.erase(control);
  others.erase(control);
  return mine == others;
}

constexpr uint32_t kSweptWarps = 4096;  // that a sweep records, of SM 0

uint32_t distance(uint32_t a, uint32_t b) {
  return a > b ? a - b : b - a;
}

}  // namespace

const ParameterSpec* Model::controlOf(OccupancyAxis axis) const {
  static const std::map<OccupancyAxis, std::vector<std::string>> kControls{
      {OccupancyAxis::kBlock, {"block", "small_block", "block_x"}},
      {OccupancyAxis::kRegisters, {"registers"}},
      {OccupancyAxis::kShared, {"shared_bytes"}}};
  for (const ParameterSpec* spec : controls()) {
    if (std::ranges::find(kControls.at(axis), spec->name) != kControls.at(axis).end()) return spec;
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
  sweep_of_ = {};
  sweep_.clear();
  sweep_done_.clear();
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

void Model::wantSweep(bool wanted) {
  if (sweep_wanted_ == wanted) return;
  sweep_wanted_ = wanted;
  if (wanted && !pending_ticket_) fillVariants();
}

void Model::forgetSweepOfOthers() {
  const ParameterSpec* spec = controlOf(OccupancyAxis::kBlock);
  const RunRequest now = requestOf(variant_);
  if (spec != nullptr && sameBut(spec->name, now, sweep_of_)) return;
  sweep_of_ = now;
  sweep_.clear();
  sweep_done_.clear();
}

std::vector<RunRequest> Model::sweepRequests() {
  sweep_missing_ = 0;
  const ParameterSpec* spec = controlOf(OccupancyAxis::kBlock);
  if (!sweep_wanted_ || session_ == nullptr || spec == nullptr) return {};
  forgetSweepOfOthers();
  const RunRequest now = requestOf(variant_);
  std::vector<RunRequest> missing;
  for (const int64_t value : offeredValues(*spec)) {
    if (sweep_done_.contains(value)) continue;
    RunRequest request = now;
    request.parameters[spec->name] = value;
    // When warps come and go is all that is wanted of the trace, but of every wave.
    request.sampling = {Sampling::Mode::kExplicit, 0, 1, kSweptWarps, 1};
    missing.push_back(session_->device().nearestOffered(request));
  }
  sweep_missing_ = missing.size();
  return missing;
}

void Model::takeSweepPoint(const DeviceSession::Arrival& arrival) {
  const ParameterSpec* spec = controlOf(OccupancyAxis::kBlock);
  if (spec == nullptr) return;
  const auto& result = arrival.result;
  if (!result.run && result.run.error().kind == ErrorKind::kCancelled) return;
  const RunRequest& request = result.run ? (*result.run)->request : result.request;
  if (!sameBut(spec->name, request, sweep_of_)) return;
  const auto value = request.parameters.find(spec->name);
  if (value == request.parameters.end()) return;
  // What was run for looking at may not have recorded every wave: it is run again, in the background.
  const bool whole = !arrival.foreground || arrival.achieved_occupancy || !result.run;
  if (whole && sweep_done_.emplace(value->second, true).second && sweep_missing_ > 0) --sweep_missing_;
  if (!result.run) return;
  const Run& run = **result.run;
  const auto threads = static_cast<uint32_t>(run.block.count());
  sweep_[threads] = {.block_threads = threads,
                     .occupancy = run.occupancy,
                     .achieved = arrival.achieved_occupancy,
                     .timing = run.timing,
                     .bandwidth = run.bandwidth,
                     .verified = run.verification.passed};
}

}  // namespace warpscope
