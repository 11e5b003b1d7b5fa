#include "kernels/backend/opened_backend.h"

namespace warpscope {
namespace {

struct LaunchWithClocks {
  const LaunchSpec& spec;
  const std::stop_token& stop;

  Expected<void> operator()(Backend& measuring) const {
    return measuring.launch(spec, stop).map([](const LaunchReport&) {});
  }
  Expected<void> operator()(ModellingBackend& modelling) const {
    return modelling.launchModelled(spec, {}, stop).map([](const ModelledReport&) {});
  }
};

}  // namespace

Expected<void> OpenedBackend::launchWithClocks(const LaunchSpec& spec, const std::stop_token& stop) const {
  return visit(LaunchWithClocks{spec, stop});
}

}  // namespace warpscope
