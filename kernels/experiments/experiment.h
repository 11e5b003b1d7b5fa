// An experiment is a family of kernel variants that compute the same thing. It knows its parameters, prepares
// the inputs, says what to launch and checks the outputs. It knows nothing of backends: execute/executor.h
// runs its plans.
//
// CONTRIBUTING.md says how to add one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "kernels/core/error.h"
#include "kernels/core/image.h"
#include "kernels/core/tensor_map.h"
#include "kernels/experiments/library_work.h"
#include "kernels/experiments/prediction.h"
#include "kernels/run/host_work.h"
#include "kernels/run/run.h"

namespace warpscope {

enum class ParameterKind {
  kInteger,  // a slider from min to max in steps
  kLog2,     // a slider in powers of two; any whole number in range may be typed
  kChoice,   // an index into choices
};

// The meaning of a parameter to code outside of its family. Such code asks for a role (below), never for a
// name.
enum class ParameterRole {
  kNone,         // only its family knows
  kBlock,        // the block as a whole: its threads, in whole warps up to what devices allow, or a choice of
                 // shapes
  kBlockPart,    // shapes the block too: one of its sides, or its threads within narrower limits
  kElements,     // how much data there is
  kRegisters,    // the most registers that a thread may use
  kSharedBytes,  // dynamic shared memory a block
  kElementType,  // what the data is made of: ints or floats
};

struct ParameterSpec {
  std::string name;   // "block"; the name of the option --block
  std::string label;  // "Block size"
  ParameterKind kind = ParameterKind::kInteger;
  int64_t min = 0, max = 0, step = 1, default_value = 0;
  std::string unit;                   // "threads", "elements"
  std::string help;                   // the tooltip: what it does and what to watch
  std::vector<std::string> choices;   // for kChoice: "32x8"
  std::vector<std::string> variants;  // the variants that have it; empty: all
  // The default on a simulated GPU, where sizes must be smaller to be interactive; absent: default_value.
  std::optional<int64_t> simulated_default;
  std::string zero_means;  // what 0 stands for, if it is not a plain number: "automatic"
  // For a parameter that shapes blocks or data without the role kBlock or kElements: the values that tests
  // and the bundled recordings use. All combinations of a variant's samples are possible launches.
  std::vector<int64_t> samples;
  ParameterRole role = ParameterRole::kNone;
};

// The hazard in a variant that is broken on purpose, as the checks of a simulated GPU find it. The result of
// such a variant may be wrong.
struct PlantedHazard {
  HazardKind kind = HazardKind::kRace;
  std::vector<std::string> code;  // text of the source lines that have the hazard; it is found once at each
};

struct VariantInfo {
  std::string name;                      // "even_odd"
  std::string title;                     // "Even / odd lanes"
  std::string summary;                   // what to look at: two or three sentences
  std::optional<PlantedHazard> planted;  // absent: the kernel is correct
  bool ceiling = false;                  // computes something simpler than the others, to compare them with
};

struct FamilyInfo {
  std::string name, title, summary;
  std::vector<VariantInfo> variants;
  std::vector<ParameterSpec> parameters;
  std::shared_ptr<const Program> program{};  // a user's program; absent: the family is built in
  bool checked = false;                      // its runs are always checked for hazards, where the device can
  // The view that its lanes panel shows first: "lanes", "mapping", "banks", "sectors", "shuffle", "tree",
  // "tail", "operations".
  std::string view = "lanes";
};

// The meaning of a region to code outside of its family, as ParameterRole is that of a parameter.
enum class RegionRole {
  kNone,
  kStep,      // its mark opens a step of a tree: lanes halve, or combine pairs, once in it
  kStepWork,  // the lanes that come to its mark are those that work in the step
};

using Bytes = std::vector<std::byte>;

struct BufferSpec {
  enum class Role { kInput, kOutput, kInOut } role = Role::kInput;
  std::string name;
  uint64_t bytes = 0;
  // The initial content of inputs and in-outs. Equal keys mean equal content, so that a live slider does not
  // upload the same input again; the generator is called only for a new key. Outputs are initially filled
  // with kNeverWritten, so that an element that is never written is noticed, unless `fill` says otherwise.
  static constexpr uint8_t kNeverWritten = 0xA5;
  std::string content_key;
  std::function<std::shared_ptr<const Bytes>()> generate;
  // False for a buffer whose final content the check does not need: it is not copied back, and verify() gets
  // an empty span for it.
  bool checked = true;
  // For outputs. A buffer that kernels add to begins with zeros, and must be zeroed again before each timed
  // launch; that is not counted in the time, and at most one buffer of a plan may ask for it.
  uint8_t fill = kNeverWritten;
  bool filled_each_time = false;
  // Where a plan of several operations finds an input, or leaves an output, on the host; its copies
  // (PlannedOperation) move it from or to the device, where inputs are not there before. In managed memory
  // the host has written them before, and reads them behind the last operation. Absent: in the device's
  // memory only.
  std::optional<HostMemory> host{};
  uint32_t gpu = 0;  // in whose memory it is; other than 0 only where DeviceLimits::gpus says so
  // Of managed memory, which the host and the device reach at one address: what the driver is told of it.
  MemoryAdvice advice{};
  // For outputs: a __device__ array of the plan's module, "static_sums"; empty: an allocated buffer.
  std::string symbol;
};

// The arguments after the probe parameter, in order: a buffer's address (index into LaunchPlan::buffers), a
// scalar, or the bytes of a value of any type.
struct BufferArgument {
  size_t index = 0;
  // The buffer holds an image's texels, and the kernel is passed a texture or surface object in place of the
  // address.
  std::optional<ImageDescription> image = std::nullopt;
  // The buffer holds a tensor, from its first byte on, and the kernel is passed its map.
  std::optional<TensorMapDescription> tensor = std::nullopt;
};
using KernelArgument = std::variant<BufferArgument, int32_t, uint32_t, int64_t, uint64_t, float, Bytes>;

// A further launch of a kernel in the same module. Without operations it is right after the plan's own, on
// the same stream and timed with it, and traces and counters are only of the plan's own.
struct FollowingLaunch {
  std::string kernel;
  Dim3 grid, block;
  uint32_t dynamic_shared_bytes = 0;
  std::vector<KernelArgument> arguments;
  std::optional<Dim3> cluster{};  // as LaunchPlan's
};

// What the host enqueues on a stream, unless launches simply follow one another.
struct PlannedOperation {
  OperationKind kind = OperationKind::kLaunch;
  uint32_t stream = 0;  // index into LaunchPlan::streams
  std::string name;     // which part of the work it is: "chunk 2"
  uint32_t launch = 0;  // kLaunch: 0 is the plan's own, i is following[i - 1]
  // Copies and fills: the buffer whose bytes they write, or copy to or from its host's; prefetches: the
  // managed buffer whose pages they move. kAllocate and kFree: the buffer that launches use from then on and
  // until then, which no other operation may name, and all of its bytes. It is allocated once.
  size_t buffer = 0;
  uint64_t offset = 0, bytes = 0;
  size_t from = 0;  // kCopyOnDevice, kPeerCopy: the buffer whose bytes, from from_offset on, they are
  uint64_t from_offset = 0;
  uint8_t value = 0;   // kFill
  uint32_t event = 0;  // kEvent, kWait: a number that the plan chooses
  HostWork work{};     // kHostFunction: on its bytes of the buffer's host side; without bytes on none
  // As EnqueuedOperation's (kernels/backend/backend.h): index into LaunchPlan::graphs, and in an explicit
  // graph the operations that must end first, and the launch that decides whether it is executed. Of that
  // one, the last argument is a 0 of 8 bytes: the place of the condition's handle.
  std::optional<uint32_t> graph{};
  std::vector<uint32_t> nodes{};
  std::optional<uint32_t> only_if{};
  // kLaunch: it depends programmatically on the launch before it on its stream (LaunchSpec::programmatic).
  bool programmatic = false;
};

struct LaunchPlan {
  std::string module;  // "divergence": the PTX and fatbin
  std::string kernel;  // "even_odd": the template; kernel_modules.h finds its NoProbe and WarpProbe entries
  Dim3 grid, block;
  uint32_t dynamic_shared_bytes = 0;
  bool cooperative = false;  // all blocks must be resident at once, since they wait for each other; otherwise
                             // there is no launch
  std::optional<Dim3> cluster{};  // blocks of a cluster; absent: the launch has none
  std::vector<BufferSpec> buffers;
  std::vector<KernelArgument> arguments;
  std::vector<FollowingLaunch> following;
  // The operations of a run on streams, in the order in which the host enqueues them; each launch of the plan
  // is in one of them. Empty: the launches follow one another, and the content of all buffers is on the
  // device before. The result is the same, so that a plan's launches can also be made without its streams.
  std::vector<StreamInfo> streams;
  std::vector<PlannedOperation> operations;
  std::vector<StreamGraph> graphs;
  std::optional<LibraryWork>
      library;               // a vendor library's call for the same work; timed where the device has it
  uint64_t bytes_moved = 0;  // minimum traffic, see Bandwidth::bytes
  // True: outputs depend on the order in which warps arrive, or on time. Two launches may then differ, and
  // every output that verify() accepts is correct.
  bool order_is_free = false;
  // Gets the content of every output and in-out buffer, in the order of `buffers`, after one launch on fresh
  // inputs (an empty span for those that are not `checked`). Copies of a plan share it; only one thread may
  // call it at a time. Empty only for a user's kernel that names no reference: its result is not checked.
  std::function<Verification(std::span<const std::span<const std::byte>> outputs)> verify;
  // For a user's kernel without a reference: compares with the same kernel on the simulated GPU. A simulated
  // GPU itself does not use it, as it would compare with itself; its result is then not checked.
  std::function<Verification(std::span<const std::span<const std::byte>> outputs)> verify_by_simulation;
  // Whether the kernels are templates of a probe, whose first parameter it is. A user's kernels are not:
  // their marked form finds its ProbeParams in the module's variable symbolName("probe_params").
  bool has_probe_parameter = true;
  bool is_marked = true;  // false: there is no form that records itself, and so no trace
  // What the device lacks, and what is done instead: told with the run. Empty: nothing.
  std::string instead;
};

// The arithmetic of a launch, whatever computes it: additions and multiplications for its result, a
// multiply-add counting as two. Addresses, loop counters and repeated computations are not counted.
struct OperationCount {
  double operations = 0;
  bool integers = false;  // false: floats
};

class Experiment {
 public:
  virtual ~Experiment() = default;
  virtual const FamilyInfo& info() const = 0;
  // The request must be complete and in range (see completeRequest). Fails if the launch is impossible on
  // such a device.
  virtual Expected<LaunchPlan> plan(const RunRequest& request, const DeviceLimits& limits) const = 0;
  // The theoretical predictions for such a run; the request must be complete and in range.
  virtual std::vector<Prediction> predictions(const RunRequest& request,
                                              const DeviceLimits& limits) const = 0;
  // The exact count for a complete request, or nullopt if it depends on data or has not been worked out.
  virtual std::optional<OperationCount> operations(const RunRequest& /*request*/,
                                                   const DeviceLimits& /*limits*/) const {
    return std::nullopt;
  }
  // Bytes that a warp requests before it waits for any of them, if the request determines that.
  virtual std::optional<double> bytesAhead(const RunRequest& /*request*/) const { return std::nullopt; }
  // The variant's regions with their lines in `source(variant)`.
  virtual Expected<std::vector<Region>> regions(const std::string& variant) const = 0;
  // By the region's name, which recordings keep.
  virtual RegionRole roleOf(const Region& /*region*/) const { return RegionRole::kNone; }
  virtual std::string sourceFile(const std::string& variant) const = 0;
  virtual std::shared_ptr<const std::string> source(const std::string& variant) const = 0;
};

inline constexpr const char* kProbeParamsVariable = "probe_params";

// All families, in the order in which they are shown.
std::span<const Experiment* const> allExperiments();
// Among these and the users' programs; of a program's versions, the last that was added.
Expected<const Experiment*> findExperiment(const std::string& family);
// The version of the program that the request is for.
Expected<const Experiment*> findExperiment(const RunRequest& request);

// Users' programs (kernels/program/program.h makes their experiments). An experiment that was added stays, as
// runs may refer to it. Safe to call from any thread.
void addExperiment(std::shared_ptr<const Program> program, std::unique_ptr<const Experiment> experiment);
const Experiment* addedExperiment(const Program& program);  // nullptr: it was not added
// The last version of each program, in the order in which they were added first.
std::vector<const Experiment*> addedExperiments();

// The parameters that a variant has, in order.
std::vector<const ParameterSpec*> parametersOf(const FamilyInfo& family, const std::string& variant);

const VariantInfo* variantInfo(const FamilyInfo& family,
                               const std::string& variant);  // nullptr if there is none

// A variant's name for people: "Even / odd lanes"; the id itself for a variant that this program lacks.
std::string variantTitle(const std::string& family, const std::string& variant);
bool isCeiling(const std::string& family, const std::string& variant);  // VariantInfo::ceiling
// With what can be typed beside it: "Even / odd lanes (even_odd)".
std::string variantLabel(const std::string& family, const std::string& variant);

// The device that defaults are for. A simulated GPU with few SMs takes long for the grid that fills a large
// one.
struct DefaultsFor {
  static constexpr uint32_t kManySms = 64;
  DeviceKind kind = DeviceKind::kCuda;
  uint32_t sm_count = kManySms;

  DefaultsFor() = default;
  DefaultsFor(DeviceKind device) : kind(device) {}
  DefaultsFor(const DeviceDescription& device) : kind(device.kind), sm_count(device.limits.sm_count) {}
};
int64_t defaultOn(const ParameterSpec& spec, const DefaultsFor& device);

// Fills in the defaults for such a device and checks names and ranges; the error names the parameter and the
// allowed values.
Expected<RunRequest> completeRequest(const FamilyInfo& family, RunRequest request,
                                     const DefaultsFor& device = {});

// Parses "256", "2^20", "2^20+7", "1k", "4M" (binary multiples); nullopt if it is not such a number, or too
// large.
std::optional<int64_t> parseCount(std::string_view text);
// The same, or "32x8", as a value of this parameter.
Expected<int64_t> parseParameter(const ParameterSpec& spec, const std::string& text);
// The value in the form in which users write it: "256", "2^24" (exact powers, for kLog2), "32x8".
std::string formatParameter(const ParameterSpec& spec, int64_t value);
// Every parameter of the request as users write it: `before`, its name, `between`, its value.
std::string formatParameters(const RunRequest& request, std::string_view before, std::string_view between);

// Finding parameters and regions by what they mean (ParameterRole, RegionRole), for code that serves all
// families. Runs do not store roles; they are looked up in this program's family of the same name, so nothing
// has a role in a run of a family that the program lacks.

// The first one of the variant's, in the family's order; nullptr: it has none.
const ParameterSpec* findParameter(const FamilyInfo& family, const std::string& variant, ParameterRole role);

// Whether it sets the block's shape, and with it how the work is cut up, but not the work.
bool shapesBlock(ParameterRole role);

ParameterRole roleOfParameter(const std::string& family, const std::string& parameter);
// The value of the parameter with that role; nullopt: the request has none.
std::optional<int64_t> valueOfRole(const RunRequest& request, ParameterRole role);

RegionRole roleOfRegion(const std::string& family, const Region& region);

}  // namespace warpscope
