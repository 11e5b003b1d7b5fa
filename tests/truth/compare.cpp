#include "tests/truth/compare.h"

#include <fmt/format.h>

#include <cstdio>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <vector>

#include "kernels/device/device.h"
#include "tests/support/plan_runner.h"
#include "tests/truth/report.h"

namespace warpscope::test {
namespace {

namespace fs = std::filesystem;

// The last of three launches, as measure.py counts it: what the first two leave in memory that is not
// restored, the third finds there.
Counters modelled(ModellingBackend& backend, const SuiteKernel& kernel, const CompareOptions& options) {
  PreparedLaunch prepared(backend, planOf(kernel, backend.description().limits), ProbeKind::kBare, {});
  for (int before = 0; before < 2; ++before) {
    must(backend.launch(prepared.spec()).map([](const LaunchReport&) {}));
    prepared.restore();
  }
  const bool warm = options.caches == CachesBefore::kWarm;
  auto report = backend.launchModelled(
      prepared.spec(), {.caches = warm ? ModelledLaunch::Caches::kWarm : ModelledLaunch::Caches::kCold,
                        .sampled_sms = options.few_sms ? backend.sampledSms(prepared.spec(), 0) : 0});
  must(report.map([](const ModelledReport&) {}));
  return std::move(report->counters);
}

std::vector<SuiteKernel> chosenOf(const fs::path& folder, const CompareOptions& options) {
  std::vector<SuiteKernel> chosen;
  for (const SuiteKernel& kernel : readSuite(folder)) {
    if (options.part && kernel.part != *options.part) continue;
    if (!options.kernel.empty() && kernel.name != options.kernel) continue;
    if (!options.file.empty() && kernel.file != options.file) continue;
    if (kernel.part == Part::kJudged && !options.each && !(options.kernel.empty() && options.file.empty()))
      throw std::runtime_error(kernel.name + " is judged: --kernel and --file need --each");
    chosen.push_back(kernel);
  }
  if (chosen.empty())
    throw std::runtime_error(folder.string() + ": no such kernel; those of a folder `judged` need --half");
  return chosen;
}

Measurements readAll(const std::string& files) {
  Measurements all;
  std::istringstream names(files);
  for (std::string name; std::getline(names, name, ',');) {
    const Measurements measured = readMeasurements(name);
    all.source += (all.source.empty() ? "" : "; ") + measured.source;
    for (const auto& [caches, kernels] : measured.kernels)
      all.kernels[caches].insert(kernels.begin(), kernels.end());
  }
  return all;
}

}  // namespace

int compareSuite(const fs::path& folder, const std::string& measured_files, const CompareOptions& options) {
  const Measurements measured = readAll(measured_files);
  const auto of_caches = measured.kernels.find(options.caches);
  if (of_caches == measured.kernels.end())
    throw std::runtime_error(measured_files + " has none of these launches");
  auto backend = openModel(options.device);
  if (!backend) throw std::runtime_error(backend.error().message);
  fmt::print("measured: {}\nmodelled: {}, {}{}\n\n", measured.source, (*backend)->description().name,
             options.caches == CachesBefore::kWarm ? "warm" : "cold",
             options.few_sms ? ", few SMs where they stand for all" : "");
  std::vector<ComparedKernel> compared;
  if (options.each || options.part != Part::kJudged) printHead();
  for (const SuiteKernel& kernel : chosenOf(folder, options)) {
    const auto found = of_caches->second.find(kernel.name);
    if (found == of_caches->second.end()) {
      fmt::print("{:<22} not measured\n", kernel.name);
      continue;
    }
    compared.push_back({kernel.name, kernel.part, found->second, modelled(**backend, kernel, options)});
    if (kernel.part == Part::kJudged && !options.each) continue;
    printRow(compared.back());
    if (options.details) printDetails(compared.back());
    std::fflush(stdout);
  }
  for (const Part part : {Part::kOpen, Part::kJudged}) printSummary(compared, part);
  if (!options.svg.empty()) std::ofstream(options.svg) << scatterPlot(compared, measured.source);
  return compared.empty() ? 1 : 0;
}

}  // namespace warpscope::test
