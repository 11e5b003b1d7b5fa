#include "app/cli/steps.h"

#include <fmt/format.h>

namespace warpscope {

void Steps::step(const std::string& what) {
  ++done_;
  const std::string line = fmt::format("[{}/{}] {}", done_, total_, what);
  if (line_.interactive()) {
    line_.show(line);
  } else if (done_ == 1 || done_ == total_ || done_ % 100 == 0) {
    line_.say(line);
  }
}

}  // namespace warpscope
