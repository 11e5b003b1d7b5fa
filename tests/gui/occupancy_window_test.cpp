// The occupancy lab: the slider and the points on the curves change what is
// calculated at once, and what is launched follows.
#include "kernels/occupancy/capabilities.h"
#include "kernels/occupancy/occupancy.h"
#include "tests/gui/window_fixture.h"

namespace warpscope::testing {
namespace {

class OccupancyWindowTest : public WindowTest {
 protected:
  void openLab() {
    start("divergence", "even_odd", 1600, 950);
    ASSERT_TRUE(window_->settled());
    window_->key("o");
    ASSERT_TRUE(window_->until([](const Json& state) { return state["page"] == "occupancy"; }));
    ASSERT_TRUE(window_->until([](const Json& state) { return state["lab"]["sweep_missing"] == 0; }));
    ASSERT_TRUE(rests());
  }
  void type(const std::string& field, const std::string& number) const {
    const auto area = window_->find(field);
    ASSERT_TRUE(area) << field;
    window_->click(area->x(), area->y());
    ASSERT_TRUE(rests());
    window_->key("ctrl+a");
    window_->type(number);
    window_->key("Return");
  }
  std::string answer(const std::string& what) const {
    return window_->report()["texts"].value("lab.answer." + what, "");
  }
  bool untilAnswer(const std::string& what, const std::string& value) const {
    return window_->until([&](const Json&) { return answer(what) == value; });
  }
};

TEST_F(OccupancyWindowTest, TheBlockSliderMovesTheLabAndLaunches) {
  openLab();
  if (HasFatalFailure()) return;
  EXPECT_EQ(answer("block"), "256");
  EXPECT_EQ(answer("limiter"), "warps");
  for (const char* part :
       {"lab.sm.first", "lab.budgets.first", "lab.curve.block", "lab.curve.registers", "lab.curve.shared",
        "lab.speed", "lab.residency", "lab.littles_law", "lab.suggestion.0", "lab.device", "lab.summary"}) {
    EXPECT_TRUE(window_->find(part)) << part;
  }
  const uint64_t ticket = window_->state()["run"]["ticket"].get<uint64_t>();
  const auto slider = window_->find("control.block");
  ASSERT_TRUE(slider);
  window_->drag(slider->x(0.66), slider->y(), slider->x(0.01), slider->y());
  EXPECT_TRUE(untilAnswer("block", "64"));
  EXPECT_TRUE(window_->until([&](const Json& state) {
    return state["run"]["parameters"]["block"] == 64 && state["run"]["ticket"] > ticket;
  }));
}

TEST_F(OccupancyWindowTest, ThePointOnTheBlockCurveMovesTheSliderAndLaunches) {
  openLab();
  if (HasFatalFailure()) return;
  const uint64_t ticket = window_->state()["run"]["ticket"].get<uint64_t>();
  const auto point = window_->find("lab.curve.block.point");
  const auto curve = window_->find("lab.curve.block");
  ASSERT_TRUE(point && curve);
  // In every frame seen on the way, what is calculated is what is set, or was the frame before.
  window_->press(point->x(), point->y());
  uint64_t differ_since = 0, longest = 0, seen = 0;
  for (int i = 0; i <= 40; ++i) {
    window_->move(point->x() + (curve->x(0.5) - point->x()) * i / 40, point->y());
    const Json report = window_->report();
    const uint64_t frame = report["frame"].get<uint64_t>();
    const std::string set = std::to_string(report["state"]["parameters"]["block"].get<int64_t>());
    ++seen;
    if (report["texts"].value("lab.answer.block", "") == set) {
      differ_since = 0;
    } else {
      if (differ_since == 0) differ_since = frame;
      longest = std::max(longest, frame - differ_since + 1);
    }
  }
  window_->release();
  EXPECT_GT(seen, 10U);
  EXPECT_LE(longest, 1U) << "frames in which the lab lagged behind the controls";
  EXPECT_TRUE(untilAnswer("block", "512"));
  EXPECT_TRUE(window_->until([&](const Json& state) {
    return state["run"]["parameters"]["block"] == 512 && state["run"]["ticket"] > ticket;
  }));
  EXPECT_EQ(window_->state()["parameters"]["block"], 512);
  window_->key("ctrl+z");
  EXPECT_TRUE(untilAnswer("block", "256")) << "a drag is undone as one";
}

TEST_F(OccupancyWindowTest, RegistersOfACompiledKernelAreAQuestionOnly) {
  openLab();
  if (HasFatalFailure()) return;
  const uint64_t ticket = window_->state()["run"]["ticket"].get<uint64_t>();
  const auto point = window_->find("lab.curve.registers.point");
  const auto curve = window_->find("lab.curve.registers");
  ASSERT_TRUE(point && curve);
  window_->drag(point->x(), point->y(), curve->x(0.5), point->y());
  EXPECT_TRUE(untilAnswer("limiter", "registers"));
  EXPECT_TRUE(untilAnswer("warps", "16")) << answer("registers");
  EXPECT_TRUE(window_->state()["lab"]["what_if"].get<bool>());
  EXPECT_EQ(window_->state()["run"]["ticket"], ticket) << "nothing was launched";
  ASSERT_TRUE(rests());
  EXPECT_TRUE(clickFor("lab.reset", [](const Json& state) { return state["lab"]["what_if"] == false; }));
  EXPECT_TRUE(untilAnswer("limiter", "warps"));
}

TEST_F(OccupancyWindowTest, ASuggestionIsOneClick) {
  openLab();
  if (HasFatalFailure()) return;
  const auto curve = window_->find("lab.curve.registers");
  const auto point = window_->find("lab.curve.registers.point");
  ASSERT_TRUE(point && curve);
  window_->drag(point->x(), point->y(), curve->x(0.3), point->y());
  ASSERT_TRUE(untilAnswer("limiter", "registers"));
  const std::string before = answer("warps");
  ASSERT_TRUE(rests());
  ASSERT_TRUE(window_->find("lab.suggestion.0.use"));
  window_->click("lab.suggestion.0.use");
  EXPECT_TRUE(window_->until([&](const Json&) { return std::stoi(answer("warps")) > std::stoi(before); }));
}

TEST_F(OccupancyWindowTest, ACalculatorTakesTypedNumbers) {
  openLab();
  if (HasFatalFailure()) return;
  ASSERT_TRUE(clickFor("lab.calculator", [](const Json& state) { return state["lab"]["typed"] == true; }));
  const uint64_t ticket = window_->state()["run"]["ticket"].get<uint64_t>();
  type("lab.registers", "40");
  EXPECT_TRUE(untilAnswer("registers", "40"));
  EXPECT_TRUE(untilAnswer("warps", "48"));
  type("lab.block", "1000");
  EXPECT_TRUE(untilAnswer("block", "1000"));
  EXPECT_EQ(window_->state()["run"]["ticket"], ticket) << "nothing was launched";
  window_->key("ctrl+z");
  EXPECT_TRUE(untilAnswer("block", "256"));
}

TEST_F(OccupancyWindowTest, ASecondDeviceStandsBesideTheFirst) {
  openLab();
  if (HasFatalFailure()) return;
  EXPECT_FALSE(window_->find("lab.sm.second"));
  ASSERT_TRUE(clickFor("lab.second_device",
                       [&](const Json&) { return window_->find("lab.second_device.cc:2.0").has_value(); }));
  window_->click("lab.second_device.cc:2.0");
  EXPECT_TRUE(window_->until([&](const Json&) { return window_->find("lab.sm.second").has_value(); }));
  const auto registers = static_cast<uint32_t>(std::stoul(answer("registers")));
  const auto shared = static_cast<uint32_t>(std::stoul(answer("shared")));
  const Occupancy fermi =
      theoreticalOccupancy(factsOf(ComputeCapability{2, 0}).limits,
                           {.registers_per_thread = registers, .static_shared_bytes = shared}, 256);
  ASSERT_GT(fermi.warps_per_sm, 0U);
  EXPECT_TRUE(untilAnswer("second_warps", std::to_string(fermi.warps_per_sm)));
  EXPECT_TRUE(window_->find("lab.budgets.second"));
}

TEST_F(OccupancyWindowTest, WhereGlobalLoadsAreCachedIsAskedOnlyWhereItMatters) {
  openLab();
  if (HasFatalFailure()) return;
  ASSERT_TRUE(clickFor("lab.calculator", [](const Json& state) { return state["lab"]["typed"] == true; }));
  type("lab.registers", "32");
  EXPECT_TRUE(untilAnswer("registers", "32"));
  type("lab.block", "352");
  EXPECT_TRUE(untilAnswer("block", "352"));
  EXPECT_FALSE(window_->find("lab.cached_loads"));
  ASSERT_TRUE(
      clickFor("lab.device", [&](const Json&) { return window_->find("lab.device.cc:6.2").has_value(); }));
  window_->click("lab.device.cc:6.2");
  ASSERT_TRUE(window_->until([&](const Json&) { return window_->find("lab.cached_loads").has_value(); }));
  EXPECT_TRUE(untilAnswer("warps", "55"));
  ASSERT_TRUE(clickFor("lab.cached_loads",
                       [&](const Json&) { return window_->find("lab.cached_loads.l1").has_value(); }));
  window_->click("lab.cached_loads.l1");
  EXPECT_TRUE(untilAnswer("warps", "44"));  // two blocks of 11 warps in each half
  window_->key("ctrl+z");
  EXPECT_TRUE(untilAnswer("warps", "55"));
  // A second device is reason enough to ask.
  ASSERT_TRUE(clickFor("lab.second_device",
                       [&](const Json&) { return window_->find("lab.second_device.cc:6.2").has_value(); }));
  window_->click("lab.second_device.cc:6.2");
  ASSERT_TRUE(untilAnswer("second_warps", "55"));
  ASSERT_TRUE(
      clickFor("lab.device", [&](const Json&) { return window_->find("lab.device.cc:5.0").has_value(); }));
  window_->click("lab.device.cc:5.0");
  EXPECT_TRUE(window_->until([&](const Json&) { return !window_->find("lab.device.cc:5.0"); }));
  EXPECT_TRUE(window_->find("lab.cached_loads"));
}

TEST_F(OccupancyWindowTest, EveryRecordedBlockSizeIsSweptAndThePageIsRemembered) {
  openLab();
  if (HasFatalFailure()) return;
  EXPECT_EQ(window_->state()["lab"]["swept"], 4);
  EXPECT_EQ(window_->close(), 0);
  start("divergence", "even_odd", 1600, 950);
  EXPECT_TRUE(window_->until([](const Json& state) { return state["page"] == "occupancy"; }));
  window_->key("o");
  EXPECT_TRUE(window_->until([](const Json& state) { return state["page"] == "trace"; }));
  EXPECT_TRUE(window_->until([&](const Json&) { return window_->find("view.timeline").has_value(); }));
}

}  // namespace
}  // namespace warpscope::testing
