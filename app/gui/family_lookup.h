// Finds parameters and variants of a family by name.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "kernels/experiments/experiment.h"

namespace warpscope {

// Null if there is no parameter of that name.
inline const ParameterSpec* findSpec(const FamilyInfo& family, const std::string& name) {
  for (const ParameterSpec& spec : family.parameters) {
    if (spec.name == name) return &spec;
  }
  return nullptr;
}

inline bool inRange(const ParameterSpec& spec, int64_t value) {
  if (spec.kind == ParameterKind::kChoice) {
    return value >= 0 && value < static_cast<int64_t>(spec.choices.size());
  }
  return value >= spec.min && value <= spec.max;
}

inline std::optional<size_t> findVariant(const FamilyInfo& family, const std::string& name) {
  for (size_t i = 0; i < family.variants.size(); ++i) {
    if (family.variants[i].name == name) return i;
  }
  return std::nullopt;
}

}  // namespace warpscope
