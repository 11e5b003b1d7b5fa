// The options that say what to run and where, shared by run, record, screenshot and gui.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "kernels/device/device.h"
#include "kernels/experiments/experiment.h"

namespace CLI {
class App;
}

namespace warpscope {

struct DeviceArguments {
  std::string id;  // empty: the default device
  DeviceOptions options;
};
std::shared_ptr<DeviceArguments> addDeviceOptions(CLI::App& command);

// `--block 256 --size 2^24 ...`: one option for each parameter name that any family has. Texts as typed.
using ParameterTexts = std::map<std::string, std::string>;
std::shared_ptr<ParameterTexts> addParameterOptions(CLI::App& command, const std::string& help_suffix);

struct SampleArguments {
  std::string sample = "auto";
  uint32_t max_warps = Sampling{}.max_warps;
  uint32_t records_per_lane = Sampling{}.records_per_lane;
  uint32_t repeats = RunRequest{}.repeats, warm_ups = RunRequest{}.warm_ups;
};
std::shared_ptr<SampleArguments> addSampleOptions(CLI::App& command);

// "auto", "all", "blocks:N", "sms:K", "blocks:N,sms:K"
Expected<Sampling> parseSampling(const SampleArguments& arguments);

// "all", "", or "A,B": the variants' names in the order asked for; an unknown one is refused with what there
// is.
Expected<std::vector<std::string>> parseVariants(const FamilyInfo& family, const std::string& text);

// One parameter's values from "256", "32,64,2^10", "32..1024" (every step; powers of two for sizes),
// "32..1024:64", or "all" (a choice's every value). Ascending as written, at least one.
Expected<std::vector<int64_t>> parseValues(const ParameterSpec& spec, const std::string& text);

// The requests of every variant x every combination of the values given. A parameter that some of the
// variants lack is simply not set for those; one that none has is refused.
Expected<std::vector<RunRequest>> makeRequests(const FamilyInfo& family,
                                               const std::vector<std::string>& variants,
                                               const ParameterTexts& texts, const RunRequest& base);

}  // namespace warpscope
