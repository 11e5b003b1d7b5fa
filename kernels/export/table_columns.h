// What the columns of tables are made of (tables.cpp): each is a name, and its cell of a row.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <utility>

#include "kernels/core/units.h"
#include "kernels/experiments/experiment.h"
#include "kernels/export/tables.h"
#include "kernels/run/run.h"

namespace warpscope::detail {

// The source of the cells of a run's rows.
class RunCells {
 public:
  RunCells(const Run& run, size_t number)
      : run(run), regions(run), number(number), parameters_(parametersText(run)) {}

  Cell parameters() const { return parameters_; }
  Cell ns(int64_t cycles) const {
    const double rate = run.trace.clocks.cycles_per_ns;
    return rate > 0 ? Cell(static_cast<double>(cycles) / rate) : Cell();
  }
  // A text that lives until the row is written: at most kTexts per row.
  Cell text(std::string text) {
    std::string& kept = texts_[next_text_++ % kTexts];
    kept = std::move(text);
    return std::string_view(kept);
  }
  Cell mask(LaneMask lanes) { return text(formatMask(lanes)); }
  // Of two GPUs, which one; an SM's number on its GPU.
  Cell gpu(SmId sm) const { return run.device.limits.gpus > 1 ? Cell(uint64_t{place(sm).gpu}) : Cell(); }
  Cell sm(SmId sm) const { return uint64_t{place(sm).sm}; }
  // The operation that a block is of; absent: the run is a single launch.
  Cell operation(BlockId block) const {
    const auto found = run.streams ? run.streams->operationOf(block) : std::nullopt;
    return found ? Cell(uint64_t{*found}) : Cell();
  }

  const Run& run;
  const RegionNames regions;
  const size_t number;

 private:
  static constexpr size_t kTexts = 4;
  SmPlace place(SmId sm) const { return smPlace(run.device.limits, sm); }

  const std::string parameters_;
  std::array<std::string, kTexts> texts_;
  size_t next_text_ = 0;
};

// A column is a name and its content, declared once.
template <class Row>
struct TableColumn {
  const char* name;
  Cell (*cell)(RunCells&, const Row&);
};

inline Cell count(uint32_t value) {
  return uint64_t{value};
}

inline Cell lineCell(uint32_t line) {
  return line > 0 ? Cell(uint64_t{line}) : Cell();
}

}  // namespace warpscope::detail
