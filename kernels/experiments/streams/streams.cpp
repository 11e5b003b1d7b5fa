// The streams family: chunks, operations and check.
#include <algorithm>

#include "kernels/experiments/family_parts.h"
#include "kernels/experiments/rounds.h"
#include "kernels/experiments/streams/shape.h"
#include "kernels/experiments/verification.h"

namespace warpscope::streams {
namespace {

constexpr const char* kKernel = "process";
constexpr size_t kOut = 0, kIn = 1;  // buffers

struct Chunk {
  uint32_t first = 0, count = 0;
  uint64_t offset() const { return uint64_t{first} * sizeof(uint32_t); }
  uint64_t bytes() const { return uint64_t{count} * sizeof(uint32_t); }
};

// Equal ones, but for the last; fewer than asked for if there are not enough elements.
std::vector<Chunk> chunksOf(const RunRequest& request) {
  const auto size = static_cast<uint32_t>(request.parameters.at("size"));
  const auto wanted = static_cast<uint32_t>(request.parameters.at("chunks"));
  const uint32_t each = (size + wanted - 1) / wanted;
  std::vector<Chunk> chunks;
  for (uint32_t first = 0; first < size; first += each)
    chunks.push_back({first, std::min(each, size - first)});
  return chunks;
}

// Writes down what the host enqueues.
class Script {
 public:
  Script(LaunchPlan& plan, const std::vector<Chunk>& chunks) : plan_(plan), chunks_(chunks) {}

  void copyIn(uint32_t chunk, uint32_t stream) { copy(OperationKind::kCopyToDevice, kIn, chunk, stream); }
  void copyOut(uint32_t chunk, uint32_t stream) { copy(OperationKind::kCopyToHost, kOut, chunk, stream); }
  void launch(uint32_t chunk, uint32_t stream) {
    plan_.operations.push_back({.stream = stream, .name = nameOf(chunk), .launch = chunk});
  }

 private:
  static std::string nameOf(uint32_t chunk) { return fmt::format("chunk {}", chunk); }
  void copy(OperationKind kind, size_t buffer, uint32_t chunk, uint32_t stream) {
    plan_.operations.push_back({.kind = kind,
                                .stream = stream,
                                .name = nameOf(chunk),
                                .buffer = buffer,
                                .offset = chunks_[chunk].offset(),
                                .bytes = chunks_[chunk].bytes()});
  }

  LaunchPlan& plan_;
  const std::vector<Chunk>& chunks_;
};

void addOperations(const RunRequest& request, const std::vector<Chunk>& chunks, LaunchPlan& plan) {
  Script script(plan, chunks);
  const auto count = static_cast<uint32_t>(chunks.size());
  const auto known = request.parameters.find("streams");
  const auto streams = known == request.parameters.end() ? 1U : static_cast<uint32_t>(known->second);
  for (uint32_t i = 1; i <= streams; ++i) plan.streams.push_back({.name = fmt::format("stream {}", i)});
  // Forgetting a launch's stream puts it on the default one.
  const bool forgotten = request.variant == "default_stream";
  if (forgotten) plan.streams.push_back({.name = "default stream", .kind = StreamKind::kLegacyDefault});
  const auto stream_of_launch = [&](uint32_t chunk) { return forgotten ? streams : chunk % streams; };

  if (request.variant == "breadth_first") {
    for (uint32_t i = 0; i < count; ++i) script.copyIn(i, i % streams);
    for (uint32_t i = 0; i < count; ++i) script.launch(i, i % streams);
    for (uint32_t i = 0; i < count; ++i) script.copyOut(i, i % streams);
    return;
  }
  for (uint32_t i = 0; i < count; ++i) {
    script.copyIn(i, i % streams);
    script.launch(i, stream_of_launch(i));
    script.copyOut(i, i % streams);
  }
}

class Streams : public Family {
 public:
  Streams() : Family(streamsInfo(), streamsRegionNames()) {}

  // All variants launch one kernel.
  Expected<std::vector<Region>> regions(const std::string& variant) const override {
    if (variantInfo(info(), variant) == nullptr)
      return fail(ErrorKind::kBadRequest, "there is no variant {} of streams", variant);
    return regionsOfKernel(kKernel);
  }

  std::vector<Prediction> predictions(const RunRequest& request,
                                      const DeviceLimits& /*limits*/) const override {
    return theory(request);
  }

  std::optional<OperationCount> operations(const RunRequest& request,
                                           const DeviceLimits& /*limits*/) const override {
    const double rounds = static_cast<double>(request.parameters.at("work"));
    return OperationCount{2 * rounds * static_cast<double>(request.parameters.at("size")), true};
  }

  Expected<LaunchPlan> plan(const RunRequest& request, const DeviceLimits& limits) const override {
    const auto block = static_cast<uint32_t>(parameter(request, "block"));
    const auto size = static_cast<uint32_t>(parameter(request, "size"));
    const auto work = static_cast<uint32_t>(parameter(request, "work"));
    const std::vector<Chunk> chunks = chunksOf(request);
    LaunchPlan plan;
    plan.module = "streams";
    plan.kernel = kKernel;
    plan.block = {block};
    const auto blocks_of = [&](const Chunk& chunk) { return Dim3{(chunk.count + block - 1) / block}; };
    const auto arguments_of = [&](const Chunk& chunk) {
      return std::vector<KernelArgument>{BufferArgument{kOut}, BufferArgument{kIn}, chunk.first, chunk.count,
                                         work};
    };
    plan.grid = blocks_of(chunks[0]);
    plan.arguments = arguments_of(chunks[0]);
    for (size_t i = 1; i < chunks.size(); ++i) {
      plan.following.push_back({.kernel = kKernel,
                                .grid = blocks_of(chunks[i]),
                                .block = {block},
                                .arguments = arguments_of(chunks[i])});
    }
    const uint64_t bytes = uint64_t{size} * sizeof(uint32_t);
    const HostMemory host = request.variant == "pageable" ? HostMemory::kPageable : HostMemory::kPinned;
    plan.buffers = {{.role = BufferSpec::Role::kOutput, .name = "out", .bytes = bytes, .host = host},
                    {.role = BufferSpec::Role::kInput,
                     .name = "in",
                     .bytes = bytes,
                     .content_key = fmt::format("streams:{}", size),
                     .generate = [size] { return filledInput<uint32_t>(size, inputHash); },
                     .host = host}};
    addOperations(request, chunks, plan);
    plan.bytes_moved = 2 * bytes;
    plan.verify = [size, work](Outputs outputs) {
      const Rounds rounds(work);
      return checkEach<uint32_t>(outputs, 0, size, "values",
                                 [rounds](uint32_t i) { return rounds.of(inputHash(i)); });
    };
    if (auto possible = checkLaunch(request, plan, limits); !possible) {
      return tl::unexpected(possible.error());
    }
    return plan;
  }
};

}  // namespace
}  // namespace warpscope::streams

namespace warpscope {

const Experiment& streamsFamily() {
  static const streams::Streams kFamily;
  return kFamily;
}

}  // namespace warpscope
