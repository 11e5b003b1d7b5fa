// A device is what a user picks: it answers a RunRequest with a Run. Three kinds: in process (the simulated
// GPU), child process (CUDA, through `warpscope serve`) and recorded. service/run_service.h makes one
// asynchronous.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/core/error.h"
#include "kernels/execute/executor.h"
#include "kernels/experiments/experiment.h"
#include "kernels/run/run.h"

namespace warpscope {

// The thread contract: one thread at a time calls run(). The const functions answer from what was fixed when
// the device was opened, which run() never changes, so any thread may call them during a run.
class Device {
 public:
  virtual ~Device() = default;
  virtual const DeviceDescription& description() const = 0;

  // Blocks until done, failed or stopped.
  virtual Expected<Run> run(const RunRequest& request, const ProgressSink& progress,
                            const std::stop_token& stop) = 0;

  // The values that may be requested; nullopt: all in range. A recorded device offers just what was recorded:
  // the values of `parameter` for which a run exists, other parameters nearest to `near`; ascending.
  virtual std::optional<std::vector<int64_t>> offeredValues(const RunRequest& near,
                                                            const std::string& parameter) const;
  // The nearest request that can be answered (recorded devices snap to a recorded one); others return it
  // unchanged.
  virtual RunRequest nearestOffered(const RunRequest& request) const;
  // The request of each recorded run, in the order of the recordings; empty if this is not a recorded device.
  virtual std::vector<RunRequest> recordedRequests() const { return {}; }
  // The reasons why something was left out when it was opened: a recorded device's damaged files.
  virtual std::vector<std::string> notes() const { return {}; }
};

struct DeviceOptions {
  double watchdog_s = 10;         // a launch that takes longer is killed and reported
  std::string recordings_folder;  // empty: the bundled ones
  std::string server_command;     // the program that `serve`s; empty: this program itself
};

// The id of the bundled recordings, as a device.
inline constexpr const char* kRecordedDeviceId = "recorded";
// The id of the device that is a recording, a session or a folder of them: "file:PATH".
std::string fileDeviceId(const std::filesystem::path& path);
// The path in such an id; nullopt: another kind of device.
std::optional<std::filesystem::path> fileOfDevice(std::string_view id);

DeviceListing listDevices(const DeviceOptions& options);
// By DeviceDescription::id, or "" for the default: the first GPU, else the first simulated one.
// "sim:FILE.json" is simulated by a profile in a file.
Expected<std::unique_ptr<Device>> openDevice(const std::string& id, const DeviceOptions& options);
// A simulated one by its id ("sim:h100"). Error (kNoDevice): there is none, or it is not a simulated device.
Expected<std::unique_ptr<ModellingBackend>> openModel(const std::string& id);
// The same devices, recorded ones aside, as backends, for work that is not an experiment (`warpscope exec`,
// `calibrate`). A GPU is held by a child process, so that a kernel that never ends cannot hang the program.
Expected<OpenedBackend> openServedBackend(const std::string& id, const DeviceOptions& options);
// The same in this process, where a kernel that hangs a GPU hangs the
// program: for tests and benchmarks.
Expected<OpenedBackend> openBackend(const std::string& id);

// The complete request to send to a device when only some of the settings were given: what was left out takes
// the device's defaults. For a device that offers only some settings (a recording), parameters that were left
// out move to what it has, but never silently one that was given: that is a kBadRequest that lists what there
// is.
Expected<RunRequest> offeredRequest(const Device& device, const FamilyInfo& family, const RunRequest& asked);

}  // namespace warpscope
