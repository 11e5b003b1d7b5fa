// Vectors of millions of plain values that are filled right after they are made: resize() leaves new elements
// as they are. Clearing them first would take one thread as long as it takes several to fill them.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace warpscope {

template <class Value>
class LargeAllocator : public std::allocator<Value> {
 public:
  static_assert(std::is_trivially_copyable_v<Value> && std::is_trivially_destructible_v<Value>);
  template <class Other>
  struct rebind {  // NOLINT(readability-identifier-naming): the name that containers look for
    using other = LargeAllocator<Other>;
  };

  template <class Made, class... Arguments>
  void construct(Made* place, Arguments&&... arguments) {
    if constexpr (sizeof...(Arguments) > 0) std::construct_at(place, std::forward<Arguments>(arguments)...);
  }
};

template <class Value>
using LargeVector = std::vector<Value, LargeAllocator<Value>>;

}  // namespace warpscope
