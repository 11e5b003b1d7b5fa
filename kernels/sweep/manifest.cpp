#include "kernels/sweep/manifest.h"

#include <algorithm>

#include "kernels/core/fields.h"
#include "kernels/core/files.h"
#include "kernels/core/units.h"
#include "kernels/recording/run_json.h"
#include "kernels/sweep/request_outcome.h"

namespace warpscope {
namespace {

constexpr const char* kFormat = "warpscope sweep";
constexpr int kVersion = 1;
constexpr uint64_t kMostManifestBytes = uint64_t{256} << 20;  // about 800,000 points

// The file's own form: a point's device is an index into the devices.
struct FilePoint {
  std::string name;
  size_t device = 0;
  RunRequest request;
};
struct ManifestFile {
  std::string format = kFormat;
  int version = kVersion;
  std::string program_version, created;
  std::vector<DeviceDescription> devices;
  std::vector<FilePoint> points;
};

void describe(Fields& fields, FilePoint& point) {
  fields.field("name", point.name);
  fields.field("device", point.device);
  fields.field("request", point.request);
}

void describe(Fields& fields, ManifestFile& file) {
  fields.field("format", file.format);
  fields.field("version", file.version);
  const JsonReader* reader = fields.reader();
  if (reader != nullptr && file.format != kFormat) {
    reader->complain("format", fmt::format("is not '{}'", kFormat));
  } else if (reader != nullptr && file.version != kVersion) {
    reader->complain("version", fmt::format("is not {}: it is of another version of this program", kVersion));
  }
  fields.field("warpscope", file.program_version);
  fields.field("created", file.created);
  fields.field("devices", file.devices);
  fields.field("points", file.points);
}

std::string manifestText(const SweepGrid& grid, const std::string& program_version) {
  ManifestFile file;
  file.program_version = program_version;
  file.created = nowIso();
  for (const SweepDevice& device : grid.devices) file.devices.push_back(device.description);
  for (const SweepPoint& point : grid.points)
    file.points.push_back({point.name, point.device, point.request});
  return describedJson(file).dump(1) + "\n";
}

Expected<Manifest> parseManifest(const Json& source) {
  std::string problem;
  const JsonReader reader(source, "", problem);
  auto file = readDescribed<ManifestFile>(reader);
  Manifest manifest{std::move(file.program_version), std::move(file.created), std::move(file.devices), {}};
  for (FilePoint& point : file.points) {
    if (point.device >= manifest.devices.size()) {
      reader.complain("points.device", "is not in the list of devices");
      break;
    }
    manifest.points.push_back(
        {std::move(point.name), manifest.devices[point.device].name, std::move(point.request)});
  }
  if (!problem.empty()) return fail(ErrorKind::kDamagedFile, "{}", problem);
  return manifest;
}

// Describes how the two grids differ; empty if they are the same.
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
  const auto text = readFile(path, kMostManifestBytes);
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
    const auto written =
        replaceFile(folder / kManifestName, manifestText(grid, program_version), Links::kReplace);
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
