#include "app/gui/model/lane_model.h"

#include <utility>

namespace warpscope {

void LaneModel::want(const std::shared_ptr<const Run>& shown, const std::optional<WarpKey>& selected) {
  if (shown == nullptr) return;
  LaneLogOptions options;
  if (selected && selected->block.value < shown->grid.count()) {
    // A log that contains the block is sufficient.
    const uint32_t block = selected->block.value;
    const bool in_wanted = block >= wanted_.first_block && block < wanted_.first_block + wanted_.blocks;
    options.first_block = in_wanted ? wanted_.first_block : block;
  }
  if (wanted_of_ == shown && wanted_ == options) return;
  wanted_of_ = shown;
  wanted_ = options;
  pending_ = true;
  loader_.want(shown, options);
}

bool LaneModel::update(const std::shared_ptr<const Run>& shown) {
  auto news = loader_.poll();
  if (!news || news->run != wanted_of_ || news->options != wanted_) return false;
  pending_ = false;
  if (news->run != shown) return false;
  log_of_ = news->run;
  problem_.clear();
  if (news->log) {
    log_ = std::move(*news->log);
  } else {
    log_.reset();
    problem_ = news->log.error().message;
  }
  return true;
}

}  // namespace warpscope
