#include "kernels/run/hazard.h"

#include <fmt/format.h>

#include "kernels/core/fields.h"
#include "kernels/core/units.h"

namespace warpscope {
namespace {

std::string formatPlace(const HazardAccess& access) {
  if (access.source_file.empty()) return "no source line";
  return fmt::format("{}:{}", access.source_file, access.line);
}

// Of a whole operation: it has no thread, and a copy no place either.
std::string formatAccess(const HazardAccess& access, const HazardOperation& operation) {
  std::string text = fmt::format("  {:<8} {} (operation {} on {})\n", access.action, operation.name,
                                 operation.index, operation.stream);
  if (!access.source_file.empty()) text += fmt::format("           {}\n", formatPlace(access));
  return text;
}

std::string formatAccess(const HazardAccess& access) {
  return fmt::format("  {:<8} {}  block {}, thread {} (warp {}, lane {})\n           {}\n", access.action,
                     formatPlace(access), formatDim(access.block), formatDim(access.thread), access.warp,
                     access.lane, access.ptx);
}

}  // namespace

std::string formatDim(const Dim3& dim) {
  return fmt::format("({},{},{})", dim.x, dim.y, dim.z);
}

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
    case HazardKind::kStreamRace:
      return "stream_race";
    case HazardKind::kTriggerWithoutVisibility:
      return "trigger_without_visibility";
    case HazardKind::kDivergentBarrier:
      return "divergent_barrier";
    case HazardKind::kIncompletePhase:
      return "incomplete_phase";
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
  const std::string kernel = hazard.kernel.empty() ? "" : " in " + hazard.kernel;
  std::string text = fmt::format("{}{}: {}\n", hazardKindName(hazard.kind), kernel, hazard.message);
  const bool of_operations = hazard.operations.size() == 2 && hazard.second;
  if (of_operations) {
    text += formatAccess(*hazard.second, hazard.operations[1]);
    text += formatAccess(hazard.access, hazard.operations[0]);
  } else {
    text += formatAccess(hazard.access);
    if (hazard.second) text += formatAccess(*hazard.second);
  }
  if (!hazard.allocation.empty()) {
    text += fmt::format("  in       {}, offset {}\n", hazard.allocation, formatCount(hazard.offset));
  }
  if (hazard.count > 1) text += fmt::format("  {} times\n", formatCount(static_cast<int64_t>(hazard.count)));
  for (const auto& [first, second] : hazard.also_lines) {
    text += fmt::format("  also between lines {} and {}\n", first, second);
  }
  return text;
}

void describe(Fields& fields, HazardAccess& access) {
  fields.field("action", access.action);
  fields.field("ptx", access.ptx);
  fields.tuple("block", access.block.x, access.block.y, access.block.z);
  fields.tuple("thread", access.thread.x, access.thread.y, access.thread.z);
  fields.field("warp", access.warp);
  fields.field("lane", access.lane);
  if (fields.has("source_file", !access.source_file.empty())) {
    fields.field("source_file", access.source_file);
    fields.field("line", access.line);
  }
  fields.unusual("bytes", access.bytes, 0);
}

void describe(Fields& fields, HazardOperation& operation) {
  fields.field("index", operation.index);
  fields.field("name", operation.name);
  fields.field("stream", operation.stream);
}

void describe(Fields& fields, Hazard& hazard) {
  describe(fields, hazard.access);
  fields.choice("kind", hazard.kind, HazardKind::kTrap, hazardKindName);
  fields.field("message", hazard.message);
  fields.field("kernel", hazard.kernel);
  fields.field("count", hazard.count);
  fields.field("second", hazard.second);
  if (fields.has("space", !hazard.space.empty())) {
    fields.field("space", hazard.space);
    fields.field("address", hazard.address);
  }
  if (fields.has("allocation", !hazard.allocation.empty())) {
    fields.field("allocation", hazard.allocation);
    fields.field("offset", hazard.offset);
  }
  fields.unusual("also_lines", hazard.also_lines, {});
  fields.unusual("operations", hazard.operations, {});
}

Json toJson(const Hazard& hazard) {
  return describedJson(hazard);
}

Expected<Hazard> hazardFromJson(const Json& source) {
  std::string problem;
  auto hazard = readDescribed<Hazard>({source, "", problem});
  if (!problem.empty()) return fail(ErrorKind::kDamagedFile, "a hazard is not valid: {}", problem);
  return hazard;
}

}  // namespace warpscope
