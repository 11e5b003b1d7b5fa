// Every text of the window has a Chinese translation: those in its code, found by xgettext as in update.sh,
// and those that the engine passes to it.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <memory>
#include <set>
#include <string>

#include "kernels/experiments/experiment.h"
#include "tests/support/parse_json.h"
#include "tests/support/shown_texts.h"
#include "viz/text/catalogue.h"
#include "viz/text/translate.h"

namespace warpscope::testing {
namespace {

constexpr const char* kAdvice = ": run assets/translations/update.sh and translate it in zh_CN.po";

std::string outputOf(const std::string& command) {
  std::string output;
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  if (pipe == nullptr) return output;
  std::array<char, 4096> part{};
  while (const size_t read = fread(part.data(), 1, part.size(), pipe.get())) output.append(part.data(), read);
  return output;
}

Catalogue chinese() {
  const std::string source = WARPSCOPE_SOURCE_FOLDER "/assets/translations/zh_CN.po";
  // Fuzzy entries are not translations: msgfmt omits them.
  const auto catalogue = Catalogue::read(outputOf("msgfmt --output-file=- '" + source + "'"));
  EXPECT_TRUE(catalogue) << catalogue.error().message;
  return catalogue.value_or(Catalogue());
}

class Translations : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { catalogue = std::make_unique<Catalogue>(chinese()); }
  static std::unique_ptr<Catalogue> catalogue;
};
std::unique_ptr<Catalogue> Translations::catalogue;

TEST_F(Translations, HaveTheSamePlaceholders) {
  for (const std::string& english : catalogue->mismatched())
    ADD_FAILURE() << "'" << english << "' is translated with other placeholders";
}

TEST_F(Translations, OfEverythingTheEngineSays) {
  const auto texts = shownTexts();
  EXPECT_GT(texts.size(), 300U);
  for (const auto& [text, where, context, finished] : texts) {
    const bool translated = finished          ? catalogue->findMessage(text).has_value()
                            : context.empty() ? catalogue->find(text) != nullptr
                                              : catalogue->find(context, text) != nullptr;
    EXPECT_TRUE(translated) << where << ", '" << text << "'" << kAdvice;
  }
}

// The catalogue that update.sh would make has no untranslated entries.
TEST_F(Translations, OfEverythingTheWindowSays) {
  const std::string untranslated =
      outputOf("cd '" WARPSCOPE_SOURCE_FOLDER
               "' && assets/translations/extract.sh | "
               "msgmerge --quiet --no-fuzzy-matching assets/translations/zh_CN.po - | "
               "msgattrib --untranslated --no-obsolete -");
  EXPECT_EQ(untranslated, "") << kAdvice;
}

// One English word, several senses.
TEST_F(Translations, OfWordsWithSeveralSenses) {
  const auto find = [](const char* context, const char* english) {
    const char* translated = catalogue->find(context, english);
    return std::string(translated == nullptr ? "" : translated);
  };
  EXPECT_EQ(find("hardware", "device"), "设备") << "not a memory";
  EXPECT_EQ(find("provenance", "numbers"), "数据来源") << "not a count";
  EXPECT_EQ(find("glossary", "word"), "术语") << "not one of a memory";
  EXPECT_EQ(find("after a number", "warps"), "个线程束");
  const auto sentence = catalogue->findMessage(
      "warps wait 5 cycles for math pipe throttle (an arithmetic pipe that is busy with other warps) instead "
      "of 3");
  const auto at_barrier = catalogue->findMessage(
      "warps wait 5 cycles for barrier (the other warps of its block, at a barrier) instead of 3");
  ASSERT_TRUE(at_barrier);
  EXPECT_EQ(at_barrier->find("barrier"), std::string::npos) << *at_barrier;
  EXPECT_NE(at_barrier->find("屏障"), std::string::npos) << *at_barrier;
  ASSERT_TRUE(sentence);
  EXPECT_EQ(sentence->find("throttle"), std::string::npos) << *sentence;
  EXPECT_EQ(sentence->find("busy"), std::string::npos) << *sentence;
}

// The messages of the simulated GPU's checks, which are sentences composed of pieces.
TEST_F(Translations, OfWhatTheChecksFind) {
  const std::string output = outputOf("'" WARPSCOPE_PROGRAM
                                      "' run broken --variant all --json --device sim:teaching "
                                      "--size 2048 2>/dev/null");
  const Json runs = testing::parseJson(output);
  ASSERT_TRUE(runs.isArray()) << output.substr(0, 300);
  size_t found = 0;
  for (const Json& run : runs) {
    for (const Json& hazard : run.value("hazards", Json::array())) {
      const std::string message = hazard["message"].get<std::string>();
      const auto translated = catalogue->findMessage(message);
      ASSERT_TRUE(translated) << message << ": see assets/translations/hazards.pot";
      EXPECT_EQ(translated->find("thread "), std::string::npos) << *translated;
      EXPECT_EQ(translated->find("byte"), std::string::npos) << *translated;
      ++found;
    }
  }
  EXPECT_GE(found, 4U);
}

// Code in a sentence stands in quotes: a backtick is a mark for programs that format text.
TEST_F(Translations, AndTheEnglishTextsHaveNoBackticks) {
  for (const auto& [text, where, context, finished] : shownTexts())
    EXPECT_EQ(text.find('`'), std::string::npos) << where << ", '" << text << "'";
  const std::string all = outputOf("grep -n '`' '" WARPSCOPE_SOURCE_FOLDER "/assets/translations/zh_CN.po'");
  EXPECT_EQ(all, "") << "texts of the window, and their translations";
}

// Texts call a variant by its friendly name; what can be typed stands beside it in lists, tooltips and
// tables.
TEST(ShownTexts, NameVariantsAsListsDo) {
  std::set<std::string> ids;
  for (const Experiment* experiment : allExperiments()) {
    for (const VariantInfo& variant : experiment->info().variants) {
      if (variant.name.find('_') != std::string::npos) ids.insert(variant.name);
    }
  }
  ASSERT_GT(ids.size(), 30U);
  const auto is_part = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  for (const auto& [text, where, context, finished] : shownTexts()) {
    for (size_t begin = 0; begin < text.size(); ++begin) {
      size_t end = begin;
      while (end < text.size() && is_part(text[end])) ++end;
      EXPECT_FALSE(ids.contains(text.substr(begin, end - begin))) << where << ", '" << text << "'";
      begin = std::max(begin, end);
    }
  }
}

// A translation that lost a line's end or a unit's sign would be noticed elsewhere; this test notices if it
// is not Chinese at all: only a few texts are names, which are the same in both languages.
TEST_F(Translations, AreChinese) {
  size_t same = 0;
  for (const auto& [english, translated] : catalogue->entries()) same += english == translated ? 1 : 0;
  EXPECT_LT(same * 20, catalogue->entries().size());
}

}  // namespace
}  // namespace warpscope::testing
