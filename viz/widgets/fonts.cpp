// Finds fonts on this machine and loads them into ImGui's atlas: a sans for text, a mono with tabular figures
// for numbers, and DejaVu's symbols merged into both.
#include <imgui.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <initializer_list>
#include <string>

#include "viz/widgets/theme.h"

namespace warpscope {
namespace {

constexpr float kTextPixels = 15, kMonoPixels = 14, kTitlePixels = 13;
constexpr const char* kFontFolder = "/usr/share/fonts/truetype/";

// Latin with Greek, punctuation, super- and subscripts.
constexpr std::array<ImWchar, 9> kTextRanges{0x20, 0x17F, 0x370, 0x3FF, 0x2010, 0x2044, 0x2070, 0x209C, 0};
// What the fonts of choice may lack: arrows, mathematics, blocks, shapes, signs.
constexpr std::array<ImWchar, 5> kSymbolRanges{0x2190, 0x22FF, 0x2300, 0x27BF, 0};

std::string findFont(std::initializer_list<const char*> candidates) {
  for (const char* candidate : candidates) {
    std::string path = std::string(kFontFolder) + candidate;
    std::error_code ignored;
    if (std::filesystem::is_regular_file(path, ignored)) return path;
  }
  return {};
}

ImFont* loadFont(const std::string& path, const std::string& symbols, float pixels) {
  ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
  ImFont* font = nullptr;
  if (!path.empty()) font = atlas.AddFontFromFileTTF(path.c_str(), pixels, nullptr, kTextRanges.data());
  if (font == nullptr) {
    ImFontConfig config;
    config.SizePixels = pixels;
    font = atlas.AddFontDefault(&config);
  }
  if (!symbols.empty()) {
    ImFontConfig config;
    config.MergeMode = true;
    config.OversampleH = 1;
    atlas.AddFontFromFileTTF(symbols.c_str(), pixels, &config, kSymbolRanges.data());
  }
  return font;
}

}  // namespace

Fonts loadFonts(float scale) {
  ImGui::GetIO().Fonts->Clear();
  const std::string symbols = findFont({"dejavu/DejaVuSans.ttf"});
  const std::string text =
      findFont({"roboto/unhinted/RobotoTTF/Roboto-Regular.ttf", "roboto/hinted/Roboto-Regular.ttf",
                "roboto/Roboto-Regular.ttf", "dejavu/DejaVuSans.ttf"});
  const std::string mono =
      findFont({"jetbrains-mono/JetBrainsMono-Regular.ttf", "dejavu/DejaVuSansMono.ttf"});
  const std::string title =
      findFont({"roboto/unhinted/RobotoTTF/Roboto-Bold.ttf", "roboto/hinted/Roboto-Bold.ttf",
                "dejavu/DejaVuSans-Bold.ttf", "dejavu/DejaVuSans.ttf"});
  Fonts fonts;
  fonts.text = loadFont(text, symbols, std::round(kTextPixels * scale));
  fonts.mono = loadFont(mono, symbols, std::round(kMonoPixels * scale));
  fonts.title = loadFont(title, {}, std::round(kTitlePixels * scale));
  return fonts;
}

}  // namespace warpscope
