// The interactive window: open it, step until it is closed, save the settings.
#include "app/gui/gui.h"

#include "app/gui/frame_loop.h"
#include "app/gui/start.h"
#include "app/gui/termination.h"

namespace warpscope {
namespace {

Expected<void> openAndLoop(const GuiOptions& options) {
  const auto loop = FrameLoop::start(options, Window::open);
  if (!loop) return tl::unexpected(loop.error());
  Window& window = (*loop)->window();
  {
    const TerminationWatch termination([&window] { window.wake(); });
    while (!window.closing() && !termination.requested()) (*loop)->step();
  }
  const auto saved = (*loop)->finish();
  if (!saved && options.warn) options.warn(saved.error());  // the window did its work all the same
  return {};
}

}  // namespace

Expected<void> runGui(const GuiOptions& options) {
  return withoutExceptions([&] { return openAndLoop(options); });
}

}  // namespace warpscope
