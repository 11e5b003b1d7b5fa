// The page of the user's own kernel: a file is dropped, edited elsewhere and here, is wrong and right again.
#include <gtest/gtest.h>
#include <imgui.h>

#include <cstdlib>
#include <fstream>

#include "app/gui/programs.h"
#include "kernels/compile/limited_process.h"
#include "kernels/core/files.h"
#include "tests/gui/window_fixture.h"

namespace warpscope::testing {
namespace {

constexpr const char* kSource =
    R"(// warpscope: block = 64, n = 2^10, grid = ceil(n / block), in = random[n], out = zeros[n]
__global__ void twice(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 2 * in[i];
}
)";

class KernelWindowTest : public WindowTest {
 protected:
  void SetUp() override {
    if (findProgram({"clang++"}, std::getenv("PATH")).empty())
      GTEST_SKIP() << "clang is not here: apt install clang";
    WindowTest::SetUp();
    file_ = folder_ / "twice.cu";
    write(kSource);
    // The fixture's own folder of assets has recordings only.
    setenv("WARPSCOPE_ASSETS", WARPSCOPE_SOURCE_FOLDER "/assets", 1);
    start(StartOptions{.device = "sim:teaching", .width = 1400, .height = 900});
  }
  void write(const std::string& text) const { ASSERT_TRUE(replaceFile(file_, text)); }
  std::string written(const std::string& from, const std::string& to) const {
    std::string text = kSource;
    return text.replace(text.find(from), from.size(), to);
  }
  void dropFile() {
    window_->drop({file_});
    ASSERT_TRUE(window_->until([](const Json& state) {
      return state["family"].get<std::string>().ends_with("twice.cu") && state.contains("run") &&
             state["run"]["family"].get<std::string>().ends_with("twice.cu");
    }));
    ASSERT_TRUE(window_->rests());
  }
  // The program of the shown run has this text.
  auto showsRunOf(const std::string& text) const {
    return [this, text](const Json&) {
      const auto& run = window_->application().model().feed().shown().run;
      return run != nullptr && run->request.program != nullptr && run->request.program->source == text;
    };
  }
  const Programs& programs() const { return window_->ui().programs; }

  std::filesystem::path file_;
};

TEST_F(KernelWindowTest, AFileOfTheCommandLineIsCompiledAsAskedAndShowsTheNamedKernel) {
  write(written("2 * in[i]", "FACTOR * in[i]") +
        "__global__ void thrice(const float* in, float* out, int n) {\n"
        "  if (threadIdx.x < n) out[threadIdx.x] = 3 * in[threadIdx.x];\n}\n");
  StartOptions options{.device = "sim:teaching", .variant = "thrice", .width = 1400, .height = 900};
  options.program = file_;
  options.program_options.compiler = Compiler::kClang;
  options.program_options.defines = {"FACTOR=2"};
  start(options);
  ASSERT_TRUE(window_->until([](const Json& state) {
    return state.contains("run") && state["run"]["family"].get<std::string>().ends_with("twice.cu");
  }));
  ASSERT_TRUE(window_->rests());
  EXPECT_EQ(window_->state()["variant"].get<std::string>(), "thrice");
  EXPECT_EQ(programs().error(), "");
  EXPECT_EQ(programs().program()->compiler.substr(0, 5), "clang");
}

TEST_F(KernelWindowTest, ADroppedFileIsCompiledAndItsTimelineShown) {
  dropFile();
  EXPECT_EQ(window_->state()["variant"].get<std::string>(), "twice");
  EXPECT_EQ(shownBlock(), 64);
  EXPECT_TRUE(window_->find("view.timeline"));
  EXPECT_TRUE(window_->find("view.kernel.source"));
  const auto& run = window_->application().model().feed().shown().run;
  EXPECT_GT(run->trace.warps.size(), 0U);
  EXPECT_TRUE(run->verification.unchecked);
  EXPECT_EQ(programs().text(), kSource);
}

TEST_F(KernelWindowTest, ALineEditedInAnotherProgramChangesThePicture) {
  dropFile();
  const std::string changed = written("2 * in[i]", "in[i] * in[i] + 1");
  write(changed);
  ASSERT_TRUE(window_->until(showsRunOf(changed)));
  ASSERT_TRUE(window_->rests());
  EXPECT_EQ(programs().text(), changed);
  // The run of the version before stays as the ghost.
  const auto& kept = window_->application().model().compare().kept().runs;
  ASSERT_EQ(kept.size(), 1U);
  EXPECT_EQ(kept.front().run->request.program->source, kSource);
  // The next version takes the place of that, too.
  write(kSource);
  ASSERT_TRUE(window_->until(showsRunOf(kSource)));
  ASSERT_TRUE(window_->rests());
  ASSERT_EQ(window_->application().model().compare().kept().runs.size(), 1U);
}

TEST_F(KernelWindowTest, AnErrorAppearsAtItsLineAndGoes) {
  dropFile();
  write(written("2 * in[i];", "2 * in[i] +;"));
  ASSERT_TRUE(
      window_->until([this](const Json&) { return !programs().error().empty() && !programs().busy(); }));
  ASSERT_TRUE(window_->rests());
  ASSERT_FALSE(programs().diagnostics().empty());
  EXPECT_EQ(programs().diagnostics().front().line, 4U);
  EXPECT_NE(window_->text("kernel.message.4"), "");
  // The window goes on with what compiled last.
  EXPECT_TRUE(window_->state()["run"]["family"].get<std::string>().ends_with("twice.cu"));
  write(kSource);
  ASSERT_TRUE(
      window_->until([this](const Json&) { return programs().error().empty() && !programs().busy(); }));
  ASSERT_TRUE(window_->rests());
  EXPECT_TRUE(programs().diagnostics().empty());
}

TEST_F(KernelWindowTest, WhatIsTypedRunsWithF5AndIsSavedWithControlS) {
  dropFile();
  window_->click("kernel.editor");
  window_->key("ctrl+Home");
  window_->type("// mine ");
  ASSERT_TRUE(window_->until([this](const Json&) { return programs().text().starts_with("// mine"); }));
  EXPECT_TRUE(programs().isChanged());
  const std::string typed = programs().text();
  window_->key("F5");
  ASSERT_TRUE(window_->until(showsRunOf(typed)));
  EXPECT_EQ(readFile(file_).value(), kSource);
  window_->key("ctrl+s");
  ASSERT_TRUE(window_->until([&](const Json&) { return readFile(file_).value() == typed; }));
  EXPECT_FALSE(programs().isChanged());
}

TEST_F(KernelWindowTest, WhatWasTypedIsKeptWhenTheFileChangesToo) {
  dropFile();
  window_->click("kernel.editor");
  window_->key("ctrl+Home");
  window_->type("// mine ");
  ASSERT_TRUE(window_->until([this](const Json&) { return programs().text().starts_with("// mine"); }));
  const std::string typed = programs().text();
  write(written("2 * in[i]", "3 * in[i]"));
  ASSERT_TRUE(window_->until([](const Json& state) {
    return state["notice"].get<std::string>().find("changed by another program") != std::string::npos;
  }));
  EXPECT_EQ(programs().text(), typed);
  // Another file takes its place: nothing is lost.
  const auto other = folder_ / "other.cu";
  ASSERT_TRUE(replaceFile(other, kSource));
  window_->drop({other});
  ASSERT_TRUE(window_->until(
      [](const Json& state) { return state["family"].get<std::string>().ends_with("other.cu"); }));
  EXPECT_EQ(std::string(ImGui::GetClipboardText()), typed);
}

TEST_F(KernelWindowTest, TheLaunchIsWrittenIntoTheSource) {
  dropFile();
  window_->ui().model.setParameter("block", 128);
  ASSERT_TRUE(window_->settled());
  window_->click("kernel.comment");
  EXPECT_TRUE(programs().text().find("// warpscope twice: block = 128, n = 2^10") != std::string::npos)
      << programs().text();
  EXPECT_TRUE(programs().isChanged());
  ASSERT_TRUE(window_->settled());
  window_->click("kernel.comment_back");
  EXPECT_EQ(programs().text(), kSource);
  EXPECT_FALSE(programs().isChanged());
  ASSERT_TRUE(window_->settled());
  EXPECT_TRUE(window_->find("kernel.comment"));
}

TEST_F(KernelWindowTest, ANewKernelBeginsWithATemplateAndIsNotWrittenYet) {
  const InFolder here(folder_);
  window_->key("e");
  ASSERT_TRUE(window_->find("view.kernel.source"));
  EXPECT_GE(programs().templates().size(), 12U);
  window_->click("kernel.new.saxpy");
  ASSERT_TRUE(window_->until([](const Json& state) {
    return state["family"].get<std::string>().ends_with("saxpy.cu") && state.contains("run");
  }));
  ASSERT_TRUE(window_->rests());
  EXPECT_FALSE(std::filesystem::exists(folder_ / "saxpy.cu"));
  EXPECT_TRUE(programs().isChanged());
  window_->click("kernel.save");
  EXPECT_TRUE(std::filesystem::exists(folder_ / "saxpy.cu"));
}

}  // namespace
}  // namespace warpscope::testing
