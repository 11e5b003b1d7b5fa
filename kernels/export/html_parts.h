// The pieces of an HTML report (html_report.h).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "kernels/core/units.h"
#include "kernels/export/text_writer.h"
#include "kernels/run/run.h"

namespace warpscope::html {

// The content of <style>; `regions` is the largest number of regions in any run.
std::string style(size_t regions);

// "measured" or "modelled", as a badge.
std::string badge(const Run& run);
std::string anchor(size_t number);  // of a run's section: "run-3"

// The parameters that all runs share, and those that distinguish them.
struct Settings {
  explicit Settings(std::span<const Run* const> runs);
  std::string common;                         // "block 256, size 2^24"
  std::string varying(const Run& run) const;  // "stride 8"; empty: nothing varies
  std::vector<std::string> names;             // of the parameters that vary
};

// Ranks runs that did the same work; `numbers` are those of the runs.
void writeRanking(std::span<const Run* const> runs, std::span<const size_t> numbers, TextWriter& out);

// Operations on streams: what they add up to, their picture and a table. Nothing of a single launch.
void writeOperations(const Run& run, TextWriter& out);

// Names what the runs' times measure: "launch", or "whole" for operations on streams.
const char* timedThing(std::span<const Run* const> runs);

// The times of a table: all in one unit.
TimeColumn timesOf(std::span<const Run* const> runs);

// One row per run.
void beginNumbers(const Settings& settings, const char* timed, TextWriter& out);
void writeNumbers(const Run& run, size_t number, const Settings& settings, const TimeColumn& times,
                  TextWriter& out);
void endNumbers(TextWriter& out);

// A run's own section. `open`: its source is visible initially.
void writeRun(const Run& run, size_t number, bool open, TextWriter& out);

}  // namespace warpscope::html
