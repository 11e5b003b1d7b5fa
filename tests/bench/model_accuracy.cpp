// Measures the accuracy of the simulated H100: cycles, instructions and sectors of every variant at three
// block sizes, modelled and as counted by Nsight Compute on the GPU (tests/golden/ncu_h100.csv, made by
// tests/gpu/ncu_counters.sh), with the mean absolute error and the correlation of the cycles.
//
//   model_accuracy [--device sim:h100] [--golden FILE.csv] [--family NAME] [--counters]
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "kernels/device/device.h"
#include "kernels/experiments/experiment.h"
#include "tests/support/plan_runner.h"

namespace warpscope::test {
namespace {

struct Options {
  std::string device = "sim:h100", golden = WARPSCOPE_GOLDEN_FOLDER "/ncu_h100.csv", family;
  bool counters = false;
};

struct Row {
  std::map<std::string, std::string> texts;
  double number(const std::string& column) const { return std::atof(texts.at(column).c_str()); }
};

std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> fields;
  std::stringstream stream(line);
  for (std::string field; std::getline(stream, field, ',');) fields.push_back(field);
  return fields;
}

std::vector<Row> readGolden(const std::string& path, std::string& comment) {
  std::ifstream file(path);
  std::vector<Row> rows;
  std::vector<std::string> names;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("#")) {
      comment = line.substr(2);
    } else if (names.empty()) {
      names = split(line);
    } else {
      const auto fields = split(line);
      Row row;
      for (size_t i = 0; i < names.size(); ++i) row.texts[names[i]] = i < fields.size() ? fields[i] : "";
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

LaunchPlan planOf(const Row& row, const DeviceLimits& limits) {
  const Experiment& experiment = *findExperiment(row.texts.at("family")).value();
  RunRequest request{.family = row.texts.at("family"), .variant = row.texts.at("variant")};
  for (const ParameterSpec& spec : experiment.info().parameters) {
    if (spec.role == ParameterRole::kElements || spec.role == ParameterRole::kBlock) {
      request.parameters[spec.name] = parseParameter(spec, row.texts.at(spec.name)).value();
    }
  }
  return experiment.plan(completeRequest(experiment.info(), request).value(), limits).value();
}

std::map<std::string, double> modelled(ModellingBackend& backend, const Row& row) {
  const LaunchPlan plan = planOf(row, backend.description().limits);
  const PreparedLaunch launch(backend, plan, ProbeKind::kBare, Bytes(1));
  auto report = backend.launchModelled(launch.spec(), {.caches = ModelledLaunch::Caches::kWarm});
  must(report.map([](const ModelledReport&) {}));
  return std::move(report->counters);
}

double correlation(const std::vector<double>& a, const std::vector<double>& b) {
  const auto mean = [](const std::vector<double>& values) {
    double sum = 0;
    for (const double value : values) sum += value;
    return sum / static_cast<double>(values.size());
  };
  const double mean_a = mean(a);
  const double mean_b = mean(b);
  double ab = 0;
  double aa = 0;
  double bb = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    ab += (a[i] - mean_a) * (b[i] - mean_b);
    aa += (a[i] - mean_a) * (a[i] - mean_a);
    bb += (b[i] - mean_b) * (b[i] - mean_b);
  }
  return ab / std::sqrt(aa * bb);
}

void printCounters(const Row& row, const std::map<std::string, double>& counters) {
  for (const auto& [name, text] : row.texts) {
    const auto found = counters.find(name);
    if (found == counters.end() || text.empty()) continue;
    fmt::print("    {:<75} {:>14} {:>16.2f}\n", name, text, found->second);
  }
}

int compare(const Options& options) {
  const auto backend = openModel(options.device);
  if (!backend) {
    fmt::print(stderr, "{}\n", backend.error().message);
    return 3;
  }
  std::string comment;
  const std::vector<Row> rows = readGolden(options.golden, comment);
  if (rows.empty()) {
    fmt::print(stderr, "{} holds no measurements\n", options.golden);
    return 2;
  }
  fmt::print("measured: {}\nmodelled: {}\n\n", comment, (*backend)->description().name);
  fmt::print("{:<11} {:<16} {:>6} {:>6} {:>12} {:>12} {:>6} {:>13} {:>13} {:>6}\n", "family", "variant",
             "size", "block", "cycles", "modelled", "ratio", "instructions", "modelled", "ratio");
  const std::string cycles_counter = "sm__cycles_elapsed.max";
  const std::string instructions_counter = "smsp__inst_executed.sum";
  std::vector<double> measured_cycles;
  std::vector<double> modelled_cycles;
  double cycle_error = 0;
  double instruction_error = 0;
  for (const Row& row : rows) {
    if (!options.family.empty() && row.texts.at("family") != options.family) continue;
    const auto counters = modelled(**backend, row);
    const double cycles = counters.at(cycles_counter);
    const double instructions = counters.at(instructions_counter);
    const double cycle_ratio = cycles / row.number(cycles_counter);
    const double instruction_ratio = instructions / row.number(instructions_counter);
    fmt::print("{:<11} {:<16} {:>6} {:>6} {:>12.0f} {:>12.0f} {:>6.2f} {:>13.0f} {:>13.0f} {:>6.2f}\n",
               row.texts.at("family"), row.texts.at("variant"), row.texts.at("size"), row.texts.at("block"),
               row.number(cycles_counter), cycles, cycle_ratio, row.number(instructions_counter),
               instructions, instruction_ratio);
    std::fflush(stdout);
    if (options.counters) printCounters(row, counters);
    measured_cycles.push_back(row.number(cycles_counter));
    modelled_cycles.push_back(cycles);
    cycle_error += std::abs(cycle_ratio - 1);
    instruction_error += std::abs(instruction_ratio - 1);
  }
  const auto count = static_cast<double>(measured_cycles.size());
  fmt::print(
      "\n{} launches: mean absolute error of cycles {:.1f} %, correlation {:.4f}; of instructions {:.1f} %\n",
      measured_cycles.size(), 100 * cycle_error / count, correlation(measured_cycles, modelled_cycles),
      100 * instruction_error / count);
  return 0;
}

}  // namespace
}  // namespace warpscope::test

int main(int argc, char** argv) {
  warpscope::test::Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const std::string value = i + 1 < argc ? argv[i + 1] : "";
    if (argument == "--counters") {
      options.counters = true;
    } else if (argument == "--device") {
      options.device = value, ++i;
    } else if (argument == "--golden") {
      options.golden = value, ++i;
    } else if (argument == "--family") {
      options.family = value, ++i;
    } else {
      fmt::print(stderr, "unknown argument {}\n", argument);
      return 2;
    }
  }
  try {
    return warpscope::test::compare(options);
  } catch (const std::exception& problem) {
    fmt::print(stderr, "{}\n", problem.what());
    return 1;
  }
}
