// Drawn frames as SVG: well-formed, its words where they were drawn, nothing from outside of the part.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "tests/gui/headless.h"
#include "viz/widgets/axis.h"
#include "viz/widgets/bars.h"
#include "viz/widgets/font_file.h"
#include "viz/widgets/plot_readout.h"
#include "viz/widgets/svg_export.h"

namespace warpscope {
namespace {

using testing::Headless;

struct Element {
  std::string name, text;
  std::map<std::string, std::string> attributes;
  std::vector<std::string> within;  // names of the elements around it
  double number(const std::string& attribute) const {
    const auto found = attributes.find(attribute);
    return found == attributes.end() ? NAN : std::stod(found->second);
  }
};

// Reads the XML that we write, and nothing that is not well-formed: each tag closed in order, each attribute
// quoted and given once, each entity known.
class StrictXml {
 public:
  explicit StrictXml(std::string_view text) : text_(text) {}

  std::optional<std::vector<Element>> parse() {
    if (!take(R"(<?xml version="1.0" encoding="UTF-8"?>)")) return std::nullopt;
    space();
    if (!element() || !open_.empty()) return std::nullopt;
    space();
    if (at_ != text_.size()) return std::nullopt;
    return elements_;
  }

 private:
  bool take(std::string_view what) {
    if (text_.substr(at_, what.size()) != what) return false;
    at_ += what.size();
    return true;
  }
  void space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }
  std::string name() {
    const size_t begin = at_;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 ||
                                  text_[at_] == '-' || text_[at_] == ':'))
      ++at_;
    return std::string(text_.substr(begin, at_ - begin));
  }
  std::optional<std::string> characters(char end) {
    std::string value;
    while (at_ < text_.size() && text_[at_] != end) {
      if (text_[at_] == '<' || text_[at_] == '>' ||
          (text_[at_] < 0x20 && text_[at_] != '\n' && text_[at_] > 0))
        return std::nullopt;
      if (text_[at_] != '&') {
        value += text_[at_++];
        continue;
      }
      static const std::map<std::string_view, char> kEntities{
          {"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}};
      bool known = false;
      for (const auto& [entity, character] : kEntities) {
        if (!take(entity)) continue;
        value += character;
        known = true;
        break;
      }
      if (!known) return std::nullopt;
    }
    return at_ < text_.size() ? std::optional(value) : std::nullopt;
  }
  bool element() {
    if (!take("<")) return false;
    Element element{.name = name(), .within = open_};
    if (element.name.empty()) return false;
    for (space(); at_ < text_.size() && text_[at_] != '/' && text_[at_] != '>'; space()) {
      const std::string attribute = name();
      if (attribute.empty() || !take("=\"")) return false;
      const auto value = characters('"');
      if (!value || !take("\"") || !element.attributes.emplace(attribute, *value).second) return false;
    }
    const size_t index = elements_.size();
    elements_.push_back(element);
    if (take("/>")) return true;
    if (!take(">")) return false;
    open_.push_back(element.name);
    while (true) {
      const auto text = characters('<');
      if (!text) return false;
      elements_[index].text += *text;
      if (take("</")) break;
      if (!this->element()) return false;
    }
    open_.pop_back();
    return name() == element.name && take(">");
  }

  std::string_view text_;
  size_t at_ = 0;
  std::vector<std::string> open_;
  std::vector<Element> elements_;
};

std::vector<Element> parsed(const Expected<std::string>& svg) {
  if (!svg) {
    ADD_FAILURE() << svg.error().message;
    return {};
  }
  const auto elements = StrictXml(*svg).parse();
  EXPECT_TRUE(elements) << "not well-formed: " << svg->substr(0, 400);
  return elements.value_or(std::vector<Element>{});
}

const Element* findText(const std::vector<Element>& elements, const std::string& text) {
  for (const Element& element : elements) {
    if (element.name == "text" && element.text == text) return &element;
  }
  return nullptr;
}

// The numbers of a path, by pairs; H and V take the other coordinate from before.
std::vector<ImVec2> pointsOf(const std::string& path) {
  std::vector<ImVec2> points;
  ImVec2 at;
  const char* c = path.c_str();
  char* end = nullptr;
  while (*c != 0) {
    const char letter = *c++;
    if (letter == 'Z') continue;
    if (letter != 'V') at.x = std::strtof(c, &end), c = end;
    if (letter != 'H') at.y = std::strtof(c, &end), c = end;
    points.push_back(at);
  }
  return points;
}

class Svg : public ::testing::TestWithParam<float> {
 protected:
  Svg() : gui_(GetParam()) { drawWithHardEdges(); }
  float px(float pixels) const { return pixels * GetParam(); }
  ImDrawList& list() { return *ImGui::GetWindowDrawList(); }

  Headless gui_;
};

TEST_P(Svg, TextIsTextWhereItWasDrawn) {
  const ImVec2 at{px(100), px(50)};
  const char* words = "Bandwidth <a & b>  \"GB/s\" 12.5";
  const ImDrawData& drawn = gui_.frame([&] {
    drawText(list(), gui_.fonts().text, at, IM_COL32(255, 128, 0, 255), words);
    drawText(list(), gui_.fonts().mono, {px(100), px(80)}, IM_COL32(1, 2, 3, 128), "  x = 17;");
    drawText(list(), gui_.fonts().title, {px(100), px(110)}, IM_COL32_WHITE, "TITLE");
    drawTextUpright(list(), gui_.fonts().text, {px(60), px(300)}, IM_COL32_WHITE, "upwards µ");
  });
  const auto elements = parsed(svgOf(drawn, {px(20), px(30)}, {px(620), px(430)}, gui_.fonts()));
  ASSERT_FALSE(elements.empty());
  EXPECT_EQ(elements.front().name, "svg");
  EXPECT_EQ(elements.front().attributes.at("viewBox"), GetParam() == 1 ? "0 0 600 400" : "0 0 1200 800");

  const Element* text = findText(elements, words);
  ASSERT_NE(text, nullptr) << "one run, its special characters escaped, two spaces kept";
  EXPECT_NEAR(text->number("x"), px(80), 1);
  const ImVec2 extent = textSize(gui_.fonts().text, words);
  EXPECT_GT(text->number("y"), px(20) + extent.y * 0.5F) << "a baseline, not an upper edge";
  EXPECT_LT(text->number("y"), px(20) + extent.y);
  EXPECT_NEAR(text->number("textLength"), extent.x, 1);
  EXPECT_EQ(text->attributes.at("fill"), "#ff8000");
  EXPECT_TRUE(text->attributes.at("font-family").ends_with("sans-serif"));
  EXPECT_GT(text->number("font-size"), px(15) * 0.6F);
  EXPECT_LE(text->number("font-size"), px(15));
  EXPECT_FALSE(text->attributes.contains("transform"));
  EXPECT_EQ(text->attributes.at("xml:space"), "preserve") << "or readers make one blank of two";

  const Element* code = findText(elements, "x = 17;");
  ASSERT_NE(code, nullptr);
  EXPECT_TRUE(code->attributes.at("font-family").ends_with("monospace"));
  EXPECT_NEAR(code->number("fill-opacity"), 0.502, 0.001);
  EXPECT_NEAR(code->number("x"), px(80) + textSize(gui_.fonts().mono, "  ").x, 1);
  const Element* title = findText(elements, "TITLE");
  ASSERT_NE(title, nullptr);
  EXPECT_EQ(title->attributes.at("font-weight"), "bold");
  const Element* upright = findText(elements, "upwards µ");
  ASSERT_NE(upright, nullptr);
  EXPECT_TRUE(upright->attributes.at("transform").starts_with("rotate(-90 "));
  EXPECT_GT(upright->number("x"), px(40)) << "its baseline, right of where its left edge is";
  EXPECT_NEAR(upright->number("y"), px(270), 1.5);
}

TEST_P(Svg, WordsOfTwoColoursOrLinesAreTwoTexts) {
  const ImDrawData& drawn = gui_.frame([&] {
    const ImVec2 at{px(100), px(50)};
    drawText(list(), gui_.fonts().text, at, IM_COL32(255, 0, 0, 255), "red");
    drawText(list(), gui_.fonts().text, {at.x + textSize(gui_.fonts().text, "red").x, at.y},
             IM_COL32(0, 255, 0, 255), "green");
    drawText(list(), gui_.fonts().text, {at.x, px(70)}, IM_COL32(0, 255, 0, 255), "below");
    drawText(list(), gui_.fonts().text, {px(500), px(70)}, IM_COL32(0, 255, 0, 255), "far");
  });
  const auto elements = parsed(svgOf(drawn, {0, 0}, {px(700), px(400)}, gui_.fonts()));
  for (const char* word : {"red", "green", "below", "far"})
    EXPECT_NE(findText(elements, word), nullptr) << word;
}

TEST_P(Svg, ShapesAreFewPathsInTheirColours) {
  const ImU32 red = IM_COL32(200, 10, 20, 255);
  const ImDrawData& drawn = gui_.frame([&] {
    for (int i = 0; i < 50; ++i) {
      const float x = px(20 + 10 * static_cast<float>(i));
      list().AddRectFilled({x, px(20)}, {x + px(8), px(60)}, red);
    }
    list().AddCircleFilled({px(100), px(100)}, px(20), red);
    list().AddRectFilled({px(20), px(200)}, {px(50), px(250)}, IM_COL32(0, 0, 255, 64));
  });
  const auto elements = parsed(svgOf(drawn, {px(10), px(10)}, {px(610), px(410)}, gui_.fonts()));
  size_t red_paths = 0, blue_paths = 0;
  for (const Element& element : elements) {
    if (element.name != "path") continue;
    const std::string fill = element.attributes.at("fill");
    if (fill == "#0000ff") {
      ++blue_paths;
      EXPECT_NEAR(element.number("fill-opacity"), 64 / 255.0, 0.001);
      EXPECT_EQ(element.attributes.at("d"), GetParam() == 1 ? "M10 190H40V240H10Z" : "M20 380H80V480H20Z");
    }
    if (fill != "#c80a14") continue;
    ++red_paths;
    const std::string& path = element.attributes.at("d");
    EXPECT_EQ(std::count(path.begin(), path.end(), 'M'), 51) << "50 bars and one disk, each one outline";
    EXPECT_LT(path.size(), 3000U);
  }
  EXPECT_EQ(red_paths, 1U);
  EXPECT_EQ(blue_paths, 1U);
}

TEST_P(Svg, NothingComesFromOutside) {
  const ImU32 inside = IM_COL32(1, 200, 3, 255), outside = IM_COL32(250, 0, 250, 255);
  const ImDrawData& drawn = gui_.frame([&] {
    list().AddRectFilled({px(10), px(10)}, {px(300), px(300)}, inside);     // across the edges
    list().AddRectFilled({px(400), px(400)}, {px(500), px(500)}, outside);  // elsewhere
    list().PushClipRect({px(150), px(150)}, {px(160), px(160)}, true);      // cut away
    list().AddRectFilled({px(170), px(100)}, {px(190), px(190)}, outside);
    list().AddCircleFilled({px(160), px(160)}, px(20), IM_COL32(9, 9, 9, 255));  // cut
    list().PopClipRect();
    drawText(list(), gui_.fonts().text, {px(300), px(150)}, IM_COL32_WHITE, "elsewhere");
    drawText(list(), gui_.fonts().text, {px(120), px(120)}, IM_COL32_WHITE, "here");
  });
  const auto elements = parsed(svgOf(drawn, {px(100), px(100)}, {px(200), px(200)}, gui_.fonts()));
  EXPECT_EQ(findText(elements, "elsewhere"), nullptr);
  EXPECT_NE(findText(elements, "here"), nullptr);
  const float side = px(100);
  bool found = false, cut = false;
  for (const Element& element : elements) {
    if (element.name == "rect") {
      EXPECT_GE(element.number("x"), 0);
      EXPECT_GE(element.number("y"), 0);
      EXPECT_LE(element.number("x") + element.number("width"), side);
      EXPECT_LE(element.number("y") + element.number("height"), side);
    }
    if (element.name != "path") continue;
    EXPECT_NE(element.attributes.at("fill"), "#fa00fa");
    found = found || element.attributes.at("fill") == "#01c803";
    if (element.attributes.at("fill") == "#090909") {
      cut = true;
      EXPECT_EQ(element.within.back(), "g") << "what its clip cuts is in a group with that clip";
    } else {
      for (const ImVec2 point : pointsOf(element.attributes.at("d"))) {
        EXPECT_GE(point.x, -0.01F);
        EXPECT_LE(point.x, side + 0.01F);
      }
    }
  }
  EXPECT_TRUE(found && cut);
}

TEST_P(Svg, APlotSaysItsWords) {
  const std::vector<PlotPoint> points{{32, 10}, {256, 80}, {1024, 40}};
  const std::vector<PlotSeries> series{
      {.name = "a<b", .points = points, .look = seriesLook(gui_.theme(), 0)},
      {.name = "&c", .points = points, .look = seriesLook(gui_.theme(), 1, true)}};
  ImVec2 min, max, marker;
  const auto draw = [&] {
    PlotFrame plot(
        gui_.theme(), gui_.fonts(), {px(600), px(300)},
        {.min = 32, .max = 1024, .scale = ScaleKind::kLog2, .title = "block size", .unit = "threads"},
        {.min = 0, .max = 100, .title = "occupancy", .unit = "%"});
    for (const PlotSeries& one : series) drawSeries(plot, one);
    plot.level(60, gui_.theme().text, "limit & more");
    min = plot.areaMin(), max = plot.areaMax();
    marker = plot.toScreen(256, 0);
    drawReadout(plot, series);
  };
  gui_.frame(draw);
  gui_.moveMouse({marker.x, (min.y + max.y) / 2});
  const ImDrawData& drawn = gui_.frames(2, draw);
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  const auto svg = svgOf(drawn, {0, 0}, display, gui_.fonts());
  const auto elements = parsed(svg);
  for (const char* word : {"block size (threads)", "occupancy (%)", "32", "1,024", "limit & more", "a<b",
                           "&c", "256 threads", "80 %"})
    EXPECT_NE(findText(elements, word), nullptr) << word;
  const Element* tick = findText(elements, "256");
  ASSERT_NE(tick, nullptr);
  EXPECT_NEAR(tick->number("x") + tick->number("textLength") / 2, marker.x, 1.5) << "under its place";
  EXPECT_GT(tick->number("y"), max.y);
  EXPECT_LT(svg->size(), 60000U);
}

TEST_P(Svg, SmoothEdgesDoNoHarm) {
  applyTheme(gui_.theme());  // a frame that nobody prepared
  const ImDrawData& drawn = gui_.frame([&] {
    list().AddCircleFilled({px(100), px(100)}, px(20), IM_COL32(255, 0, 0, 255));
    list().AddLine({px(20), px(20)}, {px(200), px(150)}, IM_COL32(0, 255, 0, 255), px(2));
    drawText(list(), gui_.fonts().text, {px(20), px(200)}, IM_COL32_WHITE, "still text");
  });
  EXPECT_NE(findText(parsed(svgOf(drawn, {0, 0}, {px(600), px(400)}, gui_.fonts())), "still text"), nullptr);
}

TEST_P(Svg, AnEmptyPartIsAnError) {
  const ImDrawData& drawn = gui_.frame([] {});
  for (const auto& [min, max] : {std::pair<ImVec2, ImVec2>{{50, 50}, {50, 90}}, {{-90, -90}, {-10, -10}}}) {
    const auto svg = svgOf(drawn, min, max, gui_.fonts());
    ASSERT_FALSE(svg);
    EXPECT_NE(svg.error().message.find("empty"), std::string::npos);
  }
}

TEST_P(Svg, ManyShapesStayInReasonableFiles) {
  const ImDrawData& drawn = gui_.frame([&] {
    for (int i = 0; i < 20000; ++i) {
      const int column = i % 200, row = i / 200;
      const float x = static_cast<float>(column) * 4, y = static_cast<float>(row) * 4;
      list().AddRectFilled({x, y}, {x + 3, y + 3}, IM_COL32(i % 2 == 0 ? 90 : 120, 0, 0, 255));
    }
  });
  const auto svg = svgOf(drawn, {0, 0}, {800, 400}, gui_.fonts());
  ASSERT_TRUE(svg);
  EXPECT_LT(svg->size(), 20000U * 80);
  EXPECT_FALSE(parsed(svg).empty());
}

// A font of one table after the other, as far as they are read.
std::string fontFile(uint16_t em, int16_t ascent, int16_t descent, const std::string& family) {
  const auto number = [](uint32_t value, int bytes) {
    std::string text;
    for (int i = bytes - 1; i >= 0; --i)
      text += static_cast<char>(static_cast<unsigned char>(value >> (8 * i)));
    return text;
  };
  std::string head(18, '\0'), hhea(4, '\0'), utf16;
  head += number(em, 2);
  hhea += number(static_cast<uint16_t>(ascent), 2) + number(static_cast<uint16_t>(descent), 2);
  for (const char c : family) utf16 += number(static_cast<unsigned char>(c), 2);
  const std::string name = number(0, 2) + number(1, 2) + number(18, 2) + number(3, 2) + number(1, 2) +
                           number(0x0409, 2) + number(1, 2) + number(static_cast<uint32_t>(utf16.size()), 2) +
                           number(0, 2) + utf16;
  std::string file = number(0x00010000, 4) + number(3, 2) + std::string(6, '\0'), tables;
  for (const auto& [tag, table] :
       {std::pair<std::string, std::string>{"head", head}, {"hhea", hhea}, {"name", name}}) {
    file += tag + number(0, 4) + number(static_cast<uint32_t>(12 + 3 * 16 + tables.size()), 4) +
            number(static_cast<uint32_t>(table.size()), 4);
    tables += table;
  }
  return file + tables;
}

FontFile readFont(const std::string& bytes, uint32_t index = 0) {
  return readFontFile({reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()}, index);
}

TEST(FontFiles, SayFamilyAndEm) {
  const FontFile file = readFont(fontFile(1000, 1000, -250, "Some Sans"));
  EXPECT_EQ(file.family, "Some Sans");
  EXPECT_FLOAT_EQ(file.em_share, 0.8F);
}

TEST(FontFiles, DamagedOnesSayNothingAndAreReadNoFurtherThanTheyGo) {
  const std::string whole = fontFile(1000, 1000, -250, "Some Sans");
  for (size_t length = 0; length < whole.size(); ++length) {
    const std::vector<char> cut(whole.begin(), whole.begin() + static_cast<ptrdiff_t>(length));
    EXPECT_LE(readFont({cut.begin(), cut.end()}).family.size(), 9U);
  }
  EXPECT_EQ(readFont(fontFile(1000, -5, 5, "")).em_share, 0);
  EXPECT_EQ(readFont(fontFile(9, 30000, -250, "")).em_share, 0) << "nothing that a font has";
  EXPECT_EQ(readFont("ttcf" + whole, 0xFFFFFFFF).family, "");
  std::string wild = whole;
  for (size_t at = 12; at < wild.size(); at += 3) wild[at] = '\xFF';
  readFont(wild);
}

INSTANTIATE_TEST_SUITE_P(Scale, Svg, ::testing::Values(1.0F, 2.0F));

}  // namespace
}  // namespace warpscope
