#include "tests/truth/suite.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>

#include "kernels/core/files.h"
#include "kernels/experiments/kernel_modules.h"
#include "kernels/program/program.h"

namespace warpscope::test {
namespace {

namespace fs = std::filesystem;

template <class T>
T orThrow(Expected<T> value) {
  if (!value) throw std::runtime_error(value.error().message);
  return std::move(*value);
}

// The file with the launch comments: the source that it was compiled from, if that is there, else itself. To
// guess launches would count others than the suite's.
fs::path sourceOf(const fs::path& ptx) {
  const fs::path name = ptx.stem().string() + ".cu", beside = fs::absolute(ptx).parent_path();
  for (const fs::path& folder : {beside, beside.parent_path()}) {
    if (fs::exists(folder / name)) return folder / name;
  }
  return ptx;
}

Part partOf(const fs::path& ptx) {
  const fs::path folder = fs::canonical(ptx).parent_path();
  const fs::path owner = folder.filename() == "ptx" ? folder.parent_path() : folder;
  return owner.filename() == "judged" ? Part::kJudged : Part::kOpen;
}

const Experiment& addFile(const fs::path& ptx) {
  const fs::path source = sourceOf(ptx);
  const std::string text = orThrow(readFile(source));
  if (text.find("// warpscope") == std::string::npos) {
    throw std::runtime_error(
        fmt::format("{}: no launch comment (// warpscope: ...) in it, and no {}.cu beside it", ptx.string(),
                    ptx.stem().string()));
  }
  Program program{.name = ptx.filename().string(),
                  .file = source.string(),
                  .source = text,
                  .ptx = orThrow(readFile(ptx)),
                  .compiler = source == ptx ? "" : "nvcc",
                  .marks = MarkLevel::kOff};
  return *orThrow(addProgram(shared(std::move(program))));
}

}  // namespace

const char* partName(Part part) {
  return part == Part::kOpen ? "open" : "judged";
}

std::set<fs::path> suiteFiles(const fs::path& folder) {
  if (folder.extension() == ".ptx") return {folder};
  std::set<fs::path> files;
  for (const fs::path& place : {folder, folder / "ptx", folder / "open" / "ptx", folder / "judged" / "ptx"}) {
    if (!fs::is_directory(place)) continue;
    for (const auto& entry : fs::directory_iterator(place)) {
      if (entry.path().extension() == ".ptx") files.insert(entry.path());
    }
  }
  if (files.empty()) throw std::runtime_error(fmt::format("{}: no PTX files", folder.string()));
  return files;
}

std::vector<SuiteKernel> readSuite(const fs::path& folder) {
  std::vector<SuiteKernel> kernels;
  std::map<std::string, fs::path> file_of_name;
  for (const fs::path& file : suiteFiles(folder)) {
    const Experiment& experiment = addFile(file);
    for (const VariantInfo& variant : experiment.info().variants) {
      const auto [first, is_new] = file_of_name.emplace(variant.name, file);
      if (!is_new) {
        throw std::runtime_error(fmt::format("two kernels are named '{}': in {} and in {}", variant.name,
                                             first->second.string(), file.string()));
      }
      SuiteKernel kernel{variant.name, {}, file.stem().string(), partOf(file), &experiment};
      const LaunchPlan plan = planOf(kernel, DeviceLimits{});
      kernel.entry = orThrow(findEntry(orThrow(findModule(plan.module)), plan.kernel, ProbeKind::kBare));
      kernels.push_back(std::move(kernel));
    }
  }
  return kernels;
}

LaunchPlan planOf(const SuiteKernel& kernel, const DeviceLimits& limits) {
  const FamilyInfo& family = kernel.experiment->info();
  RunRequest request{.family = family.name, .variant = kernel.name, .program = family.program};
  return orThrow(kernel.experiment->plan(orThrow(completeRequest(family, request)), limits));
}

Measurements readMeasurements(const fs::path& file) {
  std::istringstream text(orThrow(readFile(file)));
  Measurements measured;
  std::vector<std::string> names;
  for (std::string line; std::getline(text, line);) {
    if (line.starts_with("# ")) {
      measured.source = line.substr(2);
      continue;
    }
    std::vector<std::string> fields;
    std::istringstream cells(line);
    for (std::string field; std::getline(cells, field, ',');) fields.push_back(field);
    if (names.empty()) {
      names = fields;
      continue;
    }
    if (fields.size() < 2)
      throw std::runtime_error(fmt::format("{}: not a measurement: {}", file.string(), line));
    Counters& counters =
        measured.kernels[fields[1] == "warm" ? CachesBefore::kWarm : CachesBefore::kCold][fields[0]];
    for (size_t i = 2; i < std::min(names.size(), fields.size()); ++i) {
      if (!fields[i].empty()) counters[names[i]] = std::strtod(fields[i].c_str(), nullptr);
    }
  }
  return measured;
}

}  // namespace warpscope::test
