#include "kernels/export/selection_report.h"

#include <fmt/format.h>

#include "kernels/core/json.h"
#include "kernels/export/tables.h"

namespace warpscope {
namespace {

Json warpsReport(const std::vector<SelectionMetrics::Warp>& warps) {
  auto list = Json::array();
  for (const SelectionMetrics::Warp& warp : warps) {
    list.push_back({{"block", warp.block.value},
                    {"warp", warp.warp_in_block},
                    {"gpu", warp.place.gpu},
                    {"sm", warp.place.sm},
                    {"life_cycles", warp.life_cycles},
                    {"selected_cycles", warp.selected_cycles}});
  }
  return list;
}

Json binsReport(const std::vector<Distribution::Bin>& bins) {
  auto list = Json::array();
  for (const Distribution::Bin& bin : bins)
    list.push_back({{"from", bin.from}, {"to", bin.to}, {"count", bin.count}});
  return list;
}

Json distributionReport(const Distribution& values) {
  Json report = {{"count", values.count}, {"sum", values.sum}};
  if (values.count == 0) return report;
  report["least"] = values.least;
  report["mean"] = values.mean();
  report["median"] = values.median;
  report["p95"] = values.p95;
  report["most"] = values.most;
  report["histogram"] = {{"linear", binsReport(values.linear)},
                         {"logarithmic", binsReport(values.logarithmic)}};
  return report;
}

Json issuesReport(const IssueMetrics& issues) {
  Json stalls = Json::object();
  for (size_t i = 0; i < kWarpStates; ++i) {
    if (issues.stalled[i] > 0) stalls[warpStateName(static_cast<WarpState>(i))] = issues.stalled[i];
  }
  return {{"issued", issues.issued},
          {"mean_lanes", issues.meanLanes()},
          {"stall_cycles", issues.stall_cycles},
          {"stalls", std::move(stalls)}};
}

}  // namespace

Json selectionReport(const TraceSelection& selection, const SelectionMetrics& metrics) {
  Json report = {{"selection", selectionText(selection)},
                 {"begin_cycles", metrics.cycles.begin},
                 {"end_cycles", metrics.cycles.end},
                 {"duration_cycles", metrics.duration_cycles},
                 {"warps", metrics.warps},
                 {"blocks", metrics.blocks},
                 {"sms", metrics.sms},
                 {"warp_cycles", metrics.warp_cycles},
                 {"life_cycles", distributionReport(metrics.life_cycles)},
                 {"lane_cycles",
                  {{"executing", metrics.lanes.executing},
                   {"waiting", metrics.lanes.waiting},
                   {"exited", metrics.lanes.exited},
                   {"never_existed", metrics.lanes.never_existed}}},
                 {"slowest", warpsReport(metrics.slowest)},
                 {"fastest", warpsReport(metrics.fastest)}};
  if (metrics.duration_ns) report["duration_ns"] = *metrics.duration_ns;
  if (const auto lost = metrics.lostShare()) report["lost_lane_share"] = *lost;
  if (metrics.issues) report["instructions"] = issuesReport(*metrics.issues);
  auto regions = Json::array();
  for (const SelectionMetrics::Region& region : metrics.regions) {
    Json entry = {{"name", region.name},
                  {"cycles", distributionReport(region.cycles)},
                  {"cut_spans", region.cut_spans},
                  {"share", region.share},
                  {"lost_lane_cycles", region.lost_lane_cycles}};
    if (region.line > 0) entry["line"] = region.line;
    if (region.cycles.sum > 0) entry["mean_active_lanes"] = region.mean_active_lanes;
    regions.push_back(std::move(entry));
  }
  report["regions"] = std::move(regions);
  return report;
}

std::string selectionCsv(const SelectionMetrics& metrics) {
  std::string text =
      "region,spans,cut_spans,mean_cycles,median_cycles,p95_cycles,longest_cycles,cycles,share,"
      "mean_active_lanes,lost_lane_cycles\n";
  for (const SelectionMetrics::Region& region : metrics.regions) {
    const Distribution& cycles = region.cycles;
    if (cycles.count == 0) continue;
    text += fmt::format("{},{},{},{:.6g},{},{},{},{},{:.6g},{:.6g},{}\n", csvField(region.name), cycles.count,
                        region.cut_spans, cycles.mean(), cycles.median, cycles.p95, cycles.most, cycles.sum,
                        region.share, region.mean_active_lanes, region.lost_lane_cycles);
  }
  return text;
}

}  // namespace warpscope
