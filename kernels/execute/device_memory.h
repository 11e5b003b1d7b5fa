// Device memory that is kept between runs: buffers that only grow, and a cache of input contents, so that
// moving a slider neither allocates nor uploads again. Knows nothing of experiments beyond BufferSpec.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "kernels/backend/backend.h"
#include "kernels/core/error.h"
#include "kernels/experiments/experiment.h"

namespace warpscope {

// One allocation that grows and never shrinks, of the device's memory or of managed memory. Growing loses its
// content.
class GrowBuffer {
 public:
  explicit GrowBuffer(Backend& backend, uint32_t gpu = 0) : backend_(&backend), gpu_(gpu) {}
  ~GrowBuffer() { release(); }
  GrowBuffer(GrowBuffer&& other) noexcept;
  GrowBuffer(const GrowBuffer&) = delete;
  GrowBuffer& operator=(const GrowBuffer&) = delete;
  GrowBuffer& operator=(GrowBuffer&&) = delete;

  // Gives memory of the other kind back.
  void setManaged(bool managed);
  // The free memory that is needed to hold `bytes`, beyond what is held now.
  uint64_t growthFor(uint64_t bytes) const;
  uint64_t capacity() const { return capacity_; }
  DeviceAddress address() const { return address_; }

  Expected<DeviceAddress> atLeast(uint64_t bytes);
  void release();
  void moveTo(uint32_t gpu);  // what is allocated from here on

 private:
  Backend* backend_;
  uint32_t gpu_ = 0;
  DeviceAddress address_ = 0;
  uint64_t capacity_ = 0;
  bool managed_ = false;
};

// Contents of inputs on the device by key; the least recently used ones are evicted first. What the current
// run uses is never evicted.
class InputCache {
 public:
  explicit InputCache(Backend& backend) : backend_(backend) {}
  ~InputCache() { clear(); }
  InputCache(const InputCache&) = delete;
  InputCache& operator=(const InputCache&) = delete;

  void beginRun(uint64_t bound_bytes);  // entries older than this run may be evicted from here on
  bool holds(const BufferSpec& spec) const { return entries_.contains(keyOf(spec)); }
  // Generates and uploads the content if its key is new. Errors: content of another size than promised, not
  // enough memory.
  Expected<DeviceAddress> get(const BufferSpec& spec);
  bool evictOne();  // false: nothing is left that may be evicted
  void clear();

 private:
  struct Entry {
    DeviceAddress address = 0;
    uint64_t bytes = 0;
    uint64_t last_run = 0;
  };
  using Key = std::tuple<std::string, uint64_t, uint32_t>;  // content key, bytes, GPU
  static Key keyOf(const BufferSpec& spec) {
    return {spec.content_key.empty() ? "without a key: " + spec.name : spec.content_key, spec.bytes,
            spec.gpu};
  }
  void erase(std::map<Key, Entry>::iterator entry);

  Backend& backend_;
  std::map<Key, Entry> entries_;
  uint64_t run_ = 0;
  uint64_t held_bytes_ = 0;
  uint64_t bound_bytes_ = 0;
};

}  // namespace warpscope
