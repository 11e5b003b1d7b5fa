// The outputs of every variant, as one digest per launch: the simulated GPU must write the same bytes as a
// real one. The golden file has those of an H100; `output_digests cuda:0` regenerates it.
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
// Every variant with small, middle and large blocks (or every shape) and awkward sizes.
std::vector<OutputCase> outputCases();

// XXH64 over the outputs of one launch of the bare kernel.
uint64_t outputDigest(Backend& backend, const OutputCase& which);

}  // namespace warpscope::test
