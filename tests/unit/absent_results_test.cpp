// The window says why a variant has no result, and why a run has no counters.
#include <gtest/gtest.h>

#include <memory>

#include "viz/text/words.h"
#include "viz/views/bar_text.h"

namespace warpscope {
namespace {

TEST(BarText, IsTheValueOrWhyThereIsNone) {
  DeviceDescription gpu{.kind = DeviceKind::kCuda}, recording{.kind = DeviceKind::kRecorded};
  VariantResult result{.variant = "one", .title = "One"};
  EXPECT_EQ(barText(result, gpu, ""), "...");
  result.run = std::make_shared<const warpscope::Run>();
  EXPECT_EQ(barText(result, gpu, "7 GB/s"), "7 GB/s");
  result.stale = true;
  EXPECT_EQ(barText(result, gpu, "7 GB/s"), "(7 GB/s)");
  result.error = "the kernel failed";
  EXPECT_EQ(result.shown(), nullptr) << "a bar of earlier settings is not that of these";
  EXPECT_EQ(barText(result, gpu, ""), "! failed");
  result.impossible = true;
  EXPECT_EQ(barText(result, gpu, ""), "impossible");
  EXPECT_EQ(barText(result, recording, ""), "not recorded") << "which is no failure";
}

TEST(NoCountersText, SaysWhatToDo) {
  warpscope::Run run;
  run.device = {.name = "GPU", .kind = DeviceKind::kCuda};
  EXPECT_NE(noCountersText(run).find("Read counters"), std::string::npos);
  run.request.counters = {"smsp__inst_executed.sum"};
  EXPECT_EQ(noCountersText(run), "Reading the counters ...");
  run.counters_problem = "another profiler holds the GPU";
  EXPECT_EQ(noCountersText(run), "another profiler holds the GPU");
  run = {};
  run.device.kind = DeviceKind::kRecorded;
  EXPECT_NE(noCountersText(run).find("Recorded without counters"), std::string::npos)
      << "a real GPU has counters, also if they were not recorded";
}

}  // namespace
}  // namespace warpscope
