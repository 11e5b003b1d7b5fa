// Draws one view with a synthetic run to a PNG, off screen: to look at a view without the program around it.
//   xvfb-run -a build/bin/view_snapshot timeline out.png --scenario many --theme light --scale 1.5
#define STB_IMAGE_WRITE_IMPLEMENTATION
#include <backends/imgui_impl_glfw.h>
#include <backends/imgui_impl_opengl3.h>
#include <glad/gl.h>
#include <stb_image_write.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/synthetic_trace.h"
#include "viz/layout/trace_layout.h"
#include "viz/views/view.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

namespace warpscope {
namespace {

struct Options {
  std::string view = "timeline", out, scenario = "few", theme = "dark";
  float scale = 1, row_height = 0;
  int width = 1280, height = 720, frames = 3;
  std::vector<double> zoom;
  std::vector<float> mouse;
  std::vector<uint32_t> select;
  double first_row = 0;
  bool by_block = false, refreshing = false, rectangles = false, instructions = false;
};

class PrintedReport : public WidgetReport {
 public:
  explicit PrintedReport(bool print) : print_(print) {}
  void widget(const std::string& name, ImVec2 min, ImVec2 max) override {
    if (print_) std::printf("%s %.0f %.0f %.0f %.0f\n", name.c_str(), min.x, min.y, max.x, max.y);
  }

 private:
  bool print_;
};

Run runOf(const testing::SyntheticOptions& options) {
  Run run = testing::makeSyntheticRun();
  run.trace = testing::makeSyntheticTrace(options).truth;
  run.block = {options.block_threads, 1, 1};
  run.grid = {options.blocks, 1, 1};
  return run;
}

std::optional<Run> makeRun(const std::string& scenario) {
  if (scenario == "none") return std::nullopt;
  if (scenario == "one") return runOf({.sms = 1, .blocks = 1, .block_threads = 32});
  if (scenario == "many") return runOf({.sms = 32, .blocks = 1000, .block_threads = 256, .trips = 8});
  if (scenario == "long") return runOf({.sms = 8, .blocks = 64, .block_threads = 128, .trips = 40});
  Run run = testing::makeSyntheticRun();
  if (scenario == "empty") run.trace = {};
  if (scenario == "unaligned") {
    run.trace.clocks.uncertainty_ns.reset();
    if (!run.trace.clocks.sms.empty()) run.trace.clocks.sms.back().uncertainty_ns.reset();
    run.trace.problems.push_back({.cause = "12 warps found no free slot: only the first 4,096 are shown"});
  }
  return run;
}

std::unique_ptr<View> makeView(const std::string& name) {
  if (name == "lanes") return makeLanesView();
  return makeTimelineView();
}

// Frames go to a texture of exactly the size asked for, whatever the screen.
void makeTarget(int width, int height) {
  GLuint texture = 0, buffer = 0;
  glGenTextures(1, &texture);
  glBindTexture(GL_TEXTURE_2D, texture);
  glTexImage2D(GL_TEXTURE_2D, 0, GL_RGB8, width, height, 0, GL_RGB, GL_UNSIGNED_BYTE, nullptr);
  glGenFramebuffers(1, &buffer);
  glBindFramebuffer(GL_FRAMEBUFFER, buffer);
  glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
}

int writePixels(const Options& options) {
  std::vector<unsigned char> pixels(static_cast<size_t>(options.width) * static_cast<size_t>(options.height) *
                                    3);
  glPixelStorei(GL_PACK_ALIGNMENT, 1);
  glReadPixels(0, 0, options.width, options.height, GL_RGB, GL_UNSIGNED_BYTE, pixels.data());
  stbi_flip_vertically_on_write(1);
  return stbi_write_png(options.out.c_str(), options.width, options.height, 3, pixels.data(),
                        options.width * 3) != 0
             ? 0
             : 1;
}

void drawFrame(const Options& options, View& view, ViewInput& input, ViewState& state) {
  ImGui_ImplOpenGL3_NewFrame();
  ImGui_ImplGlfw_NewFrame();
  ImGuiIO& io = ImGui::GetIO();
  io.DisplaySize = {static_cast<float>(options.width), static_cast<float>(options.height)};
  io.DisplayFramebufferScale = {1, 1};
  if (options.mouse.size() == 2) io.MousePos = {options.mouse[0], options.mouse[1]};
  ImGui::NewFrame();
  ImGui::SetNextWindowPos({0, 0});
  ImGui::SetNextWindowSize(io.DisplaySize);
  const auto begin = std::chrono::steady_clock::now();
  ImGui::PushStyleColor(ImGuiCol_WindowBg, input.theme->background);
  ImGui::Begin("view", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings);
  view.draw(input, state);
  ImGui::End();
  ImGui::PopStyleColor();
  ImGui::Render();
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
  std::fprintf(stderr, "frame built in %.2f ms, %d vertices\n", took.count(),
               ImGui::GetDrawData()->TotalVtxCount);
}

void draw(const Options& options, const std::shared_ptr<const Run>& run) {
  const ThemeKind kind = options.theme == "light"      ? ThemeKind::kLight
                         : options.theme == "contrast" ? ThemeKind::kHighContrast
                                                       : ThemeKind::kDark;
  const Theme theme = makeTheme(kind, options.scale);
  const Fonts fonts = loadFonts(options.scale);
  ImGui::GetIO().FontDefault = fonts.text;
  applyTheme(theme);
  PrintedReport quiet(false), printed(options.rectangles);
  ViewState state;
  state.row_height = options.row_height;
  state.first_row = options.first_row;
  state.instructions = options.instructions;
  if (options.by_block) state.grouping = ViewState::Grouping::kByBlock;
  if (options.select.size() == 2)
    state.selected_warp = WarpKey{BlockId{options.select[0]}, options.select[1]};
  std::optional<TraceLayout> layout;
  if (run) layout.emplace(*run);
  if (options.zoom.size() == 2) {
    state.fitted = false;
    state.begin_cycles = options.zoom[0];
    state.end_cycles = options.zoom[1];
  }
  ViewInput input{.run = run,
                  .layout = layout ? &*layout : nullptr,
                  .refreshing = options.refreshing,
                  .empty_message = "Nothing has run yet. Press Space, or turn Live on."};
  input.theme = &theme;
  input.fonts = &fonts;
  const auto view = makeView(options.view);
  makeTarget(options.width, options.height);
  for (int frame = 0; frame < options.frames; ++frame) {
    input.report = frame + 1 == options.frames ? &printed : &quiet;
    drawFrame(options, *view, input, state);
    const ImVec4 clear = ImGui::ColorConvertU32ToFloat4(theme.background);
    glClearColor(clear.x, clear.y, clear.z, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
  }
}

int snapshot(const Options& options) {
  if (glfwInit() == GLFW_FALSE) {
    std::fputs("no display: run me under xvfb-run -a\n", stderr);
    return 1;
  }
  glfwWindowHint(GLFW_VISIBLE, GLFW_FALSE);
  glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
  glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
  glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
  GLFWwindow* window = glfwCreateWindow(64, 64, "view_snapshot", nullptr, nullptr);
  if (window == nullptr) {
    std::fputs("no OpenGL 3.3 here: set LIBGL_ALWAYS_SOFTWARE=1\n", stderr);
    return 1;
  }
  glfwMakeContextCurrent(window);
  gladLoadGL(glfwGetProcAddress);
  ImGui::CreateContext();
  ImGui::GetIO().IniFilename = nullptr;
  ImGui_ImplGlfw_InitForOpenGL(window, false);
  ImGui_ImplOpenGL3_Init("#version 330");
  auto made = makeRun(options.scenario);
  if (made && options.instructions) {
    testing::addInstructions(*made);
    made->device.provenance = Provenance::kModelled;
  }
  draw(options, made ? std::make_shared<const Run>(std::move(*made)) : nullptr);
  const int status = writePixels(options);
  ImGui_ImplOpenGL3_Shutdown();
  ImGui_ImplGlfw_Shutdown();
  ImGui::DestroyContext();
  glfwTerminate();
  return status;
}

}  // namespace
}  // namespace warpscope

int main(int argc, char** argv) {
  warpscope::Options options;
  CLI::App app("Draws one view with a synthetic run to a PNG.");
  app.add_option("view", options.view, "timeline or lanes")->required();
  app.add_option("out", options.out, "the PNG")->required();
  app.add_option("--scenario", options.scenario)
      ->check(CLI::IsMember({"none", "empty", "one", "few", "many", "long", "unaligned"}));
  app.add_option("--theme", options.theme)->check(CLI::IsMember({"dark", "light", "contrast"}));
  app.add_option("--scale", options.scale);
  app.add_option("--width", options.width);
  app.add_option("--height", options.height);
  app.add_option("--frames", options.frames);
  app.add_option("--zoom", options.zoom, "begin and end, in cycles")->expected(2);
  app.add_option("--mouse", options.mouse, "x and y, in pixels")->expected(2);
  app.add_option("--select", options.select, "block and warp")->expected(2);
  app.add_option("--row-height", options.row_height);
  app.add_option("--first-row", options.first_row);
  app.add_flag("--by-block", options.by_block);
  app.add_flag("--instructions", options.instructions, "a modelled run, its instructions shown");
  app.add_flag("--refreshing", options.refreshing);
  app.add_flag("--rectangles", options.rectangles, "print the reported widgets of the last frame");
  CLI11_PARSE(app, argc, argv);
  return warpscope::snapshot(options);
}
