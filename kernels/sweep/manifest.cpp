#include "kernels/sweep/manifest.h"

#include <algorithm>

#include "kernels/core/atomic_file.h"
#include "kernels/core/iso_time.h"
#include "kernels/core/json_reader.h"
#include "kernels/core/read_file.h"
#include "kernels/recording/run_json.h"
#include "kernels/sweep/request_outcome.h"

namespace warpscope {
namespace {

constexpr const char* kFormat = "warpscope sweep";
constexpr int kVersion = 1;

std::string manifestText(const SweepGrid& grid, const std::string& program_version) {
  Json devices = Json::array(), points = Json::array();
  for (const SweepDevice& device : grid.devices) devices.push_back(toJson(device.description));
  for (const SweepPoint& point : grid.points) {
    points.push_back({{"name", point.name}, {"device", point.device}, {"request", toJson(point.request)}});
  }
  const Json manifest = {
      {"format", kFormat},   {"version", kVersion},           {"warpscope", program_version},
      {"created", nowIso()}, {"devices", std::move(devices)}, {"points", std::move(points)}};
  return manifest.dump(1) + "\n";
}

Expected<Manifest> parseManifest(const Json& source) {
  std::string problem;
  const JsonReader reader(source, "", problem);
  Manifest manifest;
  if (reader.text("format") != kFormat) reader.complain("format", fmt::format("is not '{}'", kFormat));
  if (reader.integer<int>("version") != kVersion) {
    reader.complain("version", fmt::format("is not {}: it is of another version of this program", kVersion));
  }
  manifest.program_version = reader.text("warpscope");
  manifest.created = reader.text("created");
  reader.array("devices", [&](const Json& element) {
    auto device = deviceFromJson(element);
    if (!device) return reader.complain("devices", device.error().message);
    manifest.devices.push_back(std::move(*device));
  });
  reader.array("points", [&](const Json& element) {
    const JsonReader point(element, "points.", problem);
    const auto device = point.integer<size_t>("device");
    auto request = point.has("request") ? requestFromJson(element.at("request"))
                                        : Expected<RunRequest>(fail(ErrorKind::kDamagedFile, "is missing"));
    if (!request) return point.complain("request", request.error().message);
    if (device >= manifest.devices.size()) return point.complain("device", "is not in the list of devices");
    manifest.points.push_back({point.text("name"), manifest.devices[device].name, std::move(*request)});
  });
  if (!problem.empty()) return fail(ErrorKind::kDamagedFile, "{}", problem);
  return manifest;
}

// How the two grids differ; empty if they are the same.
std::string difference(const Manifest& there, const SweepGrid& grid) {
  if (there.points.size() != grid.points.size()) {
    return fmt::format("it has {} points, this sweep {}", there.points.size(), grid.points.size());
  }
  for (size_t i = 0; i < grid.points.size(); ++i) {
    const SweepPoint& point = grid.points[i];
    if (there.points[i].name == point.name) continue;
    return fmt::format("its point {} is {} on {}, this sweep's is {} on {}{}", i,
                       describeRequest(there.points[i].request), there.points[i].device,
                       describeRequest(point.request), grid.devices[point.device].description.name,
                       there.points[i].request.parameters == point.request.parameters
                           ? " (perhaps with other repeats, sampling or limits)"
                           : "");
  }
  return "";
}

}  // namespace

Expected<Manifest> readManifest(const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / kManifestName;
  std::error_code error;
  if (!std::filesystem::exists(path, error))
    return fail(ErrorKind::kBadRequest, "{} is not a sweep: it has no {}", folder.string(), kManifestName);
  const auto text = readFile(path);
  if (!text) return tl::unexpected(text.error());
  const auto source = Json::parse(*text);
  if (!source) return fail(ErrorKind::kDamagedFile, "{}: {}", path.string(), source.error().message);
  auto manifest = parseManifest(*source);
  if (!manifest) return fail(ErrorKind::kDamagedFile, "{}: {}", path.string(), manifest.error().message);
  return manifest;
}

Expected<Manifest> openManifest(const std::filesystem::path& folder, const SweepGrid& grid,
                                const std::string& program_version) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) {
    return fail(ErrorKind::kWorkFailed, "cannot make the folder {}: {}", folder.string(), error.message());
  }
  if (!std::filesystem::exists(folder / kManifestName, error)) {
    const auto written = replaceFile(folder / kManifestName, manifestText(grid, program_version));
    if (!written) return tl::unexpected(written.error());
  }
  auto manifest = readManifest(folder);
  if (!manifest) return manifest;
  if (const std::string why = difference(*manifest, grid); !why.empty()) {
    return fail(ErrorKind::kBadRequest,
                "{} holds another sweep: {}. Choose another folder, or ask for what it was begun with",
                folder.string(), why);
  }
  return manifest;
}

}  // namespace warpscope
