// The coalescing family: what theory predicts.
#include <algorithm>
#include <cmath>

#include "kernels/core/ids.h"
#include "kernels/experiments/coalescing/shape.h"
#include "kernels/experiments/family_parts.h"

namespace warpscope::coalescing {
namespace {

constexpr double kSectorElements = 8;  // 32 bytes of 4-byte elements

struct Sectors {
  double a_request = 4;
  const char* reason = "32 lanes x 4 bytes = 128 bytes in a row: 4 sectors of 32 bytes";
};

// The expected number of distinct sectors if 32 lanes choose at random among `sectors`: S (1 - (1 - 1/S)^32).
double distinctSectors(double sectors) {
  return sectors * (1 - std::pow(1 - 1 / sectors, kWarpSize));
}

Sectors sectorsOf(const RunRequest& request) {
  const auto value = [&](const char* name) { return static_cast<double>(request.parameters.at(name)); };
  const std::string& variant = request.variant;
  if (variant == "offset" && std::fmod(value("offset"), kSectorElements) != 0) {
    return {5, "128 bytes that do not begin at a sector boundary extend into a fifth sector"};
  }
  if (variant == "stride") {
    return {4 * std::min(value("stride"), kSectorElements),
            "32 lanes span stride x 4 sectors, at most one for each lane"};
  }
  if (variant == "permuted") return {4, "the order of lanes does not matter: the same 128 bytes, 4 sectors"};
  if (variant == "random") {
    return {distinctSectors(std::max(1.0, std::ceil(value("size") / kSectorElements))),
            "nearly every lane finds a sector of its own: S (1 - (1 - 1/S)^32) of S sectors"};
  }
  if (variant.starts_with("aos")) {
    return {4.0 * kFields, "a lane's record is 16 bytes: 32 lanes x 16 bytes = 16 sectors for one field"};
  }
  if (variant == "vec2") return {8, "32 lanes x 8 bytes = 8 sectors, all of whose bytes are wanted"};
  if (variant == "vec4") return {16, "32 lanes x 16 bytes = 16 sectors, all of whose bytes are wanted"};
  return {};
}

}  // namespace

std::vector<Prediction> theory(const RunRequest& request) {
  const Sectors sectors = sectorsOf(request);
  Prediction a_request{.label = "Sectors a load touches",
                       .unit = "sectors",
                       .reason = sectors.reason,
                       .predicted = sectors.a_request,
                       .measure = countedPer("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
                                             "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum")};
  // A warp with fewer lanes, or one in which a column of a stride ends, accesses fewer or more sectors.
  const auto size = request.parameters.at("size");
  const double warps = std::ceil(static_cast<double>(size) / kWarpSize);
  const bool is_stride = request.variant == "stride";
  if (is_stride || size % (int64_t{kWarpSize} * kFields) != 0) {
    const double breaks = is_stride ? static_cast<double>(request.parameters.at("stride")) + 1 : 4;
    a_request.tolerance = std::min(1.0, breaks / warps);
  }
  if (request.variant == "random") a_request.tolerance += 0.02 + 0.2 / std::sqrt(warps);
  return {a_request};
}

}  // namespace warpscope::coalescing
