// Runs in the background: the launches that the visible page's request means at the current settings, and
// their results. The model submits what is missing after the launches that are to be looked at.
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
  const std::optional<SweepWish>& wish() const { return wish_; }  // nullopt: nothing is swept
  bool want(const std::optional<SweepWish>& wish);                // false: it was wanted already
  // Determines what the wish means now; call it after every change. `device` null: nothing.
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
