// Places and values that are typed rather than named: "b12 w3", "sm 4", "line 27", "block 512", "size 2^20".
#pragma once

#include <string>
#include <vector>

#include "app/gui/find/find_state.h"
#include "app/gui/ui.h"

namespace warpscope {

// What the text asks for, most likely first; empty: it names no place and no value.
std::vector<FindEntry> placesIn(const Ui& ui, const std::string& typed);

// The numbers of a typed place. Pure.
struct TypedPlace {
  std::optional<uint32_t> block, warp, sm, line;
  std::optional<uint32_t> gpu{};  // whose SM; without, SMs are numbered through
  bool operator==(const TypedPlace&) const = default;
};
// nullopt: the text is no place. "b12 w3", "block 12, warp 3", "B12W3", "sm4", "gpu 1 sm 8", "line 27", "l
// 27".
std::optional<TypedPlace> typedPlace(const std::string& typed);

}  // namespace warpscope
