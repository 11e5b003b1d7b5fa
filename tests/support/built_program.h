// Runs the built program as a script would, without a display.
#pragma once

#include <filesystem>
#include <string>

namespace warpscope::testing {

struct Outcome {
  int status = -1;  // exit status; -1: it did not exit
  std::string out, err;
};

// `arguments` as a shell takes them. `assets` stands in for the program's own; empty: its own. What it prints
// is gathered in files in `scratch`. `wrapper`: a command that starts the program, "sh limited.sh".
Outcome runProgram(const std::string& arguments, const std::filesystem::path& assets,
                   const std::filesystem::path& scratch, const std::string& wrapper = "");

// A new folder for a test's files; whoever asks removes it.
std::filesystem::path makeScratchFolder();

std::string contentOf(const std::filesystem::path& path);

}  // namespace warpscope::testing
