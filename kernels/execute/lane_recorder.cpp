#include "kernels/execute/lane_recorder.h"

#include <utility>

#include "kernels/sim/simulated_backend.h"

namespace warpscope {
namespace {

constexpr uint64_t kKeptBytes = uint64_t{256} << 20;  // device memory that is kept from one log to the next

// Nothing is timed, so any profile will do; its limits are replaced by those of the device.
Expected<sim::DeviceProfile> profileFor(const DeviceDescription& device) {
  auto profiles = sim::bundledProfiles();
  if (profiles.empty()) {
    return fail(ErrorKind::kNoDevice, "no device profile was found: the folder assets/devices is empty");
  }
  if (!profiles.front()) return tl::unexpected(profiles.front().error());
  sim::DeviceProfile profile = std::move(*profiles.front());
  profile.name = fmt::format("a simulated {}", device.name);
  profile.limits = device.limits;
  return profile;
}

}  // namespace

LaneRecorder::LaneRecorder(KernelLibrary library) : library_(std::move(library)) {}
LaneRecorder::~LaneRecorder() = default;

Expected<void> LaneRecorder::open(const DeviceDescription& device) {
  const std::string key = device.id + "/" + device.name;
  if (executor_ != nullptr && device_ == key) return {};
  auto backend = profileFor(device).and_then(
      [](sim::DeviceProfile profile) { return sim::openSimulatedBackend(std::move(profile)); });
  if (!backend) return tl::unexpected(backend.error());
  executor_.reset();
  backend_ = std::move(*backend);
  executor_ = std::make_unique<Executor>(*backend_, library_);
  device_ = key;
  return {};
}

Expected<LaneLog> LaneRecorder::record(const RunRequest& request, const DeviceDescription& device,
                                       const LaneLogOptions& options, const std::stop_token& stop) {
  if (auto opened = open(device); !opened) return tl::unexpected(opened.error());
  auto log = executor_->recordLanes(request, options, stop);
  const auto memory = backend_->memory();
  if (!memory || memory->total_bytes - memory->free_bytes > kKeptBytes) {
    executor_.reset();
    backend_.reset();
  }
  return log;
}

Expected<LaneLog> LaneRecorder::record(const Run& run, const LaneLogOptions& options,
                                       const std::stop_token& stop) {
  const auto experiment = library_.experiment(run.request);
  if (!experiment) return tl::unexpected(experiment.error());
  const auto source = (*experiment)->source(run.request.variant);
  if (run.source == nullptr || source == nullptr || *run.source != *source) {
    return fail(
        ErrorKind::kBadRequest,
        "This run is of another version of {} than the one built into this program, so what its lanes "
        "accessed cannot be found out here: record it anew.",
        run.source_file);
  }
  auto log = record(run.request, run.device, options, stop);
  if (log && (log->grid != run.grid || log->block != run.block)) {
    return fail(ErrorKind::kBadRequest,
                "This run was launched with another grid than this program would launch, so what its lanes "
                "accessed cannot be found out here: record it anew.");
  }
  return log;
}

}  // namespace warpscope
