// Turns the command line's options into what a window starts with: settings, devices and families. Also
// reports a start that fails, whether by an error or by an exception.
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

// Prints the error to stderr and returns its exit status (see gui.h).
int reportError(const Error& error);
// Returns what `body` returns; an exception that leaves it is reported like any other error.
Expected<void> withoutExceptions(const std::function<Expected<void>()>& body);

}  // namespace warpscope
