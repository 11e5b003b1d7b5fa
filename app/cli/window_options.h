// The options of the window, shared by gui and screenshot.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/cli/request_options.h"
#include "app/gui/gui.h"

namespace warpscope {

struct WindowArguments {
  std::string family, variant, theme, language, size;
  float scale = 0;
  std::vector<std::string> recordings;
  std::shared_ptr<DeviceArguments> device;
  std::shared_ptr<ParameterTexts> parameters;
};
std::shared_ptr<WindowArguments> addWindowOptions(CLI::App& command);

Expected<StartOptions> startOptions(const WindowArguments& arguments);

// On a build without the window: says so, and what to install.
int reportNoWindow();

}  // namespace warpscope
