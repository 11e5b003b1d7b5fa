// Turns the command line's options into what a window starts with: settings, devices and families. Also makes
// an error of an exception that ends the window.
#pragma once

#include <functional>
#include <vector>

#include "app/gui/device_loader.h"
#include "app/gui/gui.h"
#include "app/gui/settings.h"
#include "kernels/experiments/experiment.h"

namespace warpscope {

class Window;

// Puts what the command line asked for over what was remembered. Errors name the option: unknown theme,
// family, variant ...
Expected<Settings> settingsFor(const StartOptions& options, Settings remembered);
// Every device of this machine, and each recording given on the command line as a device of its own. News
// from other threads wakes `window`, which must outlive the devices.
DeviceSource deviceSource(const StartOptions& options, Window& window);
std::vector<const FamilyInfo*> allFamilies();

// Returns what `body` returns; an exception that leaves it becomes an error like any other.
Expected<void> withoutExceptions(const std::function<Expected<void>()>& body);

}  // namespace warpscope
