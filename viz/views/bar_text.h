// What is written beside the bar of a variant.
#pragma once

#include <string>

#include "viz/text/translate.h"
#include "viz/views/view_data.h"

namespace warpscope {

// `value`, of the run that the bar shows, in parentheses if that is stale; or why there is none on `device`.
// Empty `value`: there is none yet.
inline std::string barText(const VariantResult& result, const DeviceDescription& device,
                           const std::string& value) {
  if (!result.error.empty() && !result.impossible) return tr("! failed");
  if (!result.error.empty())
    return device.kind == DeviceKind::kRecorded ? tr("not recorded") : tr("impossible");
  if (value.empty()) return "...";
  return result.stale ? "(" + value + ")" : value;
}

}  // namespace warpscope
