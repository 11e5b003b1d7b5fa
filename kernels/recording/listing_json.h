// Listings as recordings keep them. Internal to recordings.
#pragma once

#include "kernels/core/json_reader.h"
#include "kernels/run/listing.h"

namespace warpscope {

Json listingJson(const Listing& listing);
// What is wrong with it is told to the reader's problem.
Listing readListing(const JsonReader& reader);

}  // namespace warpscope
