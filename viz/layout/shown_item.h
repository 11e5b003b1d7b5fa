// Something that a view shows, with its numbers: a bank, a bar of a plot, a counter. It can be pinned and
// copied as text, as CSV or as the command that shows it again.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "kernels/metrics/selection.h"
#include "kernels/run/run.h"

namespace warpscope {

struct ShownItem {
  std::string title;                                        // "Bank 5"
  std::vector<std::pair<std::string, std::string>> values;  // "words" "3": as shown, with units
  std::string run;                                          // the run that it is of, in words
  std::string command;                                      // shows that run again; may be empty
  TraceSelection where;                                     // its place in the trace; may be empty
  bool operator==(const ShownItem&) const = default;
};

std::string itemText(const ShownItem& item);  // one line
std::string itemCsv(const ShownItem& item);   // a line of names, and a line of values
// "divergence even_odd, block 512, size 2^12 on Simulated H100 SXM": as it can be typed.
std::string runText(const Run& run);
// The command that opens the window with this run, and with a part of it selected.
std::string windowCommand(const Run& run, const TraceSelection& where);

}  // namespace warpscope
