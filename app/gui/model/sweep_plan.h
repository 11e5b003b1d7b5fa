// The launches of a sweep: every value of one control, for the present variant or for all of a
// family. Plain values; background_sweep.h launches them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/experiments/experiment.h"

namespace warpscope {

// The sampling of a sweep's runs: when the warps of SM 0 begin and end, in every wave, and nothing else. This
// also distinguishes them from runs that record what the device chose.
inline constexpr Sampling kSweptSampling{
    .mode = Sampling::Mode::kExplicit, .first_blocks = 0, .sms = 1, .max_warps = 4096, .records_per_lane = 1};

// A page's request for a plot.
struct SweepWish {
  std::string parameter;      // the control that is swept
  bool all_variants = false;  // of the family; false: only the present one
  bool operator==(const SweepWish&) const = default;
};

// One curve: a variant, and the values of the control with which to run it.
struct SweepLine {
  size_t variant = 0;           // index into FamilyInfo::variants
  RunRequest base;              // everything but the swept control
  std::vector<int64_t> values;  // ascending
  // Settings other than the chosen ones: what a recorded device has for this variant.
  ParameterValues instead;

  RunRequest at(const std::string& parameter, int64_t value) const;
};

// All values that a control moves through if nothing limits them, ascending.
std::vector<int64_t> everyValue(const ParameterSpec& spec);
// The values that a sweep launches: at most `at_most` of those offered, evenly spread, including the ends and
// `present`. On a simulated GPU, sizes stop where a launch would take minutes, except for `present`.
std::vector<int64_t> sweptValues(const ParameterSpec& spec, std::vector<int64_t> offered, int64_t present,
                                 DeviceKind kind, size_t at_most);

}  // namespace warpscope
