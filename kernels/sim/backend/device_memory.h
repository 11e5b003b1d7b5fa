// The simulated GPU's memory as the host uses it: buffers, copies, fills, images and tensor maps. Owns the
// address space (simt/memory.h) and what is known of its parts: which images lie there, which buffers are GPU
// 1's, and which bytes anybody has written, for the checks. What the host writes is left in the caches, as by
// a real GPU's copy engine. Knows no kernels.
//
// Errors: kBadRequest, saying what was being done, where bytes are not memory of the GPU or an image or map
// is not possible; what GlobalMemory says where there is no room.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernels/backend/backend.h"
#include "kernels/core/error.h"
#include "kernels/run/lane_log.h"
#include "kernels/sim/backend/modelled_caches.h"
#include "kernels/sim/simt/checks/written_memory.h"
#include "kernels/sim/simt/interpreter.h"
#include "kernels/sim/simt/memory.h"

namespace warpscope::sim {

class DeviceMemory {
 public:
  // `gpu_name`: for messages.
  DeviceMemory(std::unique_ptr<GlobalMemory> memory, std::string gpu_name, ModelledCaches& caches);

  GlobalMemory& global() { return *memory_; }
  WrittenMemory& written() { return written_; }
  const std::vector<BoundImage>& images() const { return images_; }  // by handle - kImageHandles
  MemoryInfo info() const;

  Expected<DeviceAddress> allocate(uint64_t bytes);
  // All GPUs' memory is one of the host's; of GPU 1's it is known where it is.
  Expected<DeviceAddress> allocateOnPeer(uint64_t bytes);
  void free(DeviceAddress address);  // 0: nothing

  Expected<void> upload(DeviceAddress to, std::span<const std::byte> from);
  Expected<void> download(std::span<std::byte> to, DeviceAddress from);
  // Device memory is host memory: nothing is copied.
  Expected<std::span<const std::byte>> view(DeviceAddress from, uint64_t bytes);
  Expected<void> copy(DeviceAddress to, DeviceAddress from, uint64_t bytes);
  Expected<void> fill(DeviceAddress to, uint8_t value, uint64_t bytes);

  // Texels stay where they are: a fetch reads the buffer's memory.
  Expected<ImageHandle> createImage(const ImageDescription& image, DeviceAddress texels);
  void freeImage(ImageHandle image);
  Expected<std::vector<std::byte>> encodeTensorMap(const TensorMapDescription& map, DeviceAddress tensor);

  bool hasPeerMemory() const { return !of_peer_.empty(); }
  uint32_t gpuOf(DeviceAddress address) const;  // whose memory it is: 0 or 1
  // The allocation that holds the address and has not been freed.
  std::optional<AddressRange> allocationAt(DeviceAddress address) const;
  // The allocations into which addresses and images among these parameters point, in their order.
  std::vector<AddressRange> pointedAtBy(std::span<const std::byte> parameters) const;
  std::vector<LaneLogBuffer> buffers() const;  // that have not been freed, by address

 private:
  Expected<std::byte*> range(DeviceAddress address, uint64_t bytes, const char* doing);
  void hostWrote(DeviceAddress address, uint64_t bytes);

  std::unique_ptr<GlobalMemory> memory_;
  std::string gpu_name_;
  ModelledCaches& caches_;
  std::vector<AddressRange> of_peer_;  // the memory of GPU 1
  WrittenMemory written_;
  std::vector<BoundImage> images_;
  uint64_t allocations_ = 0;  // so many so far, which number the buffers' names
};

}  // namespace warpscope::sim
