// The points of a sweep: every request on every device, in order. Each has a name that does not change when
// the sweep is started again, elsewhere or in parts. A plain value: nothing is run or written here.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/core/error.h"
#include "kernels/run/run.h"

namespace warpscope {

// One kind of device. GPUs of the same name are one kind: each of its points runs once, on whichever GPU is
// free.
struct SweepDevice {
  std::string identity;           // the names of its points depend on it
  DeviceDescription description;  // the first device of this kind
  std::vector<std::string> ids;   // the names that openDevice takes: "cuda:0", "cuda:1"
};

struct SweepPoint {
  RunRequest request;  // with every parameter filled in
  size_t device = 0;   // index into SweepGrid::devices
  // "000012-0123456789abcdef": its number in the grid, and a hash of request and device. Files sorted by name
  // are in the order of the grid.
  std::string name;
};

struct SweepGrid {
  std::vector<SweepDevice> devices;
  std::vector<SweepPoint> points;
};

// One part of a grid that is split over several machines: `index` of `count`, counted from 0.
struct Shard {
  uint32_t index = 0, count = 1;
  bool operator==(const Shard&) const = default;
};

// Says whether runs on two devices are interchangeable: simulated and recorded devices are identified by
// their id, GPUs by their name and limits.
std::string deviceIdentity(const DeviceDescription& description);

// Adds the device, opened as `id`, to its kind or as a new kind. Returns the index of the kind.
size_t addDevice(SweepGrid& grid, const DeviceDescription& description, const std::string& id);
// Adds the requests on this kind of device as points, except those that are there already.
void addPoints(SweepGrid& grid, size_t device, const std::vector<RunRequest>& requests);

// The indices of the points in this part, ascending. All parts together are the grid, no two share a point,
// and their sizes differ by at most one. Points are distributed in the order of their hashes, so that no part
// gets all the large sizes.
std::vector<size_t> pointsOf(const SweepGrid& grid, const Shard& shard);

// Parses "0/3". Fails if the text has another form, or the index is not below the count.
Expected<Shard> parseShard(const std::string& text);

// The number in a point's name; nullopt if it is not the name of a point.
std::optional<size_t> pointNumber(const std::string& name);

}  // namespace warpscope
