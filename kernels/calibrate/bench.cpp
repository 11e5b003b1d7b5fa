#include "kernels/calibrate/bench.h"

#include <algorithm>
#include <utility>

namespace warpscope::calibration {
namespace {

constexpr uint32_t kMaxThreadsOfGrid = 1U
                                       << 20;  // for any launch here: determines the sizes of stamps and sink

uint32_t warpsOf(const Shape& shape) {
  return shape.blocks * ((shape.threads + kWarpSize - 1) / kWarpSize);
}

}  // namespace

Measurement summary(std::string name, std::string unit, std::vector<double> values) {
  Measurement result{std::move(name), std::move(unit)};
  result.repeats = static_cast<uint32_t>(values.size());
  if (values.empty()) return result;
  std::ranges::sort(values);
  const size_t middle = values.size() / 2;
  result.median = values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
  result.min = values.front();
  result.max = values.back();
  return result;
}

Expected<Bench> Bench::create(const OpenedBackend& backend, uint32_t repeats, const std::stop_token& stop) {
  auto stamps = backend->allocate(sizeof(uint64_t) * kMaxThreadsOfGrid);
  if (!stamps) return tl::unexpected(stamps.error());
  Buffer stamp_buffer(backend.any(), *stamps, sizeof(uint64_t) * kMaxThreadsOfGrid);
  auto sink = backend->allocate(sizeof(uint32_t) * kMaxThreadsOfGrid);
  if (!sink) return tl::unexpected(sink.error());
  Buffer sink_buffer(backend.any(), *sink, sizeof(uint32_t) * kMaxThreadsOfGrid);
  return Bench(backend, std::max(repeats, 1U), stop, std::move(stamp_buffer), std::move(sink_buffer));
}

Expected<Buffer> Bench::allocate(uint64_t bytes, uint32_t gpu) {
  const auto address = backend().allocateOn(gpu, bytes);
  if (!address) return tl::unexpected(address.error());
  return Buffer(backend(), *address, bytes);
}

Expected<Buffer> Bench::filled(std::span<const std::byte> bytes) {
  auto buffer = allocate(bytes.size());
  if (!buffer) return buffer;
  if (auto done = backend().upload(buffer->address(), bytes); !done) return tl::unexpected(done.error());
  return buffer;
}

Expected<LaunchSpec> Bench::spec(const std::string& kernel, const Shape& shape, const Arguments& all,
                                 const std::string& own_module) {
  if (uint64_t{shape.blocks} * shape.threads > kMaxThreadsOfGrid && kernel != "empty") {
    return fail(ErrorKind::kWorkFailed, "calibration: a launch of {} with {} x {} threads is too large",
                kernel, shape.blocks, shape.threads);
  }
  const std::string usual = shape.cluster > 0 ? "calibration_sm90" : "calibration";
  const auto module = findModule(own_module.empty() ? usual : own_module);
  if (!module) return tl::unexpected(module.error());
  const auto handle = backend().kernel(*module, kernel);
  if (!handle) return tl::unexpected(handle.error());
  LaunchSpec spec;
  spec.kernel = *handle;
  spec.grid = {shape.blocks, 1, 1};
  spec.block = {shape.threads, 1, 1};
  spec.dynamic_shared_bytes = shape.dynamic_shared_bytes;
  spec.parameters = all;
  if (shape.cluster > 0) spec.cluster = Dim3{shape.cluster, 1, 1};
  return spec;
}

Expected<std::vector<uint64_t>> Bench::stamps(const std::string& kernel, const Shape& shape,
                                              const Arguments& rest, size_t words) {
  if (stop_.stop_requested()) return fail(ErrorKind::kCancelled, "calibration was cancelled");
  Arguments all = arguments(stamps_.address(), sink_.address());
  all.insert(all.end(), rest.begin(), rest.end());
  const auto launch = spec(kernel, shape, all);
  if (!launch) return tl::unexpected(launch.error());
  if (auto done = backend_->launchWithClocks(*launch, stop_); !done) return tl::unexpected(done.error());
  std::vector<uint64_t> values(words);
  auto done = backend().download(std::as_writable_bytes(std::span(values)), stamps_.address());
  if (!done) return tl::unexpected(done.error());
  return values;
}

Expected<std::vector<uint64_t>> Bench::blockCycles(const std::string& kernel, const Shape& shape,
                                                   const Arguments& rest) {
  const auto values = stamps(kernel, shape, rest, size_t{2} * warpsOf(shape));
  if (!values) return tl::unexpected(values.error());
  const size_t warps = warpsOf(shape) / shape.blocks;
  std::vector<uint64_t> durations;
  for (size_t block = 0; block < shape.blocks; ++block) {
    uint64_t begin = UINT64_MAX;
    uint64_t end = 0;
    for (size_t warp = block * warps; warp < (block + 1) * warps; ++warp) {
      begin = std::min(begin, (*values)[2 * warp]);
      end = std::max(end, (*values)[2 * warp + 1]);
    }
    durations.push_back(end > begin ? end - begin : 0);
  }
  return durations;
}

Expected<double> Bench::cycles(const std::string& kernel, const Shape& shape, const Arguments& rest) {
  return blockCycles(kernel, shape, rest).map([](const std::vector<uint64_t>& durations) {
    return static_cast<double>(std::ranges::max(durations));
  });
}

}  // namespace warpscope::calibration
