// The properties of a device that runs, views and occupancy calculations need. A plain value that is stored
// with every run. What a device cannot report is absent or 0 as noted below, never invented.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include "kernels/core/error.h"
#include "kernels/core/ids.h"

namespace warpscope {

enum class DeviceKind { kCuda, kSimulated, kRecorded };
enum class Provenance { kMeasured, kModelled };

struct ComputeCapability {
  int major = 0, minor = 0;
  auto operator<=>(const ComputeCapability&) const = default;
};

// Limits per SM and per block: the inputs of every launch check and of the occupancy formula.
struct DeviceLimits {
  ComputeCapability compute_capability;
  uint32_t sm_count = 0;
  uint32_t max_threads_per_block = 1024;
  uint32_t max_threads_per_sm = 0;
  uint32_t max_blocks_per_sm = 0;
  uint32_t registers_per_sm = 0;
  uint32_t registers_per_block = 0;
  uint32_t shared_bytes_per_sm = 0;
  uint32_t shared_bytes_per_block = 0;         // static or dynamic, without opting in
  uint32_t shared_bytes_per_block_opt_in = 0;  // the most a kernel may ask for
  uint32_t shared_bytes_reserved_per_block = 0;
  uint64_t l2_bytes = 0;  // of the whole device; 0: unknown
  // The GPUs that a run on this device can use together: itself, GPU 0, and another one like it, GPU 1; and
  // whether kernels of each can access the other's memory.
  uint32_t gpus = 1;
  bool peer_access = false;
  // The host and the GPU can use managed memory at the same time, and pages move when they are touched. False
  // also in runs of devices that were not asked.
  bool concurrent_managed_access = false;
  // Streams can allocate and free memory in their order (cudaMallocAsync). False also in runs of devices that
  // were not asked.
  bool memory_pools = false;
  // Conditional nodes of graphs need both: the driver's calls, and the toolkit's library with the kernels'
  // side of them (libcudadevrt.a). False also in runs of devices that were not asked.
  bool conditional_nodes = false;
  bool device_runtime = false;
};

// Where an SM of a run is. Runs that use two GPUs number the SMs through: those of GPU 1 follow those of GPU
// 0.
struct SmPlace {
  uint32_t gpu = 0, sm = 0;
  auto operator<=>(const SmPlace&) const = default;
};
SmPlace smPlace(const DeviceLimits& limits, SmId sm);
std::string smName(const DeviceLimits& limits, SmId sm);  // "SM 3", "GPU 1 SM 3"
SmId smOf(const DeviceLimits& limits, SmPlace place);

// The most blocks that a cluster can have on such a device, with a launch that need not be possible on
// others; 0: it has no clusters. A size of 8 is portable (CUDA C++ Programming Guide 13.0, "Thread Block
// Clusters").
uint32_t maxClusterBlocks(const ComputeCapability& capability);

struct DeviceDescription {
  std::string id;    // what --device takes: "cuda:0", "recorded"
  std::string name;  // "NVIDIA H100 80GB HBM3"
  DeviceKind kind = DeviceKind::kCuda;
  Provenance provenance = Provenance::kMeasured;
  DeviceLimits limits;
  uint64_t memory_bytes = 0;
  uint32_t sm_clock_khz = 0;
  uint32_t memory_clock_khz = 0;
  uint32_t memory_bus_bits = 0;
  std::string driver;       // "580.159.04 (CUDA 13.0)"; empty: none
  std::string recorded_on;  // ISO date; for recorded devices
};

// Whether a launch of `what` in clusters of this size is possible there. Error: kBadRequest.
Expected<void> checkClusterSize(const Dim3& cluster, const DeviceDescription& device,
                                const std::string& what);

const char* kindName(DeviceKind kind);              // "cuda"
const char* provenanceName(Provenance provenance);  // "measured"

// The devices that can be opened, and the reasons why others cannot.
struct DeviceListing {
  std::vector<DeviceDescription> devices;  // in order of preference: the first is the default
  std::vector<std::string> notes;          // "no CUDA driver: libcuda.so.1 was not found ..."
};

}  // namespace warpscope
