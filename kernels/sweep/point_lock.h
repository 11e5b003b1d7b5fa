// Who runs a point: a lock of one byte a point in FOLDER/sweep.lock, held while it is run. So the same sweep
// may be started several times at once, in parts or whole, on one machine or on several that share the
// folder: nothing is run twice. A process that dies leaves no lock.
#pragma once

#include <filesystem>

namespace warpscope {

// One for each worker. Where the file system knows no locks, every point is free.
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
