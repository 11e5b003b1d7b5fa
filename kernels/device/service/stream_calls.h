// Operations on streams as they cross the wire. The host's memory that they use goes ahead, region by region,
// in pieces; operations then name places in those regions, and what they have left there is fetched
// afterwards. Decoding trusts nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/backend/backend.h"
#include "kernels/device/service/backend_calls.h"

namespace warpscope::calls {

// A stretch of the host's memory; operations and pinned stretches that overlap are in the same one.
struct HostRegion {
  std::span<std::byte> bytes;
  bool pinned = false;
};
std::vector<HostRegion> hostRegions(const StreamWork& work);

void writeWork(Writer& writer, const StreamWork& work, std::span<const HostRegion> regions);
// Reads work whose host memory lies in `regions`, in place of the regions that it was written with. An
// operation outside them, or on no stream, makes the reader not good.
StreamWork readWork(Reader& reader, std::span<const HostRegion> regions);

void writeReport(Writer& writer, const StreamReport& report);
// Reads a report on so many operations and graphs; a number of another operation makes the reader not good.
StreamReport readReport(Reader& reader, size_t operations, size_t graphs);

}  // namespace warpscope::calls
