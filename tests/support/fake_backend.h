// A backend without a device, for tests: device memory is host memory, and a handful of "kernels" are
// functions here. It counts requests, can run out of memory and can be poisoned.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "kernels/backend/backend.h"
#include "kernels/device/service/serve.h"
#include "kernels/execute/executor.h"

namespace warpscope::testing {

struct FakeCounts {
  int streams = 0, uploads = 0, downloads = 0, allocations = 0, launches = 0, timed = 0, timed_copies = 0,
      memory_queries = 0, copies = 0, fills = 0;
};

class FakeBackend final : public Backend {
 public:
  explicit FakeBackend(uint64_t memory_bytes = uint64_t{1} << 30);
  ~FakeBackend() override;

  // Called with the kernel's entry before each launch, including timed ones.
  std::function<void(const std::string& entry)> on_launch;
  // The answer to count(), after one launch for each metric; empty: there are no counters.
  std::function<double(const std::string& metric)> on_count;
  // The answers to sampleWaits() and sampleActivity(), after a launch each; empty: there is no sampler.
  std::function<WaitsByPtxLine()> on_sample_waits;
  std::function<TimedActivity()> on_sample_activity;
  // Whether runStreams() works: operations are carried out in order, the i-th from 1000 i to 1000 i + 500 ns,
  // and timing events told so. What a launch records of itself begins at 1100 ns.
  bool runs_streams = false;
  uint32_t local_bytes_per_thread = 0;  // of each kernel
  FakeCounts counts;
  uint64_t usedBytes() const { return used_bytes_; }
  DeviceDescription& editableDescription() { return description_; }

  const DeviceDescription& description() const override { return description_; }
  Expected<KernelHandle> kernel(const ModuleImage& module, const std::string& entry) override;
  Expected<KernelResources> resources(KernelHandle kernel, uint32_t dynamic_shared_bytes) override;
  Expected<uint32_t> maxActiveBlocksPerSm(KernelHandle kernel, uint32_t block_threads,
                                          uint32_t dynamic_shared_bytes) override;
  Expected<DeviceAddress> symbol(const ModuleImage& module, const std::string& name, uint64_t bytes) override;
  Expected<MemoryInfo> memory() override;
  Expected<DeviceAddress> allocate(uint64_t bytes) override;
  Expected<DeviceAddress> allocateManaged(uint64_t bytes) override { return allocate(bytes); }
  void free(DeviceAddress address) override;
  Expected<void> upload(DeviceAddress to, std::span<const std::byte> from) override;
  Expected<void> download(std::span<std::byte> to, DeviceAddress from) override;
  Expected<std::span<const std::byte>> downloadView(size_t slot, DeviceAddress from, uint64_t bytes) override;
  Expected<void> copy(DeviceAddress to, DeviceAddress from, uint64_t bytes) override;
  // 128 bytes that begin with the tensor's address and the map's description.
  Expected<std::vector<std::byte>> encodeTensorMap(const TensorMapDescription& map,
                                                   DeviceAddress tensor) override;
  Expected<void> fill(DeviceAddress to, uint8_t value, uint64_t bytes) override;
  Expected<LaunchReport> launch(const LaunchSpec& spec, const std::stop_token& stop,
                                const LaunchListener& listener) override;
  Expected<StreamReport> runStreams(const StreamWork& work, const std::stop_token& stop = {},
                                    const LaunchListener& listener = {}) override;
  Expected<std::vector<double>> time(const LaunchSpec& spec, uint32_t warm_ups, uint32_t repeats,
                                     FillBefore reset) override;
  Expected<std::vector<double>> timeCopy(DeviceAddress to, DeviceAddress from, uint64_t bytes,
                                         uint32_t warm_ups, uint32_t repeats) override;
  Expected<std::map<std::string, double>> count(const LaunchSpec& spec,
                                                const std::vector<std::string>& metrics,
                                                const std::function<Expected<void>()>& restore) override;
  Expected<WaitsByPtxLine> sampleWaits(const LaunchSpec& spec, double launch_us,
                                       const std::function<Expected<void>()>& restore) override;
  Expected<TimedActivity> sampleActivity(double launch_us,
                                         const std::function<Expected<void>()>& launch) override;
  bool poisoned() const override { return poisoned_; }

 private:
  // nullptr if [address, address + bytes) is not within one allocation.
  std::byte* memoryAt(DeviceAddress address, uint64_t bytes);
  Expected<void> execute(const LaunchSpec& spec);
  Expected<void> computeOn(const std::string& name, const LaunchSpec& spec);
  Expected<void> writeProbes(const LaunchSpec& spec);
  Expected<void> pack(const LaunchSpec& spec);

  DeviceDescription description_;
  std::map<DeviceAddress, std::unique_ptr<std::vector<std::byte>>> allocations_;
  uint64_t used_bytes_ = 0;
  std::vector<std::string> entries_;
  std::map<size_t, std::vector<std::byte>> views_;
  bool poisoned_ = false;
};

// A family "fake" for it. Parameters: size (elements of 4 bytes), block, shared (bytes). Variants:
//   copy       out = in
//   increment  in-out, each element + 1: wrong if it does not start fresh
//   wrong      as copy, but leaves the last element out
//   poison     a sticky error at the launch
//   streamed   as copy, between two copies on a stream, for FakeBackend::runs_streams
// and others, for tests with an on_launch: they compute the same as copy.
KernelLibrary fakeKernels();

// A server for the device "fake:0"; `prepare` may configure the backend.
ServerParts fakeServerParts(const std::function<void(FakeBackend&)>& prepare = {});

RunRequest fakeRequest(const std::string& variant, int64_t size = 256);

}  // namespace warpscope::testing
