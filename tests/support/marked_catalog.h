// The catalog's bare kernels, marked automatically, beside their hand-marked forms: for tests and benchmarks
// of kernels/mark on any device.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kernels/execute/executor.h"
#include "kernels/experiments/experiment.h"
#include "kernels/run/program.h"

namespace warpscope::test {

// The plan with the automatically marked form of its kernel for its probed one. Throws if the marker refuses
// the module, because the test is wrong then.
LaunchPlan markedPlan(LaunchPlan plan, MarkLevel level);
// The regions that marks of the plan's kernel begin.
const std::vector<Region>& markedRegions(const LaunchPlan& plan, MarkLevel level);

// For an Executor: the catalog's families, whose kernels are marked automatically.
KernelLibrary markedKernels(MarkLevel level);

// Places at which both a hand-marked kernel and the automatically marked one record masks: the start, and
// hand-marked regions whose lines have an automatic mark. Where they have several (of a loop, and of what
// follows a barrier, in a function that is called there), one of them must see the same masks. Exits differ
// by right: the hand-marked form's lanes leave at a bounds check, as that ends their log's life; the bare
// form's jump to the kernel's only `ret` and leave together with the others.
struct MatchedMasks {
  struct Difference {
    std::string region;  // "odd path"
    std::string text;    // "'odd path' (line 31), block 0 warp 0: ffffffff and 0000ffff"
  };
  size_t places = 0;
  std::vector<Difference> differences;
  size_t equal() const { return places - differences.size(); }
};
// The region `of_any_block` is that of a block which chance chooses: its warps are compared whichever it was.
MatchedMasks matchMasks(const Run& by_hand, const Run& automatic, std::string_view of_any_block = {});
// The same for the same kernel on two devices, region by region.
MatchedMasks matchDevices(const Run& one, const Run& other);

}  // namespace warpscope::test
