// The registers that hold values while operations are put in order.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "kernels/sim/sm/lowering/passes.h"

namespace warpscope::sim::lowering {

// The words of registers that are live while a group's operations are put in order.
class LiveWords {
 public:
  LiveWords(const Graph& graph, const std::vector<uint32_t>& list, const LiveValues& of_group)
      : graph_(graph), out_(of_group.out), live_(of_group.in) {
    for (const uint32_t o : list) {
      for (const Value v : graph.operations[o].sources) ++reads_[v];
    }
    for (const Value v : live_) words_ += registerWords(graph, v);
  }

  // How many there are more when the operation has issued.
  int change(uint32_t o) const {
    const Operation& operation = graph_.operations[o];
    int words = 0;
    for (const Value v : operation.destinations) {
      if (!live_.contains(v)) words += static_cast<int>(registerWords(graph_, v));
    }
    for (size_t i = 0; i < operation.sources.size(); ++i) {
      const Value v = operation.sources[i];
      const auto here = std::ranges::count(operation.sources, v);
      const bool first = std::ranges::find(operation.sources, v) - operation.sources.begin() ==
                         static_cast<std::ptrdiff_t>(i);
      if (first && live_.contains(v) && !out_.contains(v) && reads_.at(v) == here)
        words -= static_cast<int>(registerWords(graph_, v));
    }
    return words;
  }

  void issue(uint32_t o) {
    const Operation& operation = graph_.operations[o];
    words_ = static_cast<uint32_t>(static_cast<int>(words_) + change(o));
    for (const Value v : operation.sources) {
      if (--reads_[v] == 0 && !out_.contains(v)) live_.erase(v);
    }
    for (const Value v : operation.destinations) live_.insert(v);
  }

  uint32_t words() const { return words_; }

 private:
  const Graph& graph_;
  const std::unordered_set<Value>& out_;
  std::unordered_set<Value> live_;
  std::unordered_map<Value, std::ptrdiff_t> reads_;
  uint32_t words_ = 0;
};

// The predicate registers, of which each value takes the first that is free.
class PredicateRegisters {
 public:
  // `reads`: how often it will be read.
  void write(Value v, uint32_t reads) {
    if (reads == 0 ||
        std::ranges::any_of(registers_, [&](const Register& r) { return r.reads > 0 && r.value == v; }))
      return;
    const auto free = std::ranges::find(registers_, 0U, &Register::reads);
    if (free != registers_.end()) *free = {v, reads, {}};
  }

  void read(Value v, size_t reader) {
    for (Register& r : registers_) {
      if (r.reads == 0 || r.value != v) continue;
      --r.reads;
      r.readers.push_back(reader);
    }
  }

  // The operations that have read the last value of the first free register.
  std::vector<size_t> readersOfFirstFree() const {
    const auto free = std::ranges::find(registers_, 0U, &Register::reads);
    return free == registers_.end() ? std::vector<size_t>{} : free->readers;
  }

 private:
  struct Register {
    Value value = kNone;
    uint32_t reads = 0;  // to come
    std::vector<size_t> readers;
  };
  std::array<Register, 7> registers_;
};

}  // namespace warpscope::sim::lowering
