// The reader of .mo files, and texts in the current language.
#include "viz/text/translate.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstdlib>

#include "viz/text/catalogue.h"
#include "viz/text/line_breaks.h"

namespace warpscope {
namespace {

using Texts = std::vector<std::pair<std::string, std::string>>;

void appendWord(std::string& bytes, uint64_t value, bool swapped) {
  for (uint32_t i = 0; i < 4; ++i) bytes += static_cast<char>(value >> (8 * (swapped ? 3 - i : i)) & 0xFF);
}

// A .mo file in the format of msgfmt: header, table of originals, table of translations, texts.
std::string moFile(const Texts& texts, bool swapped = false) {
  std::string file, content;
  const size_t count = texts.size(), content_at = 28 + count * 16;
  for (const uint64_t word : {uint64_t{0x950412de}, uint64_t{0}, count, size_t{28}, 28 + count * 8})
    appendWord(file, word, swapped);
  for (const uint64_t word : {size_t{0}, content_at}) appendWord(file, word, swapped);  // no hash table
  for (const bool translated : {false, true}) {
    for (const auto& [english, chinese] : texts) {
      const std::string& text = translated ? chinese : english;
      appendWord(file, text.size(), swapped);
      appendWord(file, content_at + content.size(), swapped);
      content += text + '\0';
    }
  }
  return file + content;
}

const Texts kTexts{{"", "Language: zh_CN\n"}, {"block", "线程块"}, {"{} of {}", "{1} 中的 {0}"}};

TEST(Catalogue, FindsWhatWasTranslated) {
  for (const bool swapped : {false, true}) {
    const auto catalogue = Catalogue::read(moFile(kTexts, swapped));
    ASSERT_TRUE(catalogue) << catalogue.error().message;
    EXPECT_STREQ(catalogue->find("block"), "线程块");
    EXPECT_STREQ(catalogue->find("{} of {}"), "{1} 中的 {0}");
    EXPECT_EQ(catalogue->find("blocks"), nullptr);
    EXPECT_EQ(catalogue->find(""), nullptr);
    EXPECT_EQ(catalogue->entries().size(), 2U);
  }
}

TEST(Catalogue, LeavesOutWhatHasOtherPlaceholders) {
  const auto catalogue = Catalogue::read(moFile({{"{} warps", "线程束"},
                                                 {"{:.1f} us", "{:.2f} us"},
                                                 {"{} and {}", "{0} 和 {}"},
                                                 {"{{}} {}", "{{}} {}"},
                                                 {"a brace {", "括号"}}));
  ASSERT_TRUE(catalogue);
  EXPECT_EQ(catalogue->mismatched(), (std::vector<std::string>{"{} warps", "{:.1f} us", "{} and {}"}));
  EXPECT_EQ(catalogue->find("{} warps"), nullptr);
  EXPECT_STREQ(catalogue->find("{{}} {}"), "{{}} {}");
  EXPECT_STREQ(catalogue->find("a brace {"), "括号");
}

TEST(Catalogue, RefusesDamagedFiles) {
  const std::string whole = moFile(kTexts);
  for (size_t length = 0; length < whole.size(); ++length)
    EXPECT_FALSE(Catalogue::read(std::string_view(whole).substr(0, length))) << length << " bytes";
  std::string other = whole;
  other[0] = 'x';
  EXPECT_FALSE(Catalogue::read(other));
  other = whole;
  other[6] = 2;
  const auto newer = Catalogue::read(other);
  ASSERT_FALSE(newer);
  EXPECT_NE(newer.error().message.find("version 2"), std::string::npos) << newer.error().message;
}

// Whatever byte is wrong, the result is an error or a catalogue, never a read outside the file (the asan
// preset checks that).
TEST(Catalogue, SurvivesAnyWrongByte) {
  const std::string whole = moFile(kTexts);
  for (size_t at = 0; at < whole.size(); ++at) {
    for (const int value : {0x00, 0x7F, 0xFF}) {
      // Exactly its size, so that a read past the end is detected.
      std::vector<char> damaged(whole.begin(), whole.end());
      damaged[at] = static_cast<char>(value);
      const auto catalogue = Catalogue::read({damaged.data(), damaged.size()});
      EXPECT_TRUE(catalogue || catalogue.error().kind == ErrorKind::kDamagedFile);
    }
  }
}

TEST(Catalogue, TakesFinishedSentencesApart) {
  const auto catalogue =
      Catalogue::read(moFile({{"message\4{} of {} warps were lost{}", "{1} 个线程束中丢失 {0} 个{2}"},
                              {"message\4{} SM{} late", "{0} 个 SM 晚了"},
                              {"message\4, all of {}", "，都属于 {}"},
                              {"message\4{} late", "{} 晚到"},
                              {"message\4{} x", "{1}"},
                              {"message\4warps wait for {} ({})", "线程束为 {} ({}) 等待"},
                              {"warp state\4math throttle", "运算管线繁忙"},
                              {"a busy pipe", "繁忙的管线"},
                              {"values", "数值"},
                              {"state\4values", "值"}}));
  ASSERT_TRUE(catalogue);
  EXPECT_STREQ(catalogue->find("state", "values"), "值");
  EXPECT_EQ(catalogue->find("region", "values"), nullptr);
  EXPECT_EQ(catalogue->findMessage("3 of 8 warps were lost"), "8 个线程束中丢失 3 个");
  EXPECT_EQ(catalogue->findMessage("3 of 8 warps were lost, all of SM 5"),
            "8 个线程束中丢失 3 个，都属于 SM 5");
  EXPECT_EQ(catalogue->findMessage("values late"), "values 晚到") << "words in it may be names";
  EXPECT_EQ(catalogue->findMessage("warps wait for math throttle (a busy pipe)"),
            "线程束为 运算管线繁忙 (繁忙的管线) 等待")
      << "texts in it have their own translations";
  EXPECT_EQ(catalogue->findMessage("2 SMs late"), "2 个 SM 晚了")
      << "the more words a format has, the sooner";
  EXPECT_EQ(catalogue->findMessage("2 SMs"), std::nullopt);
  EXPECT_EQ(catalogue->find("{} late"), nullptr);
  EXPECT_EQ(catalogue->mismatched(), std::vector<std::string>{"{} x"});
}

TEST(Placeholders, AreNumberedAndSorted) {
  using List = std::vector<std::string>;
  EXPECT_EQ(placeholders("no placeholder"), List{});
  EXPECT_EQ(placeholders("{} of {:.1f}"), (List{"0", "1:.1f"}));
  EXPECT_EQ(placeholders("{1:.1f} of {0}"), (List{"0", "1:.1f"}));
  EXPECT_EQ(placeholders("{:{}}"), (List{"0:{}", "1"}));
  EXPECT_EQ(placeholders("{{}}"), List{});
  EXPECT_EQ(placeholders("{"), std::nullopt);
  EXPECT_EQ(placeholders("}"), std::nullopt);
  EXPECT_EQ(placeholders("{0} {}"), std::nullopt);
}

// Every byte below 0x80 has width one, Chinese characters have width two.
float width(std::string_view text) {
  float sum = 0;
  for (const char c : text) sum += static_cast<unsigned char>(c) < 0x80 ? 1.0F : 2.0F / 3;
  return sum + 0.001F;
}

TEST(LineBreaks, AreBetweenChineseCharacters) {
  EXPECT_EQ(brokenLines("线程束洗牌", 6.1F, width), "线程束\n洗牌");
  EXPECT_EQ(brokenLines("线程束洗牌", 99, width), "线程束洗牌");
  EXPECT_EQ(brokenLines("一\n线程束洗牌", 6.1F, width), "一\n线程束\n洗牌");
}

TEST(LineBreaks, KeepWordsAndPunctuationTogether) {
  EXPECT_EQ(brokenLines("通道用 __shfl_down_sync 相加", 18, width), "通道用 \n__shfl_down_sync \n相加");
  EXPECT_EQ(brokenLines("线程束，洗牌", 7, width), "线程\n束，洗\n牌") << "no line begins with a comma";
  EXPECT_EQ(brokenLines("线程（束）洗牌", 6.5F, width), "线程\n（束）\n洗牌");
}

TEST(LineBreaks, KeepNumbersTogether) {
  EXPECT_EQ(brokenLines("with 4,416 of 33,792.5 cycles", 12, width), "with 4,416 \nof 33,792.5 \ncycles");
  EXPECT_EQ(brokenLines("takes 4,416 cycles (7.5 µs) less", 14, width),
            "takes \n4,416 cycles \n(7.5 µs) less");
  EXPECT_EQ(brokenLines("so 883 GB/s of 40 warps", 10, width), "so \n883 GB/s \nof 40 \nwarps");
  EXPECT_EQ(brokenLines("one line", 99, width), "one line");
}

class Translate : public testing::Test {
 protected:
  void TearDown() override { ASSERT_TRUE(setLanguage("en")); }
};

TEST_F(Translate, ChangesAtOnce) {
  EXPECT_STREQ(tr("TIMELINE"), "TIMELINE");
  EXPECT_EQ(textsOfLanguage(), "");
  ASSERT_TRUE(setLanguage("zh_CN"));
  EXPECT_STREQ(language().code, "zh_CN");
  EXPECT_STREQ(tr("TIMELINE"), "时间线");
  EXPECT_EQ(tr(std::string("TIMELINE")), "时间线");
  EXPECT_NE(textsOfLanguage().find("时间线"), std::string::npos);
  EXPECT_EQ(trf("not in any catalogue: {}", 3), "not in any catalogue: 3");
  EXPECT_STREQ(tr(""), "");
  ASSERT_TRUE(setLanguage("en"));
  EXPECT_STREQ(tr("TIMELINE"), "TIMELINE");
}

TEST_F(Translate, UnknownLanguageChangesNothing) {
  ASSERT_TRUE(setLanguage("zh_CN"));
  const auto answer = setLanguage("tlh");
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().kind, ErrorKind::kBadRequest);
  EXPECT_STREQ(language().code, "zh_CN");
}

TEST_F(Translate, EnvironmentSaysWhichLanguage) {
  const auto with = [](const char* all, const char* messages, const char* lang) {
    setenv("LC_ALL", all, 1);
    setenv("LC_MESSAGES", messages, 1);
    setenv("LANG", lang, 1);
    return std::string(languageOfEnvironment());
  };
  EXPECT_EQ(with("", "", "zh_CN.UTF-8"), "zh_CN");
  EXPECT_EQ(with("", "zh_TW.UTF-8", "en_US.UTF-8"), "zh_CN");
  EXPECT_EQ(with("C.UTF-8", "zh_CN.UTF-8", "zh_CN.UTF-8"), "en");
  EXPECT_EQ(with("", "", ""), "en");
}

}  // namespace
}  // namespace warpscope
