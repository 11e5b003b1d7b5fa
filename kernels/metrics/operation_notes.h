// What is told of a run's operations on streams in words, on the command line and in reports.
#pragma once

#include <string>
#include <vector>

#include "kernels/run/stream_log.h"

namespace warpscope {

// Why an operation began when it did, as far as that is known.
std::string operationReason(const StreamLog& log, const StreamOperation& operation);

// A line each: the graphs, the pages that moved, what was busy for how long, the least time of any order, and
// what told the times.
std::vector<std::string> operationNotes(const StreamLog& log);

}  // namespace warpscope
