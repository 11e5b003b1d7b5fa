// The program's window under test: a display of its own (Xvfb), the program on it with a report file, and
// real mouse and keyboard events (xdotool).
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "kernels/core/json.h"

namespace warpscope::testing {

// Runs until the end of the object; killed then.
class Process {
 public:
  Process() = default;
  // `environment`: NAME=VALUE, over the present one.
  Process(const std::vector<std::string>& command, const std::vector<std::string>& environment,
          int pass_fd = -1);
  ~Process();
  Process(Process&& other) noexcept;
  Process& operator=(Process&& other) noexcept;

  bool running();
  // Asks it to end (SIGTERM) or waits for it to; its exit status, or minus the signal that ended it.
  int end(int signal);
  int wait();

 private:
  pid_t pid_ = 0;
  std::optional<int> status_;
};

// Why window tests cannot run here; empty: they can.
std::string missingTools();

class Display {
 public:
  Display();
  bool ready() const { return !name_.empty(); }
  const std::string& name() const { return name_; }  // ":93"

 private:
  Process server_;
  std::string name_;
};

struct Rectangle {
  double x0 = 0, y0 = 0, x1 = 0, y1 = 0;
  double x(double share = 0.5) const { return x0 + (x1 - x0) * share; }
  double y(double share = 0.5) const { return y0 + (y1 - y0) * share; }
};

class DrivenWindow {
 public:
  DrivenWindow(const Display& display, const std::filesystem::path& folder,
               const std::vector<std::string>& arguments = {});

  // The program's last report; null before the first.
  Json report() const;
  Json state() const { return report()["state"]; }
  std::optional<Rectangle> find(const std::string& widget) const;
  // Until the report fulfils it, for at most 30 s.
  bool until(const std::function<bool(const Json& state)>& condition) const;
  // A run of the present settings is shown, and nothing is on its way.
  bool settled() const;
  uint64_t frames() const { return report()["frame"].get<uint64_t>(); }

  void move(double x, double y) const;
  void click(double x, double y) const;
  void click(const std::string& widget) const;
  void controlClick(const std::string& widget) const;
  void doubleClick(double x, double y) const;
  // All at once: between two frames of the window, most likely.
  void clickAndLeave(double x, double y, double to_x, double to_y) const;
  void rightClick(const std::string& widget) const;
  void type(const std::string& text) const;
  void press(double x, double y) const;  // the left button, until release()
  void release() const;
  void drag(double from_x, double from_y, double to_x, double to_y) const;
  void wheel(double x, double y, int notches) const;  // positive: away from the user, zooms in
  void key(const std::string& keysym) const;
  // Ends as a user does, by closing the window; the exit status.
  int close();
  bool running() { return program_.running(); }

 private:
  void xdotool(std::vector<std::string> arguments) const;

  std::string display_;
  std::filesystem::path report_;
  Process program_;
};

}  // namespace warpscope::testing
