#include "app/gui/model/choice.h"

#include <algorithm>
#include <utility>

#include "app/gui/family_lookup.h"

namespace warpscope {
namespace {

void moveDefaultsOf(const FamilyInfo& family, ParameterValues& values, const DefaultsFor& from,
                    const DefaultsFor& to) {
  for (const ParameterSpec& spec : family.parameters) {
    int64_t& value = values[spec.name];
    const bool is_default =
        value == spec.default_value || value == spec.simulated_default || value == defaultOn(spec, from);
    if (is_default) value = defaultOn(spec, to);
  }
}

}  // namespace

Choice::Choice(std::vector<const FamilyInfo*> families)
    : families_(std::move(families)), family_(families_.front()) {
  for (const FamilyInfo* family : families_) {
    ParameterValues& values = selected_[family->name].values;
    for (const ParameterSpec& spec : family->parameters) values[spec.name] = spec.default_value;
  }
}

const FamilyInfo* Choice::find(const std::string& family) const {
  for (const FamilyInfo* known : families_) {
    if (known->name == family) return known;
  }
  return nullptr;
}

bool Choice::selectFamily(const std::string& name) {
  const FamilyInfo* family = find(name);
  if (family == nullptr || family == family_) return false;
  family_ = family;
  return true;
}

bool Choice::selectVariant(const std::string& name) {
  const auto found = findVariant(*family_, name);
  if (!found || *found == variantIndex()) return false;
  selected().variant = *found;
  return true;
}

bool Choice::select(const RunRequest& request) {
  if (const Experiment* program = request.program ? addedExperiment(*request.program) : nullptr;
      program != nullptr)
    know(program->info(), {});
  const FamilyInfo* family = find(request.family);
  if (family == nullptr) return false;
  const auto variant = findVariant(*family, request.variant);
  if (!variant) return false;
  family_ = family;
  selected().variant = *variant;
  for (const auto& [name, value] : request.parameters) setValue(name, value);
  return true;
}

void Choice::adopt(const FamilyInfo& family, const DefaultsFor& device) {
  const auto place = std::ranges::find(families_, family.name, &FamilyInfo::name);
  const FamilyInfo* former = place == families_.end() ? nullptr : *place;
  const Selected before = selected_[family.name];
  Selected next{.lanes_tab = before.lanes_tab};
  if (former != nullptr) {
    next.variant = findVariant(family, former->variants[before.variant].name).value_or(0);
    *place = &family;
  } else {
    families_.push_back(&family);
  }
  for (const ParameterSpec& spec : family.parameters) {
    const ParameterSpec* same = former == nullptr ? nullptr : findSpec(*former, spec.name);
    const auto value = before.values.find(spec.name);
    const bool was_moved = same != nullptr && value != before.values.end() &&
                           value->second != same->default_value && value->second != defaultOn(*same, device);
    next.values[spec.name] =
        was_moved && inRange(spec, value->second) ? value->second : defaultOn(spec, device);
  }
  selected_[family.name] = std::move(next);
  family_ = &family;
}

void Choice::know(const FamilyInfo& family, const DefaultsFor& device) {
  if (find(family.name) == &family) return;
  const FamilyInfo* selected = family_;
  adopt(family, device);
  if (selected->name != family.name) family_ = selected;
}

std::vector<const ParameterSpec*> Choice::controls() const {
  return parametersOf(*family_, variant().name);
}

int64_t Choice::value(const std::string& parameter) const {
  const auto found = values().find(parameter);
  return found == values().end() ? 0 : found->second;
}

bool Choice::setValue(const std::string& parameter, int64_t value) {
  const auto found = selected().values.find(parameter);
  if (found == selected().values.end() || found->second == value) return false;
  found->second = value;
  return true;
}

void Choice::resetValues(const DefaultsFor& device) {
  for (const ParameterSpec& spec : family_->parameters) setValue(spec.name, defaultOn(spec, device));
}

void Choice::moveDefaults(const DefaultsFor& from, const DefaultsFor& to) {
  for (const FamilyInfo* family : families_) {
    moveDefaultsOf(*family, selected_.at(family->name).values, from, to);
  }
}

void Choice::moveDefaults(State& state, const DefaultsFor& from, const DefaultsFor& to) {
  moveDefaultsOf(*state.family, state.values, from, to);
}

RunRequest Choice::requestOf(size_t variant) const {
  RunRequest request;
  request.family = family_->name;
  request.variant = family_->variants[variant].name;
  request.program = family_->program;
  for (const ParameterSpec* spec : parametersOf(*family_, request.variant)) {
    request.parameters[spec->name] = values().at(spec->name);
  }
  return request;
}

void Choice::restore(const State& state) {
  family_ = state.family;
  selected().variant = state.variant;
  selected().values = state.values;
}

const std::string& Choice::lanesTab() const {
  return selected().lanes_tab.empty() ? family_->view : selected().lanes_tab;
}

void Choice::take(const Settings& settings) {
  for (const FamilyInfo* family : families_) {
    const auto remembered = settings.families.find(family->name);
    if (remembered == settings.families.end()) continue;
    Selected& entry = selected_.at(family->name);
    entry.variant = findVariant(*family, remembered->second.variant).value_or(0);
    if (!remembered->second.view.empty()) entry.lanes_tab = remembered->second.view;
    for (const auto& [name, value] : remembered->second.parameters) {
      const ParameterSpec* spec = findSpec(*family, name);
      if (spec != nullptr && inRange(*spec, value)) entry.values[name] = value;
    }
  }
  selectFamily(settings.family);
}

void Choice::storeInto(Settings& settings) const {
  settings.family = family_->name;
  for (const FamilyInfo* family : families_) {
    const Selected& entry = selected_.at(family->name);
    settings.families[family->name] = {family->variants[entry.variant].name, entry.values, entry.lanes_tab};
  }
}

}  // namespace warpscope
