// Axes have their ticks where files that runs are exported to have them, too.
#pragma once

#include "kernels/core/ticks.h"
