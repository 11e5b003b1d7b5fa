// An experiment is a family of kernel variants that compute the same thing. It knows its parameters, prepares
// the inputs, says what to launch and checks the outputs. It knows nothing of backends: execute/executor.h
// runs plans.
//
// To add one: a folder with NAME.cu and NAME.cpp, one line in registry.cpp, one test (see CONTRIBUTING.md).
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
#include "kernels/experiments/library_work.h"
#include "kernels/experiments/prediction.h"
#include "kernels/run/run.h"

namespace warpscope {

enum class ParameterKind {
  kInteger,  // a slider from min to max in steps
  kLog2,     // a slider in powers of two; any whole number in range may be typed
  kChoice,   // an index into choices
};

struct ParameterSpec {
  std::string name;   // "block"; what --block sets
  std::string label;  // "Block size"
  ParameterKind kind = ParameterKind::kInteger;
  int64_t min = 0, max = 0, step = 1, default_value = 0;
  std::string unit;                   // "threads", "elements"
  std::string help;                   // the tooltip: what it does and what to watch
  std::vector<std::string> choices;   // of kChoice: "32x8"
  std::vector<std::string> variants;  // that have it; empty: all
  // The default on a simulated GPU, which needs smaller sizes to be live; absent: default_value.
  std::optional<int64_t> simulated_default;
  std::string zero_means;  // what 0 stands for, where it is no plain number: "automatic"
  // Of a parameter that shapes blocks or data as `block` and `size` do elsewhere: values that tests and the
  // bundled recordings go through. All combinations of a variant's samples are possible launches.
  std::vector<int64_t> samples;
};

// What is wrong with a variant that is broken on purpose, as the checks of a simulated GPU find it. Its
// result may be wrong.
struct PlantedHazard {
  HazardKind kind = HazardKind::kRace;
  std::vector<std::string> code;  // of the source lines that it is on; it is found once at each
};

struct VariantInfo {
  std::string name;                      // "even_odd"
  std::string title;                     // "Even / odd lanes"
  std::string summary;                   // what to see: two or three sentences
  std::optional<PlantedHazard> planted;  // absent: a right kernel
};

struct FamilyInfo {
  std::string name, title, summary;
  std::vector<VariantInfo> variants;
  std::vector<ParameterSpec> parameters;
  bool checked = false;  // its runs are always searched for hazards, where the device can
  // What its lanes' panel shows first: "lanes", "mapping", "banks", "sectors", "shuffle", "tree", "tail".
  std::string view = "lanes";
};

using Bytes = std::vector<std::byte>;

struct BufferSpec {
  enum class Role { kInput, kOutput, kInOut } role = Role::kInput;
  std::string name;
  uint64_t bytes = 0;
  // The start content of inputs and in-outs. Equal keys mean equal content, so that a live slider does not
  // upload the same input again; the generator is called only when the key is new. Outputs start filled with
  // 0xA5, so that an element never written is caught, unless they say otherwise.
  std::string content_key;
  std::function<std::shared_ptr<const Bytes>()> generate;
  // False for a buffer whose end content the check does not need: it is not copied back, and verify() gets an
  // empty span for it.
  bool checked = true;
  // Of outputs. What kernels add to begins with zeros, and must again before each timed launch; that is not
  // counted, and at most one buffer of a plan may ask for it.
  uint8_t fill = 0xA5;
  bool filled_each_time = false;
  std::string
      symbol;  // of an output: a __device__ array of the plan's module, "static_sums"; empty: a buffer
};

// After the probe parameter, in order: a buffer's address (index into LaunchPlan::buffers) or a scalar.
struct BufferArgument {
  size_t index = 0;
};
using KernelArgument = std::variant<BufferArgument, int32_t, uint32_t, int64_t, uint64_t, float>;

// A launch right behind the plan's own, on the same stream and timed with it: a kernel of the same module.
// Traces and counters are of the plan's own.
struct FollowingLaunch {
  std::string kernel;
  Dim3 grid, block;
  uint32_t dynamic_shared_bytes = 0;
  std::vector<KernelArgument> arguments;
};

struct LaunchPlan {
  std::string module;  // "divergence": which PTX / fatbin
  std::string kernel;  // "even_odd": the template; kernel_modules.h finds its NoProbe and WarpProbe entries
  Dim3 grid, block;
  uint32_t dynamic_shared_bytes = 0;
  bool cooperative = false;  // all blocks resident at once, or no launch: they wait for each other
  std::vector<BufferSpec> buffers;
  std::vector<KernelArgument> arguments;
  std::vector<FollowingLaunch> following;
  std::optional<LibraryWork> library;  // the same work by a vendor's library; timed where the device has it
  uint64_t bytes_moved = 0;            // least traffic, see Bandwidth::bytes
  // True: outputs depend on the order in which warps arrive, or on time: two launches need not give the same,
  // and all that verify() accepts are right.
  bool order_is_free = false;
  // Gets the content of every output and in-out buffer, in the order of `buffers`, after one launch on fresh
  // inputs (an empty span for those that are not `checked`). Copies of a plan share it; callable from one
  // thread at a time.
  std::function<Verification(std::span<const std::span<const std::byte>> outputs)> verify;
};

// What the arithmetic of a launch is, whoever does it: additions and multiplications of its result, a
// multiply-add being two. Not counted: addresses, loop counters, and what is computed twice.
struct OperationCount {
  double operations = 0;
  bool integers = false;  // false: of floats
};

class Experiment {
 public:
  virtual ~Experiment() = default;
  virtual const FamilyInfo& info() const = 0;
  // The request is complete and in range (see completeRequest). Errors: an impossible launch on such a
  // device.
  virtual Expected<LaunchPlan> plan(const RunRequest& request, const DeviceLimits& limits) const = 0;
  // What theory says of such a run; the request is complete and in range.
  virtual std::vector<Prediction> predictions(const RunRequest& request,
                                              const DeviceLimits& limits) const = 0;
  // Known exactly from a complete request, or nullopt: it depends on data, or nobody counted.
  virtual std::optional<OperationCount> operations(const RunRequest& /*request*/,
                                                   const DeviceLimits& /*limits*/) const {
    return std::nullopt;
  }
  // Bytes that a warp asks for before it waits for any, where the request says so.
  virtual std::optional<double> bytesAhead(const RunRequest& /*request*/) const { return std::nullopt; }
  // The variant's regions with their lines in `source(variant)`.
  virtual Expected<std::vector<Region>> regions(const std::string& variant) const = 0;
  virtual std::string sourceFile(const std::string& variant) const = 0;
  virtual std::shared_ptr<const std::string> source(const std::string& variant) const = 0;
};

// All families, in the order in which they are shown.
std::span<const Experiment* const> allExperiments();
Expected<const Experiment*> findExperiment(const std::string& family);

// Which parameters a variant has, in order.
std::vector<const ParameterSpec*> parametersOf(const FamilyInfo& family, const std::string& variant);

const VariantInfo* variantInfo(const FamilyInfo& family, const std::string& variant);  // nullptr: none

int64_t defaultOn(const ParameterSpec& spec, DeviceKind kind);

// Fills the defaults of such a device in and checks names and ranges; the error names the parameter and what
// is allowed.
Expected<RunRequest> completeRequest(const FamilyInfo& family, RunRequest request,
                                     DeviceKind kind = DeviceKind::kCuda);

// "256", "2^20", "2^20+7", "1k", "4M" (binary multiples); nullopt: no such number, or too large.
std::optional<int64_t> parseCount(std::string_view text);
// The same, or "32x8" -> a value of that parameter.
Expected<int64_t> parseParameter(const ParameterSpec& spec, const std::string& text);
// The value as people write it: "256", "2^24" (exact powers of kLog2), "32x8".
std::string formatParameter(const ParameterSpec& spec, int64_t value);

}  // namespace warpscope
