// The text beside the bar of a variant: its value, or why it has none.
#pragma once

#include <string>

#include "viz/text/translate.h"
#include "viz/views/view_data.h"

namespace warpscope {

// Returns `value`, in parentheses if the run that it comes from is stale, or says why `device` gave none.
// An empty `value` means that there is none yet.
inline std::string barText(const VariantResult& result, const DeviceDescription& device,
                           const std::string& value) {
  if (!result.error.empty() && !result.impossible) return tr("! failed");
  if (!result.error.empty())
    return device.kind == DeviceKind::kRecorded ? tr("not recorded") : tr("impossible");
  if (value.empty()) return "...";
  return result.stale ? "(" + value + ")" : value;
}

}  // namespace warpscope
