// The interpreter for timed launches: Block's templates with the hooks that record accesses.
#include "kernels/sim/simt/interpreter_impl.h"
#include "kernels/sim/sm/access_recorder.h"
#include "kernels/sim/sm/value_recorder.h"

namespace warpscope::sim {

template SegmentResult Block::runSegment(Warp&, AccessRecorder&);
template void Block::finishMemory(Warp&, AccessRecorder&);
template SegmentResult Block::runSegment(Warp&, ValueRecorder&);
template void Block::finishMemory(Warp&, ValueRecorder&);

}  // namespace warpscope::sim
