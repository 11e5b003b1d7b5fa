// What nearly every unit that draws parses anyway (kernels/core/precompiled.h says more).
#pragma once

#include <fmt/format.h>
#include <imgui.h>

#include "kernels/core/precompiled.h"
