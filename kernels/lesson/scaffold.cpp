#include "kernels/lesson/scaffold.h"

namespace warpscope {

std::string lessonScaffold() {
  return R"(# My lesson

```lesson
summary: What the class will know afterwards, in a sentence.
minutes: 15
device: sim:h100
source: CUDA C++ Programming Guide, section "SIMT Architecture"
```

Text before the first step is for those who read this file. Check it with `warpscope lesson check`, and play it
with `warpscope gui`.

## A step shows something

The caption is Markdown. Numbers in braces come from the run: the kernel takes {kernel_time} here, and the
recorded H100 took {recorded: kernel_time}.

```show
family: divergence
variant: even_odd
block: 256
view: timeline
warp: 0:0
claim: found.lanes_that_run_a_path_together = 16
```

## A step may ask: a choice

```show
variant: even_odd
claim: lost_lane_share > 0.4
```

```ask
question: Even and odd lanes of a warp take different paths. What does the warp do?
option: It executes one path after the other. | lost_lane_share > 0.4
option: It executes both at once. | lost_lane_share < 0.1
```

This text is shown with the answer: {lost_lane_share} of the lanes' time is lost.

## A number

```ask
question: How many times as long as with whole warps does it take?
number: kernel_time / warp_aligned.kernel_time
within: 0.15
unit: times
```

{kernel_time} against {warp_aligned.kernel_time}.

## Lanes to paint

```ask
question: Paint the lanes of warp 0 that execute the second path.
paint: second path
warp: 0:0
```

## A setting to drag

```show
family: occupancy
variant: registers
registers: 64
view: occupancy
```

```ask
question: Drag the block size to where theoretical occupancy falls for the first time.
drag: block
where: theoretical < before.theoretical
```
)";
}

}  // namespace warpscope
