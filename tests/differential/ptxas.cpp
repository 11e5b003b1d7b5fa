#include "tests/differential/ptxas.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace warpscope::test {

bool hasPtxas() {
  return std::filesystem::exists(kPtxas);
}

std::string ptxasErrors(const std::string& text) {
  const auto folder = std::filesystem::temp_directory_path() / fmt::format("warpscope_ptxas_{}", getpid());
  std::filesystem::create_directories(folder);
  const std::string file = (folder / "module.ptx").string();
  std::ofstream(file) << text;
  const int status =
      std::system(fmt::format("{0} -arch=sm_90 -O0 {1} -o {1}.cubin > {1}.log 2>&1", kPtxas, file).c_str());
  std::stringstream log;
  log << std::ifstream(file + ".log").rdbuf();
  std::filesystem::remove_all(folder);
  return status == 0 ? "" : fmt::format("status {}\n{}", status, log.str());
}

}  // namespace warpscope::test
