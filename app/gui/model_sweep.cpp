// The part of the model that runs sweeps in the background: which launches the seen page's wish means at the
// present settings, and handing them to the session behind whatever is launched to be looked at.
#include <algorithm>
#include <utility>

#include "app/gui/family_lookup.h"
#include "app/gui/model.h"

namespace warpscope {
namespace {

// Of one variant; of each of all variants.
constexpr size_t kMostValues = 33, kMostValuesOfMany = 17;

bool hasControl(const FamilyInfo& family, const std::string& variant, const std::string& name) {
  return std::ranges::any_of(parametersOf(family, variant),
                             [&](const ParameterSpec* spec) { return spec->name == name; });
}

}  // namespace

std::optional<SweepLine> Model::sweepLine(size_t variant, const ParameterSpec& spec) const {
  const Device& device = session_->device();
  const RunRequest wanted = requestOf(variant);
  if (!hasControl(*family_, wanted.variant, spec.name)) return std::nullopt;
  SweepLine line{.variant = variant, .base = wanted, .values = {}, .instead = {}};
  const RunRequest offered = device.nearestOffered(wanted);
  if (offered.variant != wanted.variant) return std::nullopt;
  line.base.parameters = offered.parameters;
  for (const auto& [name, value] : offered.parameters) {
    const auto chosen = wanted.parameters.find(name);
    if (name != spec.name && chosen != wanted.parameters.end() && chosen->second != value) {
      line.instead[name] = value;
    }
  }
  std::vector<int64_t> values = device.offeredValues(line.base, spec.name).value_or(std::vector<int64_t>{});
  if (values.empty() && !offersOnlyRecorded()) values = everyValue(spec);
  const size_t at_most = sweep_wish_ && sweep_wish_->all_variants ? kMostValuesOfMany : kMostValues;
  const auto present = line.base.parameters.find(spec.name);
  if (present == line.base.parameters.end()) return std::nullopt;
  line.values = sweptValues(spec, std::move(values), present->second, kind(), at_most);
  return line;
}

void Model::planSweep() {
  sweep_lines_.clear();
  std::vector<RunRequest> requests;
  const ParameterSpec* spec = sweep_wish_ ? findSpec(*family_, sweep_wish_->parameter) : nullptr;
  if (session_ != nullptr && spec != nullptr) {
    // The present variant first: it is what is looked at.
    if (auto line = sweepLine(variant_, *spec)) sweep_lines_.push_back(std::move(*line));
    for (size_t i = 0; sweep_wish_->all_variants && i < family_->variants.size(); ++i) {
      if (i == variant_) continue;
      if (auto line = sweepLine(i, *spec)) sweep_lines_.push_back(std::move(*line));
    }
  }
  for (const SweepLine& line : sweep_lines_) {
    for (const int64_t value : line.values) requests.push_back(line.at(spec->name, value));
  }
  sweeps_.want(std::move(requests));
}

void Model::wantSweep(const std::optional<SweepWish>& wish) {
  if (sweep_wish_ == wish) return;
  sweep_wish_ = wish;
  planSweep();
  if (!pending_ticket_) fillVariants();
}

void Model::pauseSweep() {
  sweeps_.pause();
  if (session_ == nullptr || pending_ticket_) return;  // the foreground stopped the sweep already
  session_->cancel();
  fillVariants();
}

void Model::resumeSweep() {
  sweeps_.resume();
  if (!pending_ticket_) fillVariants();
}

}  // namespace warpscope
