// The few functions and constants of the CUDA driver API that the backend uses, found at run time with
// dlopen("libcuda.so.1"), so that the program builds without a toolkit and starts without a driver. Types,
// values and entry names as in NVIDIA's "CUDA Driver API" reference,
// https://docs.nvidia.com/cuda/cuda-driver-api
// ("Data types used by CUDA driver", and each function's page). Names ending in _v2 are the entries that
// cuda.h's macros of the unsuffixed names lead to.
#pragma once

#include <dlfcn.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "kernels/core/error.h"
#include "kernels/run/device_description.h"

namespace warpscope::cuda {

using Result = int;  // CUresult
using DeviceOrdinal = int;
using Address = unsigned long long;  // CUdeviceptr
using Context = struct OpaqueContext*;
using Module = struct OpaqueModule*;
using Function = struct OpaqueFunction*;
using Stream = struct OpaqueStream*;
using Event = struct OpaqueEvent*;
using Array = struct OpaqueArray*;
using Graph = struct OpaqueGraph*;
using GraphExec = struct OpaqueGraphExec*;
using GraphNode = struct OpaqueGraphNode*;
using LinkState = struct OpaqueLinkState*;
using MemoryPool = struct OpaqueMemoryPool*;
using HostFunction = void (*)(void*);  // CUhostFn

// CUresult
inline constexpr Result kSuccess = 0;
inline constexpr Result kErrorOutOfMemory = 2;
inline constexpr Result kErrorStubLibrary = 34;
inline constexpr Result kErrorDeviceUnavailable = 46;
inline constexpr Result kErrorNoDevice = 100;
inline constexpr Result kErrorUnsupportedPtxVersion = 222;
inline constexpr Result kErrorPeerAccessAlreadyEnabled = 704;
inline constexpr Result kErrorNotPermitted = 800;
inline constexpr Result kErrorSystemNotReady = 802;
inline constexpr Result kErrorSystemDriverMismatch = 803;
inline constexpr Result kErrorUnknown = 999;

// CUdevice_attribute
enum class DeviceAttribute : int {
  kMaxThreadsPerBlock = 1,
  kMaxSharedMemoryPerBlock = 8,
  kMaxRegistersPerBlock = 12,
  kClockRateKhz = 13,
  kMultiprocessorCount = 16,
  kMemoryClockRateKhz = 36,
  kGlobalMemoryBusWidth = 37,
  kL2CacheSize = 38,
  kMaxThreadsPerMultiprocessor = 39,
  kComputeCapabilityMajor = 75,
  kComputeCapabilityMinor = 76,
  kMaxSharedMemoryPerMultiprocessor = 81,
  kMaxRegistersPerMultiprocessor = 82,
  kManagedMemory = 83,
  kConcurrentManagedAccess = 89,
  kMaxSharedMemoryPerBlockOptin = 97,
  kMaxBlocksPerMultiprocessor = 106,
  kReservedSharedMemoryPerBlock = 111,
  kMemoryPools = 115,
};

// CUfunction_attribute
enum class FunctionAttribute : int {
  kSharedSizeBytes = 1,
  kLocalSizeBytes = 3,
  kNumRegs = 4,
  kMaxDynamicSharedSizeBytes = 8,
  kNonPortableClusterSizeAllowed = 14,
};

// CUlaunchAttribute: an ID and a union of 64 bytes, of which a cluster's dimensions are one.
inline constexpr int kAttributeCooperative = 2, kAttributeClusterDimension = 4,
                     kAttributeProgrammaticStreamSerialization = 6;
struct LaunchAttribute {
  int id = 0;
  int padding = 0;
  unsigned value[16] = {};  // x, y and z of the cluster; 1: cooperative, programmatic
};
static_assert(sizeof(LaunchAttribute) == 72);

struct LaunchConfig {  // CUlaunchConfig
  unsigned grid_x = 1, grid_y = 1, grid_z = 1, block_x = 1, block_y = 1, block_z = 1;
  unsigned dynamic_shared_bytes = 0;
  Stream stream = nullptr;
  LaunchAttribute* attributes = nullptr;
  unsigned attribute_count = 0;
};
static_assert(sizeof(LaunchConfig) == 56);

inline constexpr int kCaptureThisThread = 1;  // CU_STREAM_CAPTURE_MODE_THREAD_LOCAL

struct KernelNode {  // CUDA_KERNEL_NODE_PARAMS_v2, which begins as what drivers before CUDA 12 read
  Function function = nullptr;
  unsigned grid_x = 1, grid_y = 1, grid_z = 1, block_x = 1, block_y = 1, block_z = 1;
  unsigned dynamic_shared_bytes = 0;
  void** arguments = nullptr;
  void** extra = nullptr;
  void* kernel = nullptr;
  Context context = nullptr;
};
static_assert(sizeof(KernelNode) == 72);

// CUgraphNodeParams of an IF node, as cuGraphAddNode takes it.
struct ConditionalNode {
  int type = 13;  // CU_GRAPH_NODE_TYPE_CONDITIONAL
  int reserved[3] = {};
  uint64_t handle = 0;
  int condition = 0;        // CU_GRAPH_COND_TYPE_IF
  unsigned body_count = 1;  // there is no "else"
  Graph* bodies = nullptr;  // set by the driver: its own array
  Context context = nullptr;
  std::byte unused[208] = {};
};
static_assert(sizeof(ConditionalNode) == 256);

inline constexpr unsigned kAssignDefault = 1;  // CU_GRAPH_COND_ASSIGN_DEFAULT: at each launch of the graph

enum class LinkInput : int { kPtx = 1, kLibrary = 4 };  // CUjitInputType

// CUmemLocation, which entries since CUDA 12.2 take by value; those before, an ordinal.
struct MemoryLocation {
  int type = 0, id = 0;
};
static_assert(sizeof(MemoryLocation) == 8);
inline constexpr int kLocationDevice = 1, kLocationHost = 2;  // CUmemLocationType
inline constexpr int kCpuDevice = -1;                         // CU_DEVICE_CPU
inline constexpr unsigned kMemAttachGlobal = 1;               // CU_MEM_ATTACH_GLOBAL
// CUmem_advise
inline constexpr int kAdviseSetPreferredLocation = 3, kAdviseUnsetPreferredLocation = 4;
inline constexpr int kAdviseSetAccessedBy = 5, kAdviseUnsetAccessedBy = 6;

// CUjit_option
enum class JitOption : int { kErrorLogBuffer = 5, kErrorLogBufferSizeBytes = 6, kLineInformation = 13 };

inline constexpr unsigned kStreamDefault = 0;          // CU_STREAM_DEFAULT
inline constexpr unsigned kStreamNonBlocking = 1;      // CU_STREAM_NON_BLOCKING
inline constexpr uintptr_t kLegacyDefaultStream = 1;   // CU_STREAM_LEGACY
inline constexpr uintptr_t kThreadDefaultStream = 2;   // CU_STREAM_PER_THREAD
inline constexpr unsigned kEventDefault = 0;           // CU_EVENT_DEFAULT
inline constexpr unsigned kEventDisableTiming = 2;     // CU_EVENT_DISABLE_TIMING
inline constexpr unsigned kMemHostAllocDeviceMap = 2;  // CU_MEMHOSTALLOC_DEVICEMAP

// CUarray_format
inline constexpr int kFormatUnsigned8 = 0x01, kFormatUnsigned16 = 0x02, kFormatUnsigned32 = 0x03;
inline constexpr int kFormatSigned8 = 0x08, kFormatSigned16 = 0x09, kFormatSigned32 = 0x0A;
inline constexpr int kFormatHalf = 0x10, kFormatFloat = 0x20;
inline constexpr unsigned kArraySurface = 0x02;                            // CUDA_ARRAY3D_SURFACE_LDST
inline constexpr int kMemoryDevice = 2, kMemoryArray = 3;                  // CUmemorytype
inline constexpr int kResourceArray = 0, kResourceLinear = 2;              // CUresourcetype
inline constexpr unsigned kReadAsInteger = 1, kNormalizedCoordinates = 2;  // CU_TRSF_...

struct ArrayDescriptor {  // CUDA_ARRAY3D_DESCRIPTOR
  size_t width = 0, height = 0, depth = 0;
  int format = 0;
  unsigned channels = 0, flags = 0;
};

struct Copy3D {  // CUDA_MEMCPY3D
  struct Side {
    size_t x_bytes = 0, y = 0, z = 0, level = 0;
    int memory = 0;
    const void* host = nullptr;
    Address device = 0;
    Array array = nullptr;
    void* reserved = nullptr;
    size_t pitch = 0, height = 0;
  };
  Side from, to;
  size_t width_bytes = 0, height = 0, depth = 0;
};
static_assert(sizeof(Copy3D) == 200);

struct ResourceDescriptor {  // CUDA_RESOURCE_DESC
  struct OfArray {
    Array array;
  };
  struct Linear {
    Address address;
    int format;
    unsigned channels;
    size_t bytes;
  };
  int kind = 0;
  union {
    OfArray array;
    Linear linear;
    int reserved[32] = {};
  };
  unsigned flags = 0;
};
static_assert(sizeof(ResourceDescriptor) == 144);

struct TextureDescriptor {  // CUDA_TEXTURE_DESC
  int address[3] = {};
  int filter = 0;
  unsigned flags = 0, max_anisotropy = 0;
  int mipmap_filter = 0;
  float level_bias = 0, least_level = 0, most_level = 0;
  float border[4] = {};
  int reserved[12] = {};
};
static_assert(sizeof(TextureDescriptor) == 104);

// NAME(member, entry, parameter types...)
#define WARPSCOPE_CUDA_FUNCTIONS(NAME)                                                                       \
  NAME(init, "cuInit", unsigned)                                                                             \
  NAME(driverGetVersion, "cuDriverGetVersion", int*)                                                         \
  NAME(getErrorName, "cuGetErrorName", Result, const char**)                                                 \
  NAME(getErrorString, "cuGetErrorString", Result, const char**)                                             \
  NAME(deviceGetCount, "cuDeviceGetCount", int*)                                                             \
  NAME(deviceGetName, "cuDeviceGetName", char*, int, DeviceOrdinal)                                          \
  NAME(deviceGetAttribute, "cuDeviceGetAttribute", int*, DeviceAttribute, DeviceOrdinal)                     \
  NAME(deviceTotalMem, "cuDeviceTotalMem_v2", size_t*, DeviceOrdinal)                                        \
  NAME(devicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain", Context*, DeviceOrdinal)                          \
  NAME(devicePrimaryCtxRelease, "cuDevicePrimaryCtxRelease_v2", DeviceOrdinal)                               \
  NAME(ctxSetCurrent, "cuCtxSetCurrent", Context)                                                            \
  NAME(deviceCanAccessPeer, "cuDeviceCanAccessPeer", int*, DeviceOrdinal, DeviceOrdinal)                     \
  NAME(ctxEnablePeerAccess, "cuCtxEnablePeerAccess", Context, unsigned)                                      \
  NAME(memcpyPeerAsync, "cuMemcpyPeerAsync", Address, Context, Address, Context, size_t, Stream)             \
  NAME(streamCreate, "cuStreamCreate", Stream*, unsigned)                                                    \
  NAME(streamCreateWithPriority, "cuStreamCreateWithPriority", Stream*, unsigned, int)                       \
  NAME(streamWaitEvent, "cuStreamWaitEvent", Stream, Event, unsigned)                                        \
  NAME(launchHostFunc, "cuLaunchHostFunc", Stream, HostFunction, void*)                                      \
  NAME(streamDestroy, "cuStreamDestroy_v2", Stream)                                                          \
  NAME(streamSynchronize, "cuStreamSynchronize", Stream)                                                     \
  NAME(eventCreate, "cuEventCreate", Event*, unsigned)                                                       \
  NAME(eventDestroy, "cuEventDestroy_v2", Event)                                                             \
  NAME(eventSynchronize, "cuEventSynchronize", Event)                                                        \
  NAME(eventRecord, "cuEventRecord", Event, Stream)                                                          \
  NAME(eventElapsedTime, "cuEventElapsedTime", float*, Event, Event)                                         \
  NAME(memGetInfo, "cuMemGetInfo_v2", size_t*, size_t*)                                                      \
  NAME(memAlloc, "cuMemAlloc_v2", Address*, size_t)                                                          \
  NAME(memFree, "cuMemFree_v2", Address)                                                                     \
  NAME(memHostAlloc, "cuMemHostAlloc", void**, size_t, unsigned)                                             \
  NAME(memHostGetDevicePointer, "cuMemHostGetDevicePointer_v2", Address*, void*, unsigned)                   \
  NAME(memFreeHost, "cuMemFreeHost", void*)                                                                  \
  NAME(memcpyHtoDAsync, "cuMemcpyHtoDAsync_v2", Address, const void*, size_t, Stream)                        \
  NAME(memcpyDtoHAsync, "cuMemcpyDtoHAsync_v2", void*, Address, size_t, Stream)                              \
  NAME(memcpyDtoDAsync, "cuMemcpyDtoDAsync_v2", Address, Address, size_t, Stream)                            \
  NAME(memsetD8Async, "cuMemsetD8Async", Address, unsigned char, size_t, Stream)                             \
  NAME(array3DCreate, "cuArray3DCreate_v2", Array*, const ArrayDescriptor*)                                  \
  NAME(arrayDestroy, "cuArrayDestroy", Array)                                                                \
  NAME(memcpy3DAsync, "cuMemcpy3DAsync_v2", const Copy3D*, Stream)                                           \
  NAME(texObjectCreate, "cuTexObjectCreate", uint64_t*, const ResourceDescriptor*, const TextureDescriptor*, \
       const void*)                                                                                          \
  NAME(texObjectDestroy, "cuTexObjectDestroy", uint64_t)                                                     \
  NAME(surfObjectCreate, "cuSurfObjectCreate", uint64_t*, const ResourceDescriptor*)                         \
  NAME(surfObjectDestroy, "cuSurfObjectDestroy", uint64_t)                                                   \
  NAME(moduleLoadDataEx, "cuModuleLoadDataEx", Module*, const void*, unsigned, JitOption*, void**)           \
  NAME(moduleUnload, "cuModuleUnload", Module)                                                               \
  NAME(moduleGetFunction, "cuModuleGetFunction", Function*, Module, const char*)                             \
  NAME(funcGetAttribute, "cuFuncGetAttribute", int*, FunctionAttribute, Function)                            \
  NAME(funcSetAttribute, "cuFuncSetAttribute", Function, FunctionAttribute, int)                             \
  NAME(occupancyMaxActiveBlocksPerMultiprocessor, "cuOccupancyMaxActiveBlocksPerMultiprocessor", int*,       \
       Function, int, size_t)                                                                                \
  NAME(launchKernel, "cuLaunchKernel", Function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, \
       unsigned, Stream, void**, void**)                                                                     \
  NAME(launchCooperativeKernel, "cuLaunchCooperativeKernel", Function, unsigned, unsigned, unsigned,         \
       unsigned, unsigned, unsigned, unsigned, Stream, void**)                                               \
  NAME(moduleGetGlobal, "cuModuleGetGlobal_v2", Address*, size_t*, Module, const char*)

// Graphs need these entries, which a driver may lack.
#define WARPSCOPE_CUDA_GRAPH_FUNCTIONS(NAME)                                                            \
  NAME(streamBeginCapture, "cuStreamBeginCapture_v2", Stream, int)                                      \
  NAME(streamEndCapture, "cuStreamEndCapture", Stream, Graph*)                                          \
  NAME(graphCreate, "cuGraphCreate", Graph*, unsigned)                                                  \
  NAME(graphAddKernelNode, "cuGraphAddKernelNode_v2", GraphNode*, Graph, const GraphNode*, size_t,      \
       const KernelNode*)                                                                               \
  NAME(graphInstantiateWithFlags, "cuGraphInstantiateWithFlags", GraphExec*, Graph, unsigned long long) \
  NAME(graphUpload, "cuGraphUpload", GraphExec, Stream)                                                 \
  NAME(graphLaunch, "cuGraphLaunch", GraphExec, Stream)                                                 \
  NAME(graphExecDestroy, "cuGraphExecDestroy", GraphExec)                                               \
  NAME(graphDestroy, "cuGraphDestroy", Graph)

// Conditional nodes, and linking the modules that set their conditions, need these, too (CUDA 12.4).
#define WARPSCOPE_CUDA_CONDITION_FUNCTIONS(NAME)                                                            \
  NAME(graphConditionalHandleCreate, "cuGraphConditionalHandleCreate", uint64_t*, Graph, Context, unsigned, \
       unsigned)                                                                                            \
  NAME(graphAddNode, "cuGraphAddNode_v2", GraphNode*, Graph, const GraphNode*, const void*, size_t,         \
       ConditionalNode*)                                                                                    \
  NAME(linkCreate, "cuLinkCreate_v2", unsigned, JitOption*, void**, LinkState*)                             \
  NAME(linkAddData, "cuLinkAddData_v2", LinkState, LinkInput, void*, size_t, const char*, unsigned,         \
       JitOption*, void**)                                                                                  \
  NAME(linkAddFile, "cuLinkAddFile_v2", LinkState, LinkInput, const char*, unsigned, JitOption*, void**)    \
  NAME(linkComplete, "cuLinkComplete", LinkState, void**, size_t*)                                          \
  NAME(linkDestroy, "cuLinkDestroy", LinkState)

struct DriverApi {
#define WARPSCOPE_CUDA_MEMBER(member, entry, ...) Result (*member)(__VA_ARGS__) = nullptr;
  WARPSCOPE_CUDA_FUNCTIONS(WARPSCOPE_CUDA_MEMBER)
  WARPSCOPE_CUDA_GRAPH_FUNCTIONS(WARPSCOPE_CUDA_MEMBER)
  WARPSCOPE_CUDA_CONDITION_FUNCTIONS(WARPSCOPE_CUDA_MEMBER)
#undef WARPSCOPE_CUDA_MEMBER
  const char* missing_for_conditions = nullptr;  // an entry for conditional nodes that the driver lacks
  const char* missing_for_graphs = nullptr;      // an entry for graphs that the driver lacks
  // NOLINTBEGIN(readability-identifier-naming): functions, which are called by these names
  // Managed memory, which a driver may lack. Those ending in V2 are null before CUDA 12.2 (driver 535), and
  // of the others the driver may have none.
  Result (*memAllocManaged)(Address*, size_t, unsigned) = nullptr;
  Result (*memAdvise)(Address, size_t, int, DeviceOrdinal) = nullptr;
  Result (*memAdviseV2)(Address, size_t, int, MemoryLocation) = nullptr;
  Result (*memPrefetchAsync)(Address, size_t, DeviceOrdinal, Stream) = nullptr;
  Result (*memPrefetchAsyncV2)(Address, size_t, MemoryLocation, unsigned, Stream) = nullptr;
  const char* missing_for_managed = nullptr;  // an entry that the driver lacks
  // Memory in the order of streams; null before CUDA 11.2 (driver 460).
  Result (*memAllocAsync)(Address*, size_t, Stream) = nullptr;
  Result (*memFreeAsync)(Address, Stream) = nullptr;
  Result (*deviceGetDefaultMemPool)(MemoryPool*, DeviceOrdinal) = nullptr;
  Result (*memPoolSetAttribute)(MemoryPool, int, void*) = nullptr;  // CUmemPool_attribute and its value
  // cuLaunchKernelEx; null before CUDA 11.8 (driver 520), whose GPUs have no clusters.
  Result (*launchKernelEx)(const LaunchConfig*, Function, void**, void**) = nullptr;

  // cuTensorMapEncodeTiled; null before CUDA 12.0 (driver 525). Map, element, rank, tensor, its sizes and
  // strides, the box, element strides, interleaving, swizzle, promotion in L2, what is outside.
  Result (*tensorMapEncodeTiled)(void*, int, unsigned, void*, const uint64_t*, const uint64_t*,
                                 const unsigned*, const unsigned*, int, int, int, int) = nullptr;
  // NOLINTEND(readability-identifier-naming)

  // "CUDA_ERROR_ILLEGAL_ADDRESS: an illegal memory access was encountered"
  std::string describe(Result result) const;
};

// Loads the library and calls cuInit, once a process. The error (kNoDevice) says which of library, driver,
// GPU or permission is missing, and what to do.
Expected<const DriverApi*> driverApi();

// Finds a function of a library that was loaded at run time. False: it has no such entry; `function` is then
// null.
template <class F>
bool loadSymbol(void* library, const char* entry, F& function) {
  function = reinterpret_cast<F>(dlsym(library, entry));
  return function != nullptr;
}

// The properties of a GPU, as the driver reports them, in the DeviceDescription that is stored with runs
// (cuda_devices.cpp).
Expected<int> deviceCount(const DriverApi& api);
Expected<DeviceDescription> describeDevice(const DriverApi& api, int ordinal);

}  // namespace warpscope::cuda
