// Writes the synthetic recordings of the window's tests into a folder, to look at the window without a GPU:
//   make_recordings FOLDER && WARPSCOPE_ASSETS=FOLDER warpscope gui
#include <fmt/format.h>

#include "kernels/experiments/experiment.h"
#include "tests/gui/synthetic_recordings.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: make_recordings FOLDER\n");
    return 2;
  }
  std::vector<std::string> families;
  for (const auto* experiment : warpscope::allExperiments()) families.push_back(experiment->info().name);
  const auto written = warpscope::testing::writeSyntheticAssets(argv[1], families);
  if (!written) fmt::print(stderr, "{}\n", written.error().message);
  return written ? 0 : 1;
}
