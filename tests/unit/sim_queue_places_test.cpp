// The places of a queue: when there is room, for one or for several.
#include <gtest/gtest.h>

#include "kernels/sim/sm/queue_places.h"

namespace warpscope::sim {
namespace {

TEST(QueuePlaces, HaveRoomUntilAllAreTaken) {
  QueuePlaces<3> queue;
  EXPECT_EQ(queue.free(), 0U);
  queue.take(10);
  queue.take(30);
  EXPECT_EQ(queue.free(), 0U);
  EXPECT_EQ(queue.latest(), 30U);
  queue.take(40);
  EXPECT_EQ(queue.free(), 10U);
}

TEST(QueuePlaces, AreTakenInTurn) {
  QueuePlaces<3> queue;
  for (const uint64_t until : {10, 30, 20, 50}) queue.take(until);
  EXPECT_EQ(queue.latest(), 50U);
  EXPECT_EQ(queue.free(), 30U);
  queue.take(60);
  EXPECT_EQ(queue.free(), 20U);
}

TEST(QueuePlaces, HaveRoomForSeveralWhenTheLastOfThemIsFree) {
  QueuePlaces<3> queue;
  for (const uint64_t until : {10, 20, 30}) queue.take(until);
  EXPECT_EQ(queue.freeFor(1), 10U);
  EXPECT_EQ(queue.freeFor(2), 20U);
  EXPECT_EQ(queue.freeFor(3), 30U);
  queue.take(40);
  EXPECT_EQ(queue.freeFor(3), 40U);
}

}  // namespace
}  // namespace warpscope::sim
