#include "kernels/sim/simt/checks/hazard_log.h"

#include <algorithm>

namespace warpscope::sim {
namespace {

using Pair = std::pair<HazardPlace, HazardPlace>;

bool shareALine(const Pair& a, const Pair& b) {
  return a.first == b.first || a.first == b.second || a.second == b.first || a.second == b.second;
}

}  // namespace

HazardLog::Entry* HazardLog::merge(const HazardKey& key, uint64_t count) {
  const Pair pair = std::minmax(key.first, key.second);
  for (Entry& entry : entries_) {
    if (entry.kind != key.kind) continue;
    if (std::find(entry.places.begin(), entry.places.end(), pair) != entry.places.end()) {
      entry.hazard.count += count;
      return nullptr;
    }
  }
  auto same_cause = [&](const Entry& entry) {
    return key.kind == HazardKind::kRace && entry.kind == key.kind && entry.memory == key.memory &&
           std::any_of(entry.places.begin(), entry.places.end(),
                       [&](const Pair& other) { return shareALine(pair, other); });
  };
  const auto cause = std::find_if(entries_.begin(), entries_.end(), same_cause);
  if (cause != entries_.end()) {
    cause->places.push_back(pair);
    cause->hazard.also_lines.emplace_back(pair.first.line, pair.second.line);
    cause->hazard.count += count;
    return nullptr;
  }
  if (entries_.size() == kMost) {
    left_out_ += count;
    return nullptr;
  }
  entries_.push_back({key.kind, key.memory, {pair}, {}});
  return &entries_.back();
}

bool HazardLog::has(HazardKind kind) const {
  return std::any_of(entries_.begin(), entries_.end(),
                     [&](const Entry& entry) { return entry.kind == kind; });
}

std::vector<Hazard> HazardLog::take() {
  std::vector<Hazard> hazards;
  for (Entry& entry : entries_) hazards.push_back(std::move(entry.hazard));
  entries_.clear();
  return hazards;
}

}  // namespace warpscope::sim
