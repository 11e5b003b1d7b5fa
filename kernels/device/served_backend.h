// A GPU as a backend that a child process (serve.h) holds, for work that is not an experiment: `warpscope
// exec` and `calibrate`. A kernel that crashes or never ends takes the child with it, not this program: the
// call fails with a message, and the backend is poisoned.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "kernels/backend/backend.h"
#include "kernels/device/device.h"
#include "kernels/device/service/backend_calls.h"
#include "kernels/device/service/server_connection.h"
#include "kernels/device/service/stream_calls.h"

namespace warpscope {

class ServedBackend final : public Backend {
 public:
  // `connection`: already started, device not yet opened.
  static Expected<std::unique_ptr<Backend>> open(std::unique_ptr<ServerConnection> connection,
                                                 const std::string& id, const DeviceOptions& options);

  const DeviceDescription& description() const override { return description_; }
  Expected<KernelHandle> kernel(const ModuleImage& module, const std::string& entry) override;
  Expected<KernelResources> resources(KernelHandle kernel, uint32_t dynamic_shared_bytes) override;
  Expected<uint32_t> maxActiveBlocksPerSm(KernelHandle kernel, uint32_t block_threads,
                                          uint32_t dynamic_shared_bytes) override;
  Expected<DeviceAddress> symbol(const ModuleImage& module, const std::string& name, uint64_t bytes) override;
  Expected<MemoryInfo> memory() override;
  Expected<DeviceAddress> allocate(uint64_t bytes) override;
  Expected<DeviceAddress> allocateOn(uint32_t gpu, uint64_t bytes) override;
  Expected<DeviceAddress> allocateManaged(uint64_t bytes) override;
  void free(DeviceAddress address) override;
  Expected<void> upload(DeviceAddress to, std::span<const std::byte> from) override;
  Expected<void> download(std::span<std::byte> to, DeviceAddress from) override;
  Expected<std::span<const std::byte>> downloadView(size_t slot, DeviceAddress from, uint64_t bytes) override;
  Expected<void> copy(DeviceAddress to, DeviceAddress from, uint64_t bytes) override;
  Expected<void> fill(DeviceAddress to, uint8_t value, uint64_t bytes) override;
  Expected<ImageHandle> createImage(const ImageDescription& image, DeviceAddress texels) override;
  void freeImage(ImageHandle image) override;
  Expected<std::vector<std::byte>> encodeTensorMap(const TensorMapDescription& map,
                                                   DeviceAddress tensor) override;
  // The child ends a launch that is stopped, or that is silent for longer than the watchdog allows.
  Expected<LaunchReport> launch(const LaunchSpec& spec, const std::stop_token& stop,
                                const LaunchListener& listener) override;
  // The bytes of the host's memory go to the child, and come back.
  Expected<StreamReport> runStreams(const StreamWork& work, const std::stop_token& stop,
                                    const LaunchListener& listener) override;
  Expected<std::vector<double>> time(const LaunchSpec& spec, uint32_t warm_ups, uint32_t repeats,
                                     FillBefore reset) override;
  Expected<std::vector<double>> timeCopy(DeviceAddress to, DeviceAddress from, uint64_t bytes,
                                         uint32_t warm_ups, uint32_t repeats) override;
  bool poisoned() const override { return !connection_->usable(); }

 private:
  using Seconds = ServerConnection::Seconds;
  ServedBackend(std::unique_ptr<ServerConnection> connection, DeviceDescription description, Seconds watchdog)
      : connection_(std::move(connection)), description_(std::move(description)), watchdog_(watchdog) {}

  // The reply to a call, read by `read(Reader&)`.
  template <class Read>
  auto call(const calls::Writer& call, const std::string& doing, const Read& read)
      -> Expected<decltype(read(std::declval<calls::Reader&>()))>;
  Expected<void> call(const calls::Writer& call, const std::string& doing);
  // Fills `to` with bytes that the child sends; fewer are an error.
  Expected<void> callForBytes(const calls::Writer& call, const std::string& doing, std::span<std::byte> to);
  Expected<std::vector<std::byte>> ask(const ServerConnection::BackendCall& call);
  Expected<void> send(const ModuleImage& module);  // once
  Expected<void> sendHost(std::span<const calls::HostRegion> regions);
  Expected<void> fetchHost(std::span<const calls::HostRegion> regions);
  std::string nameOf(KernelHandle kernel) const;
  ServerConnection::BackendCall ofKernel(const calls::Writer& call, const char* doing,
                                         const LaunchSpec& spec) const;

  std::unique_ptr<ServerConnection> connection_;
  DeviceDescription description_;
  Seconds watchdog_;
  std::set<std::string> sent_modules_;
  std::map<uint64_t, std::string> names_;      // of kernels, by handle
  std::vector<std::vector<std::byte>> views_;  // by slot
};

}  // namespace warpscope
