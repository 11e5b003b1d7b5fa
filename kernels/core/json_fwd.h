// Declares JSON values, for headers that only pass them on.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace warpscope {

using Json = nlohmann::json;

}  // namespace warpscope
