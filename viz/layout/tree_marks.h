// Where the working threads of one step of a reduction's tree are drawn: every one of them is covered by a
// mark that is wide enough to be seen, and threads that stand apart have marks that stand apart.
#pragma once

#include <vector>

#include "viz/layout/step_tree.h"

namespace warpscope {

// Equally wide columns, one per thread, in pixels.
struct TreeColumns {
  float left = 0, right = 0;
  uint32_t threads = 1;  // including those that never existed
  float x(uint32_t thread) const {
    return left + (right - left) * static_cast<float>(thread) / static_cast<float>(threads);
  }
};

struct TreeMark {
  float x0 = 0, x1 = 0;
  float share = 1;  // of the row's height: of a warp's threads, where they are too narrow for a mark each
};

// `least_width`: of a mark, in pixels, as far as its neighbours leave room for it.
std::vector<TreeMark> treeMarks(const TreeStep& step, const TreeColumns& columns, float least_width);

}  // namespace warpscope
