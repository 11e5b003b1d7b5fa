// A device that lives in a child process (serve.h). When the process is killed, hangs, is poisoned or sends
// garbage, the run in progress fails with a message that says so, and the next run starts a fresh process
// with the same device.
#pragma once

#include <memory>
#include <string>

#include "kernels/device/device.h"
#include "kernels/device/service/server_connection.h"

namespace warpscope {

class ChildProcessDevice final : public Device {
 public:
  // `connection`: already started, device not yet opened.
  static Expected<std::unique_ptr<Device>> open(std::unique_ptr<ServerConnection> connection,
                                                const std::string& id, const DeviceOptions& options);

  const DeviceDescription& description() const override { return description_; }
  Expected<Run> run(const RunRequest& request, const ProgressSink& progress,
                    const std::stop_token& stop) override;

 private:
  ChildProcessDevice(std::unique_ptr<ServerConnection> connection, DeviceDescription description,
                     DeviceOptions options)
      : connection_(std::move(connection)),
        description_(std::move(description)),
        options_(std::move(options)) {}
  Expected<void> reconnect();

  std::unique_ptr<ServerConnection> connection_;
  DeviceDescription description_;
  DeviceOptions options_;
};

}  // namespace warpscope
