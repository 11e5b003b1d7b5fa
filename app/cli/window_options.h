// The options of the window, shared by gui and screenshot.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/cli/request_options.h"
#include "app/gui/gui.h"

namespace warpscope {

struct WindowArguments {
  std::string family, variant, theme, language, size, select;
  float scale = 0;
  std::vector<std::string> recordings;
  std::shared_ptr<DeviceArguments> device;
  std::shared_ptr<ParameterTexts> parameters;
};
std::shared_ptr<WindowArguments> addWindowOptions(Command command);

Expected<StartOptions> startOptions(const WindowArguments& arguments);

// Opens the window and returns when it is closed.
Expected<ExitStatus> openWindow(GuiOptions options);

// The error of a build without the window. It names what to install.
tl::unexpected<Error> noWindow();

}  // namespace warpscope
