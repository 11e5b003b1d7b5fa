// "[3/20] reduction shuffle block=64": the progress of work in many steps. A terminal shows each, in place; a
// log gets the first, the last and every hundredth.
#pragma once

#include <cstddef>
#include <string>

#include "app/cli/progress_line.h"

namespace warpscope {

class Steps {
 public:
  explicit Steps(size_t total) : total_(total) {}
  void step(const std::string& what);
  void say(const std::string& line) { line_.say(line); }  // a line that stays

 private:
  ProgressLine line_;
  size_t total_, done_ = 0;
};

}  // namespace warpscope
