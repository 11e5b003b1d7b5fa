// warpscope's own header of CUDA C++, in place of the CUDA Toolkit's: what clang needs to compile kernels. It is included
// before each source file.
#pragma once

#include "warpscope/language.h"
#include "warpscope/warps.h"
#include "warpscope/memory.h"
#include "warpscope/float_math.h"
#include "warpscope/print.h"
#include "warpscope/textures.h"
#include "warpscope/runtime_api.h"
#include "warpscope/texture_api.h"
// nvcc makes these known to every file.
#include <initializer_list>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utility>
