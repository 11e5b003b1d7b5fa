// Lets registers that are never live together share rows: the last step of decoding. PTX uses a new register
// for each value; without this step the registers of a GPU's warps would not fit into the host's caches.
#pragma once

#include "kernels/sim/simt/code.h"
#include "kernels/sim/simt/decode_layout.h"

namespace warpscope::sim {

// Renumbers the rows of one function of decoded code. A row is shared only where no lane can notice: a lane's
// column of registers follows the lane's own way through the code, whatever the others do. A register that is
// read without having been written keeps a row that nothing else writes before, and so reads as zero.
void shareRows(const FunctionLayout& layout, uint32_t function, Code& code);

}  // namespace warpscope::sim
