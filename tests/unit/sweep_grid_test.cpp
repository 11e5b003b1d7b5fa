// The points of a sweep, their names, and the part of them that a shard contains.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/support/sweep_folder.h"

namespace warpscope {
namespace {

using testing::syntheticRequests;

SweepGrid gridOn(const std::vector<std::string>& ids, DeviceKind kind) {
  SweepGrid grid;
  for (const std::string& id : ids) {
    DeviceDescription description = testing::syntheticDevice();
    description.id = id;
    description.kind = kind;
    addPoints(grid, addDevice(grid, description, id), syntheticRequests());
  }
  return grid;
}

TEST(SweepGridOf, HasEachRequestOnceInTheOrderAsked) {
  SweepGrid grid = gridOn({"sim:a"}, DeviceKind::kSimulated);
  ASSERT_EQ(grid.points.size(), 12U);
  addPoints(grid, 0, syntheticRequests());
  EXPECT_EQ(grid.points.size(), 12U) << "the same again is nothing new";
  for (size_t i = 0; i < grid.points.size(); ++i) {
    EXPECT_EQ(grid.points[i].request, syntheticRequests()[i]);
    EXPECT_EQ(pointNumber(grid.points[i].name), i);
  }
}

TEST(SweepGridOf, NamesDependOnRequestAndDeviceOnly) {
  const SweepGrid a = gridOn({"sim:a"}, DeviceKind::kSimulated);
  const SweepGrid again = gridOn({"sim:a"}, DeviceKind::kSimulated);
  const SweepGrid b = gridOn({"sim:b"}, DeviceKind::kSimulated);
  EXPECT_EQ(a.points[3].name, again.points[3].name);
  EXPECT_NE(a.points[3].name, b.points[3].name);
  std::vector<RunRequest> more_repeats{syntheticRequests()[3]};
  more_repeats[0].repeats = 21;
  SweepGrid other = a;
  addPoints(other, 0, more_repeats);
  EXPECT_EQ(other.points.size(), 13U);
}

TEST(SweepGridOf, TakesGpusOfOneNameForOneDevice) {
  const SweepGrid gpus = gridOn({"cuda:0", "cuda:1"}, DeviceKind::kCuda);
  ASSERT_EQ(gpus.devices.size(), 1U);
  EXPECT_EQ(gpus.devices[0].ids, (std::vector<std::string>{"cuda:0", "cuda:1"}));
  EXPECT_EQ(gpus.points.size(), 12U);
  EXPECT_EQ(gpus.points[5].name, gridOn({"cuda:7"}, DeviceKind::kCuda).points[5].name)
      << "another slot, another machine: the same point";
  const SweepGrid simulated = gridOn({"sim:a", "sim:b"}, DeviceKind::kSimulated);
  EXPECT_EQ(simulated.devices.size(), 2U);
  EXPECT_EQ(simulated.points.size(), 24U);
}

TEST(SweepShards, AreDisjointWholeAndOfOneSize) {
  const SweepGrid grid = gridOn({"sim:a", "sim:b"}, DeviceKind::kSimulated);
  for (uint32_t count = 1; count <= 30; ++count) {
    std::set<size_t> all;
    size_t sum = 0;
    for (uint32_t index = 0; index < count; ++index) {
      const auto part = pointsOf(grid, {index, count});
      EXPECT_TRUE(std::ranges::is_sorted(part));
      EXPECT_GE(part.size(), grid.points.size() / count);
      EXPECT_LE(part.size(), grid.points.size() / count + 1);
      all.insert(part.begin(), part.end());
      sum += part.size();
    }
    EXPECT_EQ(sum, grid.points.size()) << count;
    EXPECT_EQ(all.size(), grid.points.size()) << count;
  }
}

TEST(SweepShards, AreWrittenFromZero) {
  EXPECT_EQ(parseShard("0/1").value(), (Shard{0, 1}));
  EXPECT_EQ(parseShard("2/3").value(), (Shard{2, 3}));
  for (const char* text :
       {"3/3", "1", "/3", "1/", "-1/3", "0/0", "1/3x", "a/b", "", "1 /3", "0/99999999999"}) {
    const auto shard = parseShard(text);
    ASSERT_FALSE(shard.has_value()) << text;
    EXPECT_EQ(shard.error().kind, ErrorKind::kBadRequest);
    EXPECT_NE(shard.error().message.find("0/3, 1/3 and 2/3"), std::string::npos);
  }
}

TEST(SweepPoints, AreKnownByTheirNames) {
  EXPECT_EQ(pointNumber("000012-0123456789abcdef"), 12U);
  EXPECT_EQ(pointNumber("1234567-0123456789abcdef"), 1234567U);
  for (const char* name : {"", "sweep", "12-0123456789abcdef", "000012-0123", "00001x-0123456789abcdef"}) {
    EXPECT_FALSE(pointNumber(name).has_value()) << name;
  }
}

}  // namespace
}  // namespace warpscope
