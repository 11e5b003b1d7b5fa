// The selected family, variant and parameter values, and the tab of the lanes' panel for each family. Every
// family keeps its own selection while another one is shown. Plain state: it knows no device and launches
// nothing; the code that changes it does (model.h).
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "app/gui/settings.h"
#include "kernels/experiments/experiment.h"

namespace warpscope {

class Choice {
 public:
  // The state that undo restores.
  struct State {
    const FamilyInfo* family = nullptr;
    size_t variant = 0;
    ParameterValues values;
    bool operator==(const State&) const = default;
  };

  // `families`: in the order in which they are shown, at least one; they outlive this.
  explicit Choice(std::vector<const FamilyInfo*> families);

  std::span<const FamilyInfo* const> families() const { return families_; }
  const FamilyInfo& family() const { return *family_; }
  const VariantInfo& variant() const { return family_->variants[variantIndex()]; }
  size_t variantIndex() const { return selected().variant; }
  // Each returns false if nothing changes: the name is unknown, or already selected.
  bool selectFamily(const std::string& name);
  bool selectVariant(const std::string& name);
  // Selects what a request names. False: its family or variant is unknown here, and nothing changes.
  bool select(const RunRequest& request);
  // A user's program, or a newer version of one: takes the place of the family of that name, or comes last,
  // and is selected. Its variant stays, and values that differ from the former defaults.
  void adopt(const FamilyInfo& family, const DefaultsFor& device);
  // The same without selecting it: what recordings and sessions hold can be selected then.
  void know(const FamilyInfo& family, const DefaultsFor& device);

  // The variant's controls, in order, and their values.
  std::vector<const ParameterSpec*> controls() const;
  int64_t value(const std::string& parameter) const;  // 0: there is no such parameter
  const ParameterValues& values() const { return selected().values; }
  bool setValue(const std::string& parameter,
                int64_t value);                 // false: it is unknown, or already has that value
  void resetValues(const DefaultsFor& device);  // to the defaults on that kind of device
  // Values that equal a default, on either device, move to the default on the new one, in every family.
  void moveDefaults(const DefaultsFor& from, const DefaultsFor& to);
  static void moveDefaults(State& state, const DefaultsFor& from, const DefaultsFor& to);

  RunRequest request() const { return requestOf(variantIndex()); }
  RunRequest requestOf(size_t variant) const;  // another variant with the same values

  State state() const { return {family_, variantIndex(), values()}; }
  void restore(const State& state);

  // The view that the lanes' panel shows: the family's own, until another is chosen for it.
  const std::string& lanesTab() const;
  void chooseLanesTab(const std::string& view) { selected().lanes_tab = view; }

  // Names that are unknown and values out of range change nothing.
  void take(const Settings& settings);
  void storeInto(Settings& settings) const;

 private:
  struct Selected {
    size_t variant = 0;
    ParameterValues values;
    std::string lanes_tab;  // empty: the family's own
  };
  Selected& selected() { return selected_.at(family_->name); }
  const Selected& selected() const { return selected_.at(family_->name); }
  const FamilyInfo* find(const std::string& family) const;  // null: unknown

  std::vector<const FamilyInfo*> families_;
  const FamilyInfo* family_;
  std::map<std::string, Selected> selected_;  // by family; every family has one
};

}  // namespace warpscope
