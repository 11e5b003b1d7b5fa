// The meaning of a run's counters (Run::counters), for a reader who does not know Nsight Compute's names.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace warpscope {

struct CounterText {
  std::string_view name;   // Nsight Compute's name, or "ptx.*" for what only a simulator can count
  std::string_view title;  // "global load sectors"
  std::string_view unit;   // "sectors", "%", "B", "ns"; empty for a plain number
  std::string_view group;  // "Instructions": the counters of a group are consecutive
};

// In the order in which they are shown. Warp states are not included: warp_state.h names those.
std::span<const CounterText> counterTexts();
const CounterText* findCounterText(std::string_view name);  // nullptr if it is unknown

// "65,536 sectors", "1.678 M sectors", "83.2 %", "3.658 µs", "16 MiB"
std::string formatCounter(double value, std::string_view unit);

}  // namespace warpscope
