// JSON values, for code that reads or writes them.
#pragma once

#include <nlohmann/json.hpp>

namespace warpscope {

using Json = nlohmann::json;

}  // namespace warpscope
