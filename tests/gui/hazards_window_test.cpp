// The window with kernels that are broken, run on a simulated GPU: the hazard in the status line,
// over the code and at its line.
#include <algorithm>

#include "kernels/experiments/experiment.h"
#include "tests/gui/window_fixture.h"

namespace warpscope::testing {
namespace {

class HazardsWindowTest : public WindowTest {
 protected:
  void SetUp() override {
    WindowTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    std::filesystem::copy(WARPSCOPE_SOURCE_FOLDER "/assets/devices", folder_ / "assets/devices");
  }
  void open(const std::string& family, const std::string& variant) {
    StartOptions options;
    options.device = "sim:teaching";
    options.family = family;
    options.variant = variant;
    options.width = 1400;
    options.height = 900;
    start(options);
  }
};

TEST_F(HazardsWindowTest, AHazardIsListedAndItsLineIsMarked) {
  open("broken", "out_of_bounds");
  ASSERT_TRUE(window_->settled());
  ASSERT_TRUE(rests());
  EXPECT_EQ(window_->state()["run"]["hazards"], 1);
  EXPECT_TRUE(window_->find("status.hazards"));
  ASSERT_TRUE(window_->find("code.hazard.0"));
  ASSERT_TRUE(clickFor("code.hazard.0", [](const Json& state) { return state.contains("selected_line"); }));
  const std::string& source = *findExperiment("broken").value()->source("out_of_bounds");
  const size_t planted = source.find("in[i + 1];", source.find("out_of_bounds(Probe"));
  const auto line = 1 + std::count(source.begin(), source.begin() + static_cast<ptrdiff_t>(planted), '\n');
  EXPECT_EQ(window_->state()["selected_line"], line);
  const auto row = window_->find(fmt::format("code.line.{}.hazard", line));
  const auto code = window_->find("view.code");
  ASSERT_TRUE(row && code) << "it was scrolled to";
  EXPECT_GE(row->y0, code->y0);
  EXPECT_LE(row->y1, code->y1);
  window_->key("Escape");
  EXPECT_TRUE(window_->until([](const Json& state) { return !state.contains("selected_line"); }));
}

TEST_F(HazardsWindowTest, ARaceBetweenOperationsIsListedAtTheKernelsLine) {
  open("broken", "missing_stream_wait");
  ASSERT_TRUE(window_->settled());
  ASSERT_TRUE(rests());
  EXPECT_EQ(window_->state()["run"]["hazards"], 1);
  ASSERT_TRUE(window_->find("code.hazard.0"));
  ASSERT_TRUE(clickFor("code.hazard.0", [](const Json& state) { return state.contains("selected_line"); }));
  const std::string& source = *findExperiment("broken").value()->source("missing_stream_wait");
  const size_t planted = source.find("in[first + count");
  EXPECT_EQ(window_->state()["selected_line"],
            1 + std::count(source.begin(), source.begin() + static_cast<ptrdiff_t>(planted), '\n'));
}

TEST_F(HazardsWindowTest, TheRightTwinHasNone) {
  open("broken", "in_bounds");
  ASSERT_TRUE(window_->settled());
  ASSERT_TRUE(rests());
  EXPECT_EQ(window_->state()["run"]["hazards"], 0);
  EXPECT_TRUE(window_->find("status.hazards")) << "that nothing was found is reported, too";
  EXPECT_FALSE(window_->find("code.hazards"));
}

TEST_F(HazardsWindowTest, OtherFamiliesAreCheckedOnRequestAndThatIsRemembered) {
  open("divergence", "even_odd");
  ASSERT_TRUE(window_->settled());
  EXPECT_TRUE(window_->state()["run"]["hazards"].isNull());
  EXPECT_FALSE(window_->find("status.hazards"));
  ASSERT_TRUE(clickFor("controls.checks", [](const Json& state) { return state["checks"] == true; }));
  EXPECT_TRUE(window_->until([](const Json& state) { return state["run"]["hazards"] == 0; }));
  EXPECT_EQ(window_->close(), 0);
  open("divergence", "even_odd");
  ASSERT_TRUE(window_->settled());
  EXPECT_EQ(window_->state()["run"]["hazards"], 0) << "remembered";
}

TEST_F(HazardsWindowTest, AnImpossibleBlockIsToldAndOneClickGoesToTheNearest) {
  open("divergence", "even_odd");
  ASSERT_TRUE(window_->settled());
  EXPECT_EQ(shownBlock(), 512);
  const auto slider = window_->find("control.block");
  ASSERT_TRUE(slider);
  // This GPU has at most 512 threads a block.
  window_->drag(slider->x(0.48), slider->y(), slider->x(0.99), slider->y());
  ASSERT_TRUE(window_->until([](const Json& state) {
    return state["parameters"]["block"] == 1024 && state.contains("impossible") && state["busy"] == false;
  }));
  ASSERT_TRUE(rests());
  EXPECT_EQ(window_->state()["impossible"]["nearest"], (Json{{"block", 512}}));
  EXPECT_LE(shownBlock(), 512) << "the last run stays";
  EXPECT_EQ(window_->state()["problem"], "");
  const auto note = window_->find("controls.impossible");
  const auto panel = window_->find("panel.controls");
  ASSERT_TRUE(note && panel);
  EXPECT_LE(note->x1, panel->x1);
  ASSERT_TRUE(clickFor("controls.impossible.use",
                       [](const Json& state) { return state["run"]["parameters"]["block"] == 512; }));
  EXPECT_FALSE(window_->find("controls.impossible"));
  window_->key("ctrl+z");
  EXPECT_TRUE(window_->until([](const Json& state) { return state.contains("impossible"); }))
      << "one step back";
}

}  // namespace
}  // namespace warpscope::testing
