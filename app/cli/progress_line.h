// One line on stderr that says what is being done: on a terminal it is rewritten in place and removed at the
// end; in a log it appears only where the caller asks for a line.
#pragma once

#include <chrono>
#include <mutex>
#include <string>

namespace warpscope {

// Any thread may report.
class ProgressLine {
 public:
  ProgressLine();
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  bool interactive() const { return interactive_; }
  // Replaces the line; on a terminal only.
  void show(const std::string& line);
  // The same for work that may finish quickly: nothing in the first second, then at most ten times per
  // second. `share` is 0..1.
  void showShare(const std::string& what, double share);
  void clear();  // before anything else is printed
  // A line that stays.
  void say(const std::string& line);

 private:
  using Clock = std::chrono::steady_clock;
  void replace(const std::string& line);

  bool interactive_, shown_ = false;
  Clock::time_point begin_ = Clock::now(), next_ = begin_ + std::chrono::seconds(1);
  std::mutex mutex_;
};

}  // namespace warpscope
