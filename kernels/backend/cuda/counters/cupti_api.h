// The part of CUPTI that reads a GPU's hardware counters: the host profiler and range profiler interfaces of
// CUDA 12.6 and later ("CUPTI documentation", Profiler Host API and Range Profiling API). The library belongs
// to the CUDA toolkit, not to the driver, and is loaded at run time. Declared here so that building needs no
// toolkit; names are ours, layouts and values are CUPTI's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "kernels/backend/cuda/driver_api.h"

namespace warpscope::cuda::cupti {

using Result = int;  // CUptiResult
inline constexpr Result kOk = 0;
inline constexpr Result kHardwareBusy = 26, kNotSupported = 27, kVirtualDevice = 33;
inline constexpr Result kNoPrivileges = 35, kOldProfilerInUse = 36, kSeveralSubscribers = 39;
inline constexpr Result kNoVirtualPrivileges = 40, kConfidential = 41, kMigDevice = 43;

inline constexpr int kRangeProfiler = 0;  // CUpti_ProfilerType
inline constexpr int kAutoRange = 1;      // CUpti_ProfilerRange: each kernel is a range
inline constexpr int kUserReplay = 3;     // CUpti_ProfilerReplayMode: the caller launches once for each pass

struct Host;   // CUpti_Profiler_Host_Object
struct Range;  // CUpti_RangeProfiler_Object

// Each function takes one structure. It begins with its size up to the end of its last member, without
// padding: CUPTI tells versions apart by that.
struct Head {
  size_t bytes = 0;
  void* reserved = nullptr;
};

struct Initialize : Head {};

struct ChipName : Head {
  size_t device = 0;
  const char* name = nullptr;  // out
};

struct CounterAvailability : Head {
  Context context = nullptr;
  size_t image_bytes = 0;  // in and out
  uint8_t* image = nullptr;
};

struct HostInitialize : Head {
  int kind = kRangeProfiler;
  const char* chip = nullptr;
  const uint8_t* availability = nullptr;
  Host* host = nullptr;  // out
};

struct HostDeinitialize : Head {
  Host* host = nullptr;
};

struct MetricProperties : Head {
  Host* host = nullptr;
  const char* metric = nullptr;
  const char* description = nullptr;  // out, as the rest
  const char* hardware_unit = nullptr;
  const char* dimension = nullptr;
  int kind = 0;
};

struct AddMetrics : Head {
  Host* host = nullptr;
  const char** metrics = nullptr;
  size_t count = 0;
};

struct ConfigImageSize : Head {
  Host* host = nullptr;
  size_t size = 0;  // out
};

struct ConfigImage : Head {
  Host* host = nullptr;
  size_t size = 0;
  uint8_t* image = nullptr;
};

struct PassCount : Head {
  size_t size = 0;
  uint8_t* image = nullptr;
  size_t passes = 0;  // out
};

struct Evaluate : Head {
  Host* host = nullptr;
  const uint8_t* data = nullptr;
  size_t data_size = 0;
  size_t range = 0;
  const char** metrics = nullptr;
  size_t count = 0;
  double* values = nullptr;
};

struct Enable : Head {
  Context context = nullptr;
  Range* range = nullptr;  // out
};

struct OfRange : Head {  // of Disable and Start
  Range* range = nullptr;
};

struct SetConfig : Head {
  Range* range = nullptr;
  size_t config_size = 0;
  const uint8_t* config = nullptr;
  size_t data_size = 0;
  uint8_t* data = nullptr;
  int ranges_are = kAutoRange;
  int replay = kUserReplay;
  size_t most_ranges = 1;
  uint16_t nesting_levels = 1, least_nesting_level = 1;
  size_t pass = 0;
  uint16_t target_nesting_level = 1;
};

struct Stop : Head {
  Range* range = nullptr;
  size_t pass = 0, nesting_level = 0;  // out, as the rest
  uint8_t all_passes_done = 0;
};

struct Decode : Head {
  Range* range = nullptr;
  size_t dropped = 0;  // out
};

struct DataSize : Head {
  Range* range = nullptr;
  const char** metrics = nullptr;
  size_t count = 0;
  size_t most_ranges = 1;
  uint32_t most_nodes = 1;
  size_t size = 0;  // out
};

struct DataInitialize : Head {
  Range* range = nullptr;
  size_t size = 0;
  uint8_t* data = nullptr;
};

struct DataInfo : Head {
  const uint8_t* data = nullptr;
  size_t size = 0;
  size_t ranges = 0;  // out
};

// NAME(member, entry, structure, its last member)
#define WARPSCOPE_CUPTI_FUNCTIONS(NAME)                                                        \
  NAME(initialize, "cuptiProfilerInitialize", Initialize, reserved)                            \
  NAME(chipName, "cuptiDeviceGetChipName", ChipName, name)                                     \
  NAME(counterAvailability, "cuptiProfilerGetCounterAvailability", CounterAvailability, image) \
  NAME(hostInitialize, "cuptiProfilerHostInitialize", HostInitialize, host)                    \
  NAME(hostDeinitialize, "cuptiProfilerHostDeinitialize", HostDeinitialize, host)              \
  NAME(metricProperties, "cuptiProfilerHostGetMetricProperties", MetricProperties, kind)       \
  NAME(addMetrics, "cuptiProfilerHostConfigAddMetrics", AddMetrics, count)                     \
  NAME(configImageSize, "cuptiProfilerHostGetConfigImageSize", ConfigImageSize, size)          \
  NAME(configImage, "cuptiProfilerHostGetConfigImage", ConfigImage, image)                     \
  NAME(passCount, "cuptiProfilerHostGetNumOfPasses", PassCount, passes)                        \
  NAME(evaluate, "cuptiProfilerHostEvaluateToGpuValues", Evaluate, values)                     \
  NAME(enable, "cuptiRangeProfilerEnable", Enable, range)                                      \
  NAME(disable, "cuptiRangeProfilerDisable", OfRange, range)                                   \
  NAME(setConfig, "cuptiRangeProfilerSetConfig", SetConfig, target_nesting_level)              \
  NAME(start, "cuptiRangeProfilerStart", OfRange, range)                                       \
  NAME(stop, "cuptiRangeProfilerStop", Stop, all_passes_done)                                  \
  NAME(decode, "cuptiRangeProfilerDecodeData", Decode, dropped)                                \
  NAME(dataSize, "cuptiRangeProfilerGetCounterDataSize", DataSize, size)                       \
  NAME(dataInitialize, "cuptiRangeProfilerCounterDataImageInitialize", DataInitialize, data)   \
  NAME(dataInfo, "cuptiRangeProfilerGetCounterDataInfo", DataInfo, ranges)

class Api {
 public:
  // Loads the library once a process. The error (kNoDevice) says what to install.
  static Expected<const Api*> load();

  // Each sets the structure's size and calls CUPTI.
#define WARPSCOPE_CUPTI_CALL(member, entry, Params, last)        \
  Result member(Params& params) const {                          \
    params.bytes = offsetof(Params, last) + sizeof(params.last); \
    return member##_(&params);                                   \
  }
  // The structures derive from Head, so that offsetof is conditionally supported; GCC and clang do.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winvalid-offsetof"
  WARPSCOPE_CUPTI_FUNCTIONS(WARPSCOPE_CUPTI_CALL)
#pragma GCC diagnostic pop
#undef WARPSCOPE_CUPTI_CALL

  // "CUPTI_ERROR_HARDWARE_BUSY", and what the user can do about it where it is known.
  std::string describe(Result result) const;

 private:
  static Expected<Api> loadNow();
#define WARPSCOPE_CUPTI_MEMBER(member, entry, Params, last) Result (*member##_)(Params*) = nullptr;
  WARPSCOPE_CUPTI_FUNCTIONS(WARPSCOPE_CUPTI_MEMBER)
#undef WARPSCOPE_CUPTI_MEMBER
  Result (*resultName_)(Result, const char**) = nullptr;
};

}  // namespace warpscope::cuda::cupti
