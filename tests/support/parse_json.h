// Parses a program's output as JSON; a text that is not JSON fails the test.
#pragma once

#include <gtest/gtest.h>

#include <string_view>

#include "kernels/core/json.h"

namespace warpscope::testing {

inline Json parseJson(std::string_view text) {
  auto value = Json::parse(text);
  if (!value) ADD_FAILURE() << value.error().message << ": " << text.substr(0, 2000);
  return value ? std::move(*value) : Json();
}

}  // namespace warpscope::testing
