#include "kernels/device/device.h"

#include <fmt/format.h>

namespace warpscope {

std::optional<std::vector<int64_t>> Device::offeredValues(const RunRequest& /*near*/,
                                                          const std::string& /*parameter*/) const {
  return std::nullopt;
}

RunRequest Device::nearestOffered(const RunRequest& request) const {
  return request;
}

Expected<RunRequest> offeredRequest(const Device& device, const FamilyInfo& family, const RunRequest& asked) {
  auto complete = completeRequest(family, asked, device.description());
  if (!complete) return complete;
  RunRequest offered = device.nearestOffered(*complete);
  for (const ParameterSpec* spec : parametersOf(family, asked.variant)) {
    const auto given = asked.parameters.find(spec->name);
    if (given == asked.parameters.end() || offered.parameters[spec->name] == given->second) continue;
    std::vector<std::string> texts;
    for (const int64_t value : device.offeredValues(offered, spec->name).value_or(std::vector<int64_t>{})) {
      texts.push_back(formatParameter(*spec, value));
    }
    return fail(ErrorKind::kBadRequest, "{} {}: {} holds no run with {} {}; it has {}", family.name,
                asked.variant, device.description().id, spec->name, formatParameter(*spec, given->second),
                fmt::join(texts, ", "));
  }
  return offered;
}

}  // namespace warpscope
