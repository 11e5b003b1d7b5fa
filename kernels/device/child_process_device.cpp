#include "kernels/device/child_process_device.h"

#include <utility>

namespace warpscope {

Expected<std::unique_ptr<Device>> ChildProcessDevice::open(std::unique_ptr<ServerConnection> connection,
                                                           const std::string& id,
                                                           const DeviceOptions& options) {
  auto description = connection->open(id);
  if (!description) return tl::unexpected(description.error());
  return std::unique_ptr<Device>(
      new ChildProcessDevice(std::move(connection), std::move(*description), options));
}

Expected<Run> ChildProcessDevice::run(const RunRequest& request, const ProgressSink& progress,
                                      const std::stop_token& stop) {
  // A process that ended while idle has lost no work: it is replaced silently.
  if (connection_ == nullptr || !connection_->alive()) {
    if (progress) progress({0, "restarting the CUDA process"});
    if (auto connected = reconnect(); !connected) return tl::unexpected(connected.error());
  }
  return connection_->run(request, progress, stop, ServerConnection::Seconds(options_.watchdog_s));
}

Expected<void> ChildProcessDevice::reconnect() {
  connection_.reset();  // first: the old process may still hold the GPU
  auto connection = ServerConnection::start(options_.server_command);
  if (!connection) return tl::unexpected(connection.error());
  auto description = (*connection)->open(description_.id);
  if (!description) return tl::unexpected(description.error());
  connection_ = std::move(*connection);
  return {};
}

}  // namespace warpscope
