// The streams family: what theory predicts.
#include <algorithm>
#include <optional>

#include "kernels/experiments/family_parts.h"
#include "kernels/metrics/streams.h"

namespace warpscope::streams {
namespace {

Measure bytesOf(OperationKind kind) {
  return [kind](const Run& run) -> std::optional<double> {
    if (!run.streams) return std::nullopt;
    double bytes = 0;
    for (const StreamOperation& operation : run.streams->operations) {
      if (operation.kind == kind) bytes += static_cast<double>(operation.bytes);
    }
    return bytes;
  };
}

// How many of the two copy engines and the SMs can be busy at once.
struct AtOnce {
  double units = 1;
  const char* reason = "";
};
// Nothing if chunks are so small that it depends on how fast the host enqueues them.
std::optional<AtOnce> atOnce(const RunRequest& request) {
  constexpr int64_t kLargeChunk = 1 << 17;  // elements
  const auto found = request.parameters.find("streams");
  const int64_t streams = found == request.parameters.end() ? 1 : found->second;
  const int64_t size = request.parameters.at("size"), wanted = request.parameters.at("chunks");
  const int64_t each = (size + wanted - 1) / wanted;
  const int64_t chunks = (size + each - 1) / each;
  if (request.variant == "pageable")
    return AtOnce{1, "the host waits for each copy of pageable memory before it enqueues anything else"};
  const int64_t able = std::min(streams, chunks);
  if (able == 1) return AtOnce{1, "on one stream, each operation begins when the one before it has ended"};
  if (each < kLargeChunk) return std::nullopt;
  if (request.variant == "default_stream")
    return AtOnce{
        2,
        "the default stream's launches wait for all copies before them, and all copies behind wait for "
        "them: copies in opposite directions remain"};
  return AtOnce{
      static_cast<double>(std::min<int64_t>(able, 3)),
      "a copy engine for each direction and the SMs, as far as there are streams and chunks for them"};
}

}  // namespace

std::vector<Prediction> theory(const RunRequest& request) {
  const auto bytes = static_cast<double>(request.parameters.at("size") * 4);
  std::vector<Prediction> predictions = {{.label = "Bytes copied to the device",
                                          .unit = "bytes",
                                          .reason = "4 bytes for each element, once",
                                          .predicted = bytes,
                                          .measure = bytesOf(OperationKind::kCopyToDevice)},
                                         {.label = "Bytes copied to the host",
                                          .unit = "bytes",
                                          .reason = "4 bytes for each element, once",
                                          .predicted = bytes,
                                          .measure = bytesOf(OperationKind::kCopyToHost)}};
  if (const auto units = atOnce(request)) {
    predictions.push_back({.label = "Busy at once",
                           .unit = "units",
                           .reason = units->reason,
                           .predicted = units->units,
                           .measure = [](const Run& run) -> std::optional<double> {
                             if (!run.streams) return std::nullopt;
                             return streamTimes(*run.streams).most_at_once;
                           }});
  }
  return predictions;
}

}  // namespace warpscope::streams
