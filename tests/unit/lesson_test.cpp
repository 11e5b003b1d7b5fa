// Lessons: reading them, with the line of what is wrong; what runs say of their claims and questions; the
// bundled ones.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "kernels/core/files.h"
#include "kernels/lesson/check_lesson.h"
#include "kernels/lesson/drag_values.h"
#include "kernels/lesson/handout.h"
#include "kernels/lesson/lesson_file.h"
#include "kernels/lesson/lesson_runs.h"
#include "kernels/lesson/run_keeper.h"
#include "kernels/lesson/scaffold.h"

namespace warpscope {
namespace {

const std::string kHead = "# Title\n\n## First\n\n";  // four lines

std::string withBlock(const std::string& info, const std::string& lines) {
  return "```" + info + "\n" + lines + "```\n";
}
const std::string kShow = withBlock("show", "family: divergence\nvariant: even_odd\n");

std::string errorOf(const std::string& text) {
  const auto lesson = lessonOf(text, "x.md");
  return lesson ? "none" : lesson.error().message;
}

TEST(Markdown, BlocksHaveTheirLinesAndMarks) {
  const auto blocks = readMarkdown(
      "# A *b*\n\ntext `c{d}`\ngoes on\n\n1. one\n2. two\n   - deep\n\n```show\nx: 1\n\ny: 2\n```\n");
  ASSERT_TRUE(blocks) << blocks.error().message;
  ASSERT_EQ(blocks->size(), 6U);
  using Kind = MarkdownBlock::Kind;
  EXPECT_EQ((*blocks)[0].kind, Kind::kHeading);
  EXPECT_EQ((*blocks)[0].spans, (std::vector<MarkdownSpan>{{.text = "A "}, {.text = "b", .emphasis = true}}));
  EXPECT_EQ((*blocks)[1].line, 3U);
  EXPECT_EQ(plainText((*blocks)[1]), "text c{d} goes on");
  EXPECT_TRUE((*blocks)[1].spans[1].code);
  EXPECT_EQ((*blocks)[2].marker, "1.");
  EXPECT_EQ((*blocks)[3].marker, "2.");
  EXPECT_EQ((*blocks)[4].level, 2U);
  EXPECT_EQ((*blocks)[4].line, 8U);
  EXPECT_EQ((*blocks)[5].info, "show");
  EXPECT_EQ((*blocks)[5].line, 11U);
  EXPECT_EQ(plainText((*blocks)[5]), "x: 1\n\ny: 2\n");
}

TEST(Markdown, RefusesWhatIsNotUtf8AndTooDeepLists) {
  EXPECT_FALSE(readMarkdown("a\n\xff\n"));
  EXPECT_EQ(readMarkdown("a\n\xff\n").error().message, "line 2: the text is not UTF-8");
  std::string deep;
  for (int i = 0; i < 9; ++i) deep += std::string(static_cast<size_t>(i) * 2, ' ') + "- x\n";
  EXPECT_FALSE(readMarkdown(deep));
}

TEST(LessonFile, TheScaffoldIsALesson) {
  const auto lesson = lessonOf(lessonScaffold(), "scaffold");
  ASSERT_TRUE(lesson) << lesson.error().message;
  EXPECT_EQ(lesson->title, "My lesson");
  ASSERT_EQ(lesson->steps.size(), 5U);
  EXPECT_EQ(lesson->minutes, 15U);
  EXPECT_FALSE(lesson->steps[0].question);
  EXPECT_EQ(lesson->steps[0].scene.warp, (LessonWarp{0, 0}));
  using Kind = LessonQuestion::Kind;
  std::vector<Kind> kinds;
  for (size_t i = 1; i < 5; ++i) kinds.push_back(lesson->steps[i].question->kind);
  EXPECT_EQ(kinds, (std::vector{Kind::kChoice, Kind::kNumber, Kind::kPaint, Kind::kDrag}));
  // A step without `show` has the scene before it, without its claims.
  EXPECT_EQ(lesson->steps[2].scene.variant, "even_odd");
  EXPECT_TRUE(lesson->steps[2].scene.claims.empty());
  // Text before the question is the caption, text after it comes with the answer.
  EXPECT_TRUE(lesson->steps[1].caption.empty());
  EXPECT_EQ(lesson->steps[1].answer.size(), 1U);
}

TEST(LessonFile, NamesTheLineOfWhatIsWrong) {
  EXPECT_EQ(errorOf(""), "x.md:1: the title is missing: '# Title'");
  EXPECT_EQ(errorOf("# A\n"), "x.md:1: there is no step: '## Title' begins one");
  EXPECT_EQ(errorOf("# A\n\n# B\n"), "x.md:3: a lesson has one title; '##' begins a step");
  EXPECT_EQ(errorOf(kHead + "text\n"), "x.md:3: the first step shows nothing: it needs a block 'show'");
  EXPECT_EQ(errorOf(kHead + withBlock("show", "variant: even_odd\n")),
            "x.md:6: the first scene of a lesson says which family it shows: 'family: ...'");
  EXPECT_TRUE(errorOf(kHead + withBlock("show", "family: divergance\n"))
                  .starts_with("x.md:6: there is no family 'divergance'; there are "));
  EXPECT_TRUE(errorOf(kHead + withBlock("show", "family: divergence\n\nvariant: odd\n"))
                  .starts_with("x.md:8: divergence has no variant 'odd'; it has "));
  EXPECT_TRUE(errorOf(kHead + withBlock("show", "family: divergence\nwrok: 8\n"))
                  .starts_with("x.md:7: divergence even_odd has no setting 'wrok'; it has "));
  EXPECT_TRUE(
      errorOf(kHead + withBlock("show", "family: divergence\nblock: 7000\n")).starts_with("x.md:7: "));
  EXPECT_TRUE(errorOf(kHead + withBlock("show", "family: divergence\nview: nowhere\n"))
                  .starts_with("x.md:7: there is no view 'nowhere'"));
  EXPECT_EQ(errorOf(kHead + withBlock("show", "family divergence\n")),
            "x.md:6: 'family divergence' is not of the form 'key: value'");
  EXPECT_EQ(errorOf(kHead + withBlock("show", "family:\n")), "x.md:6: 'family' has no value");
  EXPECT_TRUE(errorOf(kHead + withBlock("show", "family: divergence\nwarp: 3\n"))
                  .starts_with("x.md:7: warp: '3' is not a block and a warp"));
  EXPECT_TRUE(errorOf(kHead + withBlock("show", "family: divergence\nclaim: kernel_tim < 3\n"))
                  .starts_with("x.md:7: there is no number 'kernel_tim'"));
  EXPECT_TRUE(errorOf(kHead + withBlock("show", "family: divergence\nclaim: kernel_time\n"))
                  .starts_with("x.md:7: 'kernel_time' compares nothing"));
  EXPECT_TRUE(errorOf(kHead + kShow + kShow).starts_with("x.md:10: a step has one 'show'"));
  EXPECT_TRUE(errorOf(kHead + kShow + "\n{kernel_time\n").starts_with("x.md:10: '{' has no '}'"));
  EXPECT_TRUE(errorOf(kHead + kShow + "\n{1 +}\n").starts_with("x.md:10: '1 +' ends too early"));
  EXPECT_EQ(errorOf(kHead + kShow + "\n`{1 +}` is code\n"), "none");
}

TEST(LessonFile, NamesTheLineOfWhatIsWrongInAQuestion) {
  const auto asked = [](const std::string& lines) {
    return errorOf(kHead + kShow + withBlock("ask", lines));
  };
  EXPECT_EQ(asked("number: 3\n"), "x.md:10: the question is missing: 'question: ...'");
  EXPECT_EQ(asked("question: a\n"), "x.md:10: a question has one of option, number, paint and drag");
  EXPECT_EQ(asked("question: a\noption: b | 1 = 1\n"), "x.md:10: a choice has 2 to 6 options, not 1");
  EXPECT_EQ(asked("question: a\nnumber: 1\npaint: load\n"),
            "x.md:12: a question has only one of option, number, paint and drag");
  EXPECT_EQ(asked("question: a\noption: b\n"),
            "x.md:11: an option is 'text | claim', where the claim says when it is the right one");
  EXPECT_EQ(asked("question: a\ndrag: block\n"),
            "x.md:10: 'drag' needs 'where: CLAIM', which says where the right value is");
  EXPECT_TRUE(
      asked("question: a\ndrag: blokc\n").starts_with("x.md:11: divergence even_odd has no setting 'blokc'"));
  EXPECT_EQ(asked("question: a\ndrag: block\nstep: 1.5\n"), "x.md:12: step: '1.5' is not a whole number");
  EXPECT_TRUE(asked("question: a\ndrag: block\nstep: 0\n").starts_with("x.md:12: step: '0' is not a number"));
  EXPECT_EQ(asked("question: a\nnumber: 1\nwithin: 3\n"), "x.md:12: within: '3' is not a number from 0 to 1");
  EXPECT_EQ(asked("question: a\nnumber: before.block\n").substr(0, 40),
            "x.md:10: there is no number 'before.bloc");
  EXPECT_EQ(asked("question: a\nnumber: 1\npicture: maybe\n"),
            "x.md:12: picture: 'maybe' is neither 'hidden' nor 'shown'");
}

TEST(LessonFile, AStepsNotesAccessAndSoleViewAreItsOwn) {
  const auto lesson =
      lessonOf(kHead +
                   withBlock("show",
                             "family: banks\nview: banks\nalone: yes\naccess: 5\nnote: @400 | "
                             "all | of it\nnote: 0:3 @2^10 | this warp\n") +
                   "\n## Second\n\n" + withBlock("show", "stride: 2\n") + "\n## Third\n\ntext\n",
               "x.md");
  ASSERT_TRUE(lesson) << lesson.error().message;
  const LessonScene& first = lesson->steps[0].scene;
  EXPECT_TRUE(first.alone);
  EXPECT_EQ(first.access, 5U);
  EXPECT_EQ(first.notes,
            (std::vector<LessonNote>{{.cycle = 400, .text = "all | of it"},
                                     {.cycle = 1024, .warp = LessonWarp{0, 3}, .text = "this warp"}}));
  for (size_t i = 1; i < 3; ++i) {
    const LessonScene& later = lesson->steps[i].scene;
    EXPECT_EQ(later.view, "banks");
    EXPECT_FALSE(later.alone || later.access || !later.notes.empty()) << "step " << i + 1;
  }
}

TEST(LessonFile, NamesTheLineOfWhatIsWrongInANote) {
  const auto shown = [](const std::string& line) {
    return errorOf(kHead + withBlock("show", "family: divergence\n" + line + "\n"));
  };
  EXPECT_TRUE(shown("note: here").starts_with("x.md:7: a note is '@cycle | text'"));
  EXPECT_EQ(shown("note: @-1 | a"), "x.md:7: note: '-1' is not a cycle");
  EXPECT_EQ(shown("note: @1.5 | a"), "x.md:7: note: '1.5' is not a cycle");
  EXPECT_EQ(shown("note: @4 |"), "x.md:7: a note has a text of at most 120 bytes");
  EXPECT_EQ(shown("note: @4 | " + std::string(121, 'a')), "x.md:7: a note has a text of at most 120 bytes");
  EXPECT_TRUE(shown("note: b0 @4 | a").starts_with("x.md:7: note: 'b0' is not a block and a warp"));
  std::string many;
  for (int i = 0; i < 17; ++i) many += "note: @4 | a\n";
  EXPECT_EQ(shown(many), "x.md:23: a step has at most 16 notes");
  EXPECT_EQ(shown("access: 0"), "x.md:7: access: '0' is not the number of an access, from 1");
  EXPECT_EQ(shown("alone: maybe"), "x.md:7: alone: 'maybe' is neither 'yes' nor 'no'");
}

TEST(LessonFile, AUnitInThePluralIsNotPutBehindOne) {
  EXPECT_EQ(numberWithUnit("2", "warps"), "2 warps");
  EXPECT_EQ(numberWithUnit("1", "warps"), "1");
  EXPECT_EQ(numberWithUnit("1", "µs"), "1 µs");
  EXPECT_EQ(numberWithUnit("1", "a cycle"), "1 a cycle");
  EXPECT_EQ(numberWithUnit("1", "个线程束"), "1 个线程束");
  EXPECT_EQ(numberWithUnit("1", ""), "1");
}

TEST(Claim, ComparesWithinItsTolerance) {
  const auto holds = [](std::string_view text) {
    return Claim::parse(text)->holds({{"a", 2}, {"b", 1.9}}).value();
  };
  EXPECT_TRUE(holds("a = 2"));
  EXPECT_TRUE(holds("a = b within 0.06"));
  EXPECT_FALSE(holds("a = b within 0.05"));
  EXPECT_TRUE(holds("a != b"));
  EXPECT_TRUE(holds("1 << 3 >= 4 * a"));
  EXPECT_TRUE(holds("a <= 2"));
  EXPECT_FALSE(holds("a < 2"));
  EXPECT_TRUE(holds("0.1 + 0.2 = 0.3"));
  EXPECT_FALSE(Claim::parse("a < b within 0.1"));
  EXPECT_FALSE(Claim::parse("a = b within 2"));
  EXPECT_FALSE(Claim::parse("a = "));
  EXPECT_FALSE(Claim::parse("a = c")->holds({{"a", 2}}));
}

// A teacher's kernel beside the lesson. As PTX, it needs no compiler.
constexpr const char* kScalePtx =
    R"(// warpscope: block = 64, n = 2^10, grid = ceil(n / block), arg0 = ones[n], arg1 = n
.version 7.0
.target sm_70
.address_size 64
.visible .entry scale(.param .u64 data, .param .u32 n) {
  .reg .b32 %r<6>; .reg .b64 %rd<4>; .reg .pred %p<2>;
  mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;
  mad.lo.s32 %r4, %r1, %r2, %r3;
  ld.param.u32 %r5, [n];
  setp.ge.u32 %p1, %r4, %r5;
  @%p1 bra done;
  ld.param.u64 %rd1, [data];
  mul.wide.u32 %rd2, %r4, 4;
  add.s64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r4;
done:
  ret;
}
)";

class OwnKernels : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  Expected<Lesson> lessonWith(const std::string& kernel, const std::string& lines) {
    EXPECT_TRUE(replaceFile(folder_ / "scale.ptx", kernel));
    EXPECT_TRUE(replaceFile(folder_ / "x.md", kHead + withBlock("show", lines) + "\n{n} elements\n"));
    return readLesson(folder_ / "x.md");
  }
  std::string errorWith(const std::string& kernel, const std::string& lines) {
    const auto lesson = lessonWith(kernel, lines);
    return lesson ? "none" : lesson.error().message.substr((folder_ / "x.md").string().size());
  }
  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("lesson_kernels_" + std::to_string(::getpid()));
};

TEST_F(OwnKernels, AreShownAndCheckedLikeFamilies) {
  const auto lesson = lessonWith(kScalePtx,
                                 "kernel: scale.ptx\nblock: 128\nn: 3000\nclaim: blocks = 24\nclaim: "
                                 "theoretical > 0.5\n");
  ASSERT_TRUE(lesson) << lesson.error().message;
  EXPECT_TRUE(hasOwnKernels(folder_ / "x.md"));
  const LessonScene& scene = lesson->steps[0].scene;
  EXPECT_EQ(scene.variant, "scale");
  ASSERT_NE(scene.program, nullptr);
  EXPECT_EQ(scene.request().program, scene.program);
  const auto device = openDevice("sim:teaching", {});
  ASSERT_TRUE(device);
  const auto check = checkLesson(*lesson, {device->get(), nullptr}, [](size_t) {}, {});
  ASSERT_TRUE(check) << check.error().message;
  for (const LessonFinding& finding : check->findings) ADD_FAILURE() << finding.line << ": " << finding.text;
  EXPECT_EQ(check->claims, 2U);
  EXPECT_EQ(check->numbers, 1U);
}

TEST_F(OwnKernels, RunNothingOnTheHostAndStayInTheirFolder) {
  const std::string own = "kernel: scale.ptx\n";
  EXPECT_TRUE(errorWith("// warpscope: reference = host steal\n" + std::string(kScalePtx), own)
                  .ends_with("scale.ptx:1: a kernel in a lesson has no reference on the host"));
  EXPECT_TRUE(errorWith(std::string(kScalePtx) + "// warpscope scale: arg0 = \"/etc/passwd\"[n]\n", own)
                  .ends_with("scale.ptx:19: a kernel in a lesson reads no files"));
  EXPECT_TRUE(errorWith(kScalePtx, "kernel: missing.ptx\n").starts_with(":6: kernel: "));
  for (const char* outside :
       {"../scale.ptx", "/tmp/scale.ptx", ".ptx", "scale.txt", "a b.ptx", "C:scale.ptx"}) {
    EXPECT_TRUE(errorWith(kScalePtx, std::string("kernel: ") + outside + "\n")
                    .starts_with(std::string(":6: kernel: '") + outside + "' is not the name of a file"))
        << outside;
  }
  EXPECT_EQ(errorWith(kScalePtx, own + "family: divergence\n"),
            ":6: a scene shows a family or a kernel of a file, not both");
  EXPECT_TRUE(
      errorWith(kScalePtx, own + "variant: other\n").starts_with(":7: scale.ptx has no variant 'other'"));
  EXPECT_EQ(errorOf(kHead + withBlock("show", own)),
            "x.md:6: kernel: a lesson without a folder has no kernels of its own");
}

TEST_F(OwnKernels, AFileThatWasChangedIsLaunchedAnew) {
  const auto device = openDevice("sim:teaching", {});
  ASSERT_TRUE(device);
  RunKeeper runs(**device);
  const auto launch = [&](const std::string& kernel) {
    const auto lesson = lessonWith(kernel, "kernel: scale.ptx\n");
    EXPECT_TRUE(lesson) << lesson.error().message;
    const auto run = runs.run(lesson->steps[0].scene.request(), {});
    EXPECT_TRUE(run) << run.error().message;
    return *run;
  };
  const auto first = launch(kScalePtx);
  EXPECT_EQ(launch(kScalePtx), first);
  std::string changed = kScalePtx;
  changed.replace(changed.find("st.global.u32 [%rd3], %r4;"), 26, "st.global.u32 [%rd3], %r1;");
  EXPECT_NE(launch(changed), first);
}

class OnTheSimulatedGpu : public testing::Test {
 protected:
  static Device& device() {
    static const std::unique_ptr<Device> device = *openDevice("sim:teaching", {});
    return *device;
  }
  static LessonCheck check(const std::string& text) {
    const auto lesson = lessonOf(text, "x.md");
    EXPECT_TRUE(lesson) << lesson.error().message;
    return *checkLesson(*lesson, {&device(), nullptr}, [](size_t) {}, {});
  }
};

TEST_F(OnTheSimulatedGpu, TheScaffoldIsRight) {
  const LessonCheck checked = check(lessonScaffold());
  for (const LessonFinding& finding : checked.findings) ADD_FAILURE() << finding.line << ": " << finding.text;
  EXPECT_EQ(checked.claims, 2U);
  EXPECT_EQ(checked.questions, 4U);
  EXPECT_EQ(checked.numbers, 4U);
}

TEST_F(OnTheSimulatedGpu, WhatIsNotSoIsFoundAtItsLine) {
  const auto findings = [](const std::string& text) { return check(text).findings; };
  const auto wrong =
      findings(kHead +
               withBlock("show",
                         "family: divergence\nvariant: even_odd\nwarp: 900:0\nregion: nowhere\nclaim: "
                         "lost_lane_share < 0.1\nclaim: verified = 1\n") +
               withBlock("ask", "question: a\noption: b | verified = 1\noption: c | block > 0\n"));
  ASSERT_EQ(wrong.size(), 4U);
  EXPECT_EQ(wrong[0].text, "the run has no region 'nowhere'");
  EXPECT_EQ(wrong[1].text, "the run did not record warp 0 of block 900");
  EXPECT_EQ(wrong[2].line, 10U);
  EXPECT_TRUE(wrong[2].text.starts_with("'lost_lane_share < 0.1' is not so on ")) << wrong[2].text;
  EXPECT_EQ(wrong[3].line, 14U);
  EXPECT_TRUE(wrong[3].text.find("the run agrees with several options: 'b' and 'c'") != std::string::npos)
      << wrong[3].text;

  const auto never =
      findings(kHead + kShow + withBlock("ask", "question: a\ndrag: block\nwhere: theoretical > 2\n"));
  ASSERT_EQ(never.size(), 1U);
  EXPECT_TRUE(never[0].text.starts_with("no value of 'block' is right on ")) << never[0].text;
  const auto unpainted = findings(kHead + kShow + withBlock("ask", "question: a\npaint: nothing\n"));
  ASSERT_EQ(unpainted.size(), 1U);
  EXPECT_TRUE(unpainted[0].text.find("has no region 'nothing'; it has 'load'") != std::string::npos)
      << unpainted[0].text;
}

TEST_F(OnTheSimulatedGpu, AnswersAreComparedWithTheRun) {
  const auto lesson = lessonOf(lessonScaffold(), "x.md");
  const auto request = requestOn(device(), lesson->steps[1].scene.request());
  ASSERT_TRUE(request);
  const auto run = device().run(*request, [](const Progress&) {}, {});
  ASSERT_TRUE(run) << run.error().message;
  const StepRuns runs{{"", &*run}};
  const LessonScene& scene = lesson->steps[1].scene;

  const auto choice = rightAnswer(*lesson->steps[1].question, scene, runs);
  ASSERT_TRUE(choice) << choice.error().message;
  EXPECT_EQ(choice->option, 0U);
  EXPECT_TRUE(isRight(*lesson->steps[1].question, {.option = 0}, *choice));
  EXPECT_FALSE(isRight(*lesson->steps[1].question, {.option = 1}, *choice));

  const LessonQuestion& paint = *lesson->steps[3].question;
  const auto lanes = rightAnswer(paint, scene, runs);
  ASSERT_TRUE(lanes) << lanes.error().message;
  EXPECT_EQ(lanes->lanes->bits, 0xAAAAAAAAU);  // the odd ones
  EXPECT_TRUE(isRight(paint, {.lanes = LaneMask{0xAAAAAAAAU}}, *lanes));
  EXPECT_FALSE(isRight(paint, {.lanes = LaneMask{0x55555555U}}, *lanes));

  // The number needs another variant's run, too.
  EXPECT_FALSE(rightAnswer(*lesson->steps[2].question, scene, runs));
  EXPECT_EQ(requestsOf(lesson->steps[2]).size(), 2U);
}

TEST_F(OnTheSimulatedGpu, AllValuesThatAreRightToDragToAreFound) {
  const auto right = [&](const std::string& where) {
    const auto lesson = lessonOf(kHead +
                                     withBlock("show",
                                               "family: divergence\nvariant: even_odd\nblock: 64\nsize: "
                                               "256\nwork: 8\n") +
                                     withBlock("ask", "question: a\ndrag: block\nstep: 64\nwhere: " + where),
                                 "x.md");
    EXPECT_TRUE(lesson) << lesson.error().message;
    RunKeeper keeper(device());
    StepRuns runs;
    EXPECT_TRUE(keeper.collect(requestsOf(lesson->steps[0]), runs, {}));
    const auto texts = rightSettings(lesson->steps[0], keeper, runs, {});
    EXPECT_TRUE(texts) << texts.error().message;
    return *texts;
  };
  using Texts = std::vector<std::string>;
  EXPECT_EQ(right("threads_per_block = 384\n"), Texts{"384"});
  EXPECT_EQ(right("threads_per_block > 300\n"), Texts{"320 – 512"});
  EXPECT_EQ(right("(threads_per_block - 192) * (threads_per_block - 448) = 0\n"), (Texts{"192", "448"}));
  EXPECT_EQ(right("threads_per_block = 96\n"), Texts{}) << "it is no multiple of the step";
  EXPECT_EQ(right("before.threads_per_block = 256\n"), Texts{"320"}) << "the offered one before";
  EXPECT_EQ(right("counter.nothing > 1\n"), Texts{}) << "no device has such a counter";

  // Of 1024 values every 16th is run, and the edges are found between those.
  const auto long_row = lessonOf(
      kHead + withBlock("show", "family: mapping\nvariant: block_1d\nblock_x: 32\nblocks: 1\n") +
          withBlock("ask", "question: a\ndrag: block_x\nwhere: (block_x - 35) * (block_x - 71) < 0\n"),
      "x.md");
  ASSERT_TRUE(long_row) << long_row.error().message;
  RunKeeper keeper(device());
  StepRuns runs;
  ASSERT_TRUE(keeper.collect(requestsOf(long_row->steps[0]), runs, {}));
  EXPECT_EQ(DragValues(long_row->steps[0], keeper, runs, {}).stride(), 16U);
  const auto edges = rightSettings(long_row->steps[0], keeper, runs, {});
  ASSERT_TRUE(edges) << edges.error().message;
  EXPECT_EQ(*edges, Texts{"36 – 70"});

  const LessonQuestion question{.step = 1000};
  EXPECT_EQ(inStepsOf(question, {0, 500, 1000, 2000}), (std::vector<int64_t>{0, 1000, 2000}));
  EXPECT_EQ(inStepsOf(question, {768, 1000, 3072}), (std::vector<int64_t>{768, 1000, 3072}))
      << "what was recorded";
}

TEST_F(OnTheSimulatedGpu, NumbersInTextsAreTheRunsOwn) {
  const auto lesson =
      lessonOf(kHead + withBlock("show", "family: divergence\nvariant: even_odd\nblock: 256\n") +
                   "\nblock {block}, {lost_lane_share}, {2 * block} and `{code}`\n",
               "x.md");
  ASSERT_TRUE(lesson) << lesson.error().message;
  auto run = device().run(*requestOn(device(), lesson->steps[0].scene.request()), [](const Progress&) {}, {});
  const StepRuns runs{{"", &*run}};
  std::string text;
  for (const MarkdownSpan& span : withNumbers(lesson->steps[0].caption[0], [&](const TextNumber& number) {
         return numberText(number, lesson->steps[0].scene, runs);
       }))
    text += span.text;
  EXPECT_TRUE(text.starts_with("block 256, 4")) << text;
  EXPECT_TRUE(text.ends_with(" %, 512 and {code}")) << text;
}

TEST_F(OnTheSimulatedGpu, ItIsKnownWhereARecordingIsOfAnotherLaunch) {
  const auto lesson = lessonOf(
      kHead + withBlock("show", "family: divergence\nvariant: even_odd\nblock: 256\nwork: 512\n"), "x.md");
  ASSERT_TRUE(lesson) << lesson.error().message;
  const LessonScene& scene = lesson->steps[0].scene;
  RunKeeper runs(device());
  auto small = scene.request(), large = small;
  small.parameters["size"] = 1024;
  large.parameters["size"] = 4096;
  StepRuns shown, recorded;
  ASSERT_TRUE(runs.collect({{"", small}, {"other", small}}, shown, {}));
  ASSERT_TRUE(runs.collect({{"", large}, {"other", large}, {"third", large}}, recorded, {}));
  const auto settings = recordedSettings(scene, shown, recorded);
  ASSERT_EQ(settings.size(), 1U) << "each once";
  EXPECT_EQ(settings[0].spec->name, "size");
  EXPECT_EQ(settings[0].value, 4096);
  EXPECT_TRUE(recordedSettings(scene, shown, shown).empty());
}

TEST_F(OnTheSimulatedGpu, AHandoutHidesTheAnswersOrShowsThem) {
  const auto lesson = lessonOf(kHead + "<b>bold</b> [web](https://example.org) [no](javascript:alert)\n" +
                                   withBlock("show", "family: divergence\nvariant: even_odd\n") +
                                   withBlock("ask",
                                             "question: a < b?\noption: both at once | lost_lane_share < "
                                             "0.1\noption: in turn | lost_lane_share > 0.4\n") +
                                   "\nIt lost {lost_lane_share}.\n",
                               "x.md");
  ASSERT_TRUE(lesson) << lesson.error().message;
  RunKeeper runs(device());
  std::vector<HandoutStep> steps(1);
  ASSERT_TRUE(runs.collect(requestsOf(lesson->steps[0]), steps[0].runs, {}));
  steps[0].svg = "<svg/>";
  const auto has = [](const std::string& html, const std::string& text) {
    return html.find(text) != std::string::npos;
  };

  const std::string students = handoutOf(*lesson, steps, {.device = "D"});
  EXPECT_TRUE(has(students, "☐ both at once") && has(students, "☐ in turn"));
  EXPECT_FALSE(has(students, "☑") || has(students, "It lost") || has(students, "<img"));
  EXPECT_TRUE(has(students, "&lt;b&gt;bold&lt;/b&gt;")) << "HTML in a lesson is text";
  EXPECT_TRUE(has(students, "<a href=\"https://example.org\">web</a>"));
  EXPECT_FALSE(has(students, "javascript"));

  const std::string key = handoutOf(*lesson, steps, {.answers = true, .device = "D"});
  EXPECT_TRUE(has(key, "☐ both at once") && has(key, "☑ in turn"));
  EXPECT_TRUE(has(key, "It lost 4") && has(key, " %."));
  EXPECT_TRUE(has(key, "src=\"data:image/svg+xml;base64,PHN2Zy8+\""));

  const auto dragged =
      lessonOf(kHead + kShow + withBlock("ask", "question: a\ndrag: block\nwhere: blocks = 1\n"), "x.md");
  ASSERT_TRUE(dragged) << dragged.error().message;
  steps[0].settings = {"384", "512 – 1024"};
  EXPECT_TRUE(has(handoutOf(*dragged, steps, {.answers = true}), "Right: block 384, 512 – 1024<"));
  EXPECT_FALSE(has(handoutOf(*dragged, steps, {}), "384"));
}

}  // namespace
}  // namespace warpscope
