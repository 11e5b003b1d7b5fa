// The points of a sweep: every request on every device, in order, each with a name that does not change when
// the sweep is started again, elsewhere or in parts. A plain value: nothing is run or written here.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/core/error.h"
#include "kernels/run/run.h"

namespace warpscope {

// One kind of device. GPUs of the same name are one kind: each of its points runs once, on whichever is free.
struct SweepDevice {
  std::string identity;           // what its points' names depend on
  DeviceDescription description;  // of the first of them
  std::vector<std::string> ids;   // as openDevice takes them: "cuda:0", "cuda:1"
};

struct SweepPoint {
  RunRequest request;  // complete
  size_t device = 0;   // into SweepGrid::devices
  // "000012-0123456789abcdef": its number in the grid, and a hash of request and device. Files sorted by name
  // lie in the order of the grid.
  std::string name;
};

struct SweepGrid {
  std::vector<SweepDevice> devices;
  std::vector<SweepPoint> points;
};

// A part of a grid, for several machines: `index` of `count`, counted from 0.
struct Shard {
  uint32_t index = 0, count = 1;
  bool operator==(const Shard&) const = default;
};

// Where runs on two devices may stand for each other: simulated and recorded ones by their id, GPUs by their
// name and limits.
std::string deviceIdentity(const DeviceDescription& description);

// Adds the device, opened as `id`: to its kind, or as a new one. Returns the kind's index.
size_t addDevice(SweepGrid& grid, const DeviceDescription& description, const std::string& id);
// Adds the requests on that kind of device as points; those that are there already are left out.
void addPoints(SweepGrid& grid, size_t device, const std::vector<RunRequest>& requests);

// The indices of the points of this part, ascending. All parts together are the grid, no two share a point,
// and their sizes differ by one at most. Points are dealt out in the order of their hashes, so that no part
// gets all of the large sizes.
std::vector<size_t> pointsOf(const SweepGrid& grid, const Shard& shard);

// "0/3". Error: not of this form, or the index is not below the count.
Expected<Shard> parseShard(const std::string& text);

// The number in a point's name; nullopt: it is no such name.
std::optional<size_t> pointNumber(const std::string& name);

}  // namespace warpscope
