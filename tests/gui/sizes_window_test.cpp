// Every page at every size of window and text, in both languages: nothing is covered, cut off or outside.
#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string>

#include "app/gui/report.h"
#include "tests/gui/window_fixture.h"

namespace warpscope::testing {
namespace {

constexpr float kTolerance = 1.5F;  // pixels: a frame's line

struct Box {
  float x0, y0, x1, y1;
  bool empty() const { return x1 - x0 <= kTolerance || y1 - y0 <= kTolerance; }
};

Box common(const Box& a, const Box& b) {
  return {std::max(a.x0, b.x0), std::max(a.y0, b.y0), std::min(a.x1, b.x1), std::min(a.y1, b.y1)};
}

Box boxOf(const ImVec4& area) {
  return {area.x, area.y, area.z, area.w};
}

std::string textOf(const Box& box) {
  return fmt::format("({:.0f}, {:.0f})-({:.0f}, {:.0f})", box.x0, box.y0, box.x1, box.y1);
}

// A widget that is meant to lie on another.
bool mayLieOn(const std::string& above, const std::string& below) {
  if (above.starts_with(below + ".") || below.starts_with(above + ".")) return true;
  // Marks in a picture, and the picture, which answers wherever there is no mark.
  constexpr std::array kPictures{"timeline", "lanes", "banks", "sectors",
                                 "shuffle",  "tree",  "tail",  "mapping"};
  return std::ranges::any_of(kPictures, [&](const char* name) { return above == name || below == name; });
}

class SizesTest : public WindowTest {
 protected:
  struct Size {
    double width, height;
  };
  static constexpr std::array kSizes{Size{1280, 720}, Size{1920, 1080}, Size{2560, 1440}, Size{3840, 2160}};
  static constexpr std::array kScales{0.75F, 1.0F, 1.25F, 1.5F, 1.75F, 2.0F, 2.5F, 3.0F};

  void checkItems(const std::string& where, const Size& size) {
    std::vector<std::pair<std::string, Box>> visible;
    const Box window{0, 0, static_cast<float>(size.width), static_cast<float>(size.height)};
    for (const Report::Item& item : window_->lastReport().items()) {
      const Box whole = boxOf(item.area), clip = common(boxOf(item.clip), window);
      const bool cut_x = whole.x0 < clip.x0 - kTolerance || whole.x1 > clip.x1 + kTolerance;
      const bool cut_y = whole.y0 < clip.y0 - kTolerance || whole.y1 > clip.y1 + kTolerance;
      if ((cut_x && !item.scrolls_x) || (cut_y && !item.scrolls_y)) {
        fail(where, fmt::format("{} {} is cut off: {} is visible", item.name, textOf(whole), textOf(clip)));
      }
      const Box seen = common(whole, clip);
      if (!seen.empty() && !item.name.starts_with("panel.")) visible.emplace_back(item.name, seen);
    }
    EXPECT_GT(visible.size(), 5U) << where;
    for (size_t i = 0; i < visible.size(); ++i) {
      for (size_t k = 0; k < i; ++k) {
        const auto& [above, first] = visible[i];
        const auto& [below, second] = visible[k];
        if (above == below || common(first, second).empty() || mayLieOn(above, below)) continue;
        fail(where, fmt::format("{} {} covers {} {}", above, textOf(first), below, textOf(second)));
      }
    }
  }

  void checkPanels(const std::string& where, const Size& size) {
    std::vector<std::pair<std::string, Box>> panels;
    const Json report = window_->report();
    for (const auto& [name, area] : report["widgets"].items()) {
      const bool panel =
          name.starts_with("panel.") || (name.starts_with("view.") && name.find('.', 5) == std::string::npos);
      if (!panel) continue;
      const Box box{area.at(0).get<float>(), area.at(1).get<float>(), area.at(2).get<float>(),
                    area.at(3).get<float>()};
      if (box.x0 < -kTolerance || box.y0 < -kTolerance || box.x1 > size.width + kTolerance ||
          box.y1 > size.height + kTolerance || box.empty())
        fail(where, fmt::format("{} is outside: {}", name, textOf(box)));
      for (const auto& [other, place] : panels) {
        if (isWhole(name) || isWhole(other)) continue;  // a page, with its panels on it
        if (!common(box, place).empty())
          fail(where, fmt::format("{} {} covers {} {}", name, textOf(box), other, textOf(place)));
      }
      panels.emplace_back(name, box);
    }
    EXPECT_FALSE(panels.empty()) << where;
  }

  // Each once: what is wrong at one size usually is at others.
  void fail(const std::string& where, const std::string& what) {
    if (failed_.insert(what.substr(0, what.find(' '))).second) ADD_FAILURE() << where << ": " << what;
  }

  void checkEveryPage(const char* language) {
    start("divergence", "even_odd", 1280, 720);
    ASSERT_TRUE(window_->settled());
    ASSERT_TRUE(rests());
    window_->screen().language_wanted = language;
    for (const float scale : kScales) {
      for (const Size& size : kSizes) {
        window_->screen().scale = scale;
        window_->resize(size.width, size.height);
        for (const char* page : {"trace", "occupancy", "compare", "plots"}) {
          window_->screen().page = page;
          window_->draw(3);
          check(
              fmt::format("{} {} x {} at {:.0f} %, {}", page, size.width, size.height, scale * 100, language),
              size);
        }
      }
    }
    EXPECT_EQ(window_->state()["language"], language);
  }

  void check(const std::string& where, const Size& size) {
    checkItems(where, size);
    checkPanels(where, size);
    Stage& stage = window_->screen().stage;
    if (!stage.tabbed()) return;
    ++tabbed_;
    const std::vector<Stage::Panel> panels = stage.panels();
    for (const Stage::Panel& panel : panels) {
      stage.chooseTab(panel.name);
      window_->draw(3);
      EXPECT_EQ(stage.tab(), panel.name) << where;
      checkItems(where + ", tab " + panel.name, size);
      checkPanels(where + ", tab " + panel.name, size);
    }
    stage.chooseTab(panels.front().name);
  }

  static bool isWhole(const std::string& view) {
    return view == "view.compare" || view == "view.race" || view == "view.plots" ||
           view == "view.occupancy_lab";
  }

  std::set<std::string> failed_;
  int tabbed_ = 0;
};

TEST_F(SizesTest, NothingIsCoveredCutOffOrOutsideInEnglish) {
  checkEveryPage("en");
  EXPECT_GT(tabbed_, 0) << "small windows show one panel at a time";
}

TEST_F(SizesTest, NothingIsCoveredCutOffOrOutsideInChinese) {
  checkEveryPage("zh_CN");
  EXPECT_GT(tabbed_, 0);
}

}  // namespace
}  // namespace warpscope::testing
