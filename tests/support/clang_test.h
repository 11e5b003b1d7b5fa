// A test that compiles CUDA C++ with clang, in a folder of its own; skipped where clang is not installed.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "kernels/compile/limited_process.h"
#include "tests/support/built_program.h"

namespace warpscope::testing {

class ClangTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (findProgram({"clang++"}, std::getenv("PATH")).empty())
      GTEST_SKIP() << "clang is not here: apt install clang";
    folder_ = makeScratchFolder();
  }
  void TearDown() override {
    if (!folder_.empty()) std::filesystem::remove_all(folder_);
  }

  std::filesystem::path folder_;
};

}  // namespace warpscope::testing
