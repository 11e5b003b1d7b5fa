// The parts that each FAMILY.cpp joins with its plans: texts, parameters and names of regions (texts.cpp),
// and what theory predicts for a complete request (theory.cpp). Also values of choices that several of a
// family's files need.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "kernels/core/ids.h"
#include "kernels/experiments/family.h"
#include "kernels/experiments/prediction.h"

namespace warpscope {

namespace atomics {
FamilyInfo atomicsInfo();
std::vector<RegionName> atomicsRegionNames();
std::vector<Prediction> theory(const RunRequest& request);
}  // namespace atomics

namespace banks {
FamilyInfo banksInfo();
std::vector<RegionName> banksRegionNames();
std::vector<Prediction> theory(const RunRequest& request);
}  // namespace banks

namespace barriers {
FamilyInfo barriersInfo();
std::vector<RegionName> barriersRegionNames();
std::vector<Prediction> theory(const RunRequest& request);
}  // namespace barriers

namespace boundary {
// The choices of "tile", in order: the side of a tile, which has the block's size.
inline constexpr std::array<uint32_t, 3> kTiles = {8, 16, 32};
inline constexpr int64_t kMostWidth = 2048;

FamilyInfo boundaryInfo();
std::vector<RegionName> boundaryRegionNames();
std::vector<Prediction> theory(const RunRequest& request);
}  // namespace boundary

namespace broken {
FamilyInfo brokenInfo();
std::vector<RegionName> brokenRegionNames();
std::vector<Prediction> theory(const RunRequest& request, const VariantInfo& variant,
                               const DeviceLimits& limits);
std::string insteadOfAllocations();  // theory.cpp
}  // namespace broken

namespace bulk_copy {
// The numbers that a request leads to: threads of a block, elements of a tile, tiles in all.
struct Shape {
  uint32_t threads = 0, tile_elements = 0, tiles = 0, stages = 1, shared_bytes = 0;
  // Of a tensor: its rows, and how they are swizzled.
  uint32_t row_bytes = 0;
  TensorMapDescription::Swizzle swizzle = TensorMapDescription::Swizzle::kNone;
};
Shape shapeOf(const RunRequest& request);

FamilyInfo bulkCopyInfo();
std::vector<RegionName> bulkCopyRegionNames();
std::vector<Prediction> theory(const RunRequest& request);
}  // namespace bulk_copy

namespace clusters {
FamilyInfo clustersInfo();
std::vector<RegionName> clustersRegionNames();
uint32_t sharedBins(const RunRequest& request);  // for which a block has room
std::vector<Prediction> theory(const RunRequest& request);
}  // namespace clusters

namespace coalescing {
FamilyInfo coalescingInfo();
std::vector<RegionName> coalescingRegionNames();
std::vector<Prediction> theory(const RunRequest& request);
}  // namespace coalescing

namespace dependent_launch {
FamilyInfo dependentLaunchInfo();
std::vector<RegionName> dependentLaunchRegionNames();
std::vector<Prediction> theory(const RunRequest& request, const DeviceLimits& limits);
}  // namespace dependent_launch

namespace divergence {
// The choices of "data", in order.
enum class Order : int64_t { kRandom, kSorted, kStriped };

FamilyInfo divergenceInfo();
std::vector<RegionName> divergenceRegionNames();
std::vector<Prediction> theory(const RunRequest& request);
}  // namespace divergence

namespace graphs {
struct Shape;
FamilyInfo graphsInfo();
std::vector<RegionName> graphsRegionNames();
Shape shapeOf(const RunRequest& request);
std::vector<Prediction> theory(const RunRequest& request, const DeviceLimits& limits);
}  // namespace graphs

namespace latency {
FamilyInfo latencyInfo();
std::vector<RegionName> latencyRegionNames();
std::vector<Prediction> theory(const RunRequest& request, const DeviceLimits& limits);
}  // namespace latency

namespace mapping {
FamilyInfo mappingInfo();
std::vector<RegionName> mappingRegionNames();
std::vector<Prediction> theory(const RunRequest& request);
}  // namespace mapping

namespace occupancy {
FamilyInfo occupancyInfo();
std::vector<RegionName> occupancyRegionNames();
std::vector<Prediction> theory(const RunRequest& request, const DeviceLimits& limits);
}  // namespace occupancy

namespace priorities {
FamilyInfo prioritiesInfo();
std::vector<RegionName> prioritiesRegionNames();
std::vector<Prediction> theory(const RunRequest& request, const DeviceLimits& limits);
}  // namespace priorities

namespace reduction {
FamilyInfo reductionInfo();
std::vector<RegionName> reductionRegionNames();
std::vector<Prediction> theory(const RunRequest& request, const DeviceLimits& limits);
}  // namespace reduction

namespace several_gpus {
FamilyInfo severalGpusInfo();
std::vector<RegionName> severalGpusRegionNames();
std::vector<Prediction> theory(const RunRequest& request, const DeviceLimits& limits);
}  // namespace several_gpus

namespace streams {
FamilyInfo streamsInfo();
std::vector<RegionName> streamsRegionNames();
std::vector<Prediction> theory(const RunRequest& request);
}  // namespace streams

namespace transpose {
// The choices of "block", in order: width (and the tile's side) x height.
inline constexpr std::array<Dim3, 4> kBlockShapes = {Dim3{32, 8}, Dim3{32, 16}, Dim3{32, 32}, Dim3{16, 16}};

FamilyInfo transposeInfo();
std::vector<RegionName> transposeRegionNames();
// Empty if some tiles are not full: at the edges, requests are smaller.
std::vector<Prediction> theory(const std::string& variant, const Dim3& block, uint32_t rows,
                               uint32_t columns);
}  // namespace transpose

namespace unified_memory {
FamilyInfo unifiedMemoryInfo();
std::vector<RegionName> unifiedMemoryRegionNames();
std::vector<Prediction> theory(const RunRequest& request, const DeviceLimits& limits);
}  // namespace unified_memory

namespace warp_primitives {
// The values of the choices `members` and `width`.
constexpr std::array<uint32_t, 5> kMembers = {0xFFFFFFFFU, 0x0000FFFFU, 0x55555555U, 0xFFFFFFFEU,
                                              0x11111111U};
constexpr std::array<uint32_t, 6> kWidths = {32, 16, 8, 4, 2, 1};

FamilyInfo warpPrimitivesInfo();
std::vector<RegionName> warpPrimitivesRegionNames();
std::vector<Prediction> theory(const RunRequest& request);
}  // namespace warp_primitives

}  // namespace warpscope
