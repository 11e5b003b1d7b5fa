// Every step of the lessons that come with the program: its claims, questions and numbers against the runs of
// the simulated H100 and the recordings; and the translations against the originals.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "kernels/core/files.h"
#include "kernels/lesson/check_lesson.h"
#include "kernels/lesson/lesson_file.h"

namespace warpscope {
namespace {

std::vector<std::filesystem::path> files(const std::string& language) {
  return bundledLessons(language);
}

std::string nameOf(const testing::TestParamInfo<std::filesystem::path>& info) {
  std::string name = info.param.parent_path().filename().string() + "_" + info.param.stem().string();
  for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return name;
}

std::filesystem::path translationOf(const std::filesystem::path& english) {
  return english.parent_path().parent_path() / "zh_CN" / english.filename();
}

class BundledLesson : public testing::TestWithParam<std::filesystem::path> {
 protected:
  // In both languages.
  static void expectRight(const std::string& device_id) {
    const std::vector files{GetParam(), translationOf(GetParam())};
    std::vector<Lesson> lessons;
    for (const auto& file : files) {
      auto lesson = readLesson(file);
      ASSERT_TRUE(lesson) << lesson.error().message;
      lessons.push_back(std::move(*lesson));
    }
    const auto device = openDevice(device_id, {}), recorded = openDevice("recorded", {});
    ASSERT_TRUE(device && recorded);
    const auto checks = checkLessonsTogether(lessons, {device->get(), recorded->get()}, [](size_t) {}, {});
    ASSERT_TRUE(checks) << checks.error().message;
    ASSERT_EQ(checks->size(), lessons.size());
    for (size_t i = 0; i < lessons.size(); ++i) expectRight(files[i], lessons[i], (*checks)[i]);
  }

 private:
  static void expectRight(const std::filesystem::path& file, const Lesson& lesson, const LessonCheck& check) {
    for (const LessonFinding& finding : check.findings) {
      if (finding.severity == LessonFinding::Severity::kError)
        ADD_FAILURE() << file.string() << ":" << finding.line << ": " << finding.text;
    }
    EXPECT_EQ(check.steps, lesson.steps.size());
    EXPECT_EQ(check.shown_steps, check.steps);
    EXPECT_GT(check.claims, 0U);
    EXPECT_GT(check.questions, 0U);
  }
};

TEST_P(BundledLesson, IsRightOnTheSimulatedH100) {
  expectRight("sim:h100");
}

TEST_P(BundledLesson, IsRightOnTheRecordings) {
  expectRight("recorded");
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(BundledLesson);
INSTANTIATE_TEST_SUITE_P(BothLanguages, BundledLesson, testing::ValuesIn(files("en")), nameOf);

// The Chinese text, with the same steps, scenes and questions.
class TranslatedLesson : public testing::TestWithParam<std::filesystem::path> {};

void expectSameScene(const LessonScene& a, const LessonScene& b) {
  EXPECT_EQ(a.family, b.family);
  EXPECT_EQ(a.variant, b.variant);
  EXPECT_EQ(a.parameters, b.parameters);
  EXPECT_EQ(a.view, b.view);
  EXPECT_EQ(a.warp, b.warp);
  EXPECT_EQ(a.region, b.region);
  EXPECT_EQ(a.zoom, b.zoom);
  EXPECT_EQ(a.play_cycle, b.play_cycle);
  EXPECT_EQ(a.selection, b.selection);
  EXPECT_EQ(a.alone, b.alone);
  EXPECT_EQ(a.access, b.access);
  EXPECT_EQ(a.notes.size(), b.notes.size());
  EXPECT_EQ(a.compare, b.compare);
  EXPECT_EQ(a.other_runs, b.other_runs);
  ASSERT_EQ(a.claims.size(), b.claims.size());
  for (size_t i = 0; i < a.claims.size(); ++i) EXPECT_EQ(a.claims[i].claim.text, b.claims[i].claim.text);
}

void expectSameQuestion(const LessonQuestion& a, const LessonQuestion& b) {
  EXPECT_EQ(a.kind, b.kind);
  EXPECT_NE(a.text, b.text) << "not translated";
  EXPECT_EQ(a.region, b.region);
  EXPECT_EQ(a.warp, b.warp);
  EXPECT_EQ(a.visit, b.visit);
  EXPECT_EQ(a.parameter, b.parameter);
  EXPECT_EQ(a.within, b.within);
  EXPECT_EQ(a.number ? a.number->text() : "", b.number ? b.number->text() : "");
  EXPECT_EQ(a.where ? a.where->text : "", b.where ? b.where->text : "");
  ASSERT_EQ(a.options.size(), b.options.size());
  for (size_t i = 0; i < a.options.size(); ++i) EXPECT_EQ(a.options[i].holds.text, b.options[i].holds.text);
}

TEST_P(TranslatedLesson, AsksAndShowsTheSame) {
  const auto english = readLesson(GetParam());
  const auto chinese = readLesson(translationOf(GetParam()));
  ASSERT_TRUE(english) << english.error().message;
  ASSERT_TRUE(chinese) << chinese.error().message;
  EXPECT_NE(english->title, chinese->title);
  EXPECT_EQ(english->minutes, chinese->minutes);
  EXPECT_EQ(english->sources.size(), chinese->sources.size());
  ASSERT_EQ(english->steps.size(), chinese->steps.size());
  for (size_t i = 0; i < english->steps.size(); ++i) {
    SCOPED_TRACE(english->steps[i].title);
    const LessonStep &a = english->steps[i], &b = chinese->steps[i];
    expectSameScene(a.scene, b.scene);
    EXPECT_NE(a.title, b.title) << "not translated";
    ASSERT_EQ(a.question.has_value(), b.question.has_value());
    if (a.question) expectSameQuestion(*a.question, *b.question);
  }
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(TranslatedLesson);
INSTANTIATE_TEST_SUITE_P(Chinese, TranslatedLesson, testing::ValuesIn(files("en")), nameOf);

TEST(BundledLessons, OfBothLanguagesAreTheSame) {
  std::vector<std::filesystem::path> expected;
  for (const auto& file : files("en")) expected.push_back(translationOf(file));
  EXPECT_EQ(files("zh_CN"), expected);
}

TEST(BundledLessons, HaveAQuestionOfFourEachAndTenToTwentyMinutes) {
  const auto all = files("en");
  ASSERT_FALSE(all.empty());
  for (const std::filesystem::path& file : all) {
    SCOPED_TRACE(file.string());
    const auto lesson = readLesson(file);
    ASSERT_TRUE(lesson) << lesson.error().message;
    EXPECT_GE(lesson->minutes, 10U);
    EXPECT_LE(lesson->minutes, 20U);
    EXPECT_FALSE(lesson->summary.empty());
    EXPECT_FALSE(lesson->sources.empty());
    EXPECT_GE(std::ranges::count_if(lesson->steps,
                                    [](const LessonStep& step) { return step.question.has_value(); }),
              4);
  }
}

}  // namespace
}  // namespace warpscope
