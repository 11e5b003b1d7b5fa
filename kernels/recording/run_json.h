// A run as the command line's JSON contract has it, and requests, devices and run headers as JSON for files
// and wire.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "kernels/core/error.h"
#include "kernels/run/run.h"

namespace warpscope {

// The public contract of `run` and `show` (README, "JSON"). What is not known is absent, never zero.
nlohmann::json runReport(const Run& run);
nlohmann::json deviceReport(const DeviceDescription& device);  // of `devices`

nlohmann::json hazardsJson(const std::vector<Hazard>& hazards);  // a list, of `run`, `exec` and recordings

// Lossless, for recordings and the serve protocol.
nlohmann::json toJson(const RunRequest& request);
Expected<RunRequest> requestFromJson(const nlohmann::json& json);
nlohmann::json toJson(const DeviceDescription& device);
Expected<DeviceDescription> deviceFromJson(const nlohmann::json& json);
nlohmann::json headerJson(const Run& run);  // everything but device, source text and the trace's columns
Expected<Run> runFromHeaderJson(const nlohmann::json& json);

}  // namespace warpscope
