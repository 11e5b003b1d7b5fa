// The folder of the files that are read at run time: the bundled recordings and device profiles. (Kernels and
// sources are embedded.)
#pragma once

#include <filesystem>

namespace warpscope {

// $WARPSCOPE_ASSETS; otherwise ../share/warpscope next to the executable, if it exists; otherwise the assets
// folder of the source tree that the program was built from. The folder may not exist.
std::filesystem::path assetsFolder();

}  // namespace warpscope
