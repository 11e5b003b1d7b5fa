#include "tests/gui/driven_window.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <iterator>
#include <thread>
#include <utility>

namespace warpscope::testing {
namespace {

using namespace std::chrono_literals;

bool inPath(const std::string& program) {
  std::string paths = std::getenv("PATH") == nullptr ? "" : std::getenv("PATH");
  for (size_t begin = 0; begin <= paths.size();) {
    const size_t end = std::min(paths.find(':', begin), paths.size());
    if (access((paths.substr(begin, end - begin) + "/" + program).c_str(), X_OK) == 0) return true;
    begin = end + 1;
  }
  return false;
}

}  // namespace

Process::Process(const std::vector<std::string>& command, const std::vector<std::string>& environment,
                 int pass_fd) {
  pid_ = fork();
  if (pid_ != 0) return;
  // Mesa's drivers leak and are unloaded before LeakSanitizer looks, so it can neither name nor suppress
  // them.
  setenv("ASAN_OPTIONS", "detect_leaks=0", 0);
  for (const std::string& entry : environment) {
    const size_t equals = entry.find('=');
    setenv(entry.substr(0, equals).c_str(), entry.substr(equals + 1).c_str(), 1);
  }
  const int quiet = ::open("/dev/null", O_WRONLY);
  if (pass_fd >= 0) dup2(quiet, STDERR_FILENO);  // the X server's chatter
  dup2(quiet, STDOUT_FILENO);
  std::vector<char*> arguments;
  for (const std::string& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  execvp(arguments.front(), arguments.data());
  _exit(127);
}

Process::~Process() {
  if (pid_ > 0 && !status_) end(SIGKILL);
}

Process::Process(Process&& other) noexcept
    : pid_(std::exchange(other.pid_, 0)), status_(std::exchange(other.status_, std::nullopt)) {}

Process& Process::operator=(Process&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(status_, other.status_);
  return *this;
}

bool Process::running() {
  if (pid_ <= 0 || status_) return false;
  int status = 0;
  if (waitpid(pid_, &status, WNOHANG) == 0) return true;
  status_ = WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
  return false;
}

int Process::end(int signal) {
  if (running()) kill(pid_, signal);
  return wait();
}

int Process::wait() {
  if (!status_ && pid_ > 0) {
    int status = 0;
    waitpid(pid_, &status, 0);
    status_ = WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
  }
  return status_.value_or(-1);
}

std::string missingTools() {
  if (!inPath("Xvfb")) return "Xvfb is not installed (Debian: xvfb)";
  if (!inPath("xdotool")) return "xdotool is not installed (Debian: xdotool)";
  return {};
}

Display::Display() {
  // Xvfb looks for a free display itself and says which.
  int ends[2];
  if (pipe(ends) != 0) return;
  server_ = Process(
      {"Xvfb", "-displayfd", std::to_string(ends[1]), "-screen", "0", "1600x1000x24", "-nolisten", "tcp"}, {},
      ends[1]);
  ::close(ends[1]);
  char c = 0;
  std::string number;
  while (read(ends[0], &c, 1) == 1 && c != '\n') number += c;
  ::close(ends[0]);
  if (!number.empty()) name_ = ":" + number;
}

DrivenWindow::DrivenWindow(const Display& display, const std::filesystem::path& folder,
                           const std::vector<std::string>& arguments)
    : display_(display.name()), report_(folder / "report.json") {
  std::filesystem::remove(report_);
  std::vector<std::string> command{WARPSCOPE_PROGRAM, "gui", "--report", report_.string()};
  if (std::find(arguments.begin(), arguments.end(), "--device") == arguments.end()) {
    command.insert(command.end(), {"--device", "recorded"});
  }
  command.insert(command.end(), arguments.begin(), arguments.end());
  program_ = Process(
      command, {"DISPLAY=" + display_, "LC_ALL=C.UTF-8", "WARPSCOPE_ASSETS=" + (folder / "assets").string(),
                "XDG_CONFIG_HOME=" + (folder / "config").string(), "LIBGL_ALWAYS_SOFTWARE=1"});
}

Json DrivenWindow::report() const {
  std::ifstream file(report_);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  auto report = Json::parse(text);  // not there yet before the first frame
  return report ? std::move(*report) : Json();
}

std::optional<Rectangle> DrivenWindow::find(const std::string& widget) const {
  const Json widgets = report()["widgets"];
  const Json* found = widgets.find(widget);
  if (found == nullptr) return std::nullopt;
  const auto edge = [&](int i) { return found->at(i).get<double>(); };
  return Rectangle{edge(0), edge(1), edge(2), edge(3)};
}

bool DrivenWindow::until(const std::function<bool(const Json& state)>& condition) const {
  const auto end = std::chrono::steady_clock::now() + 30s;
  while (std::chrono::steady_clock::now() < end) {
    const Json now = state();
    if (!now.empty() && condition(now)) return true;
    std::this_thread::sleep_for(10ms);
  }
  return false;
}

bool DrivenWindow::settled() const {
  return until([](const Json& state) {
    return state.contains("run") && !state["busy"].get<bool>() && !state["outdated"].get<bool>();
  });
}

void DrivenWindow::xdotool(std::vector<std::string> arguments) const {
  arguments.insert(arguments.begin(), "xdotool");
  Process(arguments, {"DISPLAY=" + display_}).wait();
}

void DrivenWindow::move(double x, double y) const {
  xdotool({"mousemove", fmt::format("{:.0f}", x), fmt::format("{:.0f}", y)});
  // The window must have seen the mouse there before a button goes down.
  std::this_thread::sleep_for(120ms);
}

void DrivenWindow::click(double x, double y) const {
  move(x, y);
  xdotool({"mousedown", "1"});
  std::this_thread::sleep_for(80ms);
  xdotool({"mouseup", "1"});
  std::this_thread::sleep_for(80ms);
}

void DrivenWindow::click(const std::string& widget) const {
  if (const auto area = find(widget)) click(area->x(), area->y());
}

void DrivenWindow::controlClick(const std::string& widget) const {
  xdotool({"keydown", "ctrl"});
  std::this_thread::sleep_for(80ms);
  click(widget);
  xdotool({"keyup", "ctrl"});
}

void DrivenWindow::doubleClick(double x, double y) const {
  move(x, y);
  // Dear ImGui before 1.87 looks at the mouse once a frame: every press and release must last one.
  xdotool({"mousedown", "1", "sleep", "0.06", "mouseup", "1", "sleep", "0.06", "mousedown", "1", "sleep",
           "0.06", "mouseup", "1"});
  std::this_thread::sleep_for(80ms);
}

void DrivenWindow::clickAndLeave(double x, double y, double to_x, double to_y) const {
  xdotool({"mousemove", fmt::format("{:.0f}", x), fmt::format("{:.0f}", y), "click", "1", "mousemove",
           fmt::format("{:.0f}", to_x), fmt::format("{:.0f}", to_y)});
}

void DrivenWindow::rightClick(const std::string& widget) const {
  const auto area = find(widget);
  if (!area) return;
  move(area->x(), area->y());
  xdotool({"mousedown", "3"});
  std::this_thread::sleep_for(80ms);
  xdotool({"mouseup", "3"});
  std::this_thread::sleep_for(80ms);
}

void DrivenWindow::type(const std::string& text) const {
  xdotool({"type", "--delay", "40", text});
}

void DrivenWindow::press(double x, double y) const {
  move(x, y);
  xdotool({"mousedown", "1"});
  std::this_thread::sleep_for(80ms);
}

void DrivenWindow::release() const {
  std::this_thread::sleep_for(80ms);
  xdotool({"mouseup", "1"});
  std::this_thread::sleep_for(80ms);
}

void DrivenWindow::drag(double from_x, double from_y, double to_x, double to_y) const {
  press(from_x, from_y);
  constexpr int kSteps = 6;
  for (int i = 1; i <= kSteps; ++i) {
    const double share = static_cast<double>(i) / kSteps;
    xdotool({"mousemove", fmt::format("{:.0f}", from_x + (to_x - from_x) * share),
             fmt::format("{:.0f}", from_y + (to_y - from_y) * share)});
    std::this_thread::sleep_for(40ms);
  }
  release();
}

void DrivenWindow::wheel(double x, double y, int notches) const {
  move(x, y);
  for (int i = 0; i < std::abs(notches); ++i) {
    xdotool({"click", notches > 0 ? "4" : "5"});
    std::this_thread::sleep_for(60ms);
  }
}

void DrivenWindow::key(const std::string& keysym) const {
  xdotool({"keydown", keysym});
  std::this_thread::sleep_for(60ms);
  xdotool({"keyup", keysym});
}

int DrivenWindow::close() {
  return program_.end(SIGTERM);
}

}  // namespace warpscope::testing
