// Records which bytes have been written, by the host or by a kernel, since they were allocated. It outlives
// launches: the owner of device memory (the backend) reports allocations and its own writes to it. Memory it
// has never heard of counts as written, so that nothing is reported about untracked memory.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace warpscope::sim {

// One bit per byte of a range, unless all of them are written.
class WrittenBytes {
 public:
  explicit WrittenBytes(uint64_t bytes) : bits_((bytes + 63) / 64), bytes_(bytes) {}
  uint64_t size() const { return bytes_; }
  void set(uint64_t offset, uint64_t bytes, bool written = true);
  // As if the bytes were copied from another range. Both offsets must be inside.
  void copy(uint64_t offset, const WrittenBytes& from, uint64_t from_offset, uint64_t bytes);
  // Offset of the first byte of the range that nobody has written.
  std::optional<uint64_t> firstUnwritten(uint64_t offset, uint64_t bytes) const;
  bool test(uint64_t offset) const { return all_ || (bits_[offset / 64] >> (offset % 64) & 1U) != 0; }

 private:
  void listBits();

  std::vector<uint64_t> bits_;  // stale if all_
  bool all_ = false;
  uint64_t bytes_ = 0;
};

class WrittenMemory {
 public:
  void allocated(uint64_t address, uint64_t bytes);
  void freed(uint64_t address);
  // Written by the host, or by a kernel that ran unchecked.
  void written(uint64_t address, uint64_t bytes);
  void copied(uint64_t to, uint64_t from, uint64_t bytes);
  // To be called after a kernel ran unchecked: nothing that existed before is then reported, whatever it
  // wrote.
  void everythingWritten();
  // Address of the first byte of the range that nobody has written.
  std::optional<uint64_t> firstUnwritten(uint64_t address, uint64_t bytes) const;

 private:
  using Ranges = std::map<uint64_t, WrittenBytes>;
  // The range that holds the address; end() if there is none.
  Ranges::const_iterator find(uint64_t address) const;
  Ranges::iterator find(uint64_t address);

  Ranges ranges_;  // by address
};

}  // namespace warpscope::sim
