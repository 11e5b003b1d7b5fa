#include "app/cli/counter_table.h"

#include <fmt/format.h>

#include <set>

#include "app/cli/table.h"
#include "kernels/core/units.h"
#include "kernels/metrics/counters.h"
#include "kernels/run/warp_state.h"

namespace warpscope {
namespace {

class Rows {
 public:
  explicit Rows(const std::map<std::string, double>& counters) : counters_(counters) {}

  void add(const std::string& name, const std::string& title, std::string_view unit) {
    const auto found = counters_.find(name);
    if (found == counters_.end()) return;
    shown_.insert(name);
    if (found->second == 0) {
      ++zeros_;
    } else {
      table_.addRow({"  " + title, formatCounter(found->second, unit), name});
    }
  }
  void addRest() {
    for (const auto& [name, value] : counters_) {
      if (!shown_.contains(name)) add(name, "", "");
    }
  }
  std::string text() const {
    return table_.text() + (zeros_ == 0 ? "" : fmt::format("  {} more are 0\n", zeros_));
  }

 private:
  const std::map<std::string, double>& counters_;
  std::set<std::string> shown_;
  Table table_{{{"  counter"}, {"value", Align::kRight}, {"Nsight Compute's name"}}};
  size_t zeros_ = 0;
};

}  // namespace

std::string counterTable(const std::map<std::string, double>& counters) {
  Rows rows(counters);
  for (const CounterText& text : counterTexts()) {
    rows.add(std::string(text.name), std::string(text.title), text.unit);
  }
  for (size_t i = 0; i < kWarpStates; ++i) {
    const auto state = static_cast<WarpState>(i);
    rows.add(warpStateCounter(state), fmt::format("warps {} per issued instruction", warpStateTitle(state)),
             "cycles");
  }
  rows.addRest();
  return rows.text();
}

}  // namespace warpscope
