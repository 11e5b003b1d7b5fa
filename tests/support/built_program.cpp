#include "tests/support/built_program.h"

#include <fmt/format.h>
#include <sys/wait.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

namespace warpscope::testing {

std::string contentOf(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::filesystem::path builtProgram() {
  return WARPSCOPE_PROGRAM;
}

std::filesystem::path makeScratchFolder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "warpscope-test-XXXXXX").string();
  return mkdtemp(pattern.data());
}

Outcome runProgram(const std::string& arguments, const std::filesystem::path& assets,
                   const std::filesystem::path& scratch, const std::string& wrapper) {
  const std::string assets_variable =
      assets.empty() ? std::string() : fmt::format("WARPSCOPE_ASSETS='{}'", assets.string());
  const auto out = scratch / "out", err = scratch / "err";
  const std::string command =
      fmt::format("env -u DISPLAY -u WAYLAND_DISPLAY {} {} '{}' {} </dev/null >'{}' 2>'{}'", assets_variable,
                  wrapper, WARPSCOPE_PROGRAM, arguments, out.string(), err.string());
  const int status = std::system(command.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, contentOf(out), contentOf(err)};
}

}  // namespace warpscope::testing
