// Measures how fast a trace becomes a layout, and rows become items to draw. Prints rates, so that runs of
// different sizes can be compared.
#include <benchmark/benchmark.h>

#include <algorithm>

#include "tests/support/synthetic_trace.h"
#include "viz/layout/lanes_layout.h"
#include "viz/layout/trace_layout.h"

namespace warpscope {
namespace {

// 8,000 warps; `trips` sets the number of events per warp.
Run manyWarps(uint32_t trips) {
  Run run = testing::makeSyntheticRun();
  run.trace = testing::makeSyntheticTrace(
                  {.sms = 32, .blocks = 1000, .block_threads = 256, .trips = trips, .records_per_lane = 4096})
                  .truth;
  return run;
}

void build(benchmark::State& state) {
  const Run run = manyWarps(static_cast<uint32_t>(state.range(0)));
  for (auto _ : state) {
    TraceLayout layout(run);
    benchmark::DoNotOptimize(layout.warpCount());
  }
  state.counters["events"] = static_cast<double>(run.trace.events.size());
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(run.trace.events.size()));
}
BENCHMARK(build)->Arg(7)->Arg(40)->Unit(benchmark::kMillisecond);

// One frame: 60 rows of 1,500 pixels that show the given share (in per mille) of the launch.
void collectFrame(benchmark::State& state) {
  const Run run = manyWarps(static_cast<uint32_t>(state.range(0)));
  const TraceLayout layout(run);
  const double visible = static_cast<double>(layout.end()) * static_cast<double>(state.range(1)) / 1000;
  const double fold = 3 * visible / 1500;
  std::vector<DrawItem> items;
  size_t count = 0;
  for (auto _ : state) {
    count = 0;
    for (uint32_t row = 0; row < 60; ++row) {
      items.clear();
      layout.collect(row, 0, visible, fold, items);
      count += items.size();
    }
    benchmark::DoNotOptimize(items.data());
  }
  state.counters["items"] = static_cast<double>(count);
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(count));
}
BENCHMARK(collectFrame)->ArgsProduct({{7, 40, 1000}, {1000, 100, 10}})->Unit(benchmark::kMicrosecond);

void collectOneWarpsLanes(benchmark::State& state) {
  const auto run = std::make_shared<const Run>(manyWarps(static_cast<uint32_t>(state.range(0))));
  const TraceLayout layout(run);
  const TraceWarp& warp = run->trace.warps.front();
  LanesLayout lanes;
  lanes.show(run, layout, 0);
  const auto begin = static_cast<double>(warp.begin_cycles), end = static_cast<double>(warp.end_cycles);
  std::vector<LaneItem> items;
  for (auto _ : state) {
    items.clear();
    lanes.collect(layout, begin, end, 2 * (end - begin) / 1500, items);
    benchmark::DoNotOptimize(items.data());
  }
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(items.size()));
}
BENCHMARK(collectOneWarpsLanes)->Arg(7)->Arg(1000)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace warpscope

BENCHMARK_MAIN();
