// Makes kernels of PTX record themselves as the catalog's hand-probed ones do (kernels/probe): a copy of each
// entry is added that writes records where regions begin, to the memory that layout.h describes. The copy's
// parameters are the original's; its ProbeParams are in a variable of the module, so that launches stay as
// they are. Knows nothing of devices.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kernels/core/error.h"
#include "kernels/run/program.h"
#include "kernels/run/run.h"

namespace warpscope {

struct MarkedKernel {
  std::string entry;         // the original's, which is unchanged in the module
  std::string marked_entry;  // its copy with marks; empty: it is not marked
  // What each mark begins. Ids are 0 to 254; 255 is the exit (kProbeExitRegion).
  std::vector<Region> regions;
  std::vector<std::string> notes;  // what was left out, and why
};

struct MarkedModule {
  std::string ptx;  // with the originals and their copies
  std::vector<MarkedKernel> kernels;
};

// `source_file` and `source_text` are the source that the PTX's line information is of: regions are named
// after its lines. Levels:
//   coarse: begin, loops, barriers, and both sides of branches that are not so short that they become
//           predicated instructions (a mark there would make lanes diverge that do not). If the source names
//           regions by hand (WARPSCOPE_MARK), only these.
//   fine:   also each trip of loops that are not very short, and new source lines of long blocks.
//   off:    no copies.
// Error kBadRequest: the text is not PTX; names `name` and the line.
Expected<MarkedModule> markModule(std::string_view ptx, const std::string& name, MarkLevel level,
                                  const std::string& source_file, std::string_view source_text);

}  // namespace warpscope
