// The truth suite's program:
//
//   truth_suite list FOLDER                  name, entry and half of each kernel
//   truth_suite launch FOLDER DEVICE [NAME]  three launches of each (of file NAME), for a profiler
//   (measure.py) truth_suite compare FOLDER MEASURED.csv [--device sim:h100] [--half open|judged|both]
//   [--caches warm|cold]
//                       [--kernel NAME] [--file NAME] [--details] [--svg FILE]
//
// `compare` prints per kernel, and in all, how far the model's counts are from the measured ones.
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "kernels/device/device.h"
#include "tests/support/plan_runner.h"
#include "tests/truth/report.h"
#include "tests/truth/suite.h"

namespace warpscope::test {
namespace {

struct Options {
  std::string device = "sim:h100", kernel, file, svg;
  std::optional<Half> half = Half::kOpen;  // absent: both
  CachesBefore caches = CachesBefore::kWarm;
  bool details = false;
};

int list(const std::string& folder) {
  for (const SuiteKernel& kernel : readSuite(folder)) {
    fmt::print("{} {} {} {}\n", kernel.name, kernel.entry, kernel.file,
               halfOf(kernel.name) == Half::kOpen ? "open" : "judged");
  }
  return 0;
}

int launch(const std::string& folder, const std::string& device, const std::string& file) {
  auto opened = openBackend(device);
  if (!opened) throw std::runtime_error(opened.error().message);
  Backend& backend = opened->any();
  int failed = 0;
  for (const SuiteKernel& kernel : readSuite(folder)) {
    if (!file.empty() && kernel.file != file) continue;
    try {
      PreparedLaunch prepared(backend, planOf(kernel, backend.description().limits), ProbeKind::kBare, {});
      for (int i = 0; i < 3; ++i) {
        if (i > 0) prepared.restore();
        must(backend.launch(prepared.spec()).map([](const LaunchReport&) {}));
      }
    } catch (const std::exception& problem) {
      fmt::print(stderr, "{}: {}\n", kernel.name, problem.what());
      ++failed;
    }
  }
  return failed > 0 ? 1 : 0;
}

Counters modelled(ModellingBackend& backend, const SuiteKernel& kernel, CachesBefore caches) {
  const PreparedLaunch prepared(backend, planOf(kernel, backend.description().limits), ProbeKind::kBare, {});
  auto report = backend.launchModelled(
      prepared.spec(), {.caches = caches == CachesBefore::kWarm ? ModelledLaunch::Caches::kWarm
                                                                : ModelledLaunch::Caches::kCold});
  must(report.map([](const ModelledReport&) {}));
  return std::move(report->counters);
}

int compare(const std::string& folder, const std::string& measured_file, const Options& options) {
  const Measurements measured = readMeasurements(measured_file);
  const auto of_caches = measured.kernels.find(options.caches);
  if (of_caches == measured.kernels.end())
    throw std::runtime_error(measured_file + " has none of these launches");
  auto backend = openModel(options.device);
  if (!backend) throw std::runtime_error(backend.error().message);
  fmt::print("measured: {}\nmodelled: {}, {}\n\n", measured.source, (*backend)->description().name,
             options.caches == CachesBefore::kWarm ? "warm" : "cold");
  std::vector<ComparedKernel> compared;
  printHead();
  for (const SuiteKernel& kernel : readSuite(folder)) {
    if (options.half && halfOf(kernel.name) != *options.half) continue;
    if (!options.kernel.empty() && kernel.name != options.kernel) continue;
    if (!options.file.empty() && kernel.file != options.file) continue;
    const auto found = of_caches->second.find(kernel.name);
    if (found == of_caches->second.end()) {
      fmt::print("{:<22} not measured\n", kernel.name);
      continue;
    }
    compared.push_back({kernel.name, found->second, modelled(**backend, kernel, options.caches)});
    printRow(compared.back());
    if (options.details) printDetails(compared.back());
    std::fflush(stdout);
  }
  printSummary(compared);
  if (!options.svg.empty()) std::ofstream(options.svg) << scatterPlot(compared, measured.source);
  return compared.empty() ? 1 : 0;
}

Options parse(const std::vector<std::string>& arguments) {
  Options options;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (argument == "--details") {
      options.details = true;
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
    } else if (argument == "--caches" && (value == "warm" || value == "cold")) {
      options.caches = value == "warm" ? CachesBefore::kWarm : CachesBefore::kCold;
    } else if (argument == "--half" && value == "both") {
      options.half.reset();
    } else if (argument == "--half" && (value == "open" || value == "judged")) {
      options.half = value == "open" ? Half::kOpen : Half::kJudged;
    } else {
      throw std::runtime_error(fmt::format("unknown argument: {} {}", argument, value));
    }
  }
  return options;
}

int run(const std::vector<std::string>& words) {
  if (words.size() == 2 && words[0] == "list") return list(words[1]);
  if ((words.size() == 3 || words.size() == 4) && words[0] == "launch")
    return launch(words[1], words[2], words.size() == 4 ? words[3] : "");
  if (words.size() >= 3 && words[0] == "compare")
    return compare(words[1], words[2], parse({words.begin() + 3, words.end()}));
  fmt::print(stderr,
             "truth_suite list FOLDER | launch FOLDER DEVICE | compare FOLDER MEASURED.csv [OPTION ...]\n");
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
