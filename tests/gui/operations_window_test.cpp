// The view of operations on a simulated GPU: dragging the chunks changes what overlaps, an operation selects
// its warps, and a warp its operation.
#include "tests/gui/window_fixture.h"

namespace warpscope::testing {
namespace {

class OperationsWindowTest : public WindowTest {
 protected:
  void SetUp() override {
    WindowTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    std::filesystem::copy(WARPSCOPE_SOURCE_FOLDER "/assets/devices", folder_ / "assets/devices");
  }
  void open(const std::string& family, const std::string& variant, ParameterValues parameters = {}) {
    start(StartOptions{.device = "sim:teaching",
                       .family = family,
                       .variant = variant,
                       .parameters = std::move(parameters),
                       .width = 1500,
                       .height = 1000});
    ASSERT_TRUE(window_->settled());
    ASSERT_TRUE(rests());
  }
  // Of that number among the operations, in its stream's row: the host's is row 0.
  std::optional<Rectangle> bar(uint32_t row, uint32_t operation) const {
    return window_->find(fmt::format("operations.{}.{}", row, operation));
  }
  ::testing::AssertionResult chunksBecome(int64_t chunks) const {
    return window_->until([&](const Json& state) {
      return state.contains("run") && state["run"]["parameters"]["chunks"] == chunks;
    });
  }
};

const ParameterValues kSmall{{"size", 1 << 14}, {"work", 16}, {"chunks", 1}, {"streams", 2}};

TEST_F(OperationsWindowTest, DraggingTheChunksChangesWhatOverlaps) {
  open("streams", "depth_first", kSmall);
  ASSERT_TRUE(window_->find("view.operations")) << "the family's own view is shown first";
  const std::string one_chunk = window_->text("operations.summary");
  EXPECT_NE(one_chunk.find("; 0 % of what can overlap does"), std::string::npos) << one_chunk;
  ASSERT_TRUE(bar(1, 0));
  EXPECT_FALSE(bar(1, 3)) << "one chunk has three operations";

  const auto slider = window_->find("control.chunks");
  ASSERT_TRUE(slider);
  window_->drag(slider->x(0.01), slider->y(), slider->x(0.3), slider->y());
  ASSERT_TRUE(window_->until([&](const Json& state) { return state["run"]["parameters"]["chunks"] > 1; }));
  ASSERT_TRUE(rests());
  const std::string several = window_->text("operations.summary");
  EXPECT_EQ(several.find("; 0 % of what can overlap does"), std::string::npos) << several;
  // The second chunk's copy in, on the other stream, begins before the first chunk is back.
  const auto back = bar(1, 2), second = bar(2, 3);
  ASSERT_TRUE(back && second);
  EXPECT_LT(second->x0, back->x1);

  window_->drag(slider->x(0.3), slider->y(), slider->x(0.01), slider->y());
  ASSERT_TRUE(chunksBecome(1));
  ASSERT_TRUE(rests());
  EXPECT_EQ(window_->text("operations.summary"), one_chunk);
}

TEST_F(OperationsWindowTest, AnOperationSelectsItsWarpsAndAWarpItsOperation) {
  ParameterValues parameters = kSmall;
  parameters["chunks"] = 2;
  open("streams", "depth_first", parameters);
  const auto launch = bar(2, 4);  // the second chunk's
  ASSERT_TRUE(launch);
  window_->click(launch->x(0.5), launch->y());
  ASSERT_TRUE(window_->until([](const Json& state) { return state.contains("selected_warp"); }));
  ASSERT_TRUE(rests());
  constexpr int64_t kBlocks = 32;  // of a launch: 2^13 elements
  EXPECT_EQ(window_->state()["selected_warp"]["block"], kBlocks) << "the first of the second launch";
  EXPECT_EQ(window_->state()["selection"], fmt::format("b{}-b{}", kBlocks, 2 * kBlocks - 1));

  // A warp of the first launch, in its slot; then its launch is the chosen one.
  EXPECT_EQ(window_->text("operations.chosen"), "chunk 1: launch");
  window_->click("operations.warp.1");
  ASSERT_TRUE(window_->until([](const Json& state) {
    return state.contains("selected_warp") && state["selected_warp"]["block"] < kBlocks;
  }));
  ASSERT_TRUE(rests());
  EXPECT_EQ(window_->text("operations.chosen"), "chunk 0: launch");
}

TEST_F(OperationsWindowTest, WaitsAreShownOnTheStreams) {
  ParameterValues parameters = kSmall;
  parameters["chunks"] = 4;
  open("streams", "default_stream", parameters);
  EXPECT_TRUE(window_->find("operations.gap.3")) << "the second chunk waits for the first launch";
  window_->click("operations.gap.3");
  ASSERT_TRUE(rests());
  EXPECT_EQ(window_->text("operations.chosen"), "chunk 1: copy to the device");
  EXPECT_EQ(window_->text("operations.wait"),
            "the default stream synchronises: waits for the launch of chunk 0");
}

TEST_F(OperationsWindowTest, AGraphIsOneCallOfTheHost) {
  open("graphs", "captured", {{"size", 64}, {"nodes", 6}, {"shape", 1}});
  EXPECT_TRUE(bar(0, 0)) << "the call that launches the graph";
  for (uint32_t operation = 1; operation < 10; ++operation) EXPECT_FALSE(bar(0, operation)) << operation;
  const auto first = bar(1, 0);
  ASSERT_TRUE(first);
  window_->click(first->x(0.5), first->y());
  ASSERT_TRUE(rests());
  EXPECT_EQ(window_->text("operations.chosen"), "node 0: launch");
  EXPECT_EQ(window_->text("operations.wait"),
            "The graph's launch: what the GPU takes to begin its first nodes.");
}

TEST_F(OperationsWindowTest, SkippedNodesAreOnTheirStreamOnly) {
  open("graphs", "conditional", {{"size", 64}, {"nodes", 6}, {"needed", 4}});
  EXPECT_TRUE(bar(1, 3));
  EXPECT_TRUE(bar(2, 3)) << "on the SMs";
  const auto skipped = bar(1, 5);
  ASSERT_TRUE(skipped);
  EXPECT_FALSE(bar(2, 5));
  EXPECT_FALSE(window_->find("operations.warp.5"));
  window_->click(skipped->x(0.5), skipped->y());
  ASSERT_TRUE(rests());
  EXPECT_EQ(window_->text("operations.chosen"), "node 5: launch, skipped");
}

TEST_F(OperationsWindowTest, PagesThatMoveAreARowOfTheirOwn) {
  open("unified_memory", "on_demand", {{"size", 1 << 17}, {"passes", 2}});
  const auto moved = window_->find("operations.migration.0");
  ASSERT_TRUE(moved);
  window_->click(moved->x(0.5), moved->y());
  ASSERT_TRUE(rests());
  EXPECT_EQ(window_->text("operations.chosen"), "pass 0: launch") << "what touched them";
}

TEST_F(OperationsWindowTest, ASingleLaunchSaysSo) {
  open("divergence", "even_odd", {{"size", 4096}});
  ASSERT_TRUE(window_->find("view.lanes"));
  if (!window_->find("tab.operations")) {
    ASSERT_TRUE(
        clickFor("tabs.lanes", [&](const Json&) { return window_->find("tab.operations").has_value(); }));
  }
  ASSERT_TRUE(
      clickFor("tab.operations", [](const Json& state) { return state["lanes_tab"] == "operations"; }));
  EXPECT_TRUE(window_->find("operations"));
  EXPECT_FALSE(window_->find("operations.summary"));
}

}  // namespace
}  // namespace warpscope::testing
