#include "tests/gui/real_window.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <thread>

#include "tests/gui/synthetic_recordings.h"

namespace warpscope::testing {
namespace {

using namespace std::chrono_literals;

bool inPath(const std::string& program) {
  const char* variable = std::getenv("PATH");
  const std::string paths = variable == nullptr ? "" : variable;
  for (size_t begin = 0; begin <= paths.size();) {
    const size_t end = std::min(paths.find(':', begin), paths.size());
    if (access((paths.substr(begin, end - begin) + "/" + program).c_str(), X_OK) == 0) return true;
    begin = end + 1;
  }
  return false;
}

std::string pixels(double position) {
  return fmt::format("{:.0f}", position);
}

}  // namespace

std::string missingTools() {
  if (!inPath("Xvfb")) return "Xvfb is not installed (Debian: xvfb)";
  if (!inPath("xdotool")) return "xdotool is not installed (Debian: xdotool)";
  return {};
}

Display::Display() {
  // Xvfb looks for a free display itself and says which. -r: keys do not repeat, even where a busy machine
  // lets time pass between the press of a key and its release.
  int ends[2];
  if (pipe(ends) != 0) return;
  server_ = Process({"Xvfb", "-displayfd", std::to_string(ends[1]), "-screen", "0", "1600x1000x24", "-r",
                     "-nolisten", "tcp"},
                    {}, ends[1]);
  ::close(ends[1]);
  char c = 0;
  std::string number;
  while (read(ends[0], &c, 1) == 1 && c != '\n') number += c;
  ::close(ends[0]);
  if (!number.empty()) name_ = ":" + number;
}

RealWindow::RealWindow(const Display& display, const std::filesystem::path& folder,
                       const std::vector<std::string>& arguments)
    : display_(display.name()), report_(folder / "report.json") {
  std::filesystem::remove(report_);
  std::vector<std::string> command{WARPSCOPE_PROGRAM, "gui", "--report", report_.string()};
  if (std::ranges::find(arguments, "--device") == arguments.end())
    command.insert(command.end(), {"--device", "recorded"});
  command.insert(command.end(), arguments.begin(), arguments.end());
  program_ = Process(
      command, {"DISPLAY=" + display_, "LC_ALL=C.UTF-8", "WARPSCOPE_ASSETS=" + (folder / "assets").string(),
                "XDG_CONFIG_HOME=" + (folder / "config").string(), "LIBGL_ALWAYS_SOFTWARE=1"});
}

Json RealWindow::report() const {
  std::ifstream file(report_);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  auto report = Json::parse(text);  // not there yet before the first frame
  return report ? std::move(*report) : Json();
}

std::optional<Rectangle> RealWindow::find(const std::string& widget) const {
  const Json widgets = report()["widgets"];
  const Json* found = widgets.find(widget);
  if (found == nullptr) return std::nullopt;
  const auto edge = [&](int i) { return found->at(i).get<double>(); };
  return Rectangle{edge(0), edge(1), edge(2), edge(3)};
}

::testing::AssertionResult RealWindow::until(const std::function<bool(const Json& state)>& condition) const {
  const auto end = std::chrono::steady_clock::now() + 30s;
  Json now;
  while (std::chrono::steady_clock::now() < end) {
    now = state();
    if (!now.empty() && condition(now)) return ::testing::AssertionSuccess();
    std::this_thread::sleep_for(5ms);  // between two looks at the report
  }
  return ::testing::AssertionFailure()
         << "What was waited for did not come within 30 s. The window's state: " << now.dump(1);
}

::testing::AssertionResult RealWindow::settled() const {
  return until([](const Json& state) {
    return state.contains("run") && !state["busy"].get<bool>() && !state["outdated"].get<bool>();
  });
}

::testing::AssertionResult RealWindow::rests() const {
  constexpr auto kQuiet = 120ms;
  const auto end = std::chrono::steady_clock::now() + 30s;
  uint64_t last = 0;
  auto since = std::chrono::steady_clock::now();
  while (std::chrono::steady_clock::now() < end) {
    const Json now = report();
    const uint64_t frame = now.empty() ? 0 : now["frame"].get<uint64_t>();
    if (frame == 0 || frame != std::exchange(last, frame)) since = std::chrono::steady_clock::now();
    if (std::chrono::steady_clock::now() - since > kQuiet) return ::testing::AssertionSuccess();
    std::this_thread::sleep_for(10ms);
  }
  return ::testing::AssertionFailure() << "The window draws without end.";
}

void RealWindow::xdotool(std::vector<std::string> arguments) const {
  arguments.insert(arguments.begin(), "xdotool");
  EXPECT_EQ(Process(arguments, {"DISPLAY=" + display_}).wait(), 0) << fmt::format("{}", arguments[1]);
}

void RealWindow::move(double x, double y) const {
  xdotool({"mousemove", pixels(x), pixels(y)});
  EXPECT_TRUE(until([&](const Json& state) {
    const Json& mouse = state["mouse"];
    return std::abs(mouse["x"].get<double>() - x) <= 1 && std::abs(mouse["y"].get<double>() - y) <= 1;
  })) << "the window did not see the mouse at "
      << x << ", " << y;
}

void RealWindow::setButton(bool down) const {
  xdotool({down ? "mousedown" : "mouseup", "1"});
  EXPECT_TRUE(until([&](const Json& state) { return state["mouse"]["down"] == down; }));
}

void RealWindow::click(const std::string& widget) const {
  const auto area = find(widget);
  ASSERT_TRUE(area) << widget << " is not on screen, so it cannot be clicked";
  move(area->x(), area->y());
  setButton(true);
  setButton(false);
}

void RealWindow::clickAndLeave(double x, double y, double to_x, double to_y) const {
  xdotool({"mousemove", pixels(x), pixels(y), "click", "1", "mousemove", pixels(to_x), pixels(to_y)});
}

void RealWindow::drag(double from_x, double from_y, double to_x, double to_y) const {
  move(from_x, from_y);
  setButton(true);
  constexpr int kSteps = 6;
  for (int i = 1; i <= kSteps; ++i) {
    const double share = static_cast<double>(i) / kSteps;
    move(from_x + (to_x - from_x) * share, from_y + (to_y - from_y) * share);
  }
  setButton(false);
}

void RealWindow::wheel(double x, double y, int notches) const {
  move(x, y);
  xdotool({"click", "--repeat", std::to_string(std::abs(notches)), "--delay", "1", notches > 0 ? "4" : "5"});
}

void RealWindow::type(const std::string& text) const {
  xdotool({"type", text});
}

void RealWindow::key(const std::string& keysym) const {
  xdotool({"key", keysym});
}

void RealWindowTest::SetUp() {
  if (const std::string missing = missingTools(); !missing.empty())
    GTEST_SKIP() << "no test on a display: " << missing;
  ASSERT_TRUE(writeSyntheticAssets(folder_ / "assets", {"divergence", "reduction"}));
  display_ = std::make_unique<Display>();
  ASSERT_TRUE(display_->ready()) << "Xvfb did not start";
}

void RealWindowTest::TearDown() {
  window_.reset();
  display_.reset();
}

void RealWindowTest::start(const std::vector<std::string>& arguments) {
  window_ = std::make_unique<RealWindow>(*display_, folder_, arguments);
}

::testing::AssertionResult RealWindowTest::shows(const std::string& variant) const {
  return window_->until(
      [&](const Json& state) { return state.contains("run") && state["run"]["variant"] == variant; });
}

int RealWindowTest::runProgram(std::vector<std::string> arguments) const {
  arguments.insert(arguments.begin(), WARPSCOPE_PROGRAM);
  return Process(arguments,
                 {"DISPLAY=" + display_->name(), "WARPSCOPE_ASSETS=" + (folder_ / "assets").string(),
                  "LIBGL_ALWAYS_SOFTWARE=1", "LC_ALL=C.UTF-8"})
      .wait();
}

}  // namespace warpscope::testing
