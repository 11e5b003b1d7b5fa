// The part of CUPTI that reads a GPU's hardware counters and samplers: the host profiler, range profiler, PC
// sampling and PM sampling interfaces of CUDA 12.6 and later ("CUPTI documentation", Profiler Host API, Range
// Profiling API, PC Sampling API, PM Sampling API). The library belongs
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

inline constexpr int kRangeProfiler = 0, kPmSampling = 1;  // CUpti_ProfilerType
inline constexpr int kAutoRange = 1;                       // CUpti_ProfilerRange: each kernel is a range
inline constexpr int kUserReplay = 3;  // CUpti_ProfilerReplayMode: the caller launches once for each pass

struct Host;       // CUpti_Profiler_Host_Object
struct Range;      // CUpti_RangeProfiler_Object
struct PmSampler;  // CUpti_PmSampling_Object

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

// PC sampling. Records and buffers begin with their size, too, but have no reserved member.

struct PcReason {
  uint32_t reason = 0, samples = 0;
};

struct PcRecord {  // CUpti_PCSamplingPCData
  size_t bytes = 64;
  uint64_t cubin = 0;   // the number that the callback gave it
  uint64_t offset = 0;  // of the instruction in the function
  uint32_t function_index = 0, padding = 0;
  char* function = nullptr;  // several records may share it, so that it is never freed
  size_t reason_count = 0;
  PcReason* reasons = nullptr;
  uint32_t correlation = 0;
};
static_assert(sizeof(PcRecord) == 64);

struct PcData {  // CUpti_PCSamplingData
  size_t bytes = 80;
  size_t room = 0;  // for so many records
  uint64_t taken = 0, dropped = 0;
  size_t count = 0, remaining = 0;  // records
  uint64_t range = 0;
  PcRecord* records = nullptr;
  uint64_t of_other_kernels = 0;
  uint8_t buffer_full = 0;
};
static_assert(sizeof(PcData) == 80);

enum class PcAttribute : int {  // CUpti_PCSamplingConfigurationAttributeType
  kInterval = 1,                // the logarithm of a number of cycles
  kReasons = 2,
  kScratchBytes = 3,
  kHardwareBytes = 4,
  kMode = 5,
  kStartStop = 6,
  kFormat = 7,
  kData = 8,
  kWorkerSleepMs = 9,
};
inline constexpr uint32_t kContinuous = 1, kParsed = 1;

struct PcSetting {  // CUpti_PCSamplingConfigurationInfo
  PcAttribute attribute = PcAttribute::kMode;
  Result status = kOk;  // out
  union {
    uint64_t words[3] = {};
    uint32_t number;
    size_t size;
    PcData* data;
    struct {
      size_t count;
      uint32_t* indices;
    } reasons;
  };
};
static_assert(sizeof(PcSetting) == 32);

struct PcConfigure : Head {
  Context context = nullptr;
  size_t count = 0;
  PcSetting* settings = nullptr;
};

struct PcOfContext : Head {  // of Enable, Disable, Start and Stop
  Context context = nullptr;
};

struct PcGetData : Head {
  Context context = nullptr;
  PcData* data = nullptr;
};

struct PcReasonCount : Head {
  Context context = nullptr;
  size_t* count = nullptr;
};

inline constexpr size_t kReasonNameBytes = 128;
struct PcReasonNames : Head {
  Context context = nullptr;
  size_t count = 0;
  uint32_t* indices = nullptr;
  char** names = nullptr;
};

struct CubinNumber {  // CUpti_GetCubinCrcParams, which has no reserved member
  size_t bytes = 0;
  size_t cubin_size = 0;
  const void* cubin = nullptr;
  uint64_t number = 0;  // out
};

// PM sampling.

struct PmAvailability : Head {
  size_t device = 0;
  size_t image_bytes = 0;  // in and out
  uint8_t* image = nullptr;
};

struct PmEnable : Head {
  size_t device = 0;
  PmSampler* sampler = nullptr;  // out
};

struct OfPmSampler : Head {  // of Disable, Start and Stop
  PmSampler* sampler = nullptr;
};

struct PmConfig : Head {
  PmSampler* sampler = nullptr;
  size_t config_size = 0;
  const uint8_t* config = nullptr;
  size_t hardware_bytes = 0;
  uint64_t interval = 0;
  int trigger = 1;  // every `interval` nanoseconds
  int append = 0;   // keep the oldest
};

struct PmDataSize : Head {
  PmSampler* sampler = nullptr;
  const char** metrics = nullptr;
  size_t count = 0;
  uint32_t most_samples = 0;
  size_t size = 0;  // out
};

struct PmDataInitialize : Head {
  PmSampler* sampler = nullptr;
  size_t size = 0;
  uint8_t* data = nullptr;
};

struct PmDecode : Head {
  PmSampler* sampler = nullptr;
  uint8_t* data = nullptr;
  size_t size = 0;
  int stopped_because = 0;  // out, as the rest
  uint8_t overflow = 0;
};

struct PmDataInfo : Head {
  const uint8_t* data = nullptr;
  size_t size = 0;
  size_t total = 0, populated = 0, completed = 0;  // out
};

struct PmSampleInfo : Head {
  PmSampler* sampler = nullptr;
  const uint8_t* data = nullptr;
  size_t size = 0;
  size_t sample = 0;
  uint64_t begin_ns = 0, end_ns = 0;  // out
};

// Activity records. CUPTI only ever appends to them, so that these beginnings serve all versions.

enum class ActivityKind : int {
  kCopy = 1,
  kFill = 2,
  kConcurrentKernel = 10,
  kPeerCopy = 22
};                                           // CUpti_ActivityKind
inline constexpr uint32_t kFlushForced = 1;  // CUPTI_ACTIVITY_FLAG_FLUSH_FORCED

struct ActivityRecord {
  ActivityKind kind;
};

struct ActivityOfKernel {  // CUpti_ActivityKernel5 and later
  ActivityKind kind;
  uint8_t settings[12];
  uint64_t start_ns, end_ns, completed_ns;
  uint32_t device, context, stream;
  int32_t grid[3], block[3], shared[2];
  uint32_t local[2];
  uint32_t correlation;
  int64_t grid_number;
  const char* name;
  void* reserved;
  uint64_t queued_ns, submitted_ns;
  uint8_t launch[4];
  uint32_t shared_executed;
  uint64_t graph_node;  // 0: no graph launched it
};
static_assert(offsetof(ActivityOfKernel, start_ns) == 16 && offsetof(ActivityOfKernel, correlation) == 92 &&
              offsetof(ActivityOfKernel, graph_node) == 144);

struct ActivityOfMemory {  // CUpti_ActivityMemcpy and CUpti_ActivityMemset
  ActivityKind kind;
  uint8_t copy_kind, from_kind, to_kind, flags;
  uint64_t bytes, start_ns, end_ns;
  uint32_t device, context, stream, correlation;
};
static_assert(offsetof(ActivityOfMemory, bytes) == 8 && offsetof(ActivityOfMemory, correlation) == 44);

struct ActivityOfPeerCopy {  // CUpti_ActivityMemcpyPtoP and later
  ActivityKind kind;
  uint8_t copy_kind, from_kind, to_kind, flags;
  uint64_t bytes, start_ns, end_ns;
  uint32_t device, context, stream, from_device, from_context, to_device, to_context, correlation;
};
static_assert(offsetof(ActivityOfPeerCopy, bytes) == 8 && offsetof(ActivityOfPeerCopy, correlation) == 60);

// CUpti_ActivityMemcpyKind
inline constexpr uint8_t kToDevice = 1, kToHost = 2, kOnDevice = 8, kPeerToPeer = 10;

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
  NAME(dataInfo, "cuptiRangeProfilerGetCounterDataInfo", DataInfo, ranges)                     \
  NAME(pcEnable, "cuptiPCSamplingEnable", PcOfContext, context)                                \
  NAME(pcDisable, "cuptiPCSamplingDisable", PcOfContext, context)                              \
  NAME(pcConfigure, "cuptiPCSamplingSetConfigurationAttribute", PcConfigure, settings)         \
  NAME(pcReasonCount, "cuptiPCSamplingGetNumStallReasons", PcReasonCount, count)               \
  NAME(pcReasonNames, "cuptiPCSamplingGetStallReasons", PcReasonNames, names)                  \
  NAME(pcStart, "cuptiPCSamplingStart", PcOfContext, context)                                  \
  NAME(pcStop, "cuptiPCSamplingStop", PcOfContext, context)                                    \
  NAME(pcGetData, "cuptiPCSamplingGetData", PcGetData, data)                                   \
  NAME(cubinNumber, "cuptiGetCubinCrc", CubinNumber, number)                                   \
  NAME(pmAvailability, "cuptiPmSamplingGetCounterAvailability", PmAvailability, image)         \
  NAME(pmEnable, "cuptiPmSamplingEnable", PmEnable, sampler)                                   \
  NAME(pmDisable, "cuptiPmSamplingDisable", OfPmSampler, sampler)                              \
  NAME(pmConfigure, "cuptiPmSamplingSetConfig", PmConfig, append)                              \
  NAME(pmDataSize, "cuptiPmSamplingGetCounterDataSize", PmDataSize, size)                      \
  NAME(pmDataInitialize, "cuptiPmSamplingCounterDataImageInitialize", PmDataInitialize, data)  \
  NAME(pmStart, "cuptiPmSamplingStart", OfPmSampler, sampler)                                  \
  NAME(pmStop, "cuptiPmSamplingStop", OfPmSampler, sampler)                                    \
  NAME(pmDecode, "cuptiPmSamplingDecodeData", PmDecode, overflow)                              \
  NAME(pmDataInfo, "cuptiPmSamplingGetCounterDataInfo", PmDataInfo, completed)                 \
  NAME(pmSampleInfo, "cuptiPmSamplingCounterDataGetSampleInfo", PmSampleInfo, end_ns)

class Api {
 public:
  // Loads the library once a process. The error (kNoDevice) says what to install.
  static Expected<const Api*> load();

  // Each sets the structure's size and calls CUPTI.
  // NOLINTBEGIN(bugprone-macro-parentheses,bugprone-sizeof-expression): types and members; some are pointers
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
  // NOLINTEND(bugprone-macro-parentheses,bugprone-sizeof-expression)

  // Has CUPTI hand over the code of each module that it learns of, for which the callback makes up a number.
  using CubinCallback = void (*)(const void* cubin, size_t bytes, uint64_t* number);
  Result registerCubins(CubinCallback callback) const {
    return registerCubins_(callback);
  }

  // The records of what the GPU did (CUPTI's Activity API). Once a process: CUPTI asks for an empty buffer,
  // and hands it over when it is full or flushed.
  using RequestBuffer = void (*)(uint8_t** buffer, size_t* bytes, size_t* most_records);
  using TakeBuffer = void (*)(Context context, uint32_t stream, uint8_t* buffer, size_t bytes, size_t valid);
  Result registerActivity(RequestBuffer request, TakeBuffer take) const {
    return registerActivity_(request, take);
  }
  Result enableActivity(ActivityKind kind) const {
    return enableActivity_(kind);
  }
  Result disableActivity(ActivityKind kind) const {
    return disableActivity_(kind);
  }
  Result flushActivity() const {
    return flushActivity_(kFlushForced);
  }
  // The record behind `record` (null: the first) in a buffer; anything but kOk: there is none.
  Result nextActivity(uint8_t* buffer, size_t valid, ActivityRecord** record) const {
    return nextActivity_(buffer, valid, record);
  }

  // "CUPTI_ERROR_HARDWARE_BUSY", and what the user can do about it where it is known.
  std::string describe(Result result) const;

 private:
  static Expected<Api> loadNow();
#define WARPSCOPE_CUPTI_MEMBER(member, entry, Params, last) Result (*member##_)(Params*) = nullptr;
  WARPSCOPE_CUPTI_FUNCTIONS(WARPSCOPE_CUPTI_MEMBER)
#undef WARPSCOPE_CUPTI_MEMBER
  // NOLINTBEGIN(readability-identifier-naming): functions, which are called by these names
  Result (*resultName_)(Result, const char**) = nullptr;
  Result (*registerCubins_)(CubinCallback) = nullptr;
  Result (*registerActivity_)(RequestBuffer, TakeBuffer) = nullptr;
  Result (*enableActivity_)(ActivityKind) = nullptr;
  Result (*disableActivity_)(ActivityKind) = nullptr;
  Result (*flushActivity_)(uint32_t) = nullptr;
  Result (*nextActivity_)(uint8_t*, size_t, ActivityRecord**) = nullptr;
  // NOLINTEND(readability-identifier-naming)
};

}  // namespace warpscope::cuda::cupti
