// The clusters family: what theory predicts.
#include <algorithm>
#include <cmath>

#include "kernels/core/ids.h"
#include "kernels/experiments/clusters/regions.h"
#include "kernels/experiments/family_parts.h"

namespace warpscope::clusters {

uint32_t sharedBins(const RunRequest& request) {
  const auto bins = static_cast<uint32_t>(request.parameters.at("bins"));
  if (request.variant == "per_block") return bins;
  const auto cluster = static_cast<uint32_t>(request.parameters.at("cluster"));
  const uint32_t share = (bins + cluster - 1) / cluster;
  return request.variant == "pushed" ? 2 * cluster * share : share;
}

std::vector<Prediction> theory(const RunRequest& request) {
  const auto value = [&](const char* name) { return static_cast<double>(request.parameters.at(name)); };
  const bool shares = request.variant != "per_block";
  const double cluster = shares ? value("cluster") : 1, bins = value("bins");
  const double elements = value("block") * kElementsPerThread;
  const double blocks = std::ceil(std::ceil(value("size") / elements) / cluster) * cluster;
  const double share = std::ceil(bins / cluster);
  // The last blocks of a cluster may have fewer bins, or none.
  double flushes = 0;
  for (double rank = 0; rank < cluster; ++rank)
    flushes += std::ceil(std::max(0.0, std::min(share, bins - rank * share)) / kWarpSize);
  // Empty bins are not added; the last cluster may have few elements.
  constexpr double kFilled = 8;
  const double filled = elements * cluster / bins;
  return {{.label = "Atomic requests that reach L2",
           .unit = "requests",
           .reason = shares ? "each cluster adds its bins once: ceil(share / 32) requests a block"
                            : "each block adds all bins once: ceil(bins / 32) requests",
           .predicted = blocks / cluster * flushes,
           .tolerance = filled >= kFilled ? std::min(1.0, 0.01 + cluster / blocks) : 1,
           .measure = counted({"l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum",
                               "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum"})},
          {.label = "Shared memory of a block",
           .unit = "bytes",
           .reason = request.variant == "pushed" ? "4 bytes for each bin, and for each that it receives"
                     : shares                    ? "4 bytes for each bin of its share"
                                                 : "4 bytes for each bin",
           .predicted = sharedBins(request) * static_cast<double>(sizeof(uint32_t)),
           .measure = [](const Run& run) -> std::optional<double> {
             return static_cast<double>(run.resources.dynamic_shared_bytes);
           }}};
}

}  // namespace warpscope::clusters
