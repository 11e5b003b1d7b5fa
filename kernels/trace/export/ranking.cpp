#include "kernels/trace/export/ranking.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>

#include "kernels/trace/export/run_text.h"

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

}  // namespace

bool withinNoise(const Timing& a, const Timing& b) {
  return a.min_us <= b.max_us && b.min_us <= a.max_us;
}

std::vector<std::vector<Ranked>> rankings(std::span<const Run* const> runs) {
  using Work = std::tuple<std::string, std::string, Provenance, std::string, uint64_t>;
  std::map<Work, std::vector<size_t>> groups;
  std::vector<Work> order;
  for (size_t i = 0; i < runs.size(); ++i) {
    const Run& run = *runs[i];
    if (run.timing.repeats == 0 || !(run.timing.median_us > 0)) continue;
    const Work work{run.request.family, run.device.name, run.device.provenance, parameterText(run, "size"),
                    run.bandwidth.bytes};
    std::vector<size_t>& members = groups[work];
    if (members.empty()) order.push_back(work);
    members.push_back(i);
  }
  std::vector<std::vector<Ranked>> lists;
  for (const Work& work : order) {
    if (groups[work].size() > 1) lists.push_back(ranked(runs, groups[work]));
  }
  return lists;
}

}  // namespace warpscope
