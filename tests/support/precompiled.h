// The headers that nearly every test parses anyway (kernels/core/precompiled.h says more).
#pragma once

#include <gtest/gtest.h>

#include "kernels/core/precompiled.h"
