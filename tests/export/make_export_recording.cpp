// Writes a recording with content that bundled ones lack, for the checks in Chromium: a modelled run with
// instructions, and a run with awkward names, problems and hazards and an unknown clock.
#include <fmt/format.h>

#include "kernels/recording/recording.h"
#include "tests/support/awkward_run.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: make_export_recording FILE\n");
    return 2;
  }
  warpscope::Run modelled = warpscope::testing::makeSyntheticRun("divergence", "even_odd");
  modelled.device.provenance = warpscope::Provenance::kModelled;
  warpscope::testing::addInstructions(modelled);
  const std::vector<warpscope::Run> runs{modelled, warpscope::testing::makeAwkwardRun()};
  const auto written = warpscope::writeRecording(argv[1], runs);
  if (!written) fmt::print(stderr, "{}\n", written.error().message);
  return written ? 0 : 1;
}
