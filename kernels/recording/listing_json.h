// Listings in the form in which recordings store them. Internal to recordings.
#pragma once

#include "kernels/core/json_reader.h"
#include "kernels/run/listing.h"

namespace warpscope {

Json listingJson(const Listing& listing);
// Problems are reported through the reader's `problem`.
Listing readListing(const JsonReader& reader);

}  // namespace warpscope
