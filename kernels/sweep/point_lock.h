// Ensures that only one worker runs a point: a lock of one byte per point in FOLDER/sweep.lock, held while
// the point runs. So the same sweep may be started several times at once, in parts or whole, on one machine
// or on several that share the folder, and nothing is run twice. The lock of a process that dies is released.
#pragma once

#include <filesystem>

namespace warpscope {

// Each worker has its own; it owns the open file. Where the file system does not support locks, every point
// is free.
class PointLocks {
 public:
  explicit PointLocks(const std::filesystem::path& folder);
  ~PointLocks();
  PointLocks(const PointLocks&) = delete;
  PointLocks& operator=(const PointLocks&) = delete;

  bool tryLock(size_t point);  // false: another worker, of this process or another, holds it
  void unlock(size_t point);

 private:
  int fd_;
};

}  // namespace warpscope
