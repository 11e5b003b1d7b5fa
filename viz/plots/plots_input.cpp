#include "viz/plots/plots_input.h"

namespace warpscope {
namespace {

constexpr float kReach = 14;  // pixels at 100 %

}  // namespace

NearestMark::NearestMark(const PlotFrame& plot)
    : on_(plot.near()), mouse_(ImGui::GetIO().MousePos), least_(plot.theme().px(kReach)) {
  least_ *= least_;
}

void NearestMark::offer(size_t id, ImVec2 at) {
  const float x = at.x - mouse_.x, y = at.y - mouse_.y;
  if (!on_ || x * x + y * y >= least_) return;
  least_ = x * x + y * y;
  id_ = id;
  at_ = at;
}

}  // namespace warpscope
