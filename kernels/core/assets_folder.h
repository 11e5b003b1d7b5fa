// Where files that are read at run time lie: the bundled recordings. (Kernels and sources are embedded.)
#pragma once

#include <filesystem>

namespace warpscope {

// $WARPSCOPE_ASSETS; else ../share/warpscope beside the executable, if it is there; else the assets folder of
// the source tree that the program was built from. It may not exist.
std::filesystem::path assetsFolder();

}  // namespace warpscope
