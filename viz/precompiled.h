// Headers that nearly every unit that draws includes (kernels/core/precompiled.h says why they are compiled
// once).
#pragma once

#include <fmt/format.h>
#include <imgui.h>

#include "kernels/core/precompiled.h"
