// The options that more than one subcommand has, each declared here and nowhere else.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "app/cli/command.h"
#include "kernels/device/device.h"
#include "kernels/experiments/experiment.h"
#include "kernels/run/run.h"

namespace warpscope {

Option addJsonFlag(Command command, bool& json);
void addChecksFlag(Command command, bool& checks);

Option addFamilyArgument(Command command, std::string& family, const std::string& help_suffix = "");
void addFamiliesOption(Command command, std::vector<std::string>& families);
// The families with these names; all if there are none.
Expected<std::vector<const Experiment*>> familiesOf(const std::vector<std::string>& names);
void addVariantOption(Command command, std::string& variant);    // one; empty: the first
void addVariantsOption(Command command, std::string& variants);  // shows its default

inline constexpr const char* kDeviceHelp = "Device id as 'warpscope devices' lists it; default: its first";
Option addDeviceOption(Command command, std::string& id, const std::string& help = kDeviceHelp);
void addDevicesOption(Command command, std::vector<std::string>& ids, const std::string& help);
void addWatchdogOption(Command command, DeviceOptions& options);

struct DeviceArguments {
  std::string id;  // empty: the default device
  DeviceOptions options;
};
std::shared_ptr<DeviceArguments> addDeviceOptions(Command command);  // --device, --watchdog

// `--block 256 --size 2^24 ...`: one option for each parameter name that any family has. Texts as typed.
using ParameterTexts = std::map<std::string, std::string>;
// "--block"; "--arg-output" for a kernel's parameter that has the name of another option.
std::string parameterOption(const std::string& parameter);
std::shared_ptr<ParameterTexts> addParameterOptions(Command command, const std::string& help_suffix);
// The `help_suffix` for parameters that may have several values.
inline constexpr const char* kListsAndRanges = "; lists and ranges: 32,64 or 32..1024 or 32..1024:64";

struct SampleArguments {
  std::string sample = "auto";
  uint32_t max_warps = Sampling{}.max_warps;
  uint32_t records_per_lane = Sampling{}.records_per_lane;
  uint32_t repeats = RunRequest{}.repeats, warm_ups = RunRequest{}.warm_ups;
};
std::shared_ptr<SampleArguments> addSampleOptions(Command command);
std::string samplingHelp();  // what --sample may be

}  // namespace warpscope
