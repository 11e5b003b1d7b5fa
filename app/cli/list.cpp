// `warpscope list`: families, variants and parameters.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "app/cli/commands.h"
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

void printFamily(const FamilyInfo& family) {
  fmt::print("{}: {}\n{}\n\n", family.name, family.title, family.summary);
  Table variants({{"  variant"}, {"what to see"}});
  for (const VariantInfo& variant : family.variants) variants.addRow({"  " + variant.name, variant.title});
  Table parameters({{"  parameter"}, {"values"}, {"default", Align::kRight}, {"unit"}, {"variants"}});
  for (const ParameterSpec& spec : family.parameters) {
    const std::string values =
        spec.kind == ParameterKind::kChoice
            ? fmt::format("{}", fmt::join(spec.choices, ", "))
            : fmt::format("{} .. {}{}", formatParameter(spec, spec.min), formatParameter(spec, spec.max),
                          spec.step > 1 ? fmt::format(" step {}", spec.step) : "");
    parameters.addRow({"  --" + spec.name, values, formatParameter(spec, spec.default_value), spec.unit,
                       spec.variants.empty() ? "all" : fmt::format("{}", fmt::join(spec.variants, ", "))});
  }
  fmt::print("{}\n{}\n", variants.text(), parameters.text());
}

}  // namespace

void addListCommand(CLI::App& app, int& /*exit_status*/) {
  CLI::App* command = app.add_subcommand("list", "List experiment families, their variants and parameters");
  command->footer("Examples:\n  warpscope list\n  warpscope list --names\n  warpscope list --json");
  const auto json = std::make_shared<bool>(false);
  const auto names = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "Print one JSON value");
  command->add_flag("--names", *names, "Print the families' names only, one a line");
  command->callback([json, names] {
    auto array = Json::array();
    for (const Experiment* experiment : allExperiments()) {
      if (*json) {
        array.push_back(familyReport(experiment->info()));
      } else if (*names) {
        fmt::print("{}\n", experiment->info().name);
      } else {
        printFamily(experiment->info());
      }
    }
    if (*json) fmt::print("{}\n", array.dump(2));
  });
}

}  // namespace warpscope
