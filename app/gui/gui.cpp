// The interactive window: open, step until it is closed, remember.
#include "app/gui/gui.h"

#include <fmt/format.h>

#include <cstdio>

#include "app/gui/frame_loop.h"
#include "app/gui/termination.h"

namespace warpscope {
namespace {

int exitStatus(const Error& error) {
  switch (error.kind) {
    case ErrorKind::kBadRequest:
      return 2;
    case ErrorKind::kNoDevice:
      return 3;
    default:
      return 1;
  }
}

}  // namespace

int runGui(const GuiOptions& options) {
  const auto loop = FrameLoop::start(options, Window::open);
  if (!loop) {
    fmt::print(stderr, "warpscope: {}\n", loop.error().message);
    return exitStatus(loop.error());
  }
  Window& window = (*loop)->window();
  {
    const TerminationWatch termination([&window] { window.wake(); });
    while (!window.closing() && !termination.requested()) (*loop)->step();
  }
  const auto saved = (*loop)->finish();
  if (!saved) fmt::print(stderr, "warpscope: {}\n", saved.error().message);
  return 0;
}

}  // namespace warpscope
