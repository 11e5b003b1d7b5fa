#include "kernels/device/sim/simt/checks/hazard.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "kernels/core/units.h"

namespace warpscope::sim {
namespace {

std::string formatDim(const Dim3& dim) {
  return fmt::format("({},{},{})", dim.x, dim.y, dim.z);
}

std::string formatPlace(const HazardAccess& access) {
  if (access.source_file.empty()) return "no source line";
  return fmt::format("{}:{}", access.source_file, access.line);
}

std::string formatAccess(const HazardAccess& access) {
  return fmt::format("  {:<8} {}  block {}, thread {} (warp {}, lane {})\n           {}\n", access.action,
                     formatPlace(access), formatDim(access.block), formatDim(access.thread), access.warp,
                     access.lane, access.ptx);
}

nlohmann::json accessJson(const HazardAccess& access) {
  nlohmann::json json{{"action", access.action},
                      {"ptx", access.ptx},
                      {"block", {access.block.x, access.block.y, access.block.z}},
                      {"thread", {access.thread.x, access.thread.y, access.thread.z}},
                      {"warp", access.warp},
                      {"lane", access.lane}};
  if (!access.source_file.empty()) {
    json["source_file"] = access.source_file;
    json["line"] = access.line;
  }
  if (access.bytes != 0) json["bytes"] = access.bytes;
  return json;
}

nlohmann::json hazardJson(const Hazard& hazard) {
  nlohmann::json json = accessJson(hazard.access);
  json["kind"] = hazardKindName(hazard.kind);
  json["message"] = hazard.message;
  json["kernel"] = hazard.kernel;
  json["count"] = hazard.count;
  if (hazard.second) json["second"] = accessJson(*hazard.second);
  if (!hazard.space.empty()) {
    json["space"] = hazard.space;
    json["address"] = hazard.address;
  }
  if (!hazard.allocation.empty()) {
    json["allocation"] = hazard.allocation;
    json["offset"] = hazard.offset;
  }
  if (!hazard.also_lines.empty()) json["also_lines"] = hazard.also_lines;
  return json;
}

}  // namespace

const char* hazardKindName(HazardKind kind) {
  switch (kind) {
    case HazardKind::kOutOfBounds:
      return "out_of_bounds";
    case HazardKind::kUseAfterFree:
      return "use_after_free";
    case HazardKind::kMisaligned:
      return "misaligned";
    case HazardKind::kUninitialized:
      return "uninitialized_read";
    case HazardKind::kRace:
      return "race";
    case HazardKind::kDivergentBarrier:
      return "divergent_barrier";
    case HazardKind::kDeadlock:
      return "deadlock";
    case HazardKind::kEndlessLoop:
      return "endless_loop";
    case HazardKind::kStepLimit:
      return "step_limit";
    case HazardKind::kTrap:
      return "trap";
  }
  return "unknown";
}

std::string formatHazard(const Hazard& hazard) {
  std::string text =
      fmt::format("{} in {}: {}\n", hazardKindName(hazard.kind), hazard.kernel, hazard.message);
  text += formatAccess(hazard.access);
  if (hazard.second) text += formatAccess(*hazard.second);
  if (!hazard.allocation.empty()) {
    text += fmt::format("  in       {}, offset {}\n", hazard.allocation, formatCount(hazard.offset));
  }
  if (hazard.count > 1) text += fmt::format("  {} times\n", formatCount(static_cast<int64_t>(hazard.count)));
  for (const auto& [first, second] : hazard.also_lines) {
    text += fmt::format("  also between lines {} and {}\n", first, second);
  }
  return text;
}

std::string hazardsJson(std::span<const Hazard> hazards) {
  nlohmann::json json = nlohmann::json::array();
  for (const Hazard& hazard : hazards) json.push_back(hazardJson(hazard));
  return json.dump();
}

}  // namespace warpscope::sim
