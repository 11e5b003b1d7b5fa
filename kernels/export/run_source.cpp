#include "kernels/export/run_source.h"

namespace warpscope {

Expected<std::shared_ptr<const Run>> RunsOfRecording::load(size_t i) const {
  auto run = index_.load(chosen_[i]);
  if (!run) return tl::unexpected(run.error());
  return std::make_shared<const Run>(std::move(*run));
}

Expected<std::shared_ptr<const Run>> RunsInMemory::load(size_t i) const {
  return std::shared_ptr<const Run>(std::shared_ptr<const Run>(), &runs_[i]);
}

}  // namespace warpscope
