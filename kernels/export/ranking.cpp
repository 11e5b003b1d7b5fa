#include "kernels/export/ranking.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>

namespace warpscope {
namespace {

std::vector<Ranked> ranked(std::span<const Run* const> runs, std::vector<size_t> members) {
  const auto timing = [&](size_t i) -> const Timing& { return runs[i]->timing; };
  std::ranges::stable_sort(members, {}, [&](size_t i) { return timing(i).median_us; });
  const Timing& slowest = timing(members.back());
  std::vector<Ranked> list;
  for (size_t place = 0; place < members.size(); ++place) {
    const Timing& own = timing(members[place]);
    Ranked entry{.run = members[place], .speed_up = slowest.median_us / own.median_us};
    entry.as_slowest = place + 1 < members.size() && withinNoise(own, slowest);
    if (place > 0) {
      const Timing& before = timing(members[place - 1]);
      entry.behind = own.median_us / before.median_us;
      entry.as_before = withinNoise(own, before);
    }
    list.push_back(entry);
  }
  return list;
}

// "block" and "block_..." shape the launch, not the work.
bool shapesLaunch(const std::string& parameter) {
  return parameter == "block" || parameter.starts_with("block_");
}

// Parts them by the parameters that all of them have. What only some variants have is their way of doing it.
std::vector<std::vector<size_t>> withSameWork(std::span<const Run* const> runs,
                                              const std::vector<size_t>& members) {
  std::vector<std::string> names;
  for (const auto& [name, value] : runs[members.front()]->request.parameters) {
    const bool everywhere =
        std::ranges::all_of(members, [&](size_t i) { return runs[i]->request.parameters.contains(name); });
    if (everywhere && !shapesLaunch(name)) names.push_back(name);
  }
  std::map<std::vector<int64_t>, std::vector<size_t>> parts;
  for (const size_t i : members) {
    std::vector<int64_t> values;
    for (const std::string& name : names) values.push_back(runs[i]->request.parameters.at(name));
    parts[values].push_back(i);
  }
  std::vector<std::vector<size_t>> lists;
  for (auto& [values, list] : parts) lists.push_back(std::move(list));
  return lists;
}

}  // namespace

bool withinNoise(const Timing& a, const Timing& b) {
  return a.min_us <= b.max_us && b.min_us <= a.max_us;
}

std::vector<std::vector<Ranked>> rankings(std::span<const Run* const> runs) {
  // First by what every run has.
  using Work = std::tuple<std::string, std::string, Provenance, uint64_t>;
  std::map<Work, std::vector<size_t>> by_work;
  for (size_t i = 0; i < runs.size(); ++i) {
    const Run& run = *runs[i];
    if (run.timing.repeats == 0 || !(run.timing.median_us > 0)) continue;
    by_work[{run.request.family, run.device.name, run.device.provenance, run.bandwidth.bytes}].push_back(i);
  }
  std::map<size_t, std::vector<Ranked>> by_first;  // lists in the order of the runs
  for (const auto& [work, members] : by_work) {
    for (const auto& list : withSameWork(runs, members)) {
      if (list.size() > 1) by_first[list.front()] = ranked(runs, list);
    }
  }
  std::vector<std::vector<Ranked>> lists;
  for (auto& [first, list] : by_first) lists.push_back(std::move(list));
  return lists;
}

}  // namespace warpscope
