// The headers beside a source file, as NVRTC is to see them: without what they have of the host.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace warpscope {

struct LocalHeader {
  std::string name;  // as it is included: "../util.h"
  std::string text;
};

// All files that `source`, which lies in `folder`, includes in quotation marks, and those that they include,
// as far as they are in the folder of the including file or in one of `folders`.
std::vector<LocalHeader> localHeaders(std::string_view source, const std::filesystem::path& folder,
                                      const std::vector<std::filesystem::path>& folders);

}  // namespace warpscope
