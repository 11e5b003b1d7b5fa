// A run as the command line's JSON contract has it, and requests, devices and run headers as JSON for files
// and wire.
#pragma once

#include "kernels/core/error.h"
#include "kernels/run/run.h"

namespace warpscope {

class Json;

// The public contract of `run` and `show` (README, "JSON"). What is not known is absent, never zero.
Json runReport(const Run& run);
Json deviceReport(const DeviceDescription& device);  // of `devices`

Json hazardsJson(const std::vector<Hazard>& hazards);  // a list, of `run`, `exec` and recordings

// Lossless, for recordings and the serve protocol.
Json toJson(const RunRequest& request);
Expected<RunRequest> requestFromJson(const Json& json);
Json toJson(const DeviceDescription& device);
Expected<DeviceDescription> deviceFromJson(const Json& json);
Json headerJson(const Run& run);  // everything but device, source text and the trace's columns
Expected<Run> runFromHeaderJson(const Json& json);

}  // namespace warpscope
