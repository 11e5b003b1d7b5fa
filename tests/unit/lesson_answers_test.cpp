// Files of answers and the table made of them.
#include <gtest/gtest.h>

#include "kernels/lesson/answers.h"

namespace warpscope {
namespace {

LessonAnswers answersBy(const std::string& student) {
  return {.student = student,
          .lesson = "Divergence",
          .lesson_hash = 0x1234,
          .device = "sim:h100",
          .answers = {{.step = 2, .question = "Which, or both?", .answer = "one", .right = true, .tries = 1},
                      {.step = 4, .question = "How many?", .answer = "16", .right = false, .tries = 3}}};
}

std::string errorOf(const std::string& text) {
  const auto answers = answersOf(text, "x.answers");
  return answers ? "none" : answers.error().message;
}

TEST(LessonAnswers, AreReadAsTheyWereWritten) {
  const LessonAnswers written = answersBy("Ada \"L\", 李雷\n");
  const auto read = answersOf(textOf(written), "x");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, written);
}

TEST(LessonAnswers, NameTheLineOfWhatIsWrong) {
  EXPECT_EQ(errorOf(""), "x.answers:1: the file is empty");
  EXPECT_TRUE(errorOf("{\n").starts_with("x.answers:1: ")) << errorOf("{\n");
  const std::string good = textOf(answersBy("Ada"));
  EXPECT_EQ(errorOf(good), "none");
  EXPECT_TRUE(errorOf(good + "[]\n").starts_with("x.answers:4: ")) << errorOf(good + "[]\n");
  std::string again = good + good.substr(good.find('\n') + 1);
  EXPECT_TRUE(errorOf(again).find("x.answers:4: ") == 0 && errorOf(again).find("step") != std::string::npos)
      << errorOf(again);
  std::string newer = good;
  newer.replace(newer.find("\"warpscope_answers\":1"), 21, "\"warpscope_answers\":2");
  EXPECT_TRUE(errorOf(newer).find("this program reads 1") != std::string::npos) << errorOf(newer);
}

TEST(LessonAnswers, BecomeATable) {
  LessonAnswers second = answersBy("=cmd()");
  second.answers.pop_back();
  const std::vector files{answersBy("Ada"), second};
  const auto table = gradeTable(files, false);
  ASSERT_TRUE(table) << table.error().message;
  EXPECT_EQ(
      *table,
      "student,\"2. Which, or both?\",4. How many?,right,answered\r\nAda,1,0,1,2\r\n'=cmd(),1,,1,1\r\n");
}

TEST(LessonAnswers, OfOtherLessonsOrVersionsAreRefused) {
  LessonAnswers other = answersBy("Bob");
  other.lesson = "Banks";
  EXPECT_TRUE(
      gradeTable(std::vector{answersBy("Ada"), other}, true).error().message.find("different lessons") !=
      std::string::npos);
  other = answersBy("Bob");
  other.lesson_hash = 1;
  EXPECT_TRUE(gradeTable(std::vector{answersBy("Ada"), other}, false).error().message.find("--any-version") !=
              std::string::npos);
  EXPECT_TRUE(gradeTable(std::vector{answersBy("Ada"), other}, true));
  EXPECT_FALSE(gradeTable({}, true));
}

}  // namespace
}  // namespace warpscope
