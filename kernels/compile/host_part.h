// NVRTC takes kernels alone. This takes the host's part out of a source file, as far as a glance at the text
// shows it: functions of the host, and headers of its standard library.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace warpscope {

struct DevicePart {
  // The source with spaces in place of the host's functions. Lines and columns stay where they are.
  std::string text;
  // Kernels that are templates, with the arguments that the host's functions launch them with: "scan<float>".
  // Without a launch there would be no such kernels. Those that the file instantiates explicitly are left
  // out.
  std::vector<std::string> launched;
};
DevicePart withoutHostPart(std::string_view source);

// A stand-in for a header of the host's standard library, with what kernels use of it.
struct StandInHeader {
  const char* name;
  const char* content;
};
// One of them is to be included before each source: integers of the host's names, limits, constants.
inline constexpr const char* kPreludeName = "warpscope_prelude.h";
const std::vector<StandInHeader>& standInHeaders();

}  // namespace warpscope
