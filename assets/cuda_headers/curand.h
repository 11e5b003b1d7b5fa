// Kernels take their random numbers from curand_kernel.h.
#pragma once
#include "curand_kernel.h"
