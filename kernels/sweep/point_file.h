// The files of a sweep's folder: a finished point is a recording of one run, NAME.wsrec; one that is
// impossible or failed is NAME.failed.json with the reason. Each file is written whole or not at all. Locks
// ensure that only one worker runs a point.
#pragma once

#include <filesystem>
#include <string>

#include "kernels/sweep/request_outcome.h"

namespace warpscope {

std::filesystem::path runFile(const std::filesystem::path& folder, const std::string& name);
std::filesystem::path failureFile(const std::filesystem::path& folder, const std::string& name);

struct StoredPoint {
  enum class State {
    kMissing,     // never run
    kDone,        // `run` is the content of the file
    kImpossible,  // `reason` says why
    kFailed,
    kDamaged,  // the file is incomplete, or not of this point: `reason` says what is wrong
  } state = State::kMissing;
  Run run;
  std::string reason;
};
const char* stateName(StoredPoint::State state);  // "done"

// Reads the whole file and verifies its checksums.
StoredPoint readPoint(const std::filesystem::path& folder, const std::string& name,
                      const RunRequest& request);

// Stores the outcome: a run, which replaces an earlier failure, or the reason why there is none. Fails if it
// cannot be written; whatever was there is then unchanged.
Expected<void> writePoint(const std::filesystem::path& folder, const std::string& name,
                          const RunRequest& request, const RequestOutcome& outcome);

// Ensures that only one worker runs a point: a lock of one byte per point in FOLDER/sweep.lock, held while
// the point runs. So the same sweep may be started several times at once, in parts or whole, on one machine
// or on several that share the folder, and nothing is run twice. The lock of a process that dies is released.
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
