#include "kernels/export/html_report.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "kernels/compare/ranking.h"
#include "kernels/export/html_parts.h"
#include "kernels/export/svg_operations.h"

namespace warpscope {
namespace {

constexpr size_t kSourcesOpen = 3;  // with more runs, readers open what they want to see

constexpr const char* kHowToRead =
    "<p class=\"quiet\">Times are of launches of the bare kernel, without probes; traces come from a "
    "separate launch "
    "with them. "
    "Of operations on streams, the time is that of the whole: from the host's first call to the end of the "
    "last "
    "operation. "
    "Measured times are reported by the device's own events, modelled ones by a model of the "
    "SM. "
    "Bandwidth is effective: the least bytes that must move, over the median launch. What a device cannot "
    "report is left "
    "out.</p>\n";

// Runs that belong in one table: of one family, on one device; measured and modelled ones are never mixed.
struct Group {
  std::vector<const Run*> summaries;
  std::vector<size_t> positions;  // indices in the source
};

std::vector<Group> grouped(const RunSource& runs) {
  std::vector<Group> groups;
  std::map<std::tuple<std::string, std::string, Provenance>, size_t> group_of;
  for (size_t i = 0; i < runs.size(); ++i) {
    const Run& run = runs.summary(i);
    const auto [entry, added] =
        group_of.try_emplace({run.request.family, run.device.name, run.device.provenance}, groups.size());
    if (added) groups.emplace_back();
    groups[entry->second].summaries.push_back(&run);
    groups[entry->second].positions.push_back(i);
  }
  return groups;
}

std::string titleOf(const RunSource& runs) {
  std::set<std::string> families;
  for (size_t i = 0; i < runs.size(); ++i) families.insert(runs.summary(i).request.family);
  const std::string what =
      families.size() == 1 ? *families.begin() : fmt::format("{} families", families.size());
  if (runs.size() == 1) return fmt::format("{} {}", what, runs.summary(0).request.variant);
  return fmt::format("{}: {} runs", what, runs.size());
}

Expected<void> writeGroup(const RunSource& runs, const Group& group, TextWriter& out) {
  const Run& first = *group.summaries.front();
  const html::Settings settings(group.summaries);
  out.print("<h3>{} on {} {}</h3>\n", markupText(first.request.family), markupText(first.device.name),
            html::badge(first));
  if (!settings.common.empty()) out.print("<p>{}</p>\n", markupText(settings.common));
  out.print("<div class=\"scroll {}\">", provenanceName(first.device.provenance));
  const TimeColumn times = html::timesOf(group.summaries);
  html::beginNumbers(settings, html::timedThing(group.summaries), out);
  for (const size_t i : group.positions) {
    const auto run = runs.load(i);
    if (!run) return tl::unexpected(run.error());
    html::writeNumbers(**run, runs.number(i), settings, times, out);
  }
  html::endNumbers(out);
  out.put("</div>\n");
  for (const std::vector<size_t>& list : runsOfSameWork(group.summaries)) {
    std::vector<const Run*> members;
    std::vector<size_t> numbers;
    for (const size_t i : list) {
      members.push_back(group.summaries[i]);
      numbers.push_back(runs.number(group.positions[i]));
    }
    html::writeRanking(members, numbers, out);
  }
  return {};
}

}  // namespace

Expected<void> writeHtmlReport(const RunSource& runs, const WriteText& write) {
  TextWriter out(write);
  size_t regions = 0;
  for (size_t i = 0; i < runs.size(); ++i) regions = std::max(regions, runs.summary(i).regions.size());
  const std::string title = markupText(titleOf(runs));
  out.print(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<title>{} - "
      "warpscope</title>\n",
      title);
  out.print("<style>\n{}</style>\n</head>\n<body>\n<h1>{}</h1>\n", html::style(regions), title);
  out.put(kHowToRead);
  bool operations = false;
  for (size_t i = 0; i < runs.size(); ++i) operations = operations || runs.summary(i).streams.has_value();
  if (operations) writeOperationHatches(out);
  for (const Group& group : grouped(runs)) {
    auto written = writeGroup(runs, group, out);
    if (!written) return written;
  }
  for (size_t i = 0; i < runs.size(); ++i) {
    const auto run = runs.load(i);
    if (!run) return tl::unexpected(run.error());
    html::writeRun(**run, runs.number(i), runs.size() <= kSourcesOpen, out);
  }
  out.put("</body>\n</html>\n");
  return {};
}

}  // namespace warpscope
