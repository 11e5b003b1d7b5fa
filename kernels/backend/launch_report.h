// The results of a launch besides the contents of memory, and the callbacks while it runs.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace warpscope {

// Called while a launch runs, by the thread that launches or by one of the device's, never by two at once.
struct LaunchListener {
  std::function<void(double share)> progress;  // done so far, 0..1; a real device cannot say
  // Takes the output of the kernel's printf as it is written. If empty, the report keeps that output.
  std::function<void(std::string_view text)> printed;
};

// The text that a kernel's printf wrote where no listener took it. A kernel that prints without end must not
// fill the host's memory, so only the first kMostBytes are kept.
struct PrintedText {
  static constexpr size_t kMostBytes = size_t{1} << 20;
  std::string text;
  uint64_t dropped_bytes = 0;

  void append(std::string_view more) {
    const size_t kept = more.size() < kMostBytes - text.size() ? more.size() : kMostBytes - text.size();
    text.append(more.substr(0, kept));
    dropped_bytes += more.size() - kept;
  }
  bool empty() const { return text.empty() && dropped_bytes == 0; }
};

struct LaunchReport {
  PrintedText printed;
};

}  // namespace warpscope
