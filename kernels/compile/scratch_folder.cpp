#include "kernels/compile/scratch_folder.h"

#include <cstdlib>
#include <string>

namespace warpscope {

ScratchFolder::ScratchFolder() {
  std::error_code error;
  const auto parent = std::filesystem::temp_directory_path(error);
  std::string pattern = ((error ? "/tmp" : parent) / "warpscope-compile-XXXXXX").string();
  if (mkdtemp(pattern.data()) != nullptr) path_ = pattern;
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

}  // namespace warpscope
