// The choice of runs from a recording: --family, --variant, --index and the parameters.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/cli/request_options.h"
#include "kernels/recording/recording.h"

namespace warpscope {

struct RunChoice {
  std::string family;    // empty: any
  std::string variants;  // "A", "A,B"; empty or "all": any
  std::vector<size_t> indices;
  std::shared_ptr<ParameterTexts> parameters;
};
std::shared_ptr<RunChoice> addRunChoiceOptions(Command command);

// The runs that match every option, ascending; at least one. The error lists what the file holds.
Expected<std::vector<size_t>> chosenRuns(const RecordingIndex& index, const RunChoice& choice,
                                         const std::string& file);

// One line per run: "  3  reduction shuffle  block 256, size 2^24  (NVIDIA H100 80GB HBM3, measured)". If
// there are many, only the first ones.
std::string runList(const RecordingIndex& index, const std::vector<size_t>& runs);

}  // namespace warpscope
