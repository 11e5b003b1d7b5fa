// The manifest of a sweep: FOLDER/sweep.json, which says what grid the folder's point files belong to. Every
// part of a sweep writes the same manifest, that of the whole grid.
#pragma once

#include <filesystem>

#include "kernels/sweep/grid.h"

namespace warpscope {

inline constexpr const char* kManifestName = "sweep.json";

struct ManifestPoint {
  std::string name, device;  // name of its file; id of the device
  RunRequest request;
};

struct Manifest {
  std::string program_version;  // of the program that began the sweep
  std::string created;          // ISO 8601, UTC
  std::vector<DeviceDescription> devices;
  std::vector<ManifestPoint> points;  // all points of the grid, in order
};

// Errors: kBadRequest if there is no manifest, kDamagedFile if the file is not a valid one.
Expected<Manifest> readManifest(const std::filesystem::path& folder);

// Creates the folder and its manifest, or makes sure that an existing manifest is of the same grid (otherwise
// fails with a kBadRequest that says how they differ). Returns the manifest that is then there.
Expected<Manifest> openManifest(const std::filesystem::path& folder, const SweepGrid& grid,
                                const std::string& program_version);

}  // namespace warpscope
