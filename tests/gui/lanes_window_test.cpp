// The tabs of the lanes' panel over recordings of real kernels: each opens by a click, records what lanes did
// on another thread, and says where the addresses come from.
#include "kernels/device/device.h"
#include "kernels/recording/recording.h"
#include "tests/gui/window_fixture.h"

namespace warpscope::testing {
namespace {

// Runs that a simulated GPU makes here, so that their kernels are those built into the program.
class LanesWindowTest : public WindowTest {
 protected:
  void SetUp() override {
    WindowTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    std::filesystem::copy(std::filesystem::path(WARPSCOPE_SOURCE_FOLDER) / "assets" / "devices",
                          folder_ / "assets" / "devices");
    record("banks", {"stride", "broadcast"}, {{"block", 64}, {"size", 256}, {"reads", 8}});
    record("reduction", {"neighbored"}, {{"block", 128}, {"size", 1024}});
    record("warp_primitives", {"shfl_down"}, {{"block", 64}, {"size", 256}});
  }
  void record(const std::string& family, const std::vector<std::string>& variants,
              const ParameterValues& parameters) {
    const auto device = openDevice("sim:h100", {});
    ASSERT_TRUE(device) << device.error().message;
    std::vector<warpscope::Run> runs;
    for (const std::string& variant : variants) {
      RunRequest request;
      request.family = family;
      request.variant = variant;
      request.parameters = parameters;
      auto run = (*device)->run(request, {}, {});
      ASSERT_TRUE(run) << run.error().message;
      runs.push_back(std::move(*run));
    }
    const auto written = writeRecording(folder_ / "assets" / "recordings" / (family + ".wsrec"), runs);
    ASSERT_TRUE(written) << written.error().message;
  }
  void open(const std::string& family, const std::string& variant) {
    start(family, variant, 1500, 950);
    ASSERT_TRUE(window_->settled());
  }
  ::testing::AssertionResult lanesReady() const {
    return window_->until([](const Json& state) { return state["lanes_ready"] == true; });
  }
  // Behind the menu where the panel's head has no room for it.
  ::testing::AssertionResult openTab(const std::string& tab) const {
    if (!window_->find("tab." + tab)) {
      const auto opened =
          clickFor("tabs.lanes", [&](const Json&) { return window_->find("tab." + tab).has_value(); });
      if (!opened) return opened;
    }
    return clickFor("tab." + tab, [&](const Json& state) { return state["lanes_tab"] == tab; });
  }
};

TEST_F(LanesWindowTest, AFamilyOpensItsOwnViewUntilAnotherIsChosen) {
  open("banks", "stride");
  EXPECT_EQ(window_->state()["lanes_tab"], "banks");
  ASSERT_TRUE(lanesReady());
  ASSERT_TRUE(rests());
  EXPECT_TRUE(window_->find("banks.picture"));
  EXPECT_TRUE(window_->find("lanes.simulated")) << "says where addresses come from";
  ASSERT_TRUE(openTab("lanes"));
  EXPECT_TRUE(window_->find("lanes.warp"));
  EXPECT_EQ(window_->close(), 0);
  open("banks", "stride");
  EXPECT_EQ(window_->state()["lanes_tab"], "lanes") << "remembered";
}

TEST_F(LanesWindowTest, EveryTabOpensByAClick) {
  open("banks", "stride");
  ASSERT_TRUE(lanesReady());
  for (const char* tab : {"mapping", "sectors", "shuffle", "tree", "tail", "lanes", "banks"}) {
    ASSERT_TRUE(openTab(tab)) << tab;
    EXPECT_TRUE(window_->find(std::string("view.") + tab)) << tab;
  }
  EXPECT_EQ(window_->state()["lanes_problem"], "");
  EXPECT_TRUE(window_->running());
}

TEST_F(LanesWindowTest, ABankIsPinnedCopiedAndLeadsToItsWarp) {
  open("banks", "stride");
  ASSERT_TRUE(lanesReady());
  ASSERT_TRUE(rests());
  const auto picture = window_->find("banks.picture");
  ASSERT_TRUE(picture);
  const auto open_menu = [&] {
    window_->rightClick(picture->x(0.5), picture->y1 - 3);  // the numbers of the banks
    ASSERT_TRUE(window_->until([&](const Json&) { return window_->find("item.pin").has_value(); }));
    ASSERT_TRUE(rests());
  };
  open_menu();
  if (HasFatalFailure()) return;
  window_->click("item.text");
  const std::string text = ImGui::GetClipboardText();
  EXPECT_TRUE(text.starts_with("Bank ")) << text;
  EXPECT_NE(text.find("(banks stride, "), std::string::npos) << "and says which run it is of: " << text;
  open_menu();
  window_->click("item.csv");
  EXPECT_TRUE(std::string(ImGui::GetClipboardText()).starts_with("item,")) << ImGui::GetClipboardText();
  open_menu();
  window_->click("item.command");
  const std::string command = ImGui::GetClipboardText();
  EXPECT_TRUE(command.starts_with("warpscope gui --device recorded --family banks --variant stride"))
      << command;
  EXPECT_NE(command.find("--select 'b0 w0'"), std::string::npos) << command;
  open_menu();
  window_->click("item.pin");
  EXPECT_TRUE(rests());
  open_menu();
  window_->click("item.where");
  EXPECT_TRUE(window_->until([](const Json& state) { return state["selection"] == "b0 w0"; }));
  ASSERT_TRUE(window_->until([&](const Json&) { return window_->find("details.item.0").has_value(); }));
  EXPECT_EQ(window_->text("details.item.0"), text);
  ASSERT_TRUE(rests());
  EXPECT_TRUE(
      clickFor("details.item.0.remove", [&](const Json&) { return !window_->find("details.item.0"); }));
}

TEST_F(LanesWindowTest, ButtonsAndKeysStepThroughTheAccesses) {
  open("banks", "stride");
  ASSERT_TRUE(lanesReady());
  ASSERT_TRUE(rests());
  EXPECT_TRUE(window_->state()["selected_steps"][0].isNull()) << "the usual one";
  ASSERT_TRUE(
      clickFor("banks.next", [](const Json& state) { return state["selected_steps"][0].isNumber(); }));
  const int chosen = window_->state()["selected_steps"][0].get<int>();
  window_->key("bracketright");
  EXPECT_TRUE(window_->until([&](const Json& state) { return state["selected_steps"][0] == chosen + 1; }));
  window_->key("bracketleft");
  EXPECT_TRUE(window_->until([&](const Json& state) { return state["selected_steps"][0] == chosen; }));
}

TEST_F(LanesWindowTest, AClickOnAThreadSelectsItsWarp) {
  open("banks", "stride");
  ASSERT_TRUE(lanesReady());
  ASSERT_TRUE(openTab("mapping"));
  ASSERT_TRUE(rests());
  const auto cells = window_->find("mapping.cells");
  ASSERT_TRUE(cells);
  for (const int warp : {1, 0}) {  // 64 threads: two rows of a warp each
    window_->click(cells->x(), cells->y(warp == 1 ? 0.75 : 0.25));
    ASSERT_TRUE(rests());
    EXPECT_EQ(window_->state()["selected_warp"]["warp"], warp);
  }
}

TEST_F(LanesWindowTest, TheTreeIsOfTheReductionAndTheArrowsOfTheShuffle) {
  open("reduction", "neighbored");
  EXPECT_EQ(window_->state()["lanes_tab"], "tree");
  ASSERT_TRUE(rests());
  EXPECT_TRUE(window_->find("tree.picture"));
  EXPECT_FALSE(window_->state()["lanes_ready"].get<bool>())
      << "the tree needs no addresses: none are recorded";
  EXPECT_EQ(window_->close(), 0);
  open("warp_primitives", "shfl_down");
  EXPECT_EQ(window_->state()["lanes_tab"], "shuffle");
  ASSERT_TRUE(lanesReady());
  ASSERT_TRUE(rests());
  EXPECT_TRUE(window_->find("shuffle.picture"));
}

}  // namespace
}  // namespace warpscope::testing
