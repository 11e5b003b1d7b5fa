#include "kernels/sim/backend/device_memory.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "kernels/sim/simt/tensor_map.h"

namespace warpscope::sim {

DeviceMemory::DeviceMemory(std::unique_ptr<GlobalMemory> memory, std::string gpu_name, ModelledCaches& caches)
    : memory_(std::move(memory)), gpu_name_(std::move(gpu_name)), caches_(caches) {}

MemoryInfo DeviceMemory::info() const {
  return {memory_->capacity() - memory_->used(), memory_->capacity()};
}

Expected<DeviceAddress> DeviceMemory::allocate(uint64_t bytes) {
  auto address = memory_->allocate(bytes, fmt::format("buffer {}", ++allocations_));
  if (address) written_.allocated(*address, bytes);
  return address;
}

Expected<DeviceAddress> DeviceMemory::allocateOnPeer(uint64_t bytes) {
  auto address = allocate(bytes);
  if (address) of_peer_.push_back({*address, *address + bytes});
  return address;
}

void DeviceMemory::free(DeviceAddress address) {
  if (address == 0) return;
  std::erase_if(of_peer_, [&](const AddressRange& range) { return range.begin == address; });
  static_cast<void>(memory_->free(address));
  written_.freed(address);
}

Expected<void> DeviceMemory::upload(DeviceAddress to, std::span<const std::byte> from) {
  const auto host = range(to, from.size(), "uploading");
  if (!host) return tl::unexpected(host.error());
  std::copy(from.begin(), from.end(), *host);
  memory_->noteWritten(to, from.size());
  hostWrote(to, from.size());
  return {};
}

Expected<void> DeviceMemory::download(std::span<std::byte> to, DeviceAddress from) {
  const auto host = range(from, to.size(), "downloading");
  if (!host) return tl::unexpected(host.error());
  std::copy_n(*host, to.size(), to.begin());
  return {};
}

Expected<std::span<const std::byte>> DeviceMemory::view(DeviceAddress from, uint64_t bytes) {
  const auto host = range(from, bytes, "reading");
  if (!host) return tl::unexpected(host.error());
  return std::span<const std::byte>(*host, bytes);
}

Expected<void> DeviceMemory::copy(DeviceAddress to, DeviceAddress from, uint64_t bytes) {
  const auto target = range(to, bytes, "copying");
  if (!target) return tl::unexpected(target.error());
  const auto source = range(from, bytes, "copying");
  if (!source) return tl::unexpected(source.error());
  if (bytes == 0) return {};
  memory_->copy(to, from, bytes);
  caches_.touch(gpuOf(to), to, bytes);
  written_.copied(to, from, bytes);
  return {};
}

Expected<void> DeviceMemory::fill(DeviceAddress to, uint8_t value, uint64_t bytes) {
  const auto host = range(to, bytes, "filling");
  if (!host) return tl::unexpected(host.error());
  memory_->fill(to, value, bytes);
  hostWrote(to, bytes);
  return {};
}

Expected<ImageHandle> DeviceMemory::createImage(const ImageDescription& image, DeviceAddress texels) {
  if (auto possible = checkImage(image); !possible) return tl::unexpected(possible.error());
  if (const auto host = range(texels, image.bytes(), "making an image of"); !host)
    return tl::unexpected(host.error());
  const auto unused = std::ranges::find(images_, 0U, &BoundImage::texels);
  const auto slot = static_cast<uint64_t>(unused - images_.begin());
  if (unused == images_.end()) images_.emplace_back();
  images_[slot] = {image, texels};
  return ImageHandle{kImageHandles + slot, image.use};
}

void DeviceMemory::freeImage(ImageHandle image) {
  const uint64_t slot = image.value - kImageHandles;
  if (slot < images_.size()) images_[slot].texels = 0;
}

Expected<std::vector<std::byte>> DeviceMemory::encodeTensorMap(const TensorMapDescription& map,
                                                               DeviceAddress tensor) {
  if (auto possible = checkTensorMap(map, tensor); !possible) return tl::unexpected(possible.error());
  if (const auto host = range(tensor, map.bytes(), "making a map of"); !host)
    return tl::unexpected(host.error());
  return sim::encodeTensorMap({map, tensor});
}

uint32_t DeviceMemory::gpuOf(DeviceAddress address) const {
  const auto holds = [&](const AddressRange& range) { return address >= range.begin && address < range.end; };
  return std::ranges::any_of(of_peer_, holds) ? 1 : 0;
}

std::optional<AddressRange> DeviceMemory::allocationAt(DeviceAddress address) const {
  if (memory_->at(address, 1) == nullptr) return std::nullopt;
  const auto allocation = memory_->find(address);
  if (!allocation || allocation->freed) return std::nullopt;
  return AddressRange{allocation->address, allocation->address + allocation->bytes};
}

std::vector<AddressRange> DeviceMemory::pointedAtBy(std::span<const std::byte> parameters) const {
  std::vector<AddressRange> ranges;
  for (size_t at = 0; at + sizeof(uint64_t) <= parameters.size(); at += sizeof(uint64_t)) {
    uint64_t value = 0;
    std::memcpy(&value, parameters.data() + at, sizeof value);
    if (value - kImageHandles < images_.size()) value = images_[value - kImageHandles].texels;
    if (const auto range = allocationAt(value)) ranges.push_back(*range);
  }
  return ranges;
}

std::vector<LaneLogBuffer> DeviceMemory::buffers() const {
  std::vector<LaneLogBuffer> found;
  for (const auto& [address, allocation] : memory_->allocations()) {
    if (!allocation.freed) found.push_back({allocation.name, address, allocation.bytes});
  }
  return found;
}

Expected<std::byte*> DeviceMemory::range(DeviceAddress address, uint64_t bytes, const char* doing) {
  if (bytes == 0) return nullptr;
  std::byte* host = memory_->at(address, bytes);
  if (host == nullptr) {
    return fail(ErrorKind::kBadRequest, "{} {} bytes at {:#x}: not memory of {}", doing, bytes, address,
                gpu_name_);
  }
  return host;
}

void DeviceMemory::hostWrote(DeviceAddress address, uint64_t bytes) {
  if (bytes == 0) return;
  caches_.touch(gpuOf(address), address, bytes);
  written_.written(address, bytes);
}

}  // namespace warpscope::sim
