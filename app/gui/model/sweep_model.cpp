#include "app/gui/model/sweep_model.h"

#include <algorithm>
#include <utility>

#include "app/gui/family_lookup.h"

namespace warpscope {
namespace {

constexpr size_t kMostValues = 33;        // of one variant
constexpr size_t kMostValuesOfMany = 17;  // of each variant, where all of a family are swept

bool hasControl(const FamilyInfo& family, const std::string& variant, const std::string& name) {
  return std::ranges::any_of(parametersOf(family, variant),
                             [&](const ParameterSpec* spec) { return spec->name == name; });
}

}  // namespace

bool SweepModel::want(const std::optional<SweepWish>& wish) {
  if (wish_ == wish) return false;
  wish_ = wish;
  return true;
}

std::optional<SweepLine> SweepModel::line(const Choice& choice, size_t variant, const ParameterSpec& spec,
                                          const Device& device) const {
  const RunRequest wanted = choice.requestOf(variant);
  if (!hasControl(choice.family(), wanted.variant, spec.name)) return std::nullopt;
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
  const DeviceKind kind = device.description().kind;
  std::vector<int64_t> values = device.offeredValues(line.base, spec.name).value_or(std::vector<int64_t>{});
  if (values.empty() && kind != DeviceKind::kRecorded) values = everyValue(spec);
  const size_t at_most = wish_ && wish_->all_variants ? kMostValuesOfMany : kMostValues;
  const auto present = line.base.parameters.find(spec.name);
  if (present == line.base.parameters.end()) return std::nullopt;
  line.values = sweptValues(spec, std::move(values), present->second, kind, at_most);
  return line;
}

void SweepModel::plan(const Choice& choice, const Device* device) {
  lines_.clear();
  std::vector<RunRequest> requests;
  const ParameterSpec* spec = wish_ ? findSpec(choice.family(), wish_->parameter) : nullptr;
  if (device != nullptr && spec != nullptr) {
    // The present variant is first, because it is the one that is looked at.
    if (auto own = line(choice, choice.variantIndex(), *spec, *device)) lines_.push_back(std::move(*own));
    for (size_t i = 0; wish_->all_variants && i < choice.family().variants.size(); ++i) {
      if (i == choice.variantIndex()) continue;
      if (auto other = line(choice, i, *spec, *device)) lines_.push_back(std::move(*other));
    }
  }
  for (const SweepLine& line : lines_) {
    for (const int64_t value : line.values) requests.push_back(line.at(spec->name, value));
  }
  runs_.want(std::move(requests));
}

}  // namespace warpscope
