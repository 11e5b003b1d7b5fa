// Achieved occupancy of a run, how it was found, and how far it may be off.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "kernels/run/run.h"

namespace warpscope {

enum class AchievedFrom {
  kCounter,        // the GPU's own, or that of a simulated GPU
  kResidency,      // when warps came and went (Trace::mean_resident_warps)
  kRecordedWarps,  // the warps of the trace, if every one of an SM was recorded
};

struct AchievedOccupancy {
  double share = 0;          // of the warps that an SM can hold
  double low = 0, high = 0;  // equal to it where it was counted
  AchievedFrom from = AchievedFrom::kCounter;
};

// Mean resident warps / max warps per SM while the SM was busy. Without counter and residency it is of the
// SMs all of whose blocks were sampled (those below the sampling's `sms`, or all of a grid that was recorded
// completely); absent if there is none. If the slots did not suffice for all sampled warps, it is for the
// part of the launch until the last slot was taken; absent if that is less than half of the launch.
std::optional<AchievedOccupancy> achievedOf(const Run& run);
const char* achievedFromName(AchievedFrom from);  // "counter", "residency", "recorded warps"
// A sentence for whoever reads the number.
const char* achievedHow(AchievedFrom from);

// From where to where a mean of `warps` may be, in warps: fitted to half of what an H100 was seen to do, and
// judged by the other half (docs/achieved_occupancy_h100.md).
struct WarpsRange {
  double low = 0, high = 0;
};
WarpsRange residentWarpsRange(double warps, const ResidencyEvidence& evidence, uint32_t max_warps_per_sm);

// "62 %" if it is known exactly, "62 % ± 3 points" if it is within 5 points, otherwise "55 to 72 %". The
// forms can be translated.
inline constexpr const char* kShareWithin = "{} ± {} points";
inline constexpr const char* kShareRange = "{} to {} %";
std::string shareText(double share, double low, double high, const char* within = kShareWithin,
                      const char* range = kShareRange);

}  // namespace warpscope
