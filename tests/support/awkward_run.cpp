#include "tests/support/awkward_run.h"

namespace warpscope::testing {

Run makeAwkwardRun() {
  Run run = makeSyntheticRun("divergence", "even_odd");
  run.request.variant = kAwkwardName;
  run.parameter_labels["size"] = "2^16, \"about\"\r\nso";
  run.device.name = "GPU <1> & \"co\", Ltd.";
  run.regions[3].name = kAwkwardName;
  run.regions.pop_back();  // its spans remain
  run.source_file = "kernels/<dir>/a&b.cu";
  run.source =
      std::make_shared<const std::string>("#include <x>\n" + *run.source + "// \"a\" && b < c > d\n");
  run.verification = {false, 12, 3, 1.5, "out[1] = <nan>, expected \"2\""};
  run.trace.clocks.cycles_per_ns = 0;
  run.trace.clocks.uncertainty_ns.reset();
  run.trace.unrecorded_warps = 7;
  run.trace.problems.push_back({TraceProblem::Severity::kWarning, 7, "7 warps found no <free> \"slot\""});
  Hazard hazard;
  hazard.kind = HazardKind::kRace;
  hazard.message = "a race & \"more\" <here>";
  run.hazards = std::vector<Hazard>{hazard};
  return run;
}

}  // namespace warpscope::testing
