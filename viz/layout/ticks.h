// Makes the tick functions of exported files available to axes: both have ticks at the same places.
#pragma once

#include "kernels/core/units.h"
