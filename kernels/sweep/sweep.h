// Runs a grid, or a part of it, into a folder. Every point becomes a file as soon as it is finished, so that
// a sweep that was stopped or killed, or met a full disk, continues where it was when it is started again.
#pragma once

#include <functional>
#include <memory>

#include "kernels/sweep/grid.h"
#include "kernels/sweep/point_file.h"

namespace warpscope {

// A point's numbers without its trace, as tables show them.
struct PointResult {
  size_t point = 0;  // into SweepGrid::points
  StoredPoint::State state = StoredPoint::State::kMissing;
  std::string reason;        // why it is not done
  bool ran = false;          // in this call; false: its file existed, or the sweep ended before it
  bool elsewhere = false;    // another process was running it
  DeviceDescription device;  // for kDone: the device it ran on
  Timing timing;             // for kDone, as are the following
  Bandwidth bandwidth;
  Verification verification;
  std::optional<size_t> hazards;  // found by the checks; absent: not checked
};

// Both are called from the workers, one call at a time.
struct SweepEvents {
  // A point is finished: `done` of `total` so far.
  std::function<void(const PointResult& result, size_t done, size_t total)> finished;
  // Something that the user should know, such as a damaged file whose point is run again.
  std::function<void(const std::string& line)> note;
};

struct SweepOptions {
  std::filesystem::path folder;
  Shard shard;
  // Workers per simulated device. A GPU always has one: two would disturb each other's times.
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

// A simulated device is reopened for each point, so that its caches and addresses, and therefore its
// cycles, do not depend on which points ran before: the results are the same with and without shards.
//
// Errors: the folder holds another sweep (kBadRequest); a file cannot be written, for instance because the
// disk is full (kWorkFailed); a device cannot be opened, or is gone. Points already in the folder are kept.
Expected<SweepResult> runSweep(const SweepGrid& grid, const SweepOptions& options,
                               const std::stop_token& stop);

}  // namespace warpscope
