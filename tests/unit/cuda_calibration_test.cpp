// The figures of copies and streams that a calibration finds on a driver whose figures are known.
#include <gtest/gtest.h>

#include "kernels/backend/cuda/cuda_backend.h"
#include "kernels/calibrate/steps.h"
#include "tests/support/fake_cuda/fake_driver.h"

namespace warpscope::calibration {
namespace {

namespace fake = testing::fake_driver;

TEST(CalibrateStreams, FindsWhatTheDriverTakes) {
  fake::unload();
  const OpenedBackend backend(openCudaBackend(0).value());
  auto bench = Bench::create(backend, 1, {});
  ASSERT_TRUE(bench) << bench.error().message;
  Results results;
  const auto done = measureStreams(*bench, results);
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_TRUE(results.notes().empty());
  EXPECT_NEAR(results.figure("copy_to_device_bytes_per_ns"), fake::kCopyBytesPerNs, 0.01);
  EXPECT_NEAR(results.figure("copy_to_host_bytes_per_ns"), fake::kCopyBytesPerNs, 0.01);
  EXPECT_NEAR(results.figure("copy_pageable_bytes_per_ns"), fake::kCopyBytesPerNs, 0.01);
  EXPECT_NEAR(results.figure("copy_latency_ns"), fake::kCopyLatency_ns, 10);
  EXPECT_NEAR(results.figure("stream_latency_ns"), fake::kStart_ns, 10);
  EXPECT_GT(results.figure("enqueue_ns"), 0);
  EXPECT_LT(results.figure("enqueue_ns"), 1e6);
  // 8 calls by kind, 4 gaps, 2 other pageable and 3 other pinned ones, and the 7 figures.
  EXPECT_EQ(results.all().size(), 24U);
}

TEST(CalibrateStreams, SaysThatEventsTimedThem) {
  fake::unload();
  fake::setCupti(fake::Cupti::kRefuses);
  const OpenedBackend backend(openCudaBackend(0).value());
  auto bench = Bench::create(backend, 1, {});
  ASSERT_TRUE(bench) << bench.error().message;
  Results results;
  ASSERT_TRUE(measureStreams(*bench, results));
  ASSERT_EQ(results.notes().size(), 1U);
  EXPECT_NE(results.notes()[0].find("timed by events, not by CUPTI"), std::string::npos)
      << results.notes()[0];
  EXPECT_NEAR(results.figure("copy_to_device_bytes_per_ns"), fake::kCopyBytesPerNs, 0.05);
}

TEST(CalibratePeers, FindsWhatCopiesBetweenGpusTake) {
  fake::unload();
  fake::setGpus(2, false);
  {
    const OpenedBackend backend(openCudaBackend(0).value());
    auto bench = Bench::create(backend, 1, {});
    ASSERT_TRUE(bench) << bench.error().message;
    Results results;
    const auto done = measurePeers(*bench, results);
    ASSERT_TRUE(done) << done.error().message;
    EXPECT_NEAR(results.figure("peer_copy_bytes_per_ns"), fake::kCopyBytesPerNs, 0.01);
    EXPECT_NEAR(results.figure("peer_copy_latency_ns"), fake::kCopyLatency_ns, 10);
    ASSERT_EQ(results.notes().size(), 1U);
    EXPECT_NE(results.notes()[0].find("cannot access each other's memory"), std::string::npos);
  }
  fake::setGpus(1, false);
  fake::unload();
  const OpenedBackend backend(openCudaBackend(0).value());
  auto bench = Bench::create(backend, 1, {});
  Results results;
  ASSERT_TRUE(measurePeers(*bench, results));
  ASSERT_EQ(results.notes().size(), 1U);
  EXPECT_NE(results.notes()[0].find("there is none here"), std::string::npos);
}

}  // namespace
}  // namespace warpscope::calibration
