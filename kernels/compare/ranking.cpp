#include "kernels/compare/ranking.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <tuple>

#include "kernels/experiments/experiment.h"

namespace warpscope {
namespace {

constexpr double kChance = 0.01;

// std::lgamma() writes the sign to a global variable, and runs are compared on several threads.
double logFactorial(uint32_t n) {
  int sign = 0;
  return lgamma_r(n + 1.0, &sign);
}

// 2 / (n+m choose n)
double probabilityOfApart(uint32_t n, uint32_t m) {
  const double log_ways = logFactorial(n + m) - logFactorial(n) - logFactorial(m);
  return 2 * std::exp(-log_ways);
}

}  // namespace

const char* verdictName(Verdict verdict) {
  switch (verdict) {
    case Verdict::kFaster:
      return "faster";
    case Verdict::kSlower:
      return "slower";
    case Verdict::kWithinNoise:
      return "within noise";
    case Verdict::kTooFewRepeats:
      return "too few repeats";
  }
  return "unknown";
}

Verdict compareCosts(const Cost& a, const Cost& b) {
  if (a.least <= b.most && b.least <= a.most) return Verdict::kWithinNoise;
  const bool exact = a.modelled && b.modelled;
  if (!exact && probabilityOfApart(a.repeats, b.repeats) > kChance) return Verdict::kTooFewRepeats;
  return a.median < b.median ? Verdict::kFaster : Verdict::kSlower;
}

namespace {

// Variants of a family at one size differ slightly in what they write: one sum per block, for example.
constexpr double kAlikeBytes = 1.1;

bool sameWork(const ComparedRuns& runs) {
  const auto size = [](const Run& run) { return valueOfRole(run.request, ParameterRole::kElements); };
  const Run& first = *runs.front();
  uint64_t least = first.bandwidth.bytes, most = least;
  for (const auto& run : runs) {
    if (run->request.family != first.request.family || size(*run) != size(first)) return false;
    least = std::min(least, run->bandwidth.bytes);
    most = std::max(most, run->bandwidth.bytes);
  }
  return static_cast<double>(most) <= kAlikeBytes * static_cast<double>(least);
}

RunRank costOf(const Run& run, RankBy by) {
  RunRank rank;
  const double bytes = by == RankBy::kTime ? 1 : static_cast<double>(run.bandwidth.bytes);
  if (run.timing.repeats == 0 || run.timing.median_us <= 0) {
    rank.unranked = "it was not timed";
  } else if (bytes <= 0) {
    rank.unranked = "what the runs do differs, and how many bytes this one moves is not known";
  } else {
    rank.cost = Cost{run.timing.median_us / bytes, run.timing.min_us / bytes, run.timing.max_us / bytes,
                     run.timing.repeats, run.device.provenance == Provenance::kModelled};
    if (run.verification.failed() || run.verification.pending) rank.unranked = "its result is wrong";
  }
  return rank;
}

void takeSpeedUp(RunRank& rank, const RunRank& baseline) {
  if (!rank.cost || !baseline.cost) {
    rank.no_speed_up = rank.cost ? "the baseline: " + baseline.unranked : rank.unranked;
    return;
  }
  const Cost& own = *rank.cost;
  const Cost& base = *baseline.cost;
  if (own.modelled != base.modelled) {
    rank.no_speed_up = "one is measured, the other modelled: they are not compared";
    return;
  }
  if (own.least <= 0 || base.least <= 0) {
    rank.no_speed_up = "its shortest time is 0";
    return;
  }
  rank.speed_up = SpeedUp{base.median / own.median, base.least / own.most, base.most / own.least};
  rank.against_baseline = compareCosts(own, base);
}

// Groups them by the parameters that all of them have. What only some variants have is their way of doing it.
std::vector<std::vector<size_t>> withSameParameters(std::span<const Run* const> runs,
                                                    const std::vector<size_t>& members) {
  std::vector<std::string> names;
  const RunRequest& first = runs[members.front()]->request;
  for (const auto& parameter : first.parameters) {
    const std::string& name = parameter.first;
    const bool everywhere =
        std::ranges::all_of(members, [&](size_t i) { return runs[i]->request.parameters.contains(name); });
    if (everywhere && !shapesBlock(roleOfParameter(first.family, name))) names.push_back(name);
  }
  std::map<std::vector<int64_t>, std::vector<size_t>> parts;
  for (const size_t i : members) {
    std::vector<int64_t> values;
    values.reserve(names.size());
    for (const std::string& name : names) values.push_back(runs[i]->request.parameters.at(name));
    parts[values].push_back(i);
  }
  std::vector<std::vector<size_t>> lists;
  lists.reserve(parts.size());
  for (auto& [values, list] : parts) lists.push_back(std::move(list));
  return lists;
}

}  // namespace

std::vector<std::vector<size_t>> runsOfSameWork(std::span<const Run* const> runs) {
  // First by what every run has.
  using Work = std::tuple<std::string, std::string, Provenance, uint64_t>;
  std::map<Work, std::vector<size_t>> by_work;
  for (size_t i = 0; i < runs.size(); ++i) {
    const Run& run = *runs[i];
    if (run.timing.repeats == 0 || !(run.timing.median_us > 0) || run.verification.failed() ||
        run.verification.pending)
      continue;
    by_work[{run.request.family, run.device.name, run.device.provenance, run.bandwidth.bytes}].push_back(i);
  }
  std::vector<std::vector<size_t>> lists;
  for (const auto& [work, members] : by_work) {
    for (auto& list : withSameParameters(runs, members)) {
      if (list.size() > 1) lists.push_back(std::move(list));
    }
  }
  std::ranges::sort(lists);  // by the first run of each
  return lists;
}

const char* rankByName(RankBy by) {
  return by == RankBy::kTime ? "time" : "bandwidth";
}

Ranking rankRuns(const ComparedRuns& runs, size_t baseline, std::optional<RankBy> by) {
  Ranking ranking{.by = by ? *by : sameWork(runs) ? RankBy::kTime : RankBy::kBandwidth};
  for (const auto& run : runs) ranking.runs.push_back(costOf(*run, ranking.by));
  for (size_t i = 0; i < runs.size(); ++i) {
    RunRank& rank = ranking.runs[i];
    if (i != baseline) takeSpeedUp(rank, ranking.runs[baseline]);
    if (!rank.unranked.empty()) continue;
    uint32_t faster = 0;
    for (size_t j = 0; j < runs.size(); ++j) {
      const RunRank& other = ranking.runs[j];
      if (j == i || !other.unranked.empty() || other.cost->modelled != rank.cost->modelled) continue;
      const Verdict verdict = compareCosts(*other.cost, *rank.cost);
      if (verdict == Verdict::kFaster) ++faster;
      if (verdict == Verdict::kWithinNoise || verdict == Verdict::kTooFewRepeats) rank.ties.push_back(j);
    }
    rank.place = 1 + faster;
  }
  ranking.order.resize(runs.size());
  std::iota(ranking.order.begin(), ranking.order.end(), size_t{0});
  std::ranges::stable_sort(ranking.order, {}, [&](size_t i) {
    const RunRank& rank = ranking.runs[i];
    return std::tuple(runs[i]->device.provenance, !rank.place,
                      rank.cost ? rank.cost->median : std::numeric_limits<double>::max());
  });
  return ranking;
}

}  // namespace warpscope
