// Listings as recordings keep them. Internal to recordings.
#pragma once

#include "kernels/trace/json_reader.h"
#include "kernels/trace/listing.h"

namespace warpscope {

nlohmann::json listingJson(const Listing& listing);
// What is wrong with it is told to the reader's problem.
Listing readListing(const JsonReader& reader);

}  // namespace warpscope
