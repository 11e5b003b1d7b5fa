// What is found by a few letters, and what comes first.
#include "viz/text/fuzzy.h"

#include <gtest/gtest.h>

namespace warpscope {
namespace {

std::vector<std::string> found(const std::vector<std::string>& texts, std::string_view typed,
                               size_t most = 20) {
  FuzzyTexts fuzzy;
  for (const std::string& text : texts) fuzzy.add(text);
  std::vector<std::string> names;
  for (const auto& hit : fuzzy.search(typed, most)) names.push_back(texts[hit.index]);
  return names;
}

using Texts = std::vector<std::string>;

TEST(FuzzyTest, WholeTextsComeBeforeBeginningsAndThoseBeforeParts) {
  EXPECT_EQ(found({"unshuffled", "warp shuffle", "shuffle_xor", "shuffle"}, "shuffle"),
            (Texts{"shuffle", "shuffle_xor", "warp shuffle", "unshuffled"}));
  EXPECT_EQ(found({"grid size", "block", "block size"}, "block"), (Texts{"block", "block size"}));
}

TEST(FuzzyTest, AbbreviationsAreBeginningsOfWords) {
  const Texts names{"shared_padded",           "shared",         "spread", "row_major",
                    "two elements per thread", "neighbored_less"};
  EXPECT_EQ(found(names, "sp"), (Texts{"spread", "shared_padded"}));
  EXPECT_EQ(found(names, "shpad"), (Texts{"shared_padded"}));
  EXPECT_EQ(found(names, "rm"), (Texts{"row_major"}));
  EXPECT_EQ(found(names, "tept"), (Texts{"two elements per thread"}));
  EXPECT_EQ(found(names, "nl"), (Texts{"neighbored_less"}));
}

TEST(FuzzyTest, LettersMayBeMissing) {
  EXPECT_EQ(found({"wavefront", "occupancy"}, "wvfrnt"), (Texts{"wavefront"}));
  EXPECT_EQ(found({"wavefront", "occupancy"}, "ocupancy"), (Texts{"occupancy"}));
  EXPECT_EQ(found({"a text where w is far from v and f"}, "wvf"), Texts{});
  EXPECT_EQ(found({"Reset"}, "xyz"), Texts{});
}

TEST(FuzzyTest, CaseAndOrderOfWordsDoNotMatter) {
  EXPECT_EQ(found({"Export HTML report", "Export CSV"}, "html EXPORT"), (Texts{"Export HTML report"}));
  EXPECT_EQ(found({"Bank conflict"}, "CONFLICT ban"), (Texts{"Bank conflict"}));
  EXPECT_EQ(found({"Bank conflict"}, "bank x"), Texts{}) << "every word is needed";
}

TEST(FuzzyTest, QuestionsAreUnderstood) {
  EXPECT_EQ(soughtWords("What is a wavefront?"), (Texts{"wavefront"}));
  EXPECT_EQ(soughtWords("what is"), (Texts{"what", "is"}));
  EXPECT_EQ(soughtWords("什么是波前"), (Texts{"波前"}));
  EXPECT_EQ(soughtWords("波前是什么？"), (Texts{"波前"}));
  EXPECT_EQ(soughtWords("  "), Texts{});
  EXPECT_EQ(found({"anything"}, ""), Texts{});
  EXPECT_EQ(found({"all keys"}, "?"), Texts{});
}

TEST(FuzzyTest, ChineseTextsAreFoundByAnyPart) {
  const Texts names{"存储体冲突", "波前", "共享内存", "内存栅栏"};
  EXPECT_EQ(found(names, "冲突"), (Texts{"存储体冲突"}));
  EXPECT_EQ(found(names, "内存"), (Texts{"内存栅栏", "共享内存"})) << "what begins with it comes first";
  EXPECT_EQ(found(names, "波前"), (Texts{"波前"}));
  EXPECT_EQ(found({"导出 HTML 报告"}, "html 导出"), (Texts{"导出 HTML 报告"}));
}

TEST(FuzzyTest, OtherNamesCountLessAndABonusMore) {
  FuzzyTexts fuzzy;
  fuzzy.add("Butterfly", "shuffle_xor");
  fuzzy.add("shuffle");
  fuzzy.add("shuffle", "", 5);
  const auto hits = fuzzy.search("shuffle", 10);
  ASSERT_EQ(hits.size(), 3U);
  EXPECT_EQ(hits[0].index, 2U);
  EXPECT_EQ(hits[1].index, 1U);
  EXPECT_EQ(hits[2].index, 0U);
}

TEST(FuzzyTest, EquallyGoodOnesKeepTheirOrder) {
  EXPECT_EQ(found({"ld.global a", "ld.global b", "ld.global c"}, "ld.global"),
            (Texts{"ld.global a", "ld.global b", "ld.global c"}));
}

TEST(FuzzyTest, ManyAreSearchedAndFewReturned) {
  FuzzyTexts fuzzy;
  constexpr uint32_t kMany = 100'000, kOnly = 77'777;
  for (uint32_t i = 0; i < kMany; ++i)
    fuzzy.add(i == kOnly ? "the needle" : "instruction " + std::to_string(i), "ld.global.f32");
  EXPECT_EQ(fuzzy.size(), kMany);
  const auto needle = fuzzy.search("needle", 50);
  ASSERT_EQ(needle.size(), 1U);
  EXPECT_EQ(needle.front().index, kOnly);
  const auto many = fuzzy.search("instr", 50);
  ASSERT_EQ(many.size(), 50U);
  EXPECT_EQ(many.front().index, 0U) << "the shortest";
}

TEST(FuzzyTest, ATextOfManyEqualWordsIsNoTrap) {
  std::string text;
  for (int i = 0; i < 2000; ++i) text += "aa ";
  EXPECT_EQ(found({text}, std::string(60, 'a') + "b"), Texts{});
}

}  // namespace
}  // namespace warpscope
