// The interpreter for timed launches: Block's templates with the hooks that record accesses.
#include "kernels/sim/simt/interpreter_impl.h"
#include "kernels/sim/sm/access_recorder.h"

namespace warpscope::sim {

template SegmentResult Block::runSegment(Warp&, AccessRecorder&);
template void Block::finishMemory(Warp&, AccessRecorder&);

}  // namespace warpscope::sim
