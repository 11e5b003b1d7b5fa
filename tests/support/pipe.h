// A pipe that a test owns.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>
#include <utility>

namespace warpscope::testing {

struct TestPipe {
  int read = -1, write = -1;

  TestPipe() {
    int ends[2] = {-1, -1};
    EXPECT_EQ(pipe2(ends, O_CLOEXEC), 0);
    read = ends[0];
    write = ends[1];
  }
  ~TestPipe() {
    closeRead();
    closeWrite();
  }
  TestPipe(const TestPipe&) = delete;
  TestPipe& operator=(const TestPipe&) = delete;

  void closeRead() {
    if (read >= 0) close(std::exchange(read, -1));
  }
  void closeWrite() {
    if (write >= 0) close(std::exchange(write, -1));
  }
  void send(const std::string& bytes) const {
    ASSERT_EQ(::write(write, bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  }
  std::string readAll() const {
    std::string all;
    char buffer[4096];
    for (ssize_t count = 0; (count = ::read(read, buffer, sizeof buffer)) > 0;) {
      all.append(buffer, static_cast<size_t>(count));
    }
    return all;
  }
};

}  // namespace warpscope::testing
