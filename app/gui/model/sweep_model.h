// Runs in the background: which launches the seen page's wish means at the present settings, and what came of
// them. The model submits what is missing behind whatever is launched to be looked at.
#pragma once

#include <optional>
#include <vector>

#include "app/gui/model/background_sweep.h"
#include "app/gui/model/choice.h"
#include "app/gui/model/sweep_plan.h"
#include "kernels/device/device.h"

namespace warpscope {

class SweepModel {
 public:
  const std::optional<SweepWish>& wish() const { return wish_; }  // nullopt: nothing is to be swept
  bool want(const std::optional<SweepWish>& wish);                // false: that was wanted already
  // What the wish means now; call after every change. `device` null: nothing.
  void plan(const Choice& choice, const Device* device);

  const std::vector<SweepLine>& lines() const { return lines_; }  // the present variant's first
  const BackgroundSweep& runs() const { return runs_; }
  BackgroundSweep& runs() { return runs_; }

 private:
  std::optional<SweepLine> line(const Choice& choice, size_t variant, const ParameterSpec& spec,
                                const Device& device) const;

  std::optional<SweepWish> wish_;
  std::vector<SweepLine> lines_;
  BackgroundSweep runs_;
};

}  // namespace warpscope
