// Launches an experiment's plan on a backend without the executor, for tests of kernels alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "kernels/backend/backend.h"
#include "kernels/core/error.h"
#include "kernels/execute/plan_objects.h"
#include "kernels/experiments/experiment.h"
#include "kernels/experiments/kernel_modules.h"
#include "tests/support/must.h"

namespace warpscope::test {

// Device memory that frees itself; filled with one byte value.
class Buffer {
 public:
  Buffer(Backend& backend, uint64_t bytes, uint8_t fill);
  ~Buffer() { backend_.free(address_); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  DeviceAddress address() const { return address_; }
  template <class T>
  T* as() const {
    return reinterpret_cast<T*>(address_);
  }
  template <class T>
  std::vector<T> content() const {
    std::vector<T> values(bytes_ / sizeof(T));
    must(backend_.download(std::as_writable_bytes(std::span(values)), address_));
    return values;
  }

 private:
  Backend& backend_;
  uint64_t bytes_;
  DeviceAddress address_ = 0;
};

// A plan's buffers on a device, filled as its first launch expects them, and the launch.
class PreparedLaunch {
 public:
  // `probe`: the first parameter, ProbeParams or the single byte of NoProbe.
  PreparedLaunch(Backend& backend, const LaunchPlan& plan, ProbeKind kind, const Bytes& probe);

  const LaunchSpec& spec() const { return spec_; }
  const std::vector<DeviceAddress>& addresses() const { return addresses_; }  // of the plan's buffers
  // Gives what a launch both reads and writes its content again, as before a launch that is timed.
  void restore();
  // The current content of every output and in-out buffer, in order.
  std::vector<Bytes> outputs() const;

 private:
  Backend& backend_;
  std::vector<BufferSpec> buffers_of_plan_;
  std::vector<std::unique_ptr<Buffer>> buffers_;
  std::vector<DeviceAddress> addresses_;
  PlanObjects objects_;
  LaunchSpec spec_;
};

// Launches once on fresh inputs; returns the content of every output and in-out buffer, in order. `change`
// may alter the launch before it is made.
std::vector<Bytes> runPlan(Backend& backend, const LaunchPlan& plan, ProbeKind kind, const Bytes& probe,
                           const std::function<void(LaunchSpec&)>& change = {});

}  // namespace warpscope::test
