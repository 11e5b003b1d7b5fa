// The condition on which the launch decides that is being executed: whether another node of its graph is
// executed (cudaGraphSetConditional). At most one launch at a time does.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace warpscope::sim {

class GraphCondition {
 public:
  uint64_t begin(uint32_t operation);  // returns its handle; the condition is 0
  bool end();                          // whether the launch has set it to something else
  // Returns why it is not possible; empty: done.
  std::string set(uint64_t handle, uint32_t value);

 private:
  struct Set {
    uint64_t handle = 0;
    uint32_t value = 0;
  };
  std::optional<Set> now_;
};

}  // namespace warpscope::sim
