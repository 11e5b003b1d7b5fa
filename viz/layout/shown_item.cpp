#include "viz/layout/shown_item.h"

#include <fmt/format.h>

#include "kernels/experiments/experiment.h"
#include "kernels/export/tables.h"

namespace warpscope {

std::string itemText(const ShownItem& item) {
  std::string text = item.title;
  const char* separator = ": ";
  for (const auto& [name, value] : item.values)
    text += fmt::format("{}{} {}", std::exchange(separator, ", "), name, value);
  return item.run.empty() ? text : text + " (" + item.run + ")";
}

std::string itemCsv(const ShownItem& item) {
  std::string names = "item", values = csvField(item.title);
  for (const auto& [name, value] : item.values) {
    names += "," + csvField(name);
    values += "," + csvField(value);
  }
  return names + ",run\n" + values + "," + csvField(item.run) + "\n";
}

std::string runText(const Run& run) {
  return fmt::format("{} {}{} on {}", run.request.family, run.request.variant,
                     formatParameters(run.request, ", ", " "), run.device.name);
}

std::string windowCommand(const Run& run, const TraceSelection& where) {
  std::string command =
      fmt::format("warpscope gui --device {} --family {} --variant {}{}", run.device.id, run.request.family,
                  run.request.variant, formatParameters(run.request, " --", " "));
  if (!where.empty()) command += fmt::format(" --select '{}'", selectionText(where));
  return command;
}

}  // namespace warpscope
