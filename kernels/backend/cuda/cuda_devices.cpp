// Each GPU's properties, as the driver reports them.
#include <charconv>
#include <fstream>
#include <sstream>

#include "kernels/backend/cuda/cuda_backend.h"
#include "kernels/backend/cuda/driver_api.h"
#include "kernels/backend/cuda/linked_module.h"
#include "kernels/backend/cuda/peer_gpu.h"

namespace warpscope {
namespace cuda {
namespace {

// "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.159.04  Release Build ..." -> "580.159.04":
// the first word of digits and at least one point. Empty when the file is not readable (WSL, containers).
std::string kernelDriverVersion() {
  std::ifstream file("/proc/driver/nvidia/version");
  std::string line;
  if (!std::getline(file, line)) return "";
  std::istringstream words(line);
  for (std::string word; words >> word;) {
    if (word.find('.') != std::string::npos && word.find_first_not_of("0123456789.") == std::string::npos) {
      return word;
    }
  }
  return "";
}

std::string driverText(const DriverApi& api) {
  int version = 0;  // 1000 * major + 10 * minor
  std::string text = kernelDriverVersion();
  if (api.driverGetVersion(&version) == kSuccess && version > 0) {
    const std::string cuda = fmt::format("CUDA {}.{}", version / 1000, version % 1000 / 10);
    text = text.empty() ? cuda : fmt::format("{} ({})", text, cuda);
  }
  return text;
}

}  // namespace

Expected<DeviceDescription> describeDevice(const DriverApi& api, int ordinal) {
  Result failure = kSuccess;
  const auto attribute = [&](DeviceAttribute which) -> uint32_t {
    int value = 0;
    if (const Result result = api.deviceGetAttribute(&value, which, ordinal); result != kSuccess) {
      failure = result;
    }
    return static_cast<uint32_t>(value);
  };
  // Attributes that an older driver may not know stay 0: unknown.
  const auto optional_attribute = [&](DeviceAttribute which) -> uint32_t {
    int value = 0;
    return api.deviceGetAttribute(&value, which, ordinal) == kSuccess ? static_cast<uint32_t>(value) : 0;
  };

  DeviceDescription device;
  device.id = fmt::format("cuda:{}", ordinal);
  device.kind = DeviceKind::kCuda;
  device.provenance = Provenance::kMeasured;
  char name[256] = {};
  if (const Result result = api.deviceGetName(name, sizeof name - 1, ordinal); result != kSuccess) {
    failure = result;
  }
  device.name = name;
  size_t total_bytes = 0;
  if (const Result result = api.deviceTotalMem(&total_bytes, ordinal); result != kSuccess) failure = result;
  device.memory_bytes = total_bytes;

  DeviceLimits& limits = device.limits;
  limits.compute_capability = {static_cast<int>(attribute(DeviceAttribute::kComputeCapabilityMajor)),
                               static_cast<int>(attribute(DeviceAttribute::kComputeCapabilityMinor))};
  limits.sm_count = attribute(DeviceAttribute::kMultiprocessorCount);
  limits.max_threads_per_block = attribute(DeviceAttribute::kMaxThreadsPerBlock);
  limits.max_threads_per_sm = attribute(DeviceAttribute::kMaxThreadsPerMultiprocessor);
  limits.max_blocks_per_sm = attribute(DeviceAttribute::kMaxBlocksPerMultiprocessor);
  limits.registers_per_sm = attribute(DeviceAttribute::kMaxRegistersPerMultiprocessor);
  limits.registers_per_block = attribute(DeviceAttribute::kMaxRegistersPerBlock);
  limits.shared_bytes_per_sm = attribute(DeviceAttribute::kMaxSharedMemoryPerMultiprocessor);
  limits.shared_bytes_per_block = attribute(DeviceAttribute::kMaxSharedMemoryPerBlock);
  limits.shared_bytes_per_block_opt_in = attribute(DeviceAttribute::kMaxSharedMemoryPerBlockOptin);
  limits.shared_bytes_reserved_per_block = attribute(DeviceAttribute::kReservedSharedMemoryPerBlock);
  if (const auto peer = peerOrdinal(api, ordinal)) {
    limits.gpus = 2;
    limits.peer_access = canAccessEachOther(api, ordinal, *peer);
  }
  limits.concurrent_managed_access = optional_attribute(DeviceAttribute::kManagedMemory) != 0 &&
                                     optional_attribute(DeviceAttribute::kConcurrentManagedAccess) != 0;
  limits.memory_pools = api.memAllocAsync != nullptr && api.memFreeAsync != nullptr &&
                        api.deviceGetDefaultMemPool != nullptr && api.memPoolSetAttribute != nullptr &&
                        optional_attribute(DeviceAttribute::kMemoryPools) != 0;
  limits.conditional_nodes = api.missing_for_conditions == nullptr;
  limits.device_runtime = deviceRuntimeLibrary().has_value();
  device.limits.l2_bytes = optional_attribute(DeviceAttribute::kL2CacheSize);
  device.sm_clock_khz = optional_attribute(DeviceAttribute::kClockRateKhz);
  device.memory_clock_khz = optional_attribute(DeviceAttribute::kMemoryClockRateKhz);
  device.memory_bus_bits = optional_attribute(DeviceAttribute::kGlobalMemoryBusWidth);
  device.driver = driverText(api);
  if (failure != kSuccess) {
    return fail(ErrorKind::kNoDevice, "cuda:{} cannot be described: {}; a newer driver may help", ordinal,
                api.describe(failure));
  }
  return device;
}

Expected<int> deviceCount(const DriverApi& api) {
  int count = 0;
  if (const Result result = api.deviceGetCount(&count); result != kSuccess) {
    return fail(ErrorKind::kNoDevice, "the CUDA driver does not tell its GPUs: {}", api.describe(result));
  }
  return count;
}

}  // namespace cuda

DeviceListing listCudaDevices() {
  DeviceListing listing;
  const auto api = cuda::driverApi();
  if (!api) {
    listing.notes.push_back(api.error().message);
    return listing;
  }
  const auto count = cuda::deviceCount(**api);
  if (!count) {
    listing.notes.push_back(count.error().message);
    return listing;
  }
  if (*count == 0) listing.notes.emplace_back("the CUDA driver works, but sees no GPU");
  for (int ordinal = 0; ordinal < *count; ++ordinal) {
    auto device = cuda::describeDevice(**api, ordinal);
    if (device) {
      listing.devices.push_back(std::move(*device));
    } else {
      listing.notes.push_back(device.error().message);
    }
  }
  return listing;
}

Expected<int> cudaOrdinal(const std::string& id) {
  if (id == "cuda") return 0;
  int ordinal = 0;
  if (id.starts_with("cuda:")) {
    const char* first = id.data() + 5;
    const char* last = id.data() + id.size();
    const auto [end, error] = std::from_chars(first, last, ordinal);
    if (error == std::errc{} && end == last && ordinal >= 0) return ordinal;
  }
  return fail(ErrorKind::kNoDevice, "'{}' is not a CUDA device; they are called cuda:0, cuda:1, ...", id);
}

}  // namespace warpscope
