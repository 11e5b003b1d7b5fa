// The window as a whole: what is chosen, shown, zoomed, selected, typed, saved and remembered.
#include <cmath>
#include <fstream>
#include <vector>

#include "tests/gui/window_fixture.h"

namespace warpscope::testing {
namespace {

TEST_F(WindowTest, DraggingTheBlockSliderShowsThatRun) {
  start();
  ASSERT_TRUE(window_->settled());
  EXPECT_EQ(shownBlock(), 256);
  const auto slider = window_->find("control.block");
  ASSERT_TRUE(slider);
  // 256 is the third of four recorded sizes: drag from two thirds to the right end.
  window_->drag(slider->x(0.66), slider->y(), slider->x(0.99), slider->y());
  EXPECT_TRUE(window_->until([](const Json& state) { return state["run"]["parameters"]["block"] == 512; }));
  const Json state = window_->state();
  EXPECT_EQ(state["parameters"]["block"], 512);
  EXPECT_TRUE(state["run"]["verified"].get<bool>());
  window_->drag(slider->x(0.99), slider->y(), slider->x(0.01), slider->y());
  EXPECT_TRUE(window_->until([](const Json& s) { return s["run"]["parameters"]["block"] == 64; }));
  window_->key("ctrl+z");
  EXPECT_TRUE(window_->until([](const Json& s) { return s["run"]["parameters"]["block"] == 512; }))
      << "a drag is undone as one";
}

TEST_F(WindowTest, EveryViewAndControlIsReported) {
  start();
  ASSERT_TRUE(window_->settled());
  ASSERT_TRUE(rests());
  for (const char* name : {"view.timeline",
                           "view.lanes",
                           "view.code",
                           "view.occupancy",
                           "view.bandwidth",
                           "toolbar.device",
                           "toolbar.family",
                           "toolbar.live",
                           "toolbar.run",
                           "toolbar.theme",
                           "toolbar.scale",
                           "variant.even_odd",
                           "variant.warp_aligned",
                           "control.block",
                           "status.verified",
                           "status.time",
                           "status.bandwidth",
                           "status.probes",
                           "status.events",
                           "status.clocks",
                           "controls.recorded",
                           "bandwidth.bar.even_odd",
                           "occupancy.gauge"}) {
    const auto area = window_->find(name);
    ASSERT_TRUE(area) << name;
    EXPECT_LT(area->x0, area->x1) << name;
    EXPECT_LT(area->y0, area->y1) << name;
    EXPECT_GE(area->x0, 0) << name;
    EXPECT_LE(area->x1, 1400) << name;
  }
  const auto pictures = window_->find("view.timeline");
  const auto last = window_->find("view.bandwidth");
  EXPECT_GE((last->x1 - pictures->x0) * (last->y1 - pictures->y0), 0.7 * 1400 * 900)
      << "the picture is the point";
}

TEST_F(WindowTest, ATooltipNeverCoversTheNextSlider) {
  start();
  ASSERT_TRUE(window_->settled());
  ASSERT_TRUE(rests());
  const auto slider = window_->find("control.block");
  const auto panel = window_->find("panel.controls");
  ASSERT_TRUE(slider && panel);
  window_->move(slider->x(), slider->y());
  window_->passTime(1);
  window_->draw(2);  // it is measured in its first frame
  const auto tooltip = window_->find("tooltip");
  ASSERT_TRUE(tooltip);
  EXPECT_GE(tooltip->x0, panel->x1 - 12) << "it is beside the column";
  EXPECT_LE(tooltip->y1, 900);
}

TEST_F(WindowTest, NoTwoButtonsAreCalledRun) {
  start();
  ASSERT_TRUE(window_->settled());
  ASSERT_TRUE(rests());
  int found = 0;
  const Json texts = window_->report()["texts"];
  for (const auto& [name, text] : texts.items()) {
    if (name.starts_with("toolbar.") && text.get<std::string>().find("Run") != std::string::npos) ++found;
  }
  EXPECT_EQ(found, 1);
}

TEST_F(WindowTest, VariantsAreChosenByMouseAndByKey) {
  start();
  ASSERT_TRUE(window_->settled());
  window_->click("variant.warp_aligned");
  EXPECT_TRUE(shows("warp_aligned"));
  window_->key("6");
  EXPECT_TRUE(shows("split_ifs"));
  window_->key("1");
  EXPECT_TRUE(shows("even_odd"));
}

TEST_F(WindowTest, KeysActOnTheWindow) {
  start();
  ASSERT_TRUE(window_->settled());
  const uint64_t ticket = window_->state()["run"]["ticket"].get<uint64_t>();
  window_->key("ctrl+Return");
  EXPECT_TRUE(window_->until([&](const Json& state) { return state["run"]["ticket"] > ticket; }));
  window_->key("l");
  EXPECT_TRUE(window_->until([](const Json& state) { return state["live"] == false; }));
  window_->key("t");
  EXPECT_TRUE(window_->until([](const Json& state) { return state["theme"] == "light"; }));
  window_->key("question");
  EXPECT_TRUE(window_->until([](const Json& state) { return state["help"] == true; }));
  window_->key("Escape");
  EXPECT_TRUE(window_->until([](const Json& state) { return state["help"] == false; }));
  window_->key("ctrl+plus");
  EXPECT_TRUE(window_->until([](const Json& state) { return state["scale"] > 1.0; }));
  window_->key("ctrl+0");
  EXPECT_TRUE(window_->until([](const Json& state) { return state["scale"] == 1.0; }));
}

TEST_F(WindowTest, WheelZoomsAtTheCursorAndMiddleDragPans) {
  start();
  ASSERT_TRUE(window_->settled());
  ASSERT_TRUE(rests());
  const auto plot = window_->find("timeline.plot");
  ASSERT_TRUE(plot);
  const double x = std::round(plot->x(0.3));
  const double y = plot->y(0.6);
  const double under = cycleAt(x);
  const double whole = visibleCycles();
  window_->wheel(x, y, 3);
  ASSERT_TRUE(window_->until([](const Json& state) { return state["visible"]["fitted"] == false; }));
  ASSERT_TRUE(rests());
  EXPECT_LT(visibleCycles(), whole);
  EXPECT_NEAR(cycleAt(x), under, visibleCycles() * 0.01) << "the cycle under the cursor stays";

  const double begin = window_->state()["visible"]["begin_cycles"].get<double>();
  const double width = visibleCycles();
  window_->drag(x, y, x + 100, y, "middle");
  ASSERT_TRUE(rests());
  EXPECT_LT(window_->state()["visible"]["begin_cycles"].get<double>(), begin)
      << "what is dragged comes along";
  EXPECT_NEAR(visibleCycles(), width, width * 1e-6);
  window_->drag(x + 100, y, x, y, "ctrl");
  ASSERT_TRUE(rests());
  EXPECT_NEAR(window_->state()["visible"]["begin_cycles"].get<double>(), begin, width * 1e-6)
      << "Ctrl moves it, too";
  EXPECT_EQ(window_->state()["selection"], "");

  const double kept = window_->state()["visible"]["begin_cycles"].get<double>();
  window_->key("3");
  ASSERT_TRUE(shows("warp_aligned"));
  EXPECT_EQ(window_->state()["visible"]["begin_cycles"].get<double>(), kept) << "a relaunch moves nothing";
  window_->key("f");
  EXPECT_TRUE(window_->until([](const Json& state) { return state["visible"]["fitted"] == true; }));
}

TEST_F(WindowTest, ATypedValueIsTakenAndAWrongOneIsExplained) {
  start();
  ASSERT_TRUE(window_->settled());
  window_->click("control.block.value");
  ASSERT_TRUE(rests());
  ASSERT_TRUE(window_->find("control.block.input"));
  window_->type("64");
  window_->key("Return");
  EXPECT_TRUE(window_->until([](const Json& state) { return state["run"]["parameters"]["block"] == 64; }));
  window_->click("control.block.value");
  ASSERT_TRUE(rests());
  window_->type("many");
  window_->key("Return");
  ASSERT_TRUE(rests());
  EXPECT_TRUE(window_->find("control.block.input")) << "what was typed stays to be corrected";
  EXPECT_EQ(shownBlock(), 64);
  window_->key("Escape");
  ASSERT_TRUE(rests());
  EXPECT_FALSE(window_->find("control.block.input"));
  window_->key("ctrl+z");
  EXPECT_TRUE(window_->until([](const Json& state) { return state["run"]["parameters"]["block"] == 256; }));
  window_->key("ctrl+shift+z");
  EXPECT_TRUE(window_->until([](const Json& state) { return state["run"]["parameters"]["block"] == 64; }));
}

TEST_F(WindowTest, ADoubleClickZoomsToASpanAndEscapeGoesBack) {
  start();
  ASSERT_TRUE(window_->settled());
  ASSERT_TRUE(rests());
  const auto row = window_->find("timeline.row.3");
  ASSERT_TRUE(row);
  window_->doubleClick(row->x(0.08), row->y());
  ASSERT_TRUE(rests());
  ASSERT_EQ(window_->state()["visible"]["fitted"], false);
  ASSERT_TRUE(rests());
  window_->key("Escape");
  EXPECT_TRUE(window_->until([](const Json& state) { return state["visible"]["fitted"] == true; }));
}

TEST_F(WindowTest, TheMinimapMovesWhatIsShown) {
  start();
  ASSERT_TRUE(window_->settled());
  ASSERT_TRUE(rests());
  const auto plot = window_->find("timeline.plot");
  const auto minimap = window_->find("timeline.minimap");
  ASSERT_TRUE(plot && minimap);
  window_->wheel(plot->x(0.1), plot->y(0.5), 6);
  ASSERT_TRUE(rests());
  const double width = visibleCycles();
  window_->click(minimap->x(0.8), minimap->y());
  ASSERT_TRUE(rests());
  const double clicked = window_->state()["visible"]["begin_cycles"].get<double>();
  EXPECT_NEAR(visibleCycles(), width, width * 1e-6);
  window_->drag(minimap->x(0.8), minimap->y(), minimap->x(0.4), minimap->y());
  ASSERT_TRUE(rests());
  EXPECT_LT(window_->state()["visible"]["begin_cycles"].get<double>(), clicked);
  EXPECT_NEAR(visibleCycles(), width, width * 1e-6);
}

TEST_F(WindowTest, AViewIsSavedAsAPicture) {
  const InFolder in_folder(folder_);  // where pictures go
  start();
  ASSERT_TRUE(window_->settled());
  ASSERT_TRUE(rests());
  window_->rightClick("view.lanes.title");
  ASSERT_TRUE(rests());
  ASSERT_TRUE(window_->find("view.lanes.save"));
  window_->click("view.lanes.save");
  const auto take_suggestion = [&] {  // nothing is written unasked
    ASSERT_TRUE(window_->until([](const Json& state) { return state["dialog"] == true; }));
    ASSERT_TRUE(rests());
    window_->key("Return");
  };
  take_suggestion();
  if (HasFatalFailure()) return;
  ASSERT_TRUE(window_->until([](const Json& state) {
    return state["notice"].get<std::string>().find("-lanes.png") != std::string::npos;
  }));
  const auto pictures = [&](const char* extension) {
    std::vector<std::filesystem::path> found;
    for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
      if (entry.path().extension() == extension) found.push_back(entry.path());
    }
    return found;
  };
  EXPECT_EQ(pictures(".png").size(), 1U);
  EXPECT_TRUE(pictures(".svg").empty());

  window_->rightClick("view.occupancy.title");
  ASSERT_TRUE(rests());
  ASSERT_TRUE(window_->find("view.occupancy.save_svg"));
  window_->click("view.occupancy.save_svg");
  take_suggestion();
  if (HasFatalFailure()) return;
  ASSERT_TRUE(window_->until([](const Json& state) {
    return state["notice"].get<std::string>().find("-occupancy.svg") != std::string::npos;
  }));
  ASSERT_EQ(pictures(".svg").size(), 1U);
  const std::string svg = contentOf(pictures(".svg").front());
  EXPECT_NE(svg.find(">OCCUPANCY</text>"), std::string::npos) << "text is text";
  EXPECT_EQ(svg.find("Save as SVG"), std::string::npos) << "the menu is gone";
  EXPECT_EQ(svg.find(">TIMELINE</text>"), std::string::npos) << "of that view only";
}

TEST_F(WindowTest, EachFamilyKeepsItsSettings) {
  start();
  ASSERT_TRUE(window_->settled());
  const auto slider = window_->find("control.block");
  ASSERT_TRUE(slider);
  window_->drag(slider->x(0.66), slider->y(), slider->x(0.99), slider->y());
  ASSERT_TRUE(window_->until([](const Json& state) { return state["run"]["parameters"]["block"] == 512; }));
  const auto choose = [&](const std::string& family) {
    window_->click("toolbar.family");
    ASSERT_TRUE(rests());
    window_->click("family." + family);
    ASSERT_TRUE(window_->until([&](const Json& state) {
      return state["family"] == family && state.contains("run") && state["run"]["family"] == family;
    }));
  };
  choose("reduction");
  choose("divergence");
  EXPECT_EQ(shownBlock(), 512);
  EXPECT_EQ(window_->state()["run"]["variant"], "even_odd");
}

TEST_F(WindowTest, SmallWindowsShowEveryBarAndOverlapNothing) {
  start("divergence", "", 1280, 720);
  ASSERT_TRUE(window_->settled());
  ASSERT_TRUE(rests());
  const auto widgets = window_->report()["widgets"];
  const auto view = window_->find("view.bandwidth");
  const auto occupancy = window_->find("view.occupancy");
  ASSERT_TRUE(view && occupancy);
  size_t bars = 0;
  for (const auto& [name, area] : widgets.items()) {
    const bool bar = name.starts_with("bandwidth.bar.");
    if (!bar && !name.starts_with("occupancy.budget.")) continue;
    bars += bar ? 1 : 0;
    EXPECT_LE(area[3].get<double>(), bar ? view->y1 : occupancy->y1) << name;
  }
  EXPECT_EQ(bars, 11U);
  EXPECT_TRUE(window_->find("lanes.legend"));
}

TEST_F(WindowTest, AClickSelectsAWarp) {
  start();
  ASSERT_TRUE(window_->settled());
  ASSERT_TRUE(rests());
  const Json before = window_->state()["selected_warp"];
  const auto row = window_->find("timeline.row.3");
  ASSERT_TRUE(row);
  window_->click(row->x(0.08), row->y());
  EXPECT_TRUE(window_->until([&](const Json& state) {
    return state.contains("selected_warp") && state["selected_warp"] != before;
  }));
}

TEST_F(WindowTest, SettingsAreRememberedAndDamagedOnesTolerated) {
  start();
  ASSERT_TRUE(window_->settled());
  window_->key("t");
  ASSERT_TRUE(window_->until([](const Json& state) { return state["theme"] == "light"; }));
  window_->click("variant.split_ifs");
  ASSERT_TRUE(shows("split_ifs"));
  EXPECT_EQ(window_->close(), 0);

  startAsRemembered();
  ASSERT_TRUE(window_->settled());
  EXPECT_EQ(window_->state()["theme"], "light");
  EXPECT_EQ(window_->state()["run"]["variant"], "split_ifs");
  EXPECT_EQ(window_->close(), 0);

  std::ofstream(folder_ / "config" / "warpscope" / "settings.json") << "{ this is no JSON";
  startAsRemembered();
  ASSERT_TRUE(window_->settled());
  EXPECT_EQ(window_->state()["theme"], "dark");
  EXPECT_NE(window_->state()["notice"].get<std::string>().find("settings.json"), std::string::npos);
}

TEST_F(WindowTest, AnIdleWindowDrawsNothing) {
  start();
  ASSERT_TRUE(window_->settled());
  window_->move(700, 5);
  ASSERT_TRUE(rests());
  const uint64_t frame = window_->frames();
  window_->passTime(60);  // settings are saved meanwhile
  EXPECT_EQ(window_->frames(), frame);
}

TEST_F(WindowTest, DamagedRecordingsAreSaidAndNothingBreaks) {
  const auto recording = folder_ / "assets" / "recordings" / "divergence.wsrec";
  std::filesystem::resize_file(recording, std::filesystem::file_size(recording) / 2);
  start();
  // The readable part of it still runs; the rest is a problem that names the file or what is missing.
  // A family without any run left is impossible to run, and the reason is shown beside the controls.
  EXPECT_TRUE(window_->until([](const Json& state) {
    return !state["problem"].get<std::string>().empty() || state.contains("run") ||
           state.contains("impossible");
  }));
  window_->click("toolbar.run");
  EXPECT_TRUE(window_->running());
  window_->key("Escape");
  EXPECT_TRUE(window_->until([](const Json& state) { return state["problem"].get<std::string>().empty(); }));
  EXPECT_EQ(window_->close(), 0);
}

TEST_F(WindowTest, WithoutAnyRecordingTheWindowSaysWhatToDo) {
  std::filesystem::remove_all(folder_ / "assets");
  start();
  ASSERT_TRUE(window_->until([](const Json& state) { return !state["problem"].get<std::string>().empty(); }));
  EXPECT_TRUE(window_->find("banner.retry"));
  ASSERT_TRUE(writeSyntheticAssets(folder_ / "assets", {"divergence"}));
  window_->click("banner.retry");
  EXPECT_TRUE(window_->settled()) << "trying again finds what was put there meanwhile";
}

}  // namespace
}  // namespace warpscope::testing
