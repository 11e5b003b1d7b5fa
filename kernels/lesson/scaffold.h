// The lesson that `warpscope lesson new` writes: short, right, and with each kind of question once.
#pragma once

#include <string>

namespace warpscope {

std::string lessonScaffold();

}  // namespace warpscope
