// The memory that a function takes, measured in a process of its own.
#pragma once

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>

namespace warpscope::testing {

// The most resident bytes of the child process that calls the function; the test fails unless that returns
// true.
template <class Function>
size_t peakBytesOf(Function&& function) {
  const pid_t child = fork();
  if (child == 0) _exit(function() ? 0 : 1);
  int status = 0;
  rusage usage{};
  EXPECT_EQ(wait4(child, &status, 0, &usage), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "status " << status;
  return static_cast<size_t>(usage.ru_maxrss) << 10;
}

}  // namespace warpscope::testing
