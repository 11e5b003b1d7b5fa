// A lesson in the window: steps, questions of every kind, hidden pictures, answers in a file, and what is
// wrong with a file.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "app/gui/lesson/lessons.h"
#include "kernels/core/files.h"
#include "kernels/lesson/answers.h"
#include "tests/gui/window_fixture.h"

namespace warpscope::testing {
namespace {

constexpr const char* kLesson = R"(# Two paths

## What does a warp do?

With `threadIdx.x % 2` half of the **lanes** take one path.

```show
family: divergence
variant: even_odd
block: 64
work: 128
view: timeline
warp: 0:1
region: second path
zoom: 100..900
play: 400
```

```ask
question: What does the warp do?
option: It executes both paths at once. | lost_lane_share < 0.1
option: It executes one after the other. | lost_lane_share > 0.3
```

{lost_lane_share} of the lanes' time is lost in blocks of {block}.

## Paint

```ask
question: Paint the lanes of the second path.
paint: second path
```

## Count

```ask
question: How many warps has a block?
number: warps_per_block
```

## Drag

```ask
question: Drag the block size to where a block has three warps.
drag: block
where: warps_per_block = 3
```

## The end

Nothing is asked here.
)";

class LessonWindowTest : public WindowTest {
 protected:
  void SetUp() override {
    WindowTest::SetUp();
    setenv("WARPSCOPE_ASSETS", WARPSCOPE_SOURCE_FOLDER "/assets", 1);
    setenv("XDG_DATA_HOME", (folder_ / "data").c_str(), 1);
    file_ = folder_ / "two_paths.md";
    ASSERT_TRUE(replaceFile(file_, kLesson));
  }
  void open(uint32_t width = 1400, uint32_t height = 900) {
    StartOptions options{.device = "sim:teaching", .width = width, .height = height};
    options.lesson = file_;
    start(options);
    ASSERT_TRUE(window_->until(
        [](const Json& state) { return state.contains("lesson") && state["lesson"]["ready"].get<bool>(); }));
    ASSERT_TRUE(window_->rests());
  }
  void goTo(int step) {
    for (int i = window_->state()["lesson"]["step"].get<int>(); i < step; ++i) window_->key("Next");
    ASSERT_TRUE(window_->until([step](const Json& state) {
      return state["lesson"]["step"].get<int>() == step && state["lesson"]["ready"].get<bool>();
    }));
    ASSERT_TRUE(window_->rests());
  }
  bool isRight() const { return window_->state()["lesson"]["right"].get<bool>(); }
  bool isOpenQuestion() const { return window_->state()["lesson"]["open_question"].get<bool>(); }
  LessonAnswers answersInFile() const {
    const auto answers = readAnswers(window_->state()["lesson"]["answers"].get<std::string>());
    EXPECT_TRUE(answers) << answers.error().message;
    return answers.value_or(LessonAnswers{});
  }

  std::filesystem::path file_;
};

TEST_F(LessonWindowTest, TheFirstSceneIsShownOnceTheQuestionIsAnswered) {
  open();
  EXPECT_EQ(window_->text("lesson.title"), "What does a warp do?");
  EXPECT_EQ(window_->state()["variant"].get<std::string>(), "even_odd");
  EXPECT_EQ(shownBlock(), 64);
  EXPECT_TRUE(window_->find("lesson.hidden"));
  EXPECT_FALSE(window_->find("view.timeline"));
  EXPECT_FALSE(window_->find("panel.controls"));

  window_->click("lesson.option.1");
  ASSERT_TRUE(window_->rests());
  EXPECT_TRUE(isRight());
  EXPECT_EQ(window_->text("lesson.verdict"), "right");
  EXPECT_FALSE(window_->find("lesson.hidden"));
  EXPECT_TRUE(window_->find("view.timeline"));
  const Json state = window_->state();
  EXPECT_EQ(state["selected_warp"]["warp"].get<int>(), 1);
  EXPECT_NEAR(state["visible"]["begin_cycles"].get<double>(), 100, 1);
  EXPECT_NEAR(state["visible"]["end_cycles"].get<double>(), 900, 1);
  EXPECT_TRUE(window_->find("timeline.play_head"));
  EXPECT_EQ(window_->ui().model.view.play_head, 400);

  const LessonAnswers answers = answersInFile();
  EXPECT_EQ(answers.lesson, "Two paths");
  ASSERT_EQ(answers.answers.size(), 1U);
  EXPECT_EQ(answers.answers[0].answer, "It executes one after the other.");
  EXPECT_TRUE(answers.answers[0].right);
}

TEST_F(LessonWindowTest, AWrongAnswerStandsAndTheRightOneIsShown) {
  open();
  window_->key("1");
  ASSERT_TRUE(window_->rests());
  EXPECT_FALSE(isRight());
  EXPECT_EQ(window_->text("lesson.verdict"), "wrong");
  EXPECT_TRUE(window_->find("view.timeline"));
  EXPECT_EQ(window_->state()["variant"].get<std::string>(), "even_odd")
      << "the digit answered, and chose no variant";
  window_->click("lesson.option.1");  // too late
  ASSERT_TRUE(window_->rests());
  EXPECT_FALSE(isRight());
  EXPECT_EQ(answersInFile().answers[0].answer, "It executes both paths at once.");
}

TEST_F(LessonWindowTest, TheTeacherShowsThePictureWithoutAnAnswer) {
  open();
  window_->click("lesson.reveal");
  ASSERT_TRUE(window_->rests());
  EXPECT_TRUE(window_->find("view.timeline"));
  EXPECT_FALSE(isOpenQuestion());
  EXPECT_EQ(window_->state()["lesson"]["answers"].get<std::string>(), "");
}

TEST_F(LessonWindowTest, LanesArePaintedByDragging) {
  open();
  goTo(2);
  const auto lanes = *window_->find("lesson.lanes");
  const double columns = (lanes.x1 - lanes.x0) > 2.5 * (lanes.y1 - lanes.y0) ? 16 : 8,
               cell = (lanes.x1 - lanes.x0) / columns;
  const auto at = [&](int lane) {
    const int in_row = static_cast<int>(columns), column = lane % in_row, row = lane / in_row;
    return std::pair{lanes.x0 + (column + 0.5) * cell, lanes.y0 + (row + 0.5) * cell};
  };
  // More lanes than there are frames meanwhile.
  const int last = static_cast<int>(columns) - 1;
  window_->drag(at(0).first, at(0).second, at(last).first, at(last).second);
  EXPECT_EQ(window_->ui().lessons.painted.bits, (1U << (last + 1)) - 1) << "a quick mouse leaves no lane out";
  window_->click("lesson.clear");
  EXPECT_EQ(window_->ui().lessons.painted.bits, 0U);
  for (int lane = 1; lane < 32; lane += 2) window_->click(at(lane).first, at(lane).second);
  window_->click("lesson.check");
  ASSERT_TRUE(window_->rests());
  EXPECT_TRUE(isRight());
  EXPECT_EQ(answersInFile().answers[0].answer.substr(0, 12), "lanes 1, 3, ");
}

TEST_F(LessonWindowTest, ANumberIsTypedAndComparedWithTheRun) {
  open();
  goTo(3);
  window_->click("lesson.check");
  EXPECT_TRUE(isOpenQuestion()) << "nothing was typed";
  window_->click("lesson.number");
  window_->type("2");
  window_->click("lesson.check");
  ASSERT_TRUE(window_->rests());
  EXPECT_TRUE(isRight());
}

TEST_F(LessonWindowTest, ASettingIsDraggedUntilItIsRight) {
  open();
  goTo(4);
  EXPECT_TRUE(window_->find("lesson.hidden")) << "the first try is a guess";
  EXPECT_FALSE(window_->find("control.block"));
  ASSERT_TRUE(window_->find("lesson.control.block"));
  window_->click("lesson.check");
  ASSERT_TRUE(window_->rests());
  EXPECT_FALSE(isRight());
  EXPECT_TRUE(window_->find("view.timeline")) << "the next tries are made with the picture";
  EXPECT_TRUE(window_->find("control.block"));
  EXPECT_TRUE(isOpenQuestion()) << "there may be more tries, so the answer is not given away";
  EXPECT_EQ(answersInFile().answers.size(), 1U);
  window_->ui().model.setParameter("block", 96);
  ASSERT_TRUE(window_->rests());
  window_->click("lesson.check");
  ASSERT_TRUE(window_->until([](const Json& state) { return state["lesson"]["right"].get<bool>(); }));
  ASSERT_TRUE(window_->rests());
  EXPECT_EQ(answersInFile().answers[0].answer, "block 96");
  EXPECT_EQ(answersInFile().answers[0].tries, 2U);
}

TEST_F(LessonWindowTest, TheQuestionBringsTheSettingThatIsDragged) {
  open();
  goTo(4);
  ASSERT_EQ(shownBlock(), 64);
  const auto slider = window_->find("lesson.control.block");
  ASSERT_TRUE(slider);
  window_->drag(slider->x0 + 8, slider->y(), slider->x1 - 4, slider->y());
  ASSERT_TRUE(
      window_->until([](const Json& state) { return state["parameters"]["block"].get<int>() > 900; }));
  ASSERT_TRUE(window_->rests());
  // In presenter mode there are no settings beside the view.
  window_->click("lesson.present");
  ASSERT_TRUE(window_->rests());
  ASSERT_TRUE(window_->find("lesson.control.block.value"));
  window_->click("lesson.control.block.value");
  window_->type("96");
  window_->key("Return");
  ASSERT_TRUE(
      window_->until([](const Json& state) { return state["parameters"]["block"].get<int>() == 96; }));
  ASSERT_TRUE(window_->rests());
  window_->click("lesson.check");
  ASSERT_TRUE(window_->until([](const Json& state) { return state["lesson"]["right"].get<bool>(); }));
}

constexpr const char* kNoted = R"(# Notes

## One view

```show
family: banks
variant: stride
view: banks
alone: yes
access: 2
region: read
note: @400 | all warps read
note: 0:1 @600 | this one waits
```

## Another kernel

```show
variant: broadcast
```
)";

TEST_F(LessonWindowTest, AStepShowsItsViewAloneItsAccessAndItsNotes) {
  ASSERT_TRUE(replaceFile(file_, kNoted));
  open();
  ASSERT_TRUE(window_->until([](const Json& state) { return state["time_notes"].get<int>() == 2; }));
  EXPECT_EQ(window_->state()["alone"].get<std::string>(), "banks");
  EXPECT_FALSE(window_->find("panel.controls"));
  EXPECT_EQ(window_->ui().model.view.selected_steps[0], 1U);
  EXPECT_TRUE(window_->state().contains("selected_region"));
  const Annotations& annotations = window_->ui().model.view.annotations;
  EXPECT_EQ(annotations.notes[1].text, "this one waits");
  EXPECT_EQ(annotations.notes[1].warp, (WarpKey{BlockId{0}, 1}));
  window_->ui().model.view.annotations.notes.push_back({.cycle = 7, .text = "the teacher's own"});
  window_->ui().model.view.selected_region = RegionId{0};

  goTo(2);
  EXPECT_EQ(window_->state()["alone"].get<std::string>(), "");
  EXPECT_TRUE(window_->find("panel.controls"));
  ASSERT_EQ(annotations.notes.size(), 1U) << "the step's notes go with it, others stay";
  EXPECT_EQ(annotations.notes[0].text, "the teacher's own");
  EXPECT_FALSE(window_->ui().model.view.selected_steps[0]);
}

constexpr const char* kOwn = R"(# A teacher's own

## Beside the lesson

```show
kernel: own.ptx
n: 2^9
view: code
```

{n} elements

## Warpscope's

```show
family: divergence
```
)";
constexpr const char* kOwnPtx = R"(// warpscope: block = 32, grid = 1, n = 2^10, arg0 = zeros[n], arg1 = n
.version 7.0
.target sm_70
.address_size 64
.visible .entry own(.param .u64 data, .param .u32 n) {
  .reg .b32 %r<2>; .reg .b64 %rd<4>;
  mov.u32 %r1, %tid.x;
  ld.param.u64 %rd1, [data];
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r1;
  ret;
}
)";

TEST_F(LessonWindowTest, ATeachersOwnKernelIsShownWhereItCanRun) {
  ASSERT_TRUE(replaceFile(file_, kOwn) && replaceFile(folder_ / "own.ptx", kOwnPtx));
  for (const char* device : {"sim:teaching", "recorded"}) {
    SCOPED_TRACE(device);
    StartOptions options{.device = device, .width = 1400, .height = 900};
    options.lesson = file_;
    start(options);
    ASSERT_TRUE(window_->until([](const Json& state) {
      return state.contains("lesson") && state["lesson"]["ready"].get<bool>() &&
             state["family"] == "own.ptx" && state.contains("run") && state["run"]["family"] == "own.ptx";
    }));
    ASSERT_TRUE(window_->rests());
    EXPECT_EQ(window_->state()["parameters"]["n"].get<int>(), 512);
    const bool recorded = std::string_view(device) == "recorded";
    EXPECT_EQ(window_->ui().lessons.deviceNote().empty(), !recorded);
    EXPECT_EQ(window_->state()["device"].get<std::string>(), recorded ? "sim:h100" : device);
    goTo(2);
    ASSERT_TRUE(window_->until(
        [](const Json& state) { return state.contains("run") && state["run"]["family"] == "divergence"; }));
    EXPECT_EQ(window_->state()["device"].get<std::string>(), device) << "the choice of the device stands";
  }
}

TEST_F(LessonWindowTest, AnImpossibleSettingIsSaidWhereItIsDragged) {
  ASSERT_TRUE(replaceFile(file_,
                          "# A\n\n## B\n\n```show\nfamily: mapping\nvariant: block_2d\nblock_y: 2\n```\n\n"
                          "```ask\nquestion: a\ndrag: block_x\nwhere: warps_per_block = 3\n```\n"));
  open();
  window_->ui().model.setParameter("block_x", 600);  // 1,200 threads
  ASSERT_TRUE(window_->rests());
  EXPECT_TRUE(window_->find("lesson.hidden"));
  ASSERT_TRUE(window_->find("controls.impossible.use"));
  window_->click("lesson.check");
  ASSERT_TRUE(window_->rests());
  EXPECT_TRUE(window_->find("lesson.hidden")) << "there is no run to compare it with";
  window_->click("controls.impossible.use");
  ASSERT_TRUE(window_->rests());
  EXPECT_FALSE(window_->find("controls.impossible.use"));
}

TEST_F(LessonWindowTest, AClickersKeysGoBackAndForth) {
  open();
  window_->key("Prior");
  EXPECT_EQ(window_->state()["lesson"]["step"].get<int>(), 1);
  goTo(5);
  window_->key("Next");
  EXPECT_EQ(window_->state()["lesson"]["step"].get<int>(), 5);
  EXPECT_EQ(window_->text("lesson.place"), "5 / 5");
  window_->click("lesson.back");
  ASSERT_TRUE(window_->rests());
  EXPECT_EQ(window_->text("lesson.place"), "4 / 5");
  window_->click("lesson.close");
  ASSERT_TRUE(window_->rests());
  EXPECT_FALSE(window_->state().contains("lesson"));
  EXPECT_FALSE(window_->find("panel.lesson"));
}

TEST_F(LessonWindowTest, PresenterModeShowsOneViewAboveLargeText) {
  for (const auto& [width, height] : {std::pair{1400U, 900U}, std::pair{1024U, 768U}}) {
    open(width, height);
    const ThemeKind theme = window_->screen().theme;
    window_->key("2");
    ASSERT_TRUE(window_->rests());
    window_->click("lesson.present");
    ASSERT_TRUE(window_->rests());
    EXPECT_EQ(window_->state()["alone"].get<std::string>(), "timeline");
    EXPECT_GE(window_->ui().theme.scale * 15 * 25, 0.97F * static_cast<float>(height))
        << "a line is 1/25 of the height";
    EXPECT_EQ(window_->screen().theme, ThemeKind::kHighContrast);
    const auto view = window_->find("view.timeline"), lesson = window_->find("panel.lesson");
    ASSERT_TRUE(view && lesson);
    EXPECT_LE(view->y1, lesson->y0 + 1);
    EXPECT_NEAR(lesson->x1, width, 1);
    window_->click("lesson.pen");
    window_->drag(view->x(0.3), view->y(0.5), view->x(0.6), view->y(0.7));
    ASSERT_EQ(window_->ui().lessons.ink.strokes.size(), 1U);
    EXPECT_TRUE(window_->ui().model.view.selection.empty()) << "the pen draws, and selects nothing";
    window_->passTime(8);
    EXPECT_TRUE(window_->ui().lessons.ink.strokes.empty()) << "strokes vanish";
    window_->click("lesson.pen");
    window_->key("Next");
    ASSERT_TRUE(window_->rests());
    EXPECT_EQ(window_->state()["lesson"]["step"].get<int>(), 2);
    EXPECT_TRUE(window_->find("lesson.hidden"));
    window_->key("Escape");
    ASSERT_TRUE(window_->rests());
    EXPECT_EQ(window_->state()["alone"].get<std::string>(), "");
    EXPECT_EQ(window_->screen().theme, theme);
    EXPECT_EQ(window_->ui().theme.scale, 1);
  }
}

TEST_F(LessonWindowTest, TheAnswerComesIntoSightWithoutScrolling) {
  open(1024, 768);
  window_->click("lesson.present");
  ASSERT_TRUE(window_->rests());
  window_->key("1");
  ASSERT_TRUE(window_->rests());
  const auto panel = window_->find("panel.lesson"), verdict = window_->find("lesson.verdict");
  ASSERT_TRUE(panel && verdict);
  EXPECT_GE(verdict->y0, panel->y0);
  EXPECT_LE(verdict->y1, panel->y1);
  // Pen and spotlight do not scroll away with the question.
  for (const char* button : {"lesson.pen", "lesson.spotlight"}) {
    const auto at = window_->find(button);
    ASSERT_TRUE(at) << button;
    EXPECT_GE(at->y0, panel->y0) << button;
    EXPECT_LE(at->y1, verdict->y0) << button;
  }
}

TEST_F(LessonWindowTest, AFileThatIsNoLessonChangesNothingAndSaysWhere) {
  open();
  const std::filesystem::path wrong = folder_ / "wrong.md";
  ASSERT_TRUE(replaceFile(wrong, "# A\n\n## B\n\n```show\nfamily: nothing\n```\n"));
  window_->drop({wrong});
  ASSERT_TRUE(window_->until([](const Json& state) {
    return state["notice"].get<std::string>().find("wrong.md:6: there is no family 'nothing'") !=
           std::string::npos;
  }));
  EXPECT_EQ(window_->text("lesson.title"), "What does a warp do?");
}

TEST_F(LessonWindowTest, WhatADeviceCannotShowIsShownFromTheRecordings) {
  // No such work was recorded.
  ASSERT_TRUE(replaceFile(
      file_, "# A\n\n## B\n\n```show\nfamily: divergence\nvariant: even_odd\nblock: 64\nwork: 77\n```\n"));
  StartOptions options{.device = "recorded", .width = 1400, .height = 900};
  options.lesson = file_;
  start(options);
  ASSERT_TRUE(window_->until([](const Json& state) { return state.contains("lesson"); }));
  ASSERT_TRUE(window_->rests());
  EXPECT_FALSE(window_->ui().lessons.deviceNote().empty());
}

TEST_F(LessonWindowTest, ALessonMayShowEveryViewOfTheWindowButTheEditor) {
  start(StartOptions{.device = "sim:teaching", .width = 1400, .height = 900});
  std::vector<std::string> views(lessonViews().begin(), lessonViews().end()), windows;
  for (const char* view : window_->application().pages().viewNames()) {
    if (std::string_view(view) != "kernel") windows.emplace_back(view);
  }
  std::ranges::sort(views);
  std::ranges::sort(windows);
  EXPECT_EQ(views, windows);
}

TEST_F(LessonWindowTest, TheStartPageOffersTheLessons) {
  start(StartOptions{.device = "sim:teaching", .width = 1400, .height = 900}, StartPage::kAlways);
  ASSERT_TRUE(window_->rests());
  window_->click("start.lesson.1");
  ASSERT_TRUE(window_->until(
      [](const Json& state) { return state.contains("lesson") && state["lesson"]["ready"].get<bool>(); }));
  EXPECT_TRUE(window_->find("panel.lesson"));
}

}  // namespace
}  // namespace warpscope::testing
