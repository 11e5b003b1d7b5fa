// The several_gpus family: parts of the vector, operations and check.
#include <fmt/format.h>

#include "kernels/experiments/family_parts.h"
#include "kernels/experiments/rounds.h"
#include "kernels/experiments/several_gpus/shape.h"
#include "kernels/experiments/several_gpus/support.h"
#include "kernels/experiments/verification.h"

namespace warpscope::several_gpus {
namespace {

constexpr const char* kKernel = "part";
// Buffers: of the part that GPU 0 works on, and of that of GPU 1.
constexpr size_t kOut[] = {0, 2}, kIn[] = {1, 3};

// Where the second half comes from, if there is one: it is GPU 1's part.
enum class Second { kNone, kFromHost, kCopied, kLoaded };

Second secondOf(const std::string& variant) {
  if (variant == "two_gpus") return Second::kFromHost;
  if (variant == "peer_copies") return Second::kCopied;
  return variant == "peer_loads" ? Second::kLoaded : Second::kNone;
}

struct Parts {
  Second second = Second::kNone;
  uint32_t size = 0, first = 0;  // elements: of all, and of the first part

  Parts(Second wanted, uint32_t elements)
      : second(elements < 2 ? Second::kNone : wanted),
        size(elements),
        first(second == Second::kNone ? elements : elements - elements / 2) {}
  uint32_t count(uint32_t part) const { return part == 0 ? first : size - first; }
  uint32_t gpus() const { return second == Second::kNone ? 1 : 2; }
  // The whole vector goes to GPU 0 first.
  bool wholeOnFirst() const { return second == Second::kCopied || second == Second::kLoaded; }
};

uint64_t bytesOf(uint32_t elements) {
  return uint64_t{elements} * sizeof(uint32_t);
}

// Writes down what the host enqueues. Each GPU has a stream; event 0 says that the second half is on GPU 0.
class Script {
 public:
  Script(const Parts& parts, LaunchPlan& plan) : parts_(parts), plan_(plan) {
    for (uint32_t gpu = 0; gpu < parts.gpus(); ++gpu)
      plan.streams.push_back({.name = fmt::format("stream {}", gpu + 1), .gpu = gpu});
  }

  void write() {
    if (parts_.wholeOnFirst()) {
      copyIn(1, 0, bytesOf(parts_.first));
      event(OperationKind::kEvent, 0);
    }
    copyIn(0, 0, 0);
    if (parts_.second == Second::kFromHost) copyIn(1, 1, 0);
    if (parts_.wholeOnFirst()) event(OperationKind::kWait, 1);
    if (parts_.second == Second::kCopied) copyToSecond();
    for (uint32_t part = 0; part < parts_.gpus(); ++part) launch(part);
    for (uint32_t part = 0; part < parts_.gpus(); ++part) copyOut(part);
  }

 private:
  std::string nameOf(uint32_t part) const {
    return parts_.gpus() == 1 ? "the whole" : fmt::format("half {}", part + 1);
  }
  // Into the memory of the GPU `gpu`, at `offset`.
  void copyIn(uint32_t part, uint32_t gpu, uint64_t offset) {
    plan_.operations.push_back({.kind = OperationKind::kCopyToDevice,
                                .stream = gpu,
                                .name = nameOf(part),
                                .buffer = kIn[gpu],
                                .offset = offset,
                                .bytes = bytesOf(parts_.count(part))});
  }
  void copyToSecond() {
    plan_.operations.push_back({.kind = OperationKind::kPeerCopy,
                                .stream = 1,
                                .name = nameOf(1),
                                .buffer = kIn[1],
                                .bytes = bytesOf(parts_.count(1)),
                                .from = kIn[0],
                                .from_offset = bytesOf(parts_.first)});
  }
  void launch(uint32_t part) {
    plan_.operations.push_back({.stream = part, .name = nameOf(part), .launch = part});
  }
  void copyOut(uint32_t part) {
    plan_.operations.push_back({.kind = OperationKind::kCopyToHost,
                                .stream = part,
                                .name = nameOf(part),
                                .buffer = kOut[part],
                                .bytes = bytesOf(parts_.count(part))});
  }
  void event(OperationKind kind, uint32_t stream) {
    plan_.operations.push_back({.kind = kind, .stream = stream, .name = nameOf(1), .event = 0});
  }

  const Parts& parts_;
  LaunchPlan& plan_;
};

// An input of the values from `first` on. Where GPU 1 gets it from GPU 0, its own side on the host is not
// used, but the content is what its launch finds.
BufferSpec inputOf(uint32_t gpu, uint32_t first, uint32_t count) {
  return {.role = BufferSpec::Role::kInput,
          .name = fmt::format("in {}", gpu),
          .bytes = bytesOf(count),
          .content_key = fmt::format("several_gpus:{}:{}", first, count),
          .generate =
              [=] { return filledInput<uint32_t>(count, [=](uint32_t i) { return inputHash(first + i); }); },
          .host = HostMemory::kPinned,
          .gpu = gpu};
}

void addBuffers(const Parts& parts, LaunchPlan& plan) {
  for (uint32_t gpu = 0; gpu < parts.gpus(); ++gpu) {
    plan.buffers.push_back({.role = BufferSpec::Role::kOutput,
                            .name = fmt::format("out {}", gpu),
                            .bytes = bytesOf(parts.count(gpu)),
                            .host = HostMemory::kPinned,
                            .gpu = gpu});
    if (gpu == 1 && parts.second == Second::kLoaded) continue;
    const bool whole = gpu == 0 && parts.wholeOnFirst();
    plan.buffers.push_back(inputOf(gpu, gpu == 0 ? 0 : parts.first, whole ? parts.size : parts.count(gpu)));
  }
}

Verification check(Outputs outputs, const Parts& parts, uint32_t work) {
  const Rounds rounds(work);
  OutputComparison comparison("values");
  for (uint32_t part = 0; part < parts.gpus(); ++part) {
    Verification failed;
    const auto out = outputAs<uint32_t>(outputs, part, parts.count(part), failed);
    if (out.empty()) return failed;
    const uint32_t first = part == 0 ? 0 : parts.first;
    for (uint32_t i = 0; i < parts.count(part); ++i)
      comparison.compare<uint32_t>("out", first + i, out[i], rounds.of(inputHash(first + i)));
  }
  return comparison.result();
}

class SeveralGpus : public Family {
 public:
  SeveralGpus() : Family(severalGpusInfo(), severalGpusRegionNames()) {}

  // All variants launch one kernel.
  Expected<std::vector<Region>> regions(const std::string& variant) const override {
    if (variantInfo(info(), variant) == nullptr)
      return fail(ErrorKind::kBadRequest, "there is no variant {} of several_gpus", variant);
    return regionsOfKernel(kKernel);
  }

  std::vector<Prediction> predictions(const RunRequest& request, const DeviceLimits& limits) const override {
    return theory(request, limits);
  }

  std::optional<OperationCount> operations(const RunRequest& request,
                                           const DeviceLimits& /*limits*/) const override {
    const double rounds = static_cast<double>(parameter(request, "work"));
    return OperationCount{2 * rounds * static_cast<double>(parameter(request, "size")), true};
  }

  Expected<LaunchPlan> plan(const RunRequest& request, const DeviceLimits& limits) const override {
    const auto block = static_cast<uint32_t>(parameter(request, "block"));
    const auto work = static_cast<uint32_t>(parameter(request, "work"));
    const Parts parts(secondOf(possibleVariant(request.variant, limits)),
                      static_cast<uint32_t>(parameter(request, "size")));
    LaunchPlan plan;
    plan.module = "several_gpus";
    plan.kernel = kKernel;
    plan.block = {block};
    const auto grid_of = [&](uint32_t part) { return Dim3{(parts.count(part) + block - 1) / block}; };
    const auto arguments_of = [&](uint32_t part) {
      const bool from_first = part == 1 && parts.second == Second::kLoaded;
      std::vector<KernelArgument> arguments;
      arguments.emplace_back(BufferArgument{kOut[part]});
      arguments.emplace_back(BufferArgument{kIn[from_first ? 0 : part]});
      arguments.emplace_back(from_first ? parts.first : 0U);
      arguments.emplace_back(parts.count(part));
      arguments.emplace_back(work);
      return arguments;
    };
    plan.grid = grid_of(0);
    plan.arguments = arguments_of(0);
    if (parts.gpus() > 1) {
      plan.following.push_back(
          {.kernel = kKernel, .grid = grid_of(1), .block = plan.block, .arguments = arguments_of(1)});
    }
    addBuffers(parts, plan);
    Script(parts, plan).write();
    plan.bytes_moved = 2 * bytesOf(parts.size);
    plan.verify = [parts, work](Outputs outputs) { return check(outputs, parts, work); };
    plan.instead = insteadOf(request.variant, limits);
    if (auto possible = checkLaunch(request, plan, limits); !possible)
      return tl::unexpected(possible.error());
    return plan;
  }
};

}  // namespace
}  // namespace warpscope::several_gpus

namespace warpscope {

const Experiment& severalGpusFamily() {
  static const several_gpus::SeveralGpus kFamily;
  return kFamily;
}

}  // namespace warpscope
