// Traces of millions of events: how long a recording takes to open until it can be drawn, how much memory it
// takes, and what a frame of the timeline costs at several zooms. A synthetic run is written by the program's
// own writer, opened by its reader, laid out and drawn by Dear ImGui without a display, each size in a
// process of its own.
//   large_trace_bench [MILLIONS | FILE ...]     default: 1 10 100; FILE: the first run of a recording
// The largest takes 4 GiB of memory and 200 MB of disk in TMPDIR.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <random>
#include <string>

#include "kernels/recording/recording.h"
#include "tests/gui/headless.h"
#include "tests/support/synthetic_trace.h"
#include "viz/layout/navigation.h"
#include "viz/layout/play_head.h"
#include "viz/layout/row_order.h"
#include "viz/layout/trace_layout.h"
#include "viz/views/view.h"

namespace warpscope {
namespace {

using Clock = std::chrono::steady_clock;

constexpr uint32_t kSms = 132, kWarpsOfSm = 64;  // as many as an H100 can hold at a time
constexpr int kFrames = 60;

// Steps of a loop whose even and odd lanes take different paths, as long as the warp lives.
Run runOf(size_t events) {
  Run run = testing::makeSyntheticRun();
  Trace& trace = run.trace;
  trace.warps.clear();
  trace.events.clear();
  trace.events.reserve(events);
  std::mt19937 random(1);
  const uint32_t warps = kSms * kWarpsOfSm;
  const TraceEvent steps[] = {{0, kFullMask, testing::kStep},
                              {0, {0x55555555U}, testing::kEvenPath},
                              {0, {0xAAAAAAAAU}, testing::kOddPath}};
  for (uint32_t i = 0; i < warps; ++i) {
    TraceWarp warp{
        .block = {i / 8}, .warp_in_block = i % 8, .sm = {i / kWarpsOfSm}, .hardware_slot = i % kWarpsOfSm};
    warp.live = kFullMask;
    warp.begin_cycles = random() % 2000;
    warp.first_event = static_cast<uint32_t>(trace.events.size());
    warp.event_count = static_cast<uint32_t>(events * (i + 1) / warps - trace.events.size());
    int64_t now = warp.begin_cycles;
    for (uint32_t event = 0; event < warp.event_count; ++event) {
      TraceEvent next = steps[event % 3];
      if (event + 1 == warp.event_count) next = {0, kFullMask, kExitRegion};
      next.clock_cycles = now += 20 + static_cast<int64_t>(random() % 200);
      trace.events.push_back(next);
    }
    warp.end_cycles = now;
    trace.duration_cycles = std::max(trace.duration_cycles, now);
    trace.warps.push_back(warp);
  }
  return run;
}

class NullReport : public WidgetReport {
 public:
  void widget(const std::string&, ImVec2, ImVec2) override {}
};

double cpuSeconds(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

struct Stopwatch {
  Clock::time_point begin = Clock::now();
  double cpu_begin = cpuSeconds(CLOCK_PROCESS_CPUTIME_ID);
  double seconds() const { return std::chrono::duration<double>(Clock::now() - begin).count(); }
  double cpu() const { return cpuSeconds(CLOCK_PROCESS_CPUTIME_ID) - cpu_begin; }
};

// "VmRSS" or "VmHWM" of this process, in bytes.
double memory(const std::string& field) {
  std::ifstream status("/proc/self/status");
  std::string name;
  double kib = 0;
  while (status >> name) {
    if (name == field + ":") status >> kib;
    status.ignore(1000, '\n');
  }
  return kib * 1024;
}

// All that a view needs to draw `run`. The reports of widgets are dropped.
struct BenchInput : ViewInput {
  NullReport null_report;
  BenchInput(testing::Headless& headless, std::shared_ptr<const Run> drawn, const TraceLayout& laid_out,
             const ViewState& state) {
    theme = &headless.theme();
    fonts = &headless.fonts();
    report = &null_report;
    run = std::move(drawn);
    layout = &laid_out;
    rows = std::make_shared<const RowOrder>(laid_out, state.rows);
  }
};

// Frames of a view that pan over the launch, the given share of it visible; CPU time of this thread in ms.
void drawFrames(testing::Headless& headless, const std::shared_ptr<const Run>& run, const TraceLayout& layout,
                std::unique_ptr<View> view, double visible) {
  ViewState state;
  const BenchInput input(headless, run, layout, state);
  const double length = static_cast<double>(layout.end() - layout.begin());
  std::vector<double> ms;
  int vertices = 0;
  for (int frame = 0; frame < kFrames; ++frame) {
    state.fitted = visible >= 1;
    state.begin_cycles = static_cast<double>(layout.begin()) + length * (1 - visible) * frame / kFrames;
    state.end_cycles = state.begin_cycles + length * visible;
    const double begin = cpuSeconds(CLOCK_THREAD_CPUTIME_ID);
    vertices = headless.frame([&] { view->draw(input, state); }).TotalVtxCount;
    ms.push_back((cpuSeconds(CLOCK_THREAD_CPUTIME_ID) - begin) * 1000);
  }
  std::ranges::sort(ms);
  std::printf("  %-9s %9.4f %%  %7.2f %7.2f  %9d\n", view->name(), visible * 100, ms[ms.size() / 2],
              ms[ms.size() - 2], vertices);
}

// Playing the launch at 100,000 cycles a second, 60 frames a second: the head moves, what the warp does there
// is looked up, the visible part follows, and timeline and lanes are drawn. In between, a step to the next
// stop.
void playFrames(testing::Headless& headless, const std::shared_ptr<const Run>& run, const TraceLayout& layout,
                double visible) {
  ViewState state;
  const BenchInput input(headless, run, layout, state);
  const auto timeline = makeTimelineView(), lanes = makeLanesView();
  const uint32_t warp = layout.firstWarp();
  const TraceWarp& traced = run->trace.warps[warp];
  state.selected_warp = WarpKey{traced.block, traced.warp_in_block};
  const double length = static_cast<double>(layout.end() - layout.begin());
  zoomTo(state, static_cast<double>(layout.begin()), static_cast<double>(layout.begin()) + length * visible);
  state.play_head = static_cast<double>(layout.begin());
  constexpr int kPlayed = 600, kStepEvery = 20;
  constexpr double kCyclesPerFrame = 100'000.0 / 60;
  std::vector<double> ms, step_ms;
  for (int frame = 0; frame < kPlayed; ++frame) {
    const double begin = cpuSeconds(CLOCK_THREAD_CPUTIME_ID);
    state.play_head = std::min(*state.play_head + kCyclesPerFrame, static_cast<double>(layout.end()));
    if (const auto span = layout.pick(warp, *state.play_head); span && span->region < run->regions.size())
      state.selected_region = run->regions[span->region].id;
    const auto at = static_cast<int64_t>(*state.play_head);
    showTime(state, layout, at, at + 1);
    headless.frame([&] {
      timeline->draw(input, state);
      lanes->draw(input, state);
    });
    ms.push_back((cpuSeconds(CLOCK_THREAD_CPUTIME_ID) - begin) * 1000);
    if (frame % kStepEvery != 0) continue;
    const double stepped = cpuSeconds(CLOCK_THREAD_CPUTIME_ID);
    const auto next = nextStop(*run, layout, warp, PlayStop::kDivergence, *state.play_head, 1);
    step_ms.push_back((cpuSeconds(CLOCK_THREAD_CPUTIME_ID) - stepped) * 1000);
    if (next) state.play_head = static_cast<double>(*next);
  }
  std::ranges::sort(ms);
  std::ranges::sort(step_ms);
  const auto at = [&](double share) {
    return ms[static_cast<size_t>(share * static_cast<double>(ms.size() - 1))];
  };
  std::printf(
      "  playing   %9.4f %%  %7.2f %7.2f %7.2f %7.2f   CPU in ms: p50, p95, p99, slowest; slowest step "
      "%.3f\n",
      visible * 100, at(0.5), at(0.95), at(0.99), ms.back(), step_ms.back());
}

// Brings the program's code into memory, which is no memory of a trace.
bool openSmallOne() {
  const auto path = std::filesystem::temp_directory_path() / fmt::format("warpscope-small-{}", ::getpid());
  const Run run = testing::makeSyntheticRun();
  bool opened = writeRecording(path, {&run, 1}).has_value();
  if (const auto index = RecordingIndex::open(path); opened && index) {
    auto loaded = index->load(0);
    opened = loaded.has_value();
    if (opened) const TraceLayout layout(std::move(*loaded));
  }
  std::filesystem::remove(path);
  return opened;
}

int measure(const std::filesystem::path& path) {
  if (!openSmallOne()) return 1;
  const double before = memory("VmRSS");
  const Stopwatch watch;
  const auto index = RecordingIndex::open(path);
  auto loaded = index ? index->load(0) : Expected<Run>(tl::unexpected(index.error()));
  if (!loaded) {
    std::fprintf(stderr, "%s\n", loaded.error().message.c_str());
    return 1;
  }
  const auto run = std::make_shared<const Run>(std::move(*loaded));
  const auto count = static_cast<double>(run->trace.events.size());
  const double read = watch.seconds(), read_cpu = watch.cpu(), peak_read = memory("VmHWM");
  const TraceLayout layout(run);
  const double laid_out = watch.seconds(), laid_out_cpu = watch.cpu();
  std::printf("  read       %8.3f s (%.3f s CPU), %.1f million events/s\n", read, read_cpu,
              count / read / 1e6);
  std::printf("  laid out   %8.3f s (%.3f s CPU), %.1f million events/s\n", laid_out - read,
              laid_out_cpu - read_cpu, count / (laid_out - read) / 1e6);
  std::printf("  opened in  %8.3f s\n", laid_out);
  std::printf(
      "  memory     %8.1f bytes/event now, %.1f at most while it was opened (%.1f while it was read)\n",
      (memory("VmRSS") - before) / count, (memory("VmHWM") - before) / count, (peak_read - before) / count);
  testing::Headless headless;
  ImGui::GetIO().DisplaySize = {1920, 1080};
  std::printf("  %-9s %11s  %7s %7s  %9s   CPU of a frame in ms: median, slowest but one; vertices\n", "view",
              "visible", "ms", "ms", "");
  for (const double visible : {1.0, 0.3, 0.1, 0.03, 0.01, 1e-3, 1e-4}) {
    drawFrames(headless, run, layout, makeTimelineView(), visible);
    drawFrames(headless, run, layout, makeLanesView(), visible);
  }
  for (const double visible : {1.0, 0.1, 1e-3}) playFrames(headless, run, layout, visible);
  return 0;
}

// In a process of its own, so that its memory is its own.
int inChild(const std::function<int()>& work) {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    const int status = work();
    std::fflush(stdout);
    _exit(status);
  }
  int status = 1;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

int benchmark(size_t millions) {
  const size_t events = millions * 1'000'000;
  const auto path =
      std::filesystem::temp_directory_path() / fmt::format("warpscope-bench-{}.wsrec", ::getpid());
  std::printf("%zu million events of %u warps\n", millions, kSms * kWarpsOfSm);
  int status = inChild([&] {
    const Run run = runOf(events);
    const Stopwatch watch;
    const auto written = writeRecording(path, {&run, 1});
    if (!written) {
      std::fprintf(stderr, "%s\n", written.error().message.c_str());
      return 1;
    }
    const auto bytes = static_cast<double>(std::filesystem::file_size(path));
    std::printf("  written    %8.3f s, %.1f MB, %.2f bytes/event\n", watch.seconds(), bytes / 1e6,
                bytes / static_cast<double>(events));
    return 0;
  });
  if (status == 0) status = inChild([&] { return measure(path); });
  std::filesystem::remove(path);
  return status;
}

int benchmarks(std::vector<std::string> wanted) {
  if (wanted.empty()) wanted = {"1", "10", "100"};
  int status = 0;
  for (const std::string& what : wanted) {
    const bool number = what.find_first_not_of("0123456789") == std::string::npos;
    status |= number ? benchmark(std::stoul(what)) : inChild([&] { return measure(what); });
  }
  return status;
}

}  // namespace
}  // namespace warpscope

int main(int count, char** arguments) {
  return warpscope::benchmarks({arguments + 1, arguments + count});
}
