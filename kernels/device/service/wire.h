// The payloads of frames: JSON texts, except a finished run, which has the form of a recording
// file without compression (kernels/recording/recording.h). Decoding trusts nothing.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "kernels/core/error.h"
#include "kernels/device/device.h"
#include "kernels/device/service/frame.h"
#include "kernels/execute/executor.h"
#include "kernels/run/run.h"

namespace warpscope::wire {

// Raised whenever the meaning of a payload changes; a client and a server with different numbers refuse each
// other.
inline constexpr int kProtocolVersion = 8;

// An error as it crosses the wire; poisoned: the server can do no more work and should be replaced.
struct ServerError {
  Error error;
  bool poisoned = false;
};

std::string hello();
Expected<void> checkHello(const Frame& frame);  // kHello of the same version

std::string devices(const DeviceListing& listing);
Expected<DeviceListing> decodeDevices(const Frame& frame);

std::string openDevice(const std::string& id);
Expected<std::string> decodeOpenDevice(const Frame& frame);
std::string deviceOpened(const DeviceDescription& device);
Expected<DeviceDescription> decodeDeviceOpened(const Frame& frame);

std::string runRequest(const RunRequest& request);
Expected<RunRequest> decodeRunRequest(const Frame& frame);
std::string progress(const Progress& progress);
Expected<Progress> decodeProgress(const Frame& frame);
Expected<std::vector<std::byte>> run(const Run& run);
Expected<Run> decodeRun(const Frame& frame);

std::string error(const ServerError& error);
Expected<ServerError> decodeError(const Frame& frame);

}  // namespace warpscope::wire
