#include "kernels/sweep/grid.h"

#include <xxhash.h>

#include <algorithm>
#include <charconv>
#include <numeric>
#include <set>

#include "kernels/core/json.h"
#include "kernels/recording/run_json.h"

namespace warpscope {
namespace {

constexpr size_t kNumberDigits = 6, kHashDigits = 16;

std::string hashOf(const RunRequest& request, const std::string& identity) {
  const std::string text = toJson(request).dump() + "\n" + identity;
  return fmt::format("{:016x}", XXH64(text.data(), text.size(), 0));
}

std::string hashPart(const SweepPoint& point) {
  return point.name.substr(point.name.size() - kHashDigits);
}

}  // namespace

std::string deviceIdentity(const DeviceDescription& description) {
  Json identity = toJson(description);
  // Two GPUs of the same kind may differ in these.
  for (const char* key : {"memory_bytes", "driver", "recorded_on"}) identity.erase(key);
  if (description.kind == DeviceKind::kCuda) identity.erase("id");
  return identity.dump();
}

size_t addDevice(SweepGrid& grid, const DeviceDescription& description, const std::string& id) {
  const std::string identity = deviceIdentity(description);
  auto device = std::ranges::find(grid.devices, identity, &SweepDevice::identity);
  if (device == grid.devices.end()) {
    grid.devices.push_back({identity, description, {}});
    device = grid.devices.end() - 1;
  }
  if (std::ranges::count(device->ids, id) == 0) device->ids.push_back(id);
  return static_cast<size_t>(device - grid.devices.begin());
}

void addPoints(SweepGrid& grid, size_t device, const std::vector<RunRequest>& requests) {
  std::set<std::string> known;
  for (const SweepPoint& point : grid.points) known.insert(hashPart(point));
  for (const RunRequest& request : requests) {
    const std::string hash = hashOf(request, grid.devices[device].identity);
    if (!known.insert(hash).second) continue;
    grid.points.push_back({request, device, fmt::format("{:06}-{}", grid.points.size(), hash)});
  }
}

std::vector<size_t> pointsOf(const SweepGrid& grid, const Shard& shard) {
  std::vector<size_t> order(grid.points.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::sort(order, {}, [&](size_t i) { return hashPart(grid.points[i]); });
  std::vector<size_t> part;
  for (size_t i = shard.index; i < order.size(); i += shard.count) part.push_back(order[i]);
  std::ranges::sort(part);
  return part;
}

Expected<Shard> parseShard(const std::string& text) {
  Shard shard;
  const size_t slash = text.find('/');
  const char* end = text.data() + text.size();
  if (slash != std::string::npos) {
    const auto index = std::from_chars(text.data(), text.data() + slash, shard.index);
    const auto count = std::from_chars(text.data() + slash + 1, end, shard.count);
    if (index.ec == std::errc{} && index.ptr == text.data() + slash && count.ec == std::errc{} &&
        count.ptr == end && shard.index < shard.count) {
      return shard;
    }
  }
  return fail(ErrorKind::kBadRequest,
              "--shard: '{}' is not I/N with I from 0 to N-1: the parts of three are 0/3, 1/3 and 2/3", text);
}

std::optional<size_t> pointNumber(const std::string& name) {
  const size_t dash = name.find('-');
  if (dash == std::string::npos || dash < kNumberDigits || name.size() != dash + 1 + kHashDigits) {
    return std::nullopt;
  }
  size_t number = 0;
  const char* end = name.data() + dash;
  const auto parsed = std::from_chars(name.data(), end, number);
  return parsed.ec == std::errc{} && parsed.ptr == end ? std::optional(number) : std::nullopt;
}

}  // namespace warpscope
