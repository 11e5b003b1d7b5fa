// Runs the built program as a script would, without a display.
#pragma once

#include <filesystem>
#include <string>

namespace warpscope::testing {

struct Outcome {
  int status = -1;  // exit status; -1: it did not exit
  std::string out, err;
};

// `arguments` as for a shell. `assets` replaces the program's own assets; empty: its own. The output is
// collected in files in `scratch`. `wrapper` is a command that starts the program, "sh limited.sh".
Outcome runProgram(const std::string& arguments, const std::filesystem::path& assets,
                   const std::filesystem::path& scratch, const std::string& wrapper = "");

std::filesystem::path builtProgram();

// A new folder for a test's files; the caller removes it.
std::filesystem::path makeScratchFolder();

std::string contentOf(const std::filesystem::path& path);

}  // namespace warpscope::testing
