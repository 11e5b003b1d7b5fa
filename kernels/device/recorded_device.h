// A device that answers with runs recorded on another one, so that users without a GPU still see real
// executions. It offers only what was recorded, and says so when asked for anything else.
#pragma once

#include <filesystem>
#include <memory>

#include "kernels/device/device.h"

namespace warpscope {

// `folder_or_file`: every .wsrec of a folder (its id is "recorded"), or one file ("file:PATH"). Damaged files
// are left out, which its notes() say; it is an error (kNoDevice) if no run is left. Only headers are read
// now, and traces when a run is asked for.
Expected<std::unique_ptr<Device>> openRecordedDevice(const std::filesystem::path& folder_or_file);

}  // namespace warpscope
