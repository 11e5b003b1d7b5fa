// Runs micro-kernels of calibration.cu on a backend and collects their clock readings; collects figures with
// their spread. It knows launches and medians, but not the meaning of a figure (steps.h).
#pragma once

#include <cstdint>
#include <map>
#include <random>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "kernels/backend/opened_backend.h"
#include "kernels/calibrate/calibrate.h"
#include "kernels/execute/parameter_bytes.h"

namespace warpscope::calibration {

// Device memory that is freed with this object.
class Buffer {
 public:
  Buffer(Backend& backend, DeviceAddress address, uint64_t bytes)
      : backend_(&backend), address_(address), bytes_(bytes) {}
  Buffer(Buffer&& other) noexcept
      : backend_(other.backend_), address_(std::exchange(other.address_, 0)), bytes_(other.bytes_) {}
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  Buffer& operator=(Buffer&&) = delete;
  ~Buffer() {
    if (address_ != 0) backend_->free(address_);
  }
  DeviceAddress address() const { return address_; }
  uint64_t bytes() const { return bytes_; }

 private:
  Backend* backend_;
  DeviceAddress address_;
  uint64_t bytes_;
};

struct Shape {
  uint32_t blocks = 1, threads = 32, dynamic_shared_bytes = 0;
  uint32_t cluster = 0;  // blocks of a cluster; the kernels of calibration_sm90.cu have one, the others 0
};

using Arguments = std::vector<std::vector<std::byte>>;
template <class... T>
Arguments arguments(const T&... values) {
  return {parameterBytes(values)...};
}

class Bench {
 public:
  static Expected<Bench> create(const OpenedBackend& backend, uint32_t repeats, const std::stop_token& stop);

  Backend& backend() { return backend_->any(); }
  const DeviceDescription& device() const { return backend_->any().description(); }
  uint32_t repeats() const { return repeats_; }
  const std::stop_token& stop() const { return stop_; }
  uint32_t smCount() const { return device().limits.sm_count; }

  Expected<Buffer> allocate(uint64_t bytes, uint32_t gpu = 0);
  Expected<Buffer> filled(std::span<const std::byte> bytes);
  template <class T>
  Expected<Buffer> filledWith(const std::vector<T>& values) {
    return filled(std::as_bytes(std::span(values)));
  }

  // Launches a kernel that takes (stamps, sink, ...rest) once and returns `words` of its stamps.
  Expected<std::vector<uint64_t>> stamps(const std::string& kernel, const Shape& shape, const Arguments& rest,
                                         size_t words);
  // The duration of each block: from its first warp's begin to its last warp's end.
  Expected<std::vector<uint64_t>> blockCycles(const std::string& kernel, const Shape& shape,
                                              const Arguments& rest);
  // The longest of them.
  Expected<double> cycles(const std::string& kernel, const Shape& shape, const Arguments& rest);
  // `own_module`: that the kernel is in, if it is not the one of the others of such a shape.
  Expected<LaunchSpec> spec(const std::string& kernel, const Shape& shape, const Arguments& all,
                            const std::string& own_module = {});

 private:
  Bench(const OpenedBackend& backend, uint32_t repeats, std::stop_token stop, Buffer stamps, Buffer sink)
      : backend_(&backend),
        repeats_(repeats),
        stop_(std::move(stop)),
        stamps_(std::move(stamps)),
        sink_(std::move(sink)) {}

  const OpenedBackend* backend_;
  uint32_t repeats_;
  std::stop_token stop_;
  Buffer stamps_, sink_;
};

// One figure, measured repeatedly; `sample` returns one value.
template <class Sample>
Expected<Measurement> measure(Bench& bench, std::string name, std::string unit, const Sample& sample) {
  std::vector<double> values;
  for (uint32_t i = 0; i < bench.repeats(); ++i) {
    if (bench.stop().stop_requested()) return fail(ErrorKind::kCancelled, "calibration was cancelled");
    const Expected<double> value = sample();
    if (!value) return tl::unexpected(value.error());
    values.push_back(*value);
  }
  return summary(std::move(name), std::move(unit), std::move(values));
}

}  // namespace warpscope::calibration
