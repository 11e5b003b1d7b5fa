// Every view in every theme, drawn in software over synthetic runs, compared with the committed pictures in
// tests/gui/pictures. Renewing them: tests/gui/renew_pictures.sh.
//   WARPSCOPE_PICTURES_OUT=FOLDER  also writes what was drawn, and a page with before, after and difference,
//   there
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <map>

#include "app/gui/png.h"
#include "tests/gui/picture.h"
#include "tests/gui/picture_page.h"
#include "tests/gui/window_fixture.h"
#include "viz/widgets/imgui_compat.h"

namespace warpscope::testing {
namespace {

constexpr Tolerance kTolerance;
constexpr uint32_t kWidth = 1120, kHeight = 720;
constexpr double kSecondLook_s = 15;  // no notice stays as long

std::filesystem::path committedPictures() {
  return std::filesystem::path(WARPSCOPE_SOURCE_FOLDER) / "tests" / "gui" / "pictures";
}

// The folder for the pictures that were drawn.
std::filesystem::path outputFolder() {
  const char* given = std::getenv("WARPSCOPE_PICTURES_OUT");
  return given != nullptr ? given : std::filesystem::path(WARPSCOPE_BUILD_FOLDER) / "pictures";
}

class ViewSnapshot : public WindowTest, public ::testing::WithParamInterface<const char*> {
 protected:
  void SetUp() override {
    WindowTest::SetUp();
    if (!kDrawsAsPictures)
      GTEST_SKIP() << "Dear ImGui " IMGUI_VERSION " draws text otherwise than that of the pictures";
    if (const std::string missing = missingFonts(); !missing.empty()) GTEST_SKIP() << missing;
    // Lanes are executed on any simulated GPU.
    std::filesystem::copy(WARPSCOPE_SOURCE_FOLDER "/assets/devices", folder_ / "assets" / "devices");
    const auto& assets = folder_ / "assets";
    ASSERT_TRUE(writeModelledAssets(assets, "transpose"));
    ASSERT_TRUE(writePlannedAsset(assets, "mapping", "block_2d", {}));
    ASSERT_TRUE(writePlannedAsset(assets, "banks", "stride", {{"block", 64}, {"size", 256}}));
    ASSERT_TRUE(writePlannedAsset(assets, "coalescing", "stride", {{"size", 4096}}));
    ASSERT_TRUE(writePlannedAsset(assets, "warp_primitives", "shfl_down", {{"block", 64}, {"size", 256}}));
    ASSERT_TRUE(writePlannedAsset(assets, "occupancy", "tail", {}));
    // A bundled recording of an H100: what the simulator says of operations changes with its model.
    std::filesystem::copy(WARPSCOPE_SOURCE_FOLDER "/assets/recordings/streams_default_stream.wsrec",
                          assets / "recordings");
  }

  // The pictures are of Debian's fonts; with others every letter differs.
  static std::string missingFonts() {
    for (const char* font : {"roboto/unhinted/RobotoTTF/Roboto-Regular.ttf",
                             "jetbrains-mono/JetBrainsMono-Regular.ttf", "dejavu/DejaVuSans.ttf"}) {
      const auto path = std::filesystem::path("/usr/share/fonts/truetype") / font;
      if (!std::filesystem::exists(path))
        return path.string() + " is not there: the pictures were drawn with it";
    }
    return {};
  }

  // On the first page, whatever page the window before remembered, if it stayed open for long enough.
  void open(const std::string& family, const std::string& variant) {
    window_.reset();
    std::filesystem::remove_all(folder_ / "config");
    StartOptions options;
    options.family = family;
    options.variant = variant;
    options.theme = GetParam();
    options.width = kWidth;
    options.height = kHeight;
    start(std::move(options));
    ASSERT_TRUE(window_->settled());
    ASSERT_TRUE(rests());
  }

  // The tab of a panel, named after its first view; in the panel's menu where its head has no room for
  // it.
  void openTab(const std::string& panel, const std::string& tab) {
    if (!window_->find("tab." + tab)) window_->click("tabs." + panel);
    ASSERT_TRUE(window_->until([&](const Json&) { return window_->find("tab." + tab).has_value(); }));
    window_->click("tab." + tab);
    ASSERT_TRUE(window_->until([&](const Json&) { return window_->find("view." + tab).has_value(); }));
  }

  // Compares that view as it is now, with the mouse moved away.
  void expectPicture(const std::string& view) {
    window_->move(1, 1);
    ASSERT_TRUE(rests()) << view;
    const auto area = window_->find("view." + view);
    ASSERT_TRUE(area) << view;
    const auto corner = [](double x, double y) {
      return ImVec2(static_cast<float>(x), static_cast<float>(y));
    };
    const auto picture = [&] {
      return cropped(window_->pixels(), corner(area->x0, area->y0), corner(area->x1, area->y1));
    };
    Image actual = picture();
    const std::string name = view + "-" + GetParam() + ".png";
    const auto written = writePng(outputFolder() / "after" / name, actual);
    ASSERT_TRUE(written) << written.error().message;
    const auto expected = readPng(committedPictures() / name);
    EXPECT_TRUE(expected) << expected.error().message;
    PictureDifference difference = compare(expected.value_or(Image{}), actual, kTolerance);
    if (!difference.within(kTolerance)) {
      // A notice may still cover it, a slow machine's clock be elsewhere, or a scrollbar have come with the
      // last frame, whose room is given to it in the next one.
      std::cout << name << ": " << where(difference) << "; state " << window_->state().dump() << std::endl;
      window_->passTime(kSecondLook_s);
      window_->draw(2);
      ASSERT_TRUE(rests()) << view;
      actual = picture();
      difference = compare(expected.value_or(Image{}), actual, kTolerance);
    }
    page_.add({name, expected.value_or(Image{}), actual});
    if (!expected) return;
    EXPECT_TRUE(difference.same_size)
        << name << " has another size: it is " << actual.width << " x " << actual.height;
    EXPECT_LE(difference.share, kTolerance.share)
        << name << " differs from the committed picture, by " << where(difference) << ": see "
        << (outputFolder() / GetParam()).string()
        << ".html. If the change is meant, tests/gui/renew_pictures.sh renews the pictures.";
  }

  static std::string where(const PictureDifference& difference) {
    return fmt::format("{} of 255 at most, in columns {} to {} and rows {} to {}", difference.largest,
                       difference.left, difference.right, difference.top, difference.bottom);
  }

  void TearDown() override {
    const auto written = page_.write(outputFolder(), GetParam(), kTolerance);
    EXPECT_TRUE(written) << written.error().message;
    WindowTest::TearDown();
  }

  PicturePage page_;
};

TEST_P(ViewSnapshot, EveryViewIsAsItsPicture) {
  open("divergence", "even_odd");
  for (const char* view : {"timeline", "lanes", "code", "occupancy", "bandwidth"}) expectPicture(view);
  for (const auto& [key, view] :
       {std::pair{"o", "occupancy_lab"}, {"p", "plots"}, {"c", "compare"}, {"r", "race"}}) {
    window_->key(key);
    expectPicture(view);
  }

  open("transpose", "naive_row");
  openTab("occupancy", "states");
  expectPicture("states");
  openTab("occupancy", "advice");
  expectPicture("advice");
  openTab("bandwidth", "counters");
  expectPicture("counters");
  openTab("code", "details");
  expectPicture("details");

  open("reduction", "neighbored");
  expectPicture("tree");
  openTab("bandwidth", "precision");
  expectPicture("precision");

  for (const auto& [family, variant, view] : {std::tuple{"mapping", "block_2d", "mapping"},
                                              {"banks", "stride", "banks"},
                                              {"coalescing", "stride", "sectors"},
                                              {"warp_primitives", "shfl_down", "shuffle"},
                                              {"occupancy", "tail", "tail"},
                                              {"streams", "default_stream", "operations"}}) {
    open(family, variant);
    expectPicture(view);
  }
}

INSTANTIATE_TEST_SUITE_P(Themes, ViewSnapshot, ::testing::Values("dark", "light", "contrast"),
                         [](const auto& info) { return std::string(info.param); });

// The differences that the comparison must find, and those that it must ignore.
class PictureComparison : public ::testing::Test {
 protected:
  PictureComparison() : picture_{640, 400, std::vector<uint8_t>(size_t{640} * 400 * 3, 40)} {}
  Image with(size_t pixels, uint8_t value) const {
    Image changed = picture_;
    for (size_t i = 0; i < pixels; ++i) changed.rgb[i * 3 * 7 + 1] = value;
    return changed;
  }
  Image picture_;
};

TEST_F(PictureComparison, AChangedColourIsFound) {
  EXPECT_TRUE(compare(picture_, picture_, kTolerance).within(kTolerance));
  EXPECT_FALSE(compare(picture_, with(1000, 52), kTolerance).within(kTolerance));
  const PictureDifference difference = compare(picture_, with(1000, 52), kTolerance);
  EXPECT_EQ(difference.largest, 12);
  EXPECT_EQ(difference.top, 0U);
  EXPECT_EQ(difference.bottom, 999U * 7 / 640);
  EXPECT_EQ(difference.left, 0U);
  EXPECT_GT(difference.right, 600U);
}

// The colour that most pixels have, next to the background.
uint32_t secondColour(const Image& image) {
  std::map<uint32_t, size_t> counts;
  for (size_t i = 0; i < image.rgb.size(); i += 3)
    ++counts[uint32_t{image.rgb[i]} << 16 | uint32_t{image.rgb[i + 1]} << 8 | image.rgb[i + 2]];
  std::vector<std::pair<size_t, uint32_t>> ranked;
  ranked.reserve(counts.size());
  for (const auto& [colour, count] : counts) ranked.emplace_back(count, colour);
  std::ranges::sort(ranked, std::greater());
  return ranked.size() < 2 ? 0 : ranked[1].second;
}

TEST_F(PictureComparison, EveryCommittedPictureFailsOnceAColourOfItChanges) {
  size_t pictures = 0;
  for (const auto& file : std::filesystem::directory_iterator(committedPictures())) {
    const auto picture = readPng(file.path());
    ASSERT_TRUE(picture) << picture.error().message;
    ++pictures;
    const uint32_t colour = secondColour(*picture);
    const auto green = static_cast<uint8_t>(colour >> 8);
    Image changed = *picture;
    for (size_t i = 0; i < changed.rgb.size(); i += 3) {
      uint8_t* pixel = changed.rgb.data() + i;
      if (pixel[0] == colour >> 16 && pixel[1] == green && pixel[2] == (colour & 255U))
        pixel[1] = static_cast<uint8_t>(green < 128 ? green + 12 : green - 12);
    }
    EXPECT_FALSE(compare(*picture, changed, kTolerance).within(kTolerance)) << file.path();
  }
  EXPECT_EQ(pictures, 21U * 3) << "every view in three themes";
}

TEST_F(PictureComparison, RoundingAndAFewPixelsAreTolerated) {
  EXPECT_TRUE(compare(picture_, with(30000, 44), kTolerance).within(kTolerance));
  EXPECT_TRUE(compare(picture_, with(20, 255), kTolerance).within(kTolerance));
  EXPECT_FALSE(compare(picture_, with(100, 255), kTolerance).within(kTolerance));
}

TEST_F(PictureComparison, AnotherSizeIsADifference) {
  Image smaller = picture_;
  smaller.height = 399;
  smaller.rgb.resize(size_t{640} * 399 * 3);
  EXPECT_FALSE(compare(picture_, smaller, kTolerance).within(kTolerance));
}

}  // namespace
}  // namespace warpscope::testing
