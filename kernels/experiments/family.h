// The common part of all families: their description, their embedded source, and the regions found in it. A
// family derives from this and implements plan(). A Family owns its description; sources are shared.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "kernels/experiments/experiment.h"

namespace warpscope {

struct RegionName {
  const char* constant;  // as the kernels mark it: "kFirstPath"
  uint32_t id;           // its value
  const char* name;      // as users see it: "first path"
  RegionRole role = RegionRole::kNone;
};

// Parameters that several families share, with their roles; `help` says what they do in the family.
// `block`: threads, 32 to 1024 in whole warps.
ParameterSpec blockParameter(std::string help);
// `size`: elements, 1 to 2^28; the defaults on a real and on a simulated GPU are powers of two.
ParameterSpec sizeParameter(int log2_default, int log2_simulated_default, std::string help);

class Family : public Experiment {
 public:
  const FamilyInfo& info() const override { return info_; }
  Expected<std::vector<Region>> regions(const std::string& variant) const override;
  RegionRole roleOf(const Region& region) const override;
  std::string sourceFile(const std::string& variant) const override;
  std::shared_ptr<const std::string> source(const std::string& variant) const override;

 protected:
  // `modules`: those that contain its kernels, if there are others than the one with the family's name.
  Family(FamilyInfo info, std::vector<RegionName> region_names, std::vector<std::string> modules = {});

  // The regions of a kernel of the first module, for families whose variants are not kernels.
  Expected<std::vector<Region>> regionsOfKernel(const std::string& kernel) const;
  // The module that contains the variant's kernel.
  const std::string& moduleOf(const std::string& variant) const;

  // The value of a parameter of a complete request.
  static int64_t parameter(const RunRequest& request, const std::string& name);
  // Checks that the device can launch the block with its shared memory; the error says why it cannot.
  static Expected<void> checkLaunch(const RunRequest& request, const LaunchPlan& plan,
                                    const DeviceLimits& limits);

 private:
  FamilyInfo info_;
  struct Module {
    std::string name;
    std::shared_ptr<const std::string> source;
  };
  const Module& findModuleOf(const std::string& variant) const;
  Expected<std::vector<Region>> regionsIn(const Module& module, const std::string& kernel) const;

  std::vector<RegionName> region_names_;
  std::vector<Module> modules_;
  std::map<std::string, size_t> module_of_;  // by variant
};

// The families; registry.cpp lists them.
const Experiment& divergenceFamily();
const Experiment& boundaryFamily();
const Experiment& mappingFamily();
const Experiment& reductionFamily();
const Experiment& transposeFamily();
const Experiment& banksFamily();
const Experiment& coalescingFamily();
const Experiment& latencyFamily();
const Experiment& occupancyFamily();
const Experiment& atomicsFamily();
const Experiment& warpPrimitivesFamily();
const Experiment& barriersFamily();
const Experiment& streamsFamily();
const Experiment& prioritiesFamily();
const Experiment& graphsFamily();
const Experiment& dependentLaunchFamily();
const Experiment& severalGpusFamily();
const Experiment& unifiedMemoryFamily();
const Experiment& clustersFamily();
const Experiment& bulkCopyFamily();
const Experiment& brokenFamily();

}  // namespace warpscope
