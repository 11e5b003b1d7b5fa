// A device that answers with runs recorded on another one: whoever has no GPU still sees real executions. It
// offers just what was recorded, and says so when asked for anything else.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "kernels/device/device.h"

namespace warpscope {

// `folder_or_file`: every .wsrec of a folder (its id is "recorded"), or one file ("file:PATH"). Files that
// are damaged are left out, with a note; the error (kNoDevice) is that no run is left. Only headers are read
// now; traces when a run is asked for.
Expected<std::unique_ptr<Device>> openRecordedDevice(const std::filesystem::path& folder_or_file);

// Why files were left out of such a device; empty for other devices.
std::vector<std::string> recordingNotes(const Device& device);

}  // namespace warpscope
