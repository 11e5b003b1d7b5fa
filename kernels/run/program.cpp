#include "kernels/run/program.h"

#include <mutex>
#include <vector>

namespace warpscope {

const char* markLevelName(MarkLevel level) {
  switch (level) {
    case MarkLevel::kOff:
      return "off";
    case MarkLevel::kCoarse:
      return "coarse";
    case MarkLevel::kFine:
      return "fine";
  }
  return "unknown";
}

std::shared_ptr<const Program> shared(Program program) {
  static std::mutex mutex;
  static std::vector<std::weak_ptr<const Program>> known;
  const std::lock_guard lock(mutex);
  std::erase_if(known, [](const auto& each) { return each.expired(); });
  for (const auto& each : known) {
    if (auto same = each.lock(); same && *same == program) return same;
  }
  auto added = std::make_shared<const Program>(std::move(program));
  known.emplace_back(added);
  return added;
}

}  // namespace warpscope
