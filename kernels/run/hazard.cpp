#include "kernels/run/hazard.h"

#include <fmt/format.h>

#include <array>

#include "kernels/core/json_reader.h"
#include "kernels/core/units.h"

namespace warpscope {
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

Json accessJson(const HazardAccess& access) {
  Json json{{"action", access.action},
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

Dim3 readDim(const JsonReader& reader, const char* key) {
  std::array<uint32_t, 3> sizes{};
  size_t count = 0;
  reader.array(key, [&](const Json& element) {
    if (count < sizes.size()) sizes[count] = reader.asInteger<uint32_t>(element, key);
    ++count;
  });
  if (count != sizes.size()) reader.complain(key, "does not have three numbers");
  return {sizes[0], sizes[1], sizes[2]};
}

HazardAccess readAccess(const JsonReader& reader) {
  HazardAccess access;
  access.action = reader.text("action");
  access.ptx = reader.text("ptx");
  access.block = readDim(reader, "block");
  access.thread = readDim(reader, "thread");
  access.warp = reader.integer<uint32_t>("warp");
  access.lane = reader.integer<uint32_t>("lane");
  if (reader.has("source_file")) {
    access.source_file = reader.text("source_file");
    access.line = reader.integer<uint32_t>("line");
  }
  if (reader.has("bytes")) access.bytes = reader.integer<uint32_t>("bytes");
  return access;
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

Json toJson(const Hazard& hazard) {
  Json json = accessJson(hazard.access);
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

Expected<Hazard> hazardFromJson(const Json& source) {
  std::string problem;
  const JsonReader reader(source, "", problem);
  Hazard hazard;
  hazard.kind = reader.choice("kind", HazardKind::kTrap, hazardKindName);
  hazard.message = reader.text("message");
  hazard.kernel = reader.text("kernel");
  hazard.count = reader.integer<uint64_t>("count");
  hazard.access = readAccess(reader);
  if (reader.has("second")) hazard.second = readAccess(reader.object("second"));
  if (reader.has("space")) {
    hazard.space = reader.text("space");
    hazard.address = reader.integer<uint64_t>("address");
  }
  if (reader.has("allocation")) {
    hazard.allocation = reader.text("allocation");
    hazard.offset = reader.integer<int64_t>("offset");
  }
  if (reader.has("also_lines")) {
    reader.array("also_lines", [&](const Json& pair) {
      if (!pair.is_array() || pair.size() != 2)
        return reader.complain("also_lines", "contains something that is not a pair of lines");
      hazard.also_lines.emplace_back(reader.asInteger<uint32_t>(pair[0], "also_lines"),
                                     reader.asInteger<uint32_t>(pair[1], "also_lines"));
    });
  }
  if (!problem.empty()) return fail(ErrorKind::kDamagedFile, "a hazard is not valid: {}", problem);
  return hazard;
}

}  // namespace warpscope
