// The part of the model that is about what the shown run's lanes did: recorded when a view asks for it, kept
// until that of the next run is there.
#include <utility>

#include "app/gui/model.h"

namespace warpscope {

const std::string& Model::lanesTab() const {
  const auto chosen = lanes_tab_of_family_.find(family_->name);
  return chosen == lanes_tab_of_family_.end() ? family_->view : chosen->second;
}

void Model::chooseLanesTab(const std::string& view) {
  lanes_tab_of_family_[family_->name] = view;
}

void Model::wantLanes() {
  if (shown_.run == nullptr) return;
  LaneLogOptions options;
  if (view.selected_warp && view.selected_warp->block.value < shown_.run->grid.count()) {
    // A log that has the block will do.
    const uint32_t block = view.selected_warp->block.value;
    const LaneLogOptions& asked = lanes_wish_.options;
    const bool in_asked = block >= asked.first_block && block < asked.first_block + asked.blocks;
    options.first_block = in_asked ? asked.first_block : block;
  }
  if (lanes_wish_.run == shown_.run && lanes_wish_.options == options) return;
  lanes_wish_ = {shown_.run, options};
  lanes_pending_ = true;
  lane_log_loader_.want(shown_.run, options);
}

bool Model::takeLanes() {
  auto news = lane_log_loader_.poll();
  if (!news || news->run != lanes_wish_.run || news->options != lanes_wish_.options) return false;
  lanes_pending_ = false;
  if (news->run != shown_.run) return false;
  lanes_run_ = news->run;
  lanes_problem_.clear();
  if (news->log) {
    lanes_ = std::move(*news->log);
  } else {
    lanes_.reset();
    lanes_problem_ = news->log.error().message;
  }
  return true;
}

}  // namespace warpscope
