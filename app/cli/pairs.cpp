// `warpscope pairs`: whether a simulated GPU shows which of two variants is faster, as a recorded one does.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>

#include "app/cli/commands.h"
#include "app/cli/interrupt.h"
#include "app/cli/output.h"
#include "app/cli/progress_line.h"
#include "app/cli/shared_options.h"
#include "app/cli/table.h"
#include "kernels/compare/variant_pairs.h"
#include "kernels/core/json.h"
#include "kernels/device/device.h"
#include "kernels/experiments/experiment.h"

namespace warpscope {
namespace {

struct PairsArguments {
  std::string device = "sim:h100", reference = "recorded";
  std::vector<std::string> families;
  DeviceOptions options;
  bool same_settings = false, all = false, json = false;
};

// The settings of each variant.
using VariantSettings = std::map<std::string, ParameterValues>;

struct FamilyPairs {
  std::string family;
  std::vector<VariantTime> reference, judged;
  std::vector<VariantPair> pairs;

  size_t hidden() const {
    return static_cast<size_t>(
        std::ranges::count_if(pairs, [](const VariantPair& pair) { return !pair.isShown(); }));
  }
};

// The variants at their `settings`, where these say nothing at the device's defaults, which are added to
// them; those left out that the device cannot run. A simulated GPU is opened again for each, because its
// cycles depend on what ran before.
Expected<std::vector<VariantTime>> timesOn(const std::string& id, const FamilyInfo& family,
                                           VariantSettings& settings, const DeviceOptions& options,
                                           ProgressLine& line, const std::stop_token& stop) {
  std::vector<VariantTime> times;
  std::unique_ptr<Device> device;
  for (const VariantInfo& variant : family.variants) {
    if (!device || device->description().kind == DeviceKind::kSimulated) {
      device.reset();
      auto opened = openDevice(id, options);
      if (!opened) return tl::unexpected(opened.error());
      device = std::move(*opened);
    }
    const std::string described = fmt::format("{}: {} {}", id, family.name, variant.name);
    const auto show = [&](const Progress& progress) { line.showShare(described, progress.fraction); };
    const RunRequest request{
        .family = family.name, .variant = variant.name, .parameters = settings[variant.name]};
    const auto run = device->run(device->nearestOffered(request), show, stop);
    if (run) {
      times.push_back({variant.name, run->timing.median_us});
      settings[variant.name] = run->request.parameters;
    } else if (run.error().kind != ErrorKind::kBadRequest) {
      return fail(run.error().kind, "{}: {}", described, run.error().message);
    }
  }
  return times;
}

void printPairs(const PairsArguments& arguments, const std::vector<FamilyPairs>& families) {
  Table table({{"family"}, {"pairs", Align::kRight}, {"not shown", Align::kRight}});
  Table list({{"family"},
              {"slower"},
              {"faster"},
              {arguments.reference + ", ×", Align::kRight},
              {arguments.device + ", ×", Align::kRight}});
  size_t pairs = 0, hidden = 0, listed = 0;
  for (const FamilyPairs& family : families) {
    table.addRow({family.family, fmt::format("{}", family.pairs.size()), fmt::format("{}", family.hidden())});
    pairs += family.pairs.size();
    hidden += family.hidden();
    for (const VariantPair& pair : family.pairs) {
      if (pair.isShown() && !arguments.all) continue;
      ++listed;
      list.addRow({family.family, pair.slower, pair.faster, fmt::format("{:.2f}", pair.reference_ratio),
                   fmt::format("{:.2f}", pair.ratio)});
    }
  }
  table.addRow({"all", fmt::format("{}", pairs), fmt::format("{}", hidden)});
  print("{}", table.text());
  if (listed > 0) print("\n{}", list.text());
  print(
      "\nOf {} pairs of variants whose median times differ by more than {:.0f} % on {}, {} shows all but {} "
      "in "
      "the same order and at least {:.0f} % apart.\n",
      pairs, (kClearRatio - 1) * 100, arguments.reference, arguments.device, hidden,
      (kVisibleRatio - 1) * 100);
}

Json timesJson(const std::vector<VariantTime>& times) {
  Json json = Json::object();
  for (const VariantTime& time : times) json[time.variant] = time.median_us;
  return json;
}

Json pairsJson(const std::vector<FamilyPairs>& families) {
  Json json = Json::array();
  for (const FamilyPairs& family : families) {
    Json pairs = Json::array();
    for (const VariantPair& pair : family.pairs) {
      pairs.push_back({{"slower", pair.slower},
                       {"faster", pair.faster},
                       {"reference_ratio", pair.reference_ratio},
                       {"ratio", pair.ratio},
                       {"shown", pair.isShown()}});
    }
    json.push_back({{"family", family.family},
                    {"reference_us", timesJson(family.reference)},
                    {"judged_us", timesJson(family.judged)},
                    {"pairs", std::move(pairs)}});
  }
  return json;
}

Expected<ExitStatus> pairsCommand(const PairsArguments& arguments) {
  const auto chosen = familiesOf(arguments.families);
  if (!chosen) return tl::unexpected(chosen.error());
  InterruptSource interrupt;
  ProgressLine line;
  std::vector<FamilyPairs> families;
  for (const Experiment* experiment : *chosen) {
    const FamilyInfo& info = experiment->info();
    VariantSettings settings;
    auto reference = timesOn(arguments.reference, info, settings, arguments.options, line, interrupt.token());
    if (!reference) return tl::unexpected(reference.error());
    if (!arguments.same_settings) settings.clear();
    auto judged = timesOn(arguments.device, info, settings, arguments.options, line, interrupt.token());
    if (!judged) return tl::unexpected(judged.error());
    families.push_back(
        {.family = info.name, .reference = std::move(*reference), .judged = std::move(*judged), .pairs = {}});
    families.back().pairs = variantPairs(families.back().reference, families.back().judged);
  }
  line.clear();
  if (arguments.json) {
    printJson(pairsJson(families));
  } else {
    printPairs(arguments, families);
  }
  return kExitDone;
}

}  // namespace

void addPairsCommand(Command root) {
  auto arguments = std::make_shared<PairsArguments>();
  Command command = root.subcommand(
      "pairs", "Say whether a simulated GPU shows which of two variants is faster, as a real one does");
  command.examples(R"(Examples:
  warpscope pairs                               all families: sim:h100 against the recorded H100
  warpscope pairs --family divergence --all     every pair, not only those that are not shown
  warpscope pairs --same-settings               with a real GPU's sizes on the simulated one, too: minutes
Each variant runs at its defaults on both devices; these are smaller sizes on a simulated GPU. A pair counts if the median times of its variants differ by
more than 10 % on the reference; it is shown if the other device has the same order and at least 5 %.)");
  addDeviceOption(command, arguments->device, "The device that is judged");
  command.option("--reference", arguments->reference, "The device with the times that are right");
  addFamiliesOption(command, arguments->families);
  command.flag("--same-settings", arguments->same_settings,
               "Judge the device with the reference's settings instead of its own defaults");
  command.flag("--all", arguments->all, "List the pairs that are shown, too");
  addWatchdogOption(command, arguments->options);
  addJsonFlag(command, arguments->json);
  command.runs([arguments] { return pairsCommand(*arguments); });
}

}  // namespace warpscope
