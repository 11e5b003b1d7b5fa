// `warpscope list`: lists families, variants and parameters.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "app/cli/commands.h"
#include "app/cli/output.h"
#include "app/cli/program_arguments.h"
#include "app/cli/shared_options.h"
#include "app/cli/table.h"
#include "kernels/core/json.h"
#include "kernels/experiments/experiment.h"

namespace warpscope {
namespace {

const char* parameterKindName(ParameterKind kind) {
  switch (kind) {
    case ParameterKind::kInteger:
      return "integer";
    case ParameterKind::kLog2:
      return "log2";
    case ParameterKind::kChoice:
      return "choice";
  }
  return "unknown";
}

Json parameterReport(const ParameterSpec& spec) {
  Json json = {{"name", spec.name}, {"kind", parameterKindName(spec.kind)}, {"unit", spec.unit}};
  if (spec.kind == ParameterKind::kChoice) {
    json["choices"] = spec.choices;
    json["min"] = 0;
    json["max"] = spec.choices.size() - 1;
    json["step"] = 1;
    json["default"] = formatParameter(spec, spec.default_value);
  } else {
    json["min"] = spec.min;
    json["max"] = spec.max;
    json["step"] = spec.step;
    json["default"] = spec.default_value;
  }
  if (!spec.variants.empty()) json["variants"] = spec.variants;
  return json;
}

Json familyReport(const FamilyInfo& family) {
  Json json = {{"family", family.name}, {"title", family.title}};
  json["variants"] = Json::array();
  for (const VariantInfo& variant : family.variants) json["variants"].push_back(variant.name);
  json["parameters"] = Json::array();
  for (const ParameterSpec& spec : family.parameters) json["parameters"].push_back(parameterReport(spec));
  return json;
}

// "all", "one, two" or "all but three", whichever is shortest to read.
std::string variantsOf(const FamilyInfo& family, const ParameterSpec& spec) {
  if (spec.variants.empty()) return "all";
  if (2 * spec.variants.size() <= family.variants.size())
    return fmt::format("{}", fmt::join(spec.variants, ", "));
  std::vector<std::string> others;
  for (const VariantInfo& variant : family.variants) {
    if (std::ranges::find(spec.variants, variant.name) == spec.variants.end()) others.push_back(variant.name);
  }
  return others.empty() ? "all" : fmt::format("all but {}", fmt::join(others, ", "));
}

void printFamily(const FamilyInfo& family) {
  print("{}: {}\n{}\n\n", family.name, family.title, family.summary);
  Table variants({{"  variant"}, {"what to see"}});
  for (const VariantInfo& variant : family.variants) variants.addRow({"  " + variant.name, variant.title});
  Table parameters({{"  parameter"}, {"values"}, {"default", Align::kRight}, {"unit"}, {"variants"}});
  for (const ParameterSpec& spec : family.parameters) {
    const std::string values =
        spec.kind == ParameterKind::kChoice
            ? fmt::format("{}", fmt::join(spec.choices, ", "))
            : fmt::format("{} .. {}{}", formatParameter(spec, spec.min), formatParameter(spec, spec.max),
                          spec.step > 1 ? fmt::format(" step {}", spec.step) : "");
    parameters.addRow({"  " + parameterOption(spec.name), values, formatParameter(spec, spec.default_value),
                       spec.unit, variantsOf(family, spec)});
  }
  print("{}\n{}\n", variants.text(), parameters.text());
}

Expected<ExitStatus> listCommand(const std::vector<std::string>& families, bool as_json, bool only_names) {
  const auto listed = familiesOf(families);
  if (!listed) return tl::unexpected(listed.error());
  auto array = Json::array();
  for (const Experiment* experiment : *listed) {
    if (as_json) {
      array.push_back(familyReport(experiment->info()));
    } else if (only_names) {
      print("{}\n", experiment->info().name);
    } else {
      printFamily(experiment->info());
    }
  }
  if (as_json) printJson(array);
  return kExitDone;
}

}  // namespace

void addListCommand(Command root) {
  Command command = root.subcommand("list", "List experiment families, their variants and parameters");
  command.examples(
      "Examples:\n  warpscope list\n  warpscope list banks\n  warpscope list mine.cu\n  warpscope list "
      "--names\n  warpscope list --json");
  const auto json = std::make_shared<bool>(false);
  const auto names = std::make_shared<bool>(false);
  const auto families = std::make_shared<std::vector<std::string>>();
  command.option("families", *families,
                 "Only these families, or files of your own (.cu, .ptx); default: all families");
  addProgramOptions(command);
  addJsonFlag(command, *json);
  command.flag("--names", *names, "Print the families' names only, one a line");
  command.runs([json, names, families] { return listCommand(*families, *json, *names); });
}

}  // namespace warpscope
