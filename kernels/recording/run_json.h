// Requests, devices and run headers as JSON for files and wire. The command line's JSON of a run is
// metrics/run_report.h.
#pragma once

#include "kernels/core/error.h"
#include "kernels/run/listing.h"
#include "kernels/run/run.h"

namespace warpscope {

class Json;
class Fields;
class JsonReader;

Json hazardsJson(const std::vector<Hazard>& hazards);  // a list, for `run`, `exec` and recordings

// Lossless, for recordings and the serve protocol.
void describe(Fields& fields, RunRequest& request);  // kernels/core/fields.h
void describe(Fields& fields, DeviceDescription& device);
Json toJson(const RunRequest& request);
Expected<RunRequest> requestFromJson(const Json& json);
Json toJson(const DeviceDescription& device);
Expected<DeviceDescription> deviceFromJson(const Json& json);
Json headerJson(const Run& run);  // everything except device, source text and the trace's columns
Expected<Run> runFromHeaderJson(const Json& json);

// Listings in the form in which recordings store them. Internal to recordings.

Json listingJson(const Listing& listing);
// Problems are reported through the reader's `problem`.
Listing readListing(const JsonReader& reader);

}  // namespace warpscope
