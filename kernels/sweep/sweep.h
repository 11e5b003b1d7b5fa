// Runs a grid, or a part of it, into a folder: every point becomes a file as soon as it is done, so a sweep
// that was stopped, killed or met a full disk goes on where it was when it is started again.
#pragma once

#include <functional>
#include <memory>

#include "kernels/sweep/grid.h"
#include "kernels/sweep/point_file.h"

namespace warpscope {

// A point's numbers without its trace: what tables show of it.
struct PointResult {
  size_t point = 0;  // into SweepGrid::points
  StoredPoint::State state = StoredPoint::State::kMissing;
  std::string reason;        // of what is not done
  bool ran = false;          // now; false: its file was there, or it was not come to
  bool elsewhere = false;    // another process was running it
  DeviceDescription device;  // of kDone: the one it ran on
  Timing timing;             // of kDone, as what follows
  Bandwidth bandwidth;
  Verification verification;
  std::optional<size_t> hazards;  // found by the checks; absent: not looked for
};

// Both are called from the workers, one call at a time.
struct SweepEvents {
  // A point was come to: `done` of `total` so far.
  std::function<void(const PointResult& result, size_t done, size_t total)> finished;
  // Something a user should know: a damaged file that is run anew.
  std::function<void(const std::string& line)> note;
};

struct SweepOptions {
  std::filesystem::path folder;
  Shard shard;
  // Workers of each simulated device. A GPU has one always: two would disturb each other's times.
  uint32_t jobs = 1;
  bool retry = false;  // also run points that failed or were impossible
  std::string program_version;
  std::function<Expected<std::unique_ptr<Device>>(const std::string& id)> open_device;
  SweepEvents events;
};

struct SweepResult {
  std::vector<PointResult> points;  // of the shard, in the order of the grid
  bool cancelled = false;
};

// A simulated device is opened anew for each point, so that its caches and addresses, and with them its
// cycles, do not depend on which points ran before: sharded or not, the same comes out.
//
// Errors: the folder holds another sweep (kBadRequest), a file cannot be written (kWorkFailed: disk full), a
// device cannot be opened or is gone. Points already in the folder are kept.
Expected<SweepResult> runSweep(const SweepGrid& grid, const SweepOptions& options,
                               const std::stop_token& stop);

}  // namespace warpscope
