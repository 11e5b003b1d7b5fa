#include "kernels/sim/streams/block_life.h"

#include <algorithm>
#include <cmath>

namespace warpscope::sim {

BlockLife::BlockLife(uint64_t begin, uint64_t own_cycles, const GridControl& control, bool waits)
    : begin_(begin),
      total_(static_cast<double>(std::max<uint64_t>(own_cycles, 1))),
      control_(control),
      phase_(waits && control.waits() ? Phase::kBefore : Phase::kBehind),
      since_(begin) {}

void BlockLife::moveTo(uint64_t now) {
  if (now <= since_ || phase_ == Phase::kStands) return;
  own_ += static_cast<double>(now - since_) / pace_;
  since_ = now;
}

void BlockLife::addPoint() {
  const Point point{own_, since_};
  if (points_.empty() || points_.back() != point) points_.push_back(point);
}

bool BlockLife::setPace(double pace, uint64_t now) {
  if (pace == pace_) return false;
  moveTo(now);
  if (phase_ != Phase::kStands) addPoint();
  pace_ = pace;
  return phase_ != Phase::kStands;
}

bool BlockLife::complete(uint64_t cycle) {
  if (phase_ == Phase::kBefore || phase_ == Phase::kStands) completed_ = cycle;
  return phase_ == Phase::kStands;
}

uint64_t BlockLife::reach(double own) const {
  constexpr double kRounding = 1e-6;
  return since_ + static_cast<uint64_t>(std::ceil(std::max((own - own_) * pace_ - kRounding, 0.0)));
}

uint64_t BlockLife::next() const {
  switch (phase_) {
    case Phase::kBefore:
      return reach(static_cast<double>(control_.last_wait));
    case Phase::kStands:
      return completed_ ? std::max(*completed_, since_) : kNever;
    case Phase::kBehind:
      return reach(total_);
    case Phase::kEnded:
      break;
  }
  return kNever;
}

void BlockLife::step() {
  const uint64_t now = next();
  const bool stood = phase_ == Phase::kStands;
  own_ = phase_ == Phase::kBehind ? total_ : static_cast<double>(control_.last_wait);
  since_ = now;
  if (phase_ == Phase::kBehind) {
    phase_ = Phase::kEnded;
    if (!points_.empty()) addPoint();
    return;
  }
  const bool stands = !stood && (!completed_ || *completed_ > now);
  phase_ = stands ? Phase::kStands : Phase::kBehind;
  if (stands || stood) addPoint();
}

uint64_t BlockLife::cycleOf(double own) const {
  const auto behind = std::ranges::lower_bound(points_, own, {}, &Point::own);
  const auto cycles = [](double count) { return static_cast<uint64_t>(std::llround(count)); };
  if (behind == points_.begin()) return begin_ + cycles(own);
  const Point& before = *std::prev(behind);
  if (behind == points_.end()) return before.at + cycles((own - before.own) * pace_);
  const double share = (own - before.own) / (behind->own - before.own);
  return before.at + cycles(share * static_cast<double>(behind->at - before.at));
}

uint64_t BlockLife::projected(double own) const {
  const auto last_wait = static_cast<double>(control_.last_wait);
  if (phase_ == Phase::kBehind || (phase_ == Phase::kBefore && own <= last_wait)) return reach(own);
  const uint64_t goes_on = std::max(phase_ == Phase::kStands ? since_ : reach(last_wait), *completed_);
  return goes_on + static_cast<uint64_t>(std::ceil((own - last_wait) * pace_));
}

std::optional<uint64_t> BlockLife::triggeredAt() const {
  const bool triggers = control_.triggered != GridControl::kNever;
  const double own = triggers ? static_cast<double>(control_.triggered) : total_;
  const bool free = !control_.waits() || (triggers && control_.triggered <= control_.first_wait);
  const bool waited = phase_ == Phase::kBehind || phase_ == Phase::kEnded;
  if (!free && !waited && !completed_) return std::nullopt;
  const uint64_t at = own <= own_ ? cycleOf(own) : projected(own);
  return free ? at : std::max(at, completed_.value_or(0));
}

uint64_t BlockLife::heldUntil() const {
  if (!completed_) return 0;
  return *completed_ > cycleOf(static_cast<double>(control_.first_wait)) ? *completed_ : 0;
}

}  // namespace warpscope::sim
