// `--select`: the part of a run's trace that run and show print numbers of, as a table or as JSON.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "app/cli/command.h"
#include "kernels/metrics/selection.h"
#include "kernels/run/run.h"

namespace warpscope {

class Json;

inline constexpr const char* kSelectHelp =
    "warps and cycles: 'b12 w3 @1200..2400', 'b0-b3', 'all @0..900'; as the window copies a selection";

Option addSelectOption(Command command, std::string& text, const std::string& help);
// nullopt: the text is empty, nothing is asked for.
Expected<std::optional<TraceSelection>> selectionOf(const std::string& text);

// A table for people.
std::string selectionTables(const Run& run, const TraceSelection& selection);
// Adds "selection" to each run's report in the list.
void addSelections(Json& reports, std::span<const Run> runs, const TraceSelection& selection);

}  // namespace warpscope
