// From the command line's options to what a window starts with: settings, devices and families. Also how a
// start that fails is reported, whether by an error or by an exception.
#pragma once

#include <functional>
#include <vector>

#include "app/gui/device_loader.h"
#include "app/gui/gui.h"
#include "app/gui/settings.h"
#include "kernels/experiments/experiment.h"

namespace warpscope {

class Window;

// Lays what was asked for over what was remembered. Errors name the option: unknown theme, family, variant
// ...
Expected<Settings> settingsFor(const StartOptions& options, Settings remembered);
// Every device of this machine, and each recording given on the command line as a device of its own. What
// comes from other threads wakes `window`, which outlives the devices.
DeviceSource deviceSource(const StartOptions& options, Window& window);
std::vector<const FamilyInfo*> allFamilies();

// Says the error on stderr and returns the exit status that stands for it (see gui.h).
int reportError(const Error& error);
// What `body` returns; an exception that leaves it becomes an error like any other.
Expected<void> withoutExceptions(const std::function<Expected<void>()>& body);

}  // namespace warpscope
