#include "app/cli/progress_line.h"

#include <fmt/format.h>
#include <unistd.h>

#include "app/cli/output.h"
#include "app/cli/terminal_text.h"

namespace warpscope {
namespace {

constexpr const char* kClearLine = "\r\033[K";

}  // namespace

ProgressLine::ProgressLine() : interactive_(isatty(STDERR_FILENO) != 0) {}

ProgressLine::~ProgressLine() {
  clear();
}

void ProgressLine::clear() {
  const std::lock_guard lock(mutex_);
  if (shown_) writeError(kClearLine);
  shown_ = false;
}

void ProgressLine::replace(const std::string& line) {
  writeError(kClearLine + terminalLine(line));
  shown_ = true;
}

void ProgressLine::show(const std::string& line) {
  const std::lock_guard lock(mutex_);
  if (interactive_) replace(line);
}

void ProgressLine::showShare(const std::string& what, double share) {
  const std::lock_guard lock(mutex_);
  if (!interactive_ || Clock::now() < next_) return;
  next_ = Clock::now() + std::chrono::milliseconds(100);
  const auto seconds = std::chrono::duration<double>(Clock::now() - begin_).count();
  replace(fmt::format("{:3.0f} % {} ({:.0f} s; Ctrl+C ends it)", 100 * share, what, seconds));
}

void ProgressLine::say(const std::string& line) {
  const std::lock_guard lock(mutex_);
  writeError((shown_ ? kClearLine : "") + terminalText(line) + "\n");
  shown_ = false;
}

}  // namespace warpscope
