// A view of one step of the selected warp at a time: an access or an exchange. Implements what these views
// share: the list of steps with its buttons and keys, and the link to the instruction that is selected
// elsewhere.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "viz/layout/step_list.h"
#include "viz/views/view.h"

namespace warpscope {

class StepView : public View {
 public:
  bool wantsLanes() const override { return true; }
  void draw(const ViewInput& input, ViewState& state) final;

 protected:
  explicit StepView(StepKind kind) : kind_(kind) {}
  // The message if there are no steps: "This kernel ..."
  virtual std::string nothingToShow(const LoggedWarp& warp) const = 0;
  // The text beside each step of the list: "4 wavefronts".
  virtual std::string costText(const StepList& steps, size_t i) const = 0;
  // Draws the step into the rest of the window.
  virtual void drawStep(const ViewInput& input, const StepList& steps, size_t i) = 0;
  // The line above the picture with the totals of the step.
  void drawSummary(const ViewInput& input, const std::string& text) const;

 private:
  void read(const ViewInput& input, const ViewState& state);
  void follow(const ViewInput& input, ViewState& state);
  void choose(const ViewInput& input, ViewState& state, size_t i);
  void drawBar(const ViewInput& input, ViewState& state, size_t shown);
  void drawList(const ViewInput& input, ViewState& state, size_t shown, float width);
  std::string stepText(size_t i, bool with_cost) const;
  const TraceWarp* traceWarp(const ViewInput& input, uint32_t* index) const;

  StepKind kind_;
  std::shared_ptr<const LaneLog> read_;  // the log that steps_ was made from
  WarpKey read_warp_;
  StepList steps_;
  float summary_width_ = 0;
  std::optional<InstructionKey> followed_;  // the last selection that this view followed
};

}  // namespace warpscope
