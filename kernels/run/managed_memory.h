// Managed memory ("unified memory"): pages that the host and the GPU reach at one address, and that move to
// whoever touches them. Plain values.
#pragma once

#include <cstdint>
#include <optional>

namespace warpscope {

// The driver moves whole pages of this size, up to 2 MiB at once (docs/streams.md).
inline constexpr uint64_t kManagedPageBytes = 64 << 10;
constexpr uint64_t managedPages(uint64_t bytes) {
  return (bytes + kManagedPageBytes - 1) / kManagedPageBytes;
}

enum class MemoryPlace { kDevice, kHost };

// What cuMemAdvise is told of a buffer before the operations begin. It moves nothing.
struct MemoryAdvice {
  std::optional<MemoryPlace> preferred{};  // CU_MEM_ADVISE_SET_PREFERRED_LOCATION
  // CU_MEM_ADVISE_SET_ACCESSED_BY: the device has the pages mapped, wherever they are. It reads and writes
  // those of the host's memory over the link, and does not fault.
  bool accessed_by_device = false;
  bool operator==(const MemoryAdvice&) const = default;

  bool any() const { return preferred || accessed_by_device; }
  // The device's accesses leave the pages in the host's memory.
  bool staysOnHost() const { return preferred == MemoryPlace::kHost && accessed_by_device; }
};

// Pages that moved because an operation touched them where they were not: what one batch of page faults
// brought, with the pages around them that the driver sends along.
struct PageMigration {
  uint32_t operation = 0;  // whose faults they were: a launch's, or a host function's
  bool to_device = true;
  uint32_t faults = 0;  // pages that were touched; the rest of the bytes came along
  uint64_t bytes = 0;
  double begin_ns = 0, end_ns = 0;  // from the first fault; on the run's axis
  bool operator==(const PageMigration&) const = default;
};

}  // namespace warpscope
