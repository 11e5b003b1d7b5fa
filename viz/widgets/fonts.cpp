// Finds fonts on this machine and loads them into ImGui's atlas: a sans-serif font for text, a monospaced one
// with tabular figures for numbers, each merged with DejaVu's symbols and the Chinese characters that the
// window can show.
#include <imgui.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <initializer_list>
#include <string>
#include <vector>

#include "kernels/core/files.h"
#include "viz/text/translate.h"
#include "viz/widgets/theme.h"

namespace warpscope {
namespace {

constexpr float kTextPixels = 15, kMonoPixels = 14, kTitlePixels = 13;
constexpr const char* kFontFolder = "/usr/share/fonts/truetype/";

// Latin with Greek, punctuation, super- and subscripts.
constexpr std::array<ImWchar, 9> kTextRanges{0x20, 0x17F, 0x370, 0x3FF, 0x2010, 0x2044, 0x2070, 0x209C, 0};
// Characters that the preferred fonts may lack: arrows, mathematics, blocks, shapes, signs.
constexpr std::array<ImWchar, 5> kSymbolRanges{0x2190, 0x22FF, 0x2300, 0x27BF, 0};

std::string findFont(std::initializer_list<const char*> candidates) {
  for (const char* candidate : candidates) {
    std::string path = std::string(kFontFolder) + candidate;
    std::error_code ignored;
    if (std::filesystem::is_regular_file(path, ignored)) return path;
  }
  return {};
}

// Paths on Debian, Fedora and Arch. In Noto's collection the simplified forms are the third font.
struct ChineseFont {
  const char* path;
  int index;
};
constexpr std::array<ChineseFont, 9> kChineseFonts{{
    {"/usr/share/fonts/truetype/wqy/wqy-microhei.ttc", 0},
    {"/usr/share/fonts/wenquanyi/wqy-microhei/wqy-microhei.ttc", 0},
    {"/usr/share/fonts/wqy-microhei/wqy-microhei.ttc", 0},
    {"/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc", 2},
    {"/usr/share/fonts/google-noto-sans-cjk-fonts/NotoSansCJK-Regular.ttc", 2},
    {"/usr/share/fonts/google-noto-cjk/NotoSansCJK-Regular.ttc", 2},
    {"/usr/share/fonts/noto-cjk/NotoSansCJK-Regular.ttc", 2},
    {"/usr/share/fonts/truetype/wqy/wqy-zenhei.ttc", 0},
    {"/usr/share/fonts/truetype/droid/DroidSansFallbackFull.ttf", 0},
}};

struct LoadedFont {
  std::string bytes;  // empty: there is none
  int index = 0;
};

LoadedFont readFont(const char* path, int index) {
  LoadedFont font{readFile(path).value_or(std::string()), index};
  // TrueType, TrueType collections or OpenType: Dear ImGui would stop the program on anything else.
  const auto start = std::string_view(font.bytes).substr(0, 4);
  if (start != std::string_view("\0\1\0\0", 4) && start != "ttcf" && start != "OTTO") font.bytes.clear();
  return font;
}

// Read once and kept: Dear ImGui 1.92 takes characters from it whenever they are first drawn.
const LoadedFont& chineseFont() {
  static const LoadedFont kFont = [] {
    if (const char* path = std::getenv("WARPSCOPE_CHINESE_FONT"); path != nullptr) return readFont(path, 0);
    for (const ChineseFont& candidate : kChineseFonts) {
      if (LoadedFont font = readFont(candidate.path, candidate.index); !font.bytes.empty()) return font;
    }
    return LoadedFont{};
  }();
  return kFont;
}

// The characters of the catalogue, Chinese punctuation and full-width forms: a whole font has 20,000 more.
ImVector<ImWchar> chineseRanges(const std::string& more_text) {
  static constexpr std::array<ImWchar, 5> kPunctuation{0x3000, 0x301F, 0xFF01, 0xFF5E, 0};
  ImFontGlyphRangesBuilder builder;
  for (const Language& language : languages()) builder.AddText(language.name);
  if (const std::string texts = textsOfLanguage() + more_text; !texts.empty()) {
    builder.AddText(texts.c_str());
    builder.AddRanges(kPunctuation.data());
  }
  // Latin characters and symbols come from the fonts that these are merged into.
  for (int word = 0; word < 0x2E80 / 32; ++word) builder.UsedChars[word] = 0;
  ImVector<ImWchar> ranges;
  builder.BuildRanges(&ranges);
  return ranges;
}

void mergeChinese(float pixels, const ImVector<ImWchar>& ranges) {
  const LoadedFont& font = chineseFont();
  if (font.bytes.empty()) return;
  ImFontConfig config;
  config.MergeMode = true;
  config.OversampleH = 1;
  config.PixelSnapH = true;
  config.FontNo = font.index;
  config.FontDataOwnedByAtlas = false;
  // The data is not modified: the parameter is not const because an atlas may own its data.
  ImGui::GetIO().Fonts->AddFontFromMemoryTTF(const_cast<char*>(font.bytes.data()),
                                             static_cast<int>(font.bytes.size()), pixels, &config,
                                             ranges.Data);
}

ImFont* loadFont(const std::string& path, const std::string& symbols, const ImVector<ImWchar>& chinese,
                 float pixels) {
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
  mergeChinese(pixels, chinese);
  return font;
}

}  // namespace

std::string missingFont(std::string_view language) {
  if (language == languages().front().code || !chineseFont().bytes.empty()) return {};
  return "no font with Chinese characters was found: install fonts-wqy-microhei or fonts-noto-cjk (Debian), "
         "or "
         "name a font file in WARPSCOPE_CHINESE_FONT";
}

Fonts loadFonts(float scale, const std::string& more_text) {
  // Dear ImGui reads the ranges when the atlas is built, after this.
  static ImVector<ImWchar> chinese;
  chinese = chineseRanges(more_text);
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
  fonts.text = loadFont(text, symbols, chinese, std::round(kTextPixels * scale));
  fonts.mono = loadFont(mono, symbols, chinese, std::round(kMonoPixels * scale));
  fonts.title = loadFont(title, {}, chinese, std::round(kTitlePixels * scale));
  return fonts;
}

}  // namespace warpscope
