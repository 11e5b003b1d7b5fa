// The manifest of a sweep: FOLDER/sweep.json, which says what the folder's point files are parts of. Every
// part of a sweep writes the same one, the whole grid's.
#pragma once

#include <filesystem>

#include "kernels/sweep/grid.h"

namespace warpscope {

inline constexpr const char* kManifestName = "sweep.json";

struct ManifestPoint {
  std::string name, device;  // of its file; of the device
  RunRequest request;
};

struct Manifest {
  std::string program_version;  // that began the sweep
  std::string created;          // ISO 8601, UTC
  std::vector<DeviceDescription> devices;
  std::vector<ManifestPoint> points;  // all of the grid, in order
};

// Errors: kBadRequest where there is none, kDamagedFile where it is no manifest.
Expected<Manifest> readManifest(const std::filesystem::path& folder);

// Makes the folder and its manifest, or makes sure that the one that is there is of the same grid
// (kBadRequest: it is of another, and says how they differ). Returns what is there then.
Expected<Manifest> openManifest(const std::filesystem::path& folder, const SweepGrid& grid,
                                const std::string& program_version);

}  // namespace warpscope
