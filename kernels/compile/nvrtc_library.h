// NVRTC, NVIDIA's compiler as a library. It is loaded at run time, in a child process of its own: `warpscope
// nvrtc`.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace warpscope {

inline constexpr int kNvrtcNotHere = 3;

// Compiles `input` with the options and writes the PTX to `output`. Prints "NVRTC 13.0" on the first line of
// standard output, then what the compiler says. Returns the exit status: 0 done, 1 the source has errors,
// kNvrtcNotHere there is no NVRTC.
int compileInThisProcess(const std::filesystem::path& input, const std::filesystem::path& output,
                         const std::vector<std::string>& options);

}  // namespace warpscope
