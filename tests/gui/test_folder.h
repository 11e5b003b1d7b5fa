// A new empty folder for one test, gone when the test is over.
#pragma once

#include <filesystem>

#include "tests/support/built_program.h"

namespace warpscope::testing {

class TestFolder {
 public:
  TestFolder() : path_(makeScratchFolder()) {}
  ~TestFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace warpscope::testing
