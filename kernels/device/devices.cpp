// Lists the devices and opens them. CUDA is only ever used in a child process; this process only checks
// whether a driver can exist at all.
#include <array>
#include <cstring>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "kernels/backend/cuda/cuda_backend.h"
#include "kernels/backend/cuda/driver_api.h"
#include "kernels/core/files.h"
#include "kernels/device/child_process_device.h"
#include "kernels/device/device.h"
#include "kernels/device/recorded_device.h"
#include "kernels/device/served_backend.h"
#include "kernels/device/service/server_connection.h"
#include "kernels/execute/executor.h"
#include "kernels/sim/simulated_backend.h"

namespace warpscope {
namespace {

constexpr const char* kSimulatedPrefix = "sim:";
constexpr std::string_view kFilePrefix = "file:";

// A device whose backend lives in this process and cannot take it down: the simulated GPU.
class InProcessDevice final : public Device {
 public:
  explicit InProcessDevice(std::unique_ptr<ModellingBackend> backend)
      : backend_(std::move(backend)), executor_(*backend_) {}

  const DeviceDescription& description() const override { return backend_->description(); }

  Expected<Run> run(const RunRequest& request, const ProgressSink& progress,
                    const std::stop_token& stop) override {
    return executor_.run(request, progress, stop);
  }

 private:
  std::unique_ptr<ModellingBackend> backend_;
  Executor executor_;
};

// Files that NVIDIA's drivers create on Linux, in WSL 2 and on Jetson boards. Where none of them exists,
// there is no need to start a process that would only report this.
bool driverMayBeHere() {
  static constexpr std::array kTraces{"/dev/nvidiactl", "/dev/nvidia0",     "/proc/driver/nvidia/version",
                                      "/dev/dxg",       "/dev/nvhost-ctrl", "/dev/nvmap"};
  for (const char* trace : kTraces) {
    std::error_code ignored;
    if (std::filesystem::exists(trace, ignored)) return true;
  }
  return false;
}

Expected<std::unique_ptr<ServerConnection>> connect(const DeviceOptions& options) {
  // A server that the user names may have a GPU that this machine does not have.
  if (options.server_command.empty() && !driverMayBeHere()) {
    return fail(
        ErrorKind::kNoDevice,
        "no CUDA GPU: this machine has no NVIDIA driver (there is no /dev/nvidiactl, nor WSL's /dev/dxg)");
  }
  return ServerConnection::start(options.server_command);
}

std::filesystem::path recordingsFolder(const DeviceOptions& options) {
  return options.recordings_folder.empty() ? assetsFolder() / "recordings"
                                           : std::filesystem::path(options.recordings_folder);
}

Expected<std::unique_ptr<Device>> openCuda(const std::string& id, const DeviceOptions& options) {
  auto connection = connect(options);
  if (!connection) return tl::unexpected(connection.error());
  return ChildProcessDevice::open(std::move(*connection), id, options);
}

// The first GPU that can be opened; the error is that of the first that could not.
Expected<std::string> firstCuda(ServerConnection& connection) {
  const auto listing = connection.list();
  if (!listing) return tl::unexpected(listing.error());
  if (!listing->devices.empty()) return listing->devices.front().id;
  return fail(ErrorKind::kNoDevice, "{}", listing->notes.empty() ? "no CUDA GPU" : listing->notes.front());
}

Expected<std::unique_ptr<Device>> openFirstCuda(const DeviceOptions& options) {
  auto connection = connect(options);
  if (!connection) return tl::unexpected(connection.error());
  const auto first = firstCuda(**connection);
  if (!first) return tl::unexpected(first.error());
  return ChildProcessDevice::open(std::move(*connection), *first, options);
}

tl::unexpected<Error> unknownDevice(const std::string& id) {
  return fail(ErrorKind::kNoDevice,
              "there is no device '{}'; devices are called cuda:0, cuda:1, ..., sim:h100 and so on, "
              "recorded, or file:PATH",
              id);
}

bool isSimulated(const std::string& id) {
  return id == "sim" || id.starts_with(kSimulatedPrefix);
}

// "sim" is the first of the bundled profiles. sim:PATH is a profile in a user's file.
Expected<sim::DeviceProfile> findProfile(const std::string& id) {
  if (id.ends_with(".json")) return sim::readProfile(id.substr(std::strlen(kSimulatedPrefix)));
  std::string known;
  for (auto& profile : sim::bundledProfiles()) {
    if (!profile) return profile;
    if (id == "sim" || profile->id == id) return std::move(profile);
    known += (known.empty() ? "" : ", ") + profile->id;
  }
  return fail(ErrorKind::kNoDevice, "there is no simulated device '{}'; there are {}, or sim:FILE.json", id,
              known.empty() ? "none: the folder assets/devices is empty" : known);
}

Expected<std::unique_ptr<Device>> openSimulated(const std::string& id) {
  auto backend = openModel(id);
  if (!backend) return tl::unexpected(backend.error());
  return std::make_unique<InProcessDevice>(std::move(*backend));
}

Expected<std::unique_ptr<Device>> openDefault(const DeviceOptions& options) {
  auto cuda = openFirstCuda(options);
  if (cuda) return cuda;
  auto simulated = openSimulated("sim");
  if (simulated) return simulated;
  auto recorded = openRecordedDevice(recordingsFolder(options));
  if (recorded) return recorded;
  return fail(ErrorKind::kNoDevice, "There is no device here: {}; {}; {}", cuda.error().message,
              simulated.error().message, recorded.error().message);
}

void listSimulated(DeviceListing& listing) {
  for (auto& profile : sim::bundledProfiles()) {
    if (profile) {
      listing.devices.push_back(sim::describe(*profile));
    } else {
      listing.notes.push_back(profile.error().message);
    }
  }
}

}  // namespace

DeviceListing listDevices(const DeviceOptions& options) {
  DeviceListing listing;
  auto cuda = connect(options).and_then([](const auto& connection) { return connection->list(); });
  if (cuda) {
    listing = std::move(*cuda);
  } else {
    listing.notes.push_back(cuda.error().message);
  }
  listSimulated(listing);
  if (const auto recorded = openRecordedDevice(recordingsFolder(options))) {
    listing.devices.push_back((*recorded)->description());
    for (std::string& note : (*recorded)->notes()) listing.notes.push_back(std::move(note));
  } else {
    listing.notes.push_back(recorded.error().message);
  }
  return listing;
}

Expected<std::unique_ptr<ModellingBackend>> openModel(const std::string& id) {
  if (!isSimulated(id)) return fail(ErrorKind::kNoDevice, "'{}' is not a simulated device", id);
  return findProfile(id).and_then(
      [](sim::DeviceProfile profile) { return sim::openSimulatedBackend(std::move(profile)); });
}

Expected<OpenedBackend> openBackend(const std::string& id) {
  if (id.empty()) {
    auto cuda = openBackend("cuda");
    return cuda ? std::move(cuda) : openBackend("sim");
  }
  const auto opened = [](auto backend) { return OpenedBackend(std::move(backend)); };
  if (isSimulated(id)) return openModel(id).map(opened);
  return cudaOrdinal(id).and_then(openCudaBackend).map(opened);
}

// A GPU is held by a child process, a simulated one needs none.
Expected<OpenedBackend> openServedBackend(const std::string& id, const DeviceOptions& options) {
  if (isSimulated(id)) return openBackend(id);
  if (id.empty()) {
    auto cuda = openServedBackend("cuda", options);
    return cuda ? std::move(cuda) : openBackend("sim");
  }
  if (id != "cuda" && !id.starts_with("cuda:")) return tl::unexpected(unknownDevice(id).value());
  auto connection = connect(options);
  if (!connection) return tl::unexpected(connection.error());
  const auto first = id == "cuda" ? firstCuda(**connection) : Expected<std::string>(id);
  if (!first) return tl::unexpected(first.error());
  auto backend = ServedBackend::open(std::move(*connection), *first, options);
  if (!backend) return tl::unexpected(backend.error());
  return OpenedBackend(std::move(*backend));
}

std::string fileDeviceId(const std::filesystem::path& path) {
  return std::string(kFilePrefix) + path.string();
}

std::optional<std::filesystem::path> fileOfDevice(std::string_view id) {
  if (!id.starts_with(kFilePrefix)) return std::nullopt;
  return std::filesystem::path(id.substr(kFilePrefix.size()));
}

Expected<std::unique_ptr<Device>> openDevice(const std::string& id, const DeviceOptions& options) {
  if (id.empty()) return openDefault(options);
  if (id == kRecordedDeviceId) return openRecordedDevice(recordingsFolder(options));
  if (const auto file = fileOfDevice(id)) return openRecordedDevice(*file);
  if (isSimulated(id)) return openSimulated(id);
  if (id == "cuda") return openFirstCuda(options);
  if (id.starts_with("cuda:")) return openCuda(id, options);
  return unknownDevice(id);
}

}  // namespace warpscope
