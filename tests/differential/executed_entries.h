// Runs kernels step by step, all blocks together, and records which entries of the opcode table were executed
// by a lane.
#pragma once

#include <cstddef>
#include <set>

#include "tests/differential/form_runner.h"

namespace warpscope::test {

class ExecutedEntries {
 public:
  Expected<std::vector<uint64_t>> run(SimulatedForms& module, const KernelRun& what);
  const std::set<size_t>& entries() const { return entries_; }  // indices in the opcode table

 private:
  std::set<size_t> entries_;
};

}  // namespace warpscope::test
