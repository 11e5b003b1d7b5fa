#include "kernels/execute/device_memory.h"

#include <algorithm>
#include <utility>

namespace warpscope {
namespace {

constexpr uint64_t kGranularityBytes = uint64_t{256} << 10;

uint64_t roundedUp(uint64_t bytes) {
  return (std::max<uint64_t>(bytes, 1) + kGranularityBytes - 1) / kGranularityBytes * kGranularityBytes;
}

}  // namespace

GrowBuffer::GrowBuffer(GrowBuffer&& other) noexcept
    : backend_(other.backend_),
      gpu_(other.gpu_),
      address_(std::exchange(other.address_, 0)),
      capacity_(std::exchange(other.capacity_, 0)),
      managed_(other.managed_) {}

void GrowBuffer::setManaged(bool managed) {
  if (managed_ != managed) release();
  managed_ = managed;
}

uint64_t GrowBuffer::growthFor(uint64_t bytes) const {
  return bytes <= capacity_ && address_ != 0 ? 0 : roundedUp(bytes) - capacity_;
}

Expected<DeviceAddress> GrowBuffer::atLeast(uint64_t bytes) {
  if (growthFor(bytes) == 0) return address_;
  release();
  auto allocated =
      managed_ ? backend_->allocateManaged(roundedUp(bytes)) : backend_->allocateOn(gpu_, roundedUp(bytes));
  if (!allocated) return allocated;
  address_ = *allocated;
  capacity_ = roundedUp(bytes);
  return address_;
}

void GrowBuffer::moveTo(uint32_t gpu) {
  if (gpu != gpu_) release();
  gpu_ = gpu;
}

void GrowBuffer::release() {
  if (address_ != 0) backend_->free(address_);
  address_ = 0;
  capacity_ = 0;
}

void InputCache::beginRun(uint64_t bound_bytes) {
  ++run_;
  bound_bytes_ = bound_bytes;
}

Expected<DeviceAddress> InputCache::get(const BufferSpec& spec) {
  if (const auto known = entries_.find(keyOf(spec)); known != entries_.end()) {
    // Without a key, the content may have changed, so it is generated again in each run.
    if (!spec.content_key.empty()) {
      known->second.last_run = run_;
      return known->second.address;
    }
    erase(known);
  }
  const std::shared_ptr<const Bytes> content = spec.generate ? spec.generate() : nullptr;
  if (content == nullptr || content->size() != spec.bytes) {
    return fail(ErrorKind::kWorkFailed, "input '{}' was to have {} bytes, but {} were generated", spec.name,
                spec.bytes, content == nullptr ? 0 : content->size());
  }
  while (held_bytes_ + spec.bytes > bound_bytes_ && evictOne()) {
  }
  auto address = backend_.allocateOn(spec.gpu, spec.bytes);
  while (!address && !backend_.poisoned() && evictOne()) address = backend_.allocateOn(spec.gpu, spec.bytes);
  if (!address) return address;
  if (auto sent = backend_.upload(*address, *content); !sent) {
    backend_.free(*address);
    return tl::unexpected(sent.error());
  }
  entries_.emplace(keyOf(spec), Entry{*address, spec.bytes, run_});
  held_bytes_ += spec.bytes;
  return address;
}

bool InputCache::evictOne() {
  auto oldest = entries_.end();
  for (auto entry = entries_.begin(); entry != entries_.end(); ++entry) {
    if (entry->second.last_run == run_) continue;
    if (oldest == entries_.end() || entry->second.last_run < oldest->second.last_run) oldest = entry;
  }
  if (oldest == entries_.end()) return false;
  erase(oldest);
  return true;
}

void InputCache::clear() {
  while (!entries_.empty()) erase(entries_.begin());
}

void InputCache::erase(std::map<Key, Entry>::iterator entry) {
  backend_.free(entry->second.address);
  held_bytes_ -= entry->second.bytes;
  entries_.erase(entry);
}

}  // namespace warpscope
