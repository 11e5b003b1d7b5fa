// What every variant writes, as one digest a launch: the simulated GPU must write the same bytes as a real
// one. The golden file holds what an H100 wrote; `output_digests cuda:0` makes it anew.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/backend/backend.h"
#include "kernels/run/run.h"

namespace warpscope::test {

struct OutputCase {
  std::string family, variant;
  ParameterValues values;
  std::string name() const;  // "reduction shared block 64 size 33"
};
// Every variant, small, middle and large blocks (every shape), awkward sizes.
std::vector<OutputCase> outputCases();

// XXH64 over the outputs of one launch of the bare kernel.
uint64_t outputDigest(Backend& backend, const OutputCase& which);

}  // namespace warpscope::test
