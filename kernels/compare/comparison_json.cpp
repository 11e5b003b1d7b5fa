#include <cmath>

#include "kernels/compare/compare.h"
#include "kernels/core/json.h"
#include "kernels/metrics/run_report.h"

namespace warpscope {
namespace {

void set(Json& object, const char* key, const std::optional<double>& value) {
  if (value && std::isfinite(*value)) object[key] = *value;
}

Json numbersFromOne(const std::vector<size_t>& runs) {
  Json numbers = Json::array();
  for (const size_t i : runs) numbers.push_back(i + 1);
  return numbers;
}

Json runEntry(const Comparison& comparison, size_t i) {
  const RunFacts& facts = comparison.facts[i];
  const RunRank& rank = comparison.ranking.runs[i];
  // The same keys as in `run --json`, except for what is elsewhere in this report.
  Json entry = runReport(*comparison.runs[i]);
  for (const char* key : {"regions", "counters", "hazards", "lane_cycles", "precision"}) entry.erase(key);
  entry["number"] = i + 1;
  entry["label"] = facts.name.full();
  for (const Metric& metric : metrics()) {
    if ((metric.outputs & kInCompareJson) != 0)
      set(entry, std::string(metric.id).c_str(), facts.metrics.value(metric.id));
  }
  if (rank.place) {
    entry["rank"] = *rank.place;
    entry["ties"] = numbersFromOne(rank.ties);
  } else {
    entry["unranked"] = rank.unranked;
  }
  if (rank.speed_up) {
    entry["speed_up"] = {{"ratio", rank.speed_up->ratio},
                         {"low", rank.speed_up->low},
                         {"high", rank.speed_up->high},
                         {"verdict", verdictName(*rank.against_baseline)}};
  } else if (i != comparison.baseline) {
    entry["no_speed_up"] = rank.no_speed_up;
  }
  return entry;
}

Json regionsReport(const Comparison& comparison) {
  Json regions = Json::array();
  for (const RegionComparison& region : comparison.regions) {
    Json runs = Json::array();
    for (size_t i = 0; i < region.runs.size(); ++i) {
      if (!region.runs[i].exists) continue;
      Json entry = {{"number", i + 1}};
      if (const auto& numbers = region.runs[i].numbers) {
        entry["spans"] = numbers->spans;
        entry["cycles"] = numbers->cycles;
        entry["cycles_per_warp"] = numbers->cycles_per_warp;
        entry["share"] = numbers->share;
        set(entry, "mean_active_lanes", numbers->mean_active_lanes);
        entry["lost_lane_cycles"] = numbers->lost_lane_cycles;
      }
      const auto difference = differenceOf(region, i, comparison.baseline);
      if (difference && comparison.comparesWithBaseline(i)) {
        Json& to = entry["difference"] = {{"spans", difference->spans},
                                          {"cycles", difference->cycles},
                                          {"cycles_per_warp", difference->cycles_per_warp},
                                          {"share", difference->share},
                                          {"lost_lane_cycles", difference->lost_lane_cycles}};
        set(to, "mean_active_lanes", difference->mean_active_lanes);
      }
      runs.push_back(std::move(entry));
    }
    regions.push_back({{"name", region.name}, {"runs", std::move(runs)}});
  }
  return regions;
}

Json explanationsReport(const Comparison& comparison) {
  Json explanations = Json::array();
  for (const Explanation& explanation : comparison.explanations) {
    Json causes = Json::array();
    for (const Cause& cause : explanation.causes) {
      causes.push_back(
          {{"name", cause.name}, {"here", cause.here}, {"there", cause.there}, {"text", cause.text}});
    }
    explanations.push_back({{"number", explanation.run + 1},
                            {"than", explanation.than + 1},
                            {"slower", explanation.slower},
                            {"causes", std::move(causes)},
                            {"text", explanation.text}});
  }
  return explanations;
}

Json modelErrorsReport(const Comparison& comparison) {
  Json pairs = Json::array();
  for (const ModelError& pair : comparison.model_errors) {
    Json errors = Json::array();
    for (const SignedError& error : pair.errors) {
      Json entry = {{"name", error.name},
                    {"unit", error.unit},
                    {"measured", error.measured},
                    {"modelled", error.modelled}};
      set(entry, "relative", error.relative);
      errors.push_back(std::move(entry));
    }
    pairs.push_back(
        {{"measured", pair.measured + 1}, {"modelled", pair.modelled + 1}, {"errors", std::move(errors)}});
    if (!pair.caution.empty()) pairs.back()["caution"] = pair.caution;
  }
  return pairs;
}

Json axisReport(const ComparisonAxis& axis) {
  Json runs = Json::array();
  for (size_t i = 0; i < axis.runs.size(); ++i) {
    const RunOnAxis& run = axis.runs[i];
    Json entry = {{"number", i + 1}};
    if (run.units_per_cycle) {
      entry["length"] = run.length;
      entry["units_per_cycle"] = *run.units_per_cycle;
    } else {
      entry["reason"] = run.reason;
    }
    runs.push_back(std::move(entry));
  }
  return {{"unit", axisUnitName(axis.unit)}, {"runs", std::move(runs)}};
}

}  // namespace

Json comparisonReport(const Comparison& comparison) {
  Json runs = Json::array();
  for (size_t i = 0; i < comparison.runs.size(); ++i) runs.push_back(runEntry(comparison, i));
  return {{"baseline", comparison.baseline + 1},
          {"ranked_by", rankByName(comparison.ranking.by)},
          {"order", numbersFromOne(comparison.ranking.order)},
          {"runs", std::move(runs)},
          {"explanations", explanationsReport(comparison)},
          {"axis", axisReport(comparison.axis)},
          {"regions", regionsReport(comparison)},
          {"model_errors", modelErrorsReport(comparison)}};
}

}  // namespace warpscope
