// Runs a program to its end with limited time and memory, and collects what it prints. (For a program that
// one talks with, see ChildProcess in kernels/device/service.)
#pragma once

#include <cstdint>
#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

#include "kernels/core/error.h"

namespace warpscope {

struct ProcessLimits {
  double time_s = 60;
  uint64_t memory_bytes = uint64_t{4} << 30;  // address space of each process; 0: not limited
};

struct ProcessEnd {
  int exit_status = -1;  // -1: a signal ended it
  int signal = 0;
  bool timed_out = false;
  std::string output;  // standard output and standard error, as they came
};

// arguments[0] is the program's path. Its output is collected in a file in `scratch`. The program and all
// that it starts are killed at the time limit and when `stop` is requested. Errors: kNoDevice, it cannot be
// started; kCancelled.
Expected<ProcessEnd> runLimited(const std::vector<std::string>& arguments, const ProcessLimits& limits,
                                const std::filesystem::path& scratch, const std::stop_token& stop);

std::string usualSearchPath();  // $PATH
// The first program of these names in the folders of `search_path` (as $PATH is written); empty: there is
// none.
std::filesystem::path findProgram(const std::vector<std::string>& names, const std::string& search_path);

}  // namespace warpscope
