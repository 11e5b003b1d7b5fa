// Recordings for the window's tests: every variant of a family at several block sizes, with synthetic traces
// in the real families' regions and source. What they show is made up; how the window treats it is not.
#pragma once

#include <filesystem>
#include <vector>

#include "kernels/core/error.h"
#include "kernels/run/run.h"

namespace warpscope::testing {

inline constexpr int64_t kRecordedBlocks[]{64, 128, 256, 512};

// Every variant at each of kRecordedBlocks, other parameters at their defaults. A family without a parameter
// "block" is recorded at its defaults only.
std::vector<Run> syntheticFamily(const std::string& family);

// One recording a family below ASSETS/recordings, for WARPSCOPE_ASSETS=ASSETS.
Expected<void> writeSyntheticAssets(const std::filesystem::path& assets,
                                    const std::vector<std::string>& families);

// One run as the program itself would launch it, so that it can find out what the run's lanes accessed.
Expected<void> writePlannedAsset(const std::filesystem::path& assets, const std::string& family,
                                 const std::string& variant, const ParameterValues& parameters);

// A family as a simulated GPU would give it: modelled, with instructions, warp states and counters.
Expected<void> writeModelledAssets(const std::filesystem::path& assets, const std::string& family);

// A family as a real GPU would give it that was sampled: what warps waited for at each instruction, and how
// busy the GPU was over time.
Expected<void> writeSampledAssets(const std::filesystem::path& assets, const std::string& family);

}  // namespace warpscope::testing
