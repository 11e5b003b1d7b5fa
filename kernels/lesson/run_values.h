// Numbers of runs by the names that claims and texts of lessons use:
//
//   kernel_time, theoretical, ...       the metrics (kernels/metrics/metric.h), by their ids
//   block, size, work, ...              the settings
//   blocks, warps_per_block, sm_count,  what kQuantities in run_values.cpp lists
//   ...
//   region.odd_path.mean_active_lanes   a region's numbers, by the columns of regionMetricList()
//                                       (in its name _ is all that is no letter or digit)
//   counter.NAME                        a counter, by Nsight Compute's name
//   theory.wavefronts_for_a_read        what theory predicts, by its label
//   VARIANT.NAME, RUN.NAME              the same of another variant, or of another run of the scene
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "kernels/core/error.h"
#include "kernels/lesson/scene.h"
#include "kernels/program/expression.h"
#include "kernels/run/run.h"

namespace warpscope {

// What a claim's name refers to: a run of the scene (empty: the one that is shown) and a number of it.
struct RunValueName {
  std::string run, value;
};
// In questions that are answered by dragging: the run at the value before, as the control has them.
inline constexpr std::string_view kRunBefore = "before";

// Error kBadRequest: there is no such number; the message says what there is. Regions, counters and
// predictions are only known once there is a run.
Expected<RunValueName> resolveName(std::string_view name, const LessonScene& scene,
                                   bool may_be_before = false);

// nullopt: the run lacks it, because its device cannot tell, or nothing of the kind happened.
std::optional<double> valueIn(const Run& run, std::string_view value);
// As people read it: "62.5 µs", "50.0 %"; a plain number if it is none of the metrics.
std::string formatValue(std::string_view value, double number);

// The scene's runs by name; the shown one has the name "".
using StepRuns = std::map<std::string, const Run*, std::less<>>;
// The values of these names in the runs; names whose value is not known are left out.
NamedValues valuesOf(const std::set<std::string, std::less<>>& names, const LessonScene& scene,
                     const StepRuns& runs);

// What the trace shows of a region in a warp, at its visit-th time: the lanes that execute it together.
// Error kBadRequest: the run has no such region, did not record the warp, or the warp does not come there so
// often.
Expected<LaneMask> lanesIn(const Run& run, const std::string& region, const LessonWarp& warp, uint32_t visit);

}  // namespace warpscope
