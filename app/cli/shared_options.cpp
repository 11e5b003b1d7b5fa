#include "app/cli/shared_options.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/experiments/experiment.h"

namespace warpscope {

Option addJsonFlag(Command command, bool& json) {
  return command.flag("--json", json, "Print one JSON value");
}

void addChecksFlag(Command command, bool& checks) {
  command.flag("--checks", checks,
               "Also look for hazards: races, bad addresses, uninitialised reads (simulated devices)");
}

Option addFamilyArgument(Command command, std::string& family, const std::string& help_suffix) {
  return command.option("family", family,
                        "Family, as 'warpscope list' shows, or a file of your own (.cu, .ptx)" + help_suffix);
}

void addFamiliesOption(Command command, std::vector<std::string>& families) {
  command.option("--family", families, "Only these families").splitAtCommas();
}

Expected<std::vector<const Experiment*>> familiesOf(const std::vector<std::string>& names) {
  std::vector<const Experiment*> families;
  for (const std::string& name : names) {
    const auto experiment = findExperiment(name);
    if (!experiment) return tl::unexpected(experiment.error());
    families.push_back(*experiment);
  }
  if (families.empty()) families.assign(allExperiments().begin(), allExperiments().end());
  return families;
}

void addVariantOption(Command command, std::string& variant) {
  command.option("--variant,--kernel", variant, "Variant, or a kernel of your own file; default: the first");
}

void addVariantsOption(Command command, std::string& variants) {
  command.option("--variant,--kernel", variants, "Variants, or kernels of your own file: A, A,B or all")
      .showDefault();
}

Option addDeviceOption(Command command, std::string& id, const std::string& help) {
  return command.option("--device", id, help);
}

void addDevicesOption(Command command, std::vector<std::string>& ids, const std::string& help) {
  command.option("--device", ids, help).splitAtCommas();
}

void addWatchdogOption(Command command, DeviceOptions& options) {
  command
      .option("--watchdog", options.watchdog_s,
              "Seconds after which a launch that does not answer is stopped")
      .showDefault()
      .positive();
}

std::shared_ptr<DeviceArguments> addDeviceOptions(Command command) {
  auto arguments = std::make_shared<DeviceArguments>();
  addDeviceOption(command, arguments->id);
  addWatchdogOption(command, arguments->options);
  return arguments;
}

std::string parameterOption(const std::string& parameter) {
  // Names of options that subcommands with parameters have. A kernel's parameter may be called anything.
  constexpr std::string_view kTaken[] = {
      "advice", "all",    "baseline",  "checks",  "compiler", "counters", "define",   "device",
      "family", "format", "help",      "include", "jobs",     "json",     "kernel",   "language",
      "launch", "marks",  "max-warps", "names",   "output",   "records",  "regions",  "repeats",
      "retry",  "sample", "scale",     "select",  "settings", "shard",    "shared",   "start-page",
      "theme",  "theory", "variant",   "view",    "warm-ups", "watchdog", "registers"};
  const bool is_built_in = std::ranges::any_of(allExperiments(), [&](const Experiment* each) {
    return std::ranges::count(each->info().parameters, parameter, &ParameterSpec::name) > 0;
  });
  const bool is_taken = !is_built_in && std::ranges::find(kTaken, parameter) != std::end(kTaken);
  return (is_taken ? "--arg-" : "--") + parameter;
}

std::shared_ptr<ParameterTexts> addParameterOptions(Command command, const std::string& help_suffix) {
  auto texts = std::make_shared<ParameterTexts>();
  std::map<std::string, std::vector<std::string>> families_of;
  std::map<std::string, std::string> labels;
  std::vector<const Experiment*> all(allExperiments().begin(), allExperiments().end());
  std::ranges::copy(addedExperiments(), std::back_inserter(all));
  for (const Experiment* experiment : all) {
    for (const ParameterSpec& spec : experiment->info().parameters) {
      families_of[spec.name].push_back(experiment->info().name);
      labels.try_emplace(spec.name, spec.label);
    }
  }
  for (const auto& [name, families] : families_of) {
    const auto take = [texts, name = name](const std::string& text) { (*texts)[name] = text; };
    command
        .optionTo(parameterOption(name), take,
                  fmt::format("{} ({}){}", labels[name], fmt::join(families, ", "), help_suffix))
        .inGroup("Parameters");
  }
  return texts;
}

std::string samplingHelp() {
  return "Which blocks are recorded: auto (all of a small grid, else block 0 and all on SM 0 and 1), all, "
         "blocks:N, sms:K, blocks:N,sms:K";
}

std::shared_ptr<SampleArguments> addSampleOptions(Command command) {
  auto arguments = std::make_shared<SampleArguments>();
  command.option("--sample", arguments->sample, samplingHelp()).showDefault();
  command.option("--max-warps", arguments->max_warps, "Most warps recorded")
      .showDefault()
      .between(1, 1U << 20);
  command.option("--records", arguments->records_per_lane, "Most events recorded a lane")
      .showDefault()
      .between(1, 1U << 16);
  command.option("--repeats", arguments->repeats, "Timed launches of the bare kernel")
      .showDefault()
      .between(1, 100000);
  command
      .option("--warm-ups", arguments->warm_ups,
              "Launches before the timed ones; 0 on a simulated GPU: its caches start cold")
      .showDefault()
      .between(0, 100000);
  return arguments;
}

}  // namespace warpscope
