// The part of the model that is about what is chosen: family, variant, values, and undoing a change of them.
#include <algorithm>
#include <cstdlib>
#include <utility>

#include "app/gui/family_lookup.h"
#include "app/gui/model.h"

namespace warpscope {
namespace {

constexpr size_t kUndoSteps = 200;

int64_t nearest(const std::vector<int64_t>& values, int64_t wanted) {
  return *std::min_element(values.begin(), values.end(), [wanted](int64_t a, int64_t b) {
    return std::abs(a - wanted) < std::abs(b - wanted);
  });
}

}  // namespace

bool Model::offersOnlyRecorded() const {
  return session_ != nullptr && session_->device().description().kind == DeviceKind::kRecorded;
}

void Model::selectFamily(const std::string& name) {
  if (name == family_->name) return;
  for (const FamilyInfo* family : families_) {
    if (family->name != name) continue;
    beginEdit();
    variant_of_family_[family_->name] = variant_;
    Choice next{family, variant_of_family_[name], {}, lab_, checks_, kept_};
    next.values = values_[name];
    restore(next);
    return;
  }
}

void Model::selectVariant(const std::string& name) {
  const auto found = findVariant(*family_, name);
  if (!found || *found == variant_) return;
  beginEdit();
  variant_ = *found;
  view.forgetCode();
  impossible_.reset();
  changed();
}

std::vector<const ParameterSpec*> Model::controls() const {
  return parametersOf(*family_, variant().name);
}

int64_t Model::value(const std::string& parameter) const {
  const ParameterValues& values = values_.at(family_->name);
  const auto found = values.find(parameter);
  return found == values.end() ? 0 : found->second;
}

const std::vector<int64_t>& Model::offeredValues(const ParameterSpec& spec) {
  const auto [entry, is_new] = offered_.try_emplace(spec.name);
  if (is_new) {
    std::optional<std::vector<int64_t>> offered;
    if (session_ != nullptr) offered = session_->device().offeredValues(request(), spec.name);
    entry->second = offered && !offered->empty() ? std::move(*offered) : everyValue(spec);
  }
  return entry->second;
}

void Model::setParameter(const std::string& name, int64_t value) {
  const ParameterSpec* spec = findSpec(*family_, name);
  if (spec == nullptr) return;
  if (offersOnlyRecorded() || !inRange(*spec, value)) value = nearest(offeredValues(*spec), value);
  if (values()[name] == value) return;
  values()[name] = value;
  changed();
}

DeviceKind Model::kind() const {
  return session_ == nullptr ? DeviceKind::kCuda : session_->device().description().kind;
}

void Model::selectRecorded() {
  if (std::exchange(keep_selection_, false)) return;
  const std::vector<RunRequest> recorded = session_->device().recordedRequests();
  const auto is_selected = [this](const RunRequest& request) {
    return request.family == family_->name && request.variant == variant().name;
  };
  if (std::ranges::any_of(recorded, is_selected)) return;
  for (const RunRequest& request : recorded) {
    const auto family = std::ranges::find(families_, request.family, &FamilyInfo::name);
    if (family == families_.end()) continue;  // recorded by another version
    const auto variant = findVariant(**family, request.variant);
    if (!variant) continue;
    const bool other_family = *family != family_;
    variant_of_family_[family_->name] = variant_;
    family_ = *family;
    variant_ = *variant;
    variant_of_family_[family_->name] = variant_;
    for (const ParameterSpec& spec : family_->parameters) {
      const auto value = request.parameters.find(spec.name);
      if (value != request.parameters.end()) values()[spec.name] = value->second;
    }
    view.forgetCode();
    if (other_family) forgetFamily();
    return;
  }
}

void Model::moveDefaults() {
  for (const FamilyInfo* family : families_) moveDefaults(*family, values_[family->name]);
  // What is undone to would otherwise be of the size that suited another device.
  for (std::vector<Choice>* steps : {&undo_, &redo_}) {
    for (Choice& step : *steps) moveDefaults(*step.family, step.values);
  }
}

void Model::moveDefaults(const FamilyInfo& family, ParameterValues& values) const {
  for (const ParameterSpec& spec : family.parameters) {
    int64_t& value = values[spec.name];
    if (value == spec.default_value || value == spec.simulated_default) value = defaultOn(spec, kind());
  }
}

void Model::resetParameters() {
  beginEdit();
  for (const ParameterSpec& spec : family_->parameters) values()[spec.name] = defaultOn(spec, kind());
  changed();
}

void Model::beginEdit() {
  undo_.push_back(choice());
  if (undo_.size() > kUndoSteps) undo_.erase(undo_.begin());
  redo_.clear();
}

Model::Choice Model::choice() const {
  return {family_, variant_, values_.at(family_->name), lab_, checks_, kept_};
}

void Model::restore(const Choice& choice) {
  const bool other_family = choice.family != family_;
  const bool other_variant = other_family || choice.variant != variant_;
  const bool other_run =
      other_variant || choice.values != values() || !(choice.lab == lab_) || choice.checks != checks_;
  family_ = choice.family;
  variant_ = choice.variant;
  variant_of_family_[family_->name] = variant_;
  values() = choice.values;
  lab_ = choice.lab;
  checks_ = choice.checks;
  kept_ = choice.kept;
  if (!other_run) return;  // what was kept changed: nothing is to be run
  if (other_variant) {
    view.forgetCode();
    impossible_.reset();
  }
  if (other_family) forgetFamily();
  changed();
}

void Model::forgetFamily() {
  view.selected_warp.reset();
  view.hovered_warp.reset();
  view.fitted = true;
  view.first_row = 0;
  shown_ = {};
  history_.clear();
  clearVariants();
  to_keep_.clear();
}

void Model::undo() {
  // An edit that changed nothing (a click on a slider's own position) is passed over.
  while (!undo_.empty() && undo_.back().family == family_ && undo_.back().variant == variant_ &&
         undo_.back().values == values() && undo_.back().lab == lab_ && undo_.back().checks == checks_ &&
         undo_.back().kept == kept_) {
    undo_.pop_back();
  }
  if (undo_.empty()) return;
  const Choice before = std::move(undo_.back());
  undo_.pop_back();
  redo_.push_back(choice());
  restore(before);
}

void Model::redo() {
  if (redo_.empty()) return;
  const Choice after = std::move(redo_.back());
  redo_.pop_back();
  undo_.push_back(choice());
  restore(after);
}

void Model::snapToOffered() {
  if (session_ == nullptr) return;
  const RunRequest wanted = request();
  const RunRequest offered = session_->device().nearestOffered(wanted);
  if (offered.family != wanted.family || offered.variant != wanted.variant) return;  // its run will say why
  for (const auto& [name, value] : offered.parameters) {
    if (values().contains(name)) values()[name] = value;
  }
}

void Model::changed() {
  offered_.clear();
  at_hand_.reset();
  snapToOffered();
  planSweep();
  for (VariantResult& result : variants_) {
    result.stale = result.run == nullptr || !answers(result.run->request);
    result.error.clear();
  }
  if (live_) {
    launch();
  } else {
    impossible_.reset();  // it was of other settings
  }
}

}  // namespace warpscope
