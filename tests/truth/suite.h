// The truth suite: kernels, each with one launch, that a real GPU (under Nsight Compute) and the simulated
// one both make. A file NAME.ptx is a module; its launches stand in comments, in it or in NAME.cu beside or
// above it (docs/own_kernels.md has their form). Those in a folder `judged` are for judging only: whoever
// changes the model looks neither at them nor at their figures.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "kernels/backend/backend.h"
#include "kernels/experiments/experiment.h"

namespace warpscope::test {

enum class Part { kOpen, kJudged };
const char* partName(Part part);  // "open", "judged"

struct SuiteKernel {
  std::string name;   // "plane5": no other kernel of the suite has it
  std::string entry;  // in the PTX, as Nsight Compute names it
  std::string file;   // "stencil"
  Part part = Part::kOpen;
  const Experiment* experiment = nullptr;
};

// The PTX files in `folder` and in its folders ptx, open/ptx and judged/ptx; of a PTX file, itself. Throws if
// there are none.
std::set<std::filesystem::path> suiteFiles(const std::filesystem::path& folder);

// Their kernels, in the order of files. Throws if a file cannot be read or a name occurs twice.
std::vector<SuiteKernel> readSuite(const std::filesystem::path& folder);

LaunchPlan planOf(const SuiteKernel& kernel, const DeviceLimits& limits);

// A kernel's counters by Nsight Compute's names. Absent: not counted there.
using Counters = std::map<std::string, double>;

enum class CachesBefore { kWarm, kCold };
struct Measurements {
  std::string source;                                               // GPU, driver, date
  std::map<CachesBefore, std::map<std::string, Counters>> kernels;  // by name
};
// What tests/truth/measure.py prints. Throws if it cannot be read.
Measurements readMeasurements(const std::filesystem::path& file);

}  // namespace warpscope::test
