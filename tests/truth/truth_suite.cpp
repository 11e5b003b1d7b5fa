// The truth suite's program:
//
//   truth_suite list FOLDER                  name, entry, file and part of each kernel
//   truth_suite launch FOLDER DEVICE [FILE]  three launches of each (of file FILE), and three more of the
//                                            first: measure.py
//   truth_suite check FOLDER DEVICE [FILE]   looks for hazards in each, on a simulated device
//   truth_suite compare FOLDER MEASURED.csv[,MORE.csv] [--device sim:h100] [--half open|judged|both] [--each]
//                       [--caches warm|cold] [--sms all|few] [--kernel NAME] [--file FILE] [--details] [--svg
//                       FILE]
//
// FOLDER is tests/truth, whose folders `open` and `judged` are the two parts, or any folder of PTX files.
// `compare` prints per kernel, and in all, how far the model's counts are from the measured ones; of judged
// kernels only the latter, so that nobody who is to change the model sees one by mistake (--each: both).
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <optional>
#include <string>
#include <vector>

#include "kernels/device/device.h"
#include "tests/support/plan_runner.h"
#include "tests/truth/compare.h"
#include "tests/truth/suite.h"

namespace warpscope::test {
namespace {

int list(const std::string& folder) {
  for (const SuiteKernel& kernel : readSuite(folder)) {
    fmt::print("{} {} {} {}\n", kernel.name, kernel.entry, kernel.file, partName(kernel.part));
  }
  return 0;
}

// Calls `make` for each kernel (of a file); returns the exit status: 1 if one threw or returned false.
template <class Make>
int forEach(const std::string& folder, const std::string& file, Make&& make) {
  int failed = 0;
  for (const SuiteKernel& kernel : readSuite(folder)) {
    if (!file.empty() && kernel.file != file) continue;
    try {
      failed += make(kernel) ? 0 : 1;
    } catch (const std::exception& problem) {
      fmt::print(stderr, "{}: {}\n", kernel.name, problem.what());
      ++failed;
    }
  }
  return failed > 0 ? 1 : 0;
}

int launch(const std::string& folder, const std::string& device, const std::string& file) {
  auto opened = openBackend(device);
  if (!opened) throw std::runtime_error(opened.error().message);
  Backend& backend = opened->any();
  const auto launch_thrice = [&](const SuiteKernel& kernel) {
    PreparedLaunch prepared(backend, planOf(kernel, backend.description().limits), ProbeKind::kBare, {});
    for (int i = 0; i < 3; ++i) {
      if (i > 0) prepared.restore();
      must(backend.launch(prepared.spec()).map([](const LaunchReport&) {}));
    }
  };
  std::optional<SuiteKernel> first;
  const int failed = forEach(folder, file, [&](const SuiteKernel& kernel) {
    launch_thrice(kernel);
    if (!first) first = kernel;
    return true;
  });
  if (first) launch_thrice(*first);
  return failed;
}

// Prints what is modelled of no kernel.
int check(const std::string& folder, const std::string& device, const std::string& file) {
  auto backend = openModel(device);
  if (!backend) throw std::runtime_error(backend.error().message);
  return forEach(folder, file, [&](const SuiteKernel& kernel) {
    const PreparedLaunch prepared(**backend, planOf(kernel, (*backend)->description().limits),
                                  ProbeKind::kBare, {});
    const auto report = (*backend)->launchChecked(prepared.spec(), 0);
    must(report.map([](const CheckedReport&) {}));
    for (const Hazard& hazard : report->hazards)
      fmt::print(stderr, "{}: {}\n", kernel.name, formatHazard(hazard));
    if (report->hazards.empty()) fmt::print("{}: no hazards\n", kernel.name);
    std::fflush(stdout);
    return report->hazards.empty();
  });
}

CompareOptions parse(const std::vector<std::string>& arguments) {
  CompareOptions options;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (argument == "--details") {
      options.details = true;
      continue;
    }
    if (argument == "--each") {
      options.each = true;
      continue;
    }
    if (i + 1 == arguments.size())
      throw std::runtime_error("unknown argument, or one without a value: " + argument);
    const std::string& value = arguments[++i];
    if (argument == "--device") {
      options.device = value;
    } else if (argument == "--kernel") {
      options.kernel = value;
    } else if (argument == "--file") {
      options.file = value;
    } else if (argument == "--svg") {
      options.svg = value;
    } else if (argument == "--sms" && (value == "all" || value == "few")) {
      options.few_sms = value == "few";
    } else if (argument == "--caches" && (value == "warm" || value == "cold")) {
      options.caches = value == "warm" ? CachesBefore::kWarm : CachesBefore::kCold;
    } else if (argument == "--half" && value == "both") {
      options.part.reset();
    } else if (argument == "--half" && (value == "open" || value == "judged")) {
      options.part = value == "open" ? Part::kOpen : Part::kJudged;
    } else {
      throw std::runtime_error(fmt::format("unknown argument: {} {}", argument, value));
    }
  }
  return options;
}

int run(const std::vector<std::string>& words) {
  if (words.size() == 2 && words[0] == "list") return list(words[1]);
  const bool of_device = words.size() == 3 || words.size() == 4;
  const std::string file = words.size() == 4 ? words[3] : "";
  if (of_device && words[0] == "launch") return launch(words[1], words[2], file);
  if (of_device && words[0] == "check") return check(words[1], words[2], file);
  if (words.size() >= 3 && words[0] == "compare")
    return compareSuite(words[1], words[2], parse({words.begin() + 3, words.end()}));
  fmt::print(
      stderr,
      "truth_suite list FOLDER | launch FOLDER DEVICE [FILE] | check FOLDER DEVICE [FILE] | compare FOLDER "
      "MEASURED.csv [OPTION ...]\n");
  return 2;
}

}  // namespace
}  // namespace warpscope::test

int main(int argc, char** argv) {
  try {
    return warpscope::test::run({argv + 1, argv + argc});
  } catch (const std::exception& problem) {
    fmt::print(stderr, "{}\n", problem.what());
    return 1;
  }
}
