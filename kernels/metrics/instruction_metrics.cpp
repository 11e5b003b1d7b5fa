#include "kernels/metrics/instruction_metrics.h"

#include <algorithm>

namespace warpscope {
namespace {

std::vector<WarpStateShare> sharesOf(const std::array<double, kWarpStates>& cycles) {
  double sum = 0;
  for (const double value : cycles) sum += value;
  std::vector<WarpStateShare> states;
  for (size_t i = 0; i < kWarpStates; ++i) {
    if (cycles[i] > 0) states.push_back({static_cast<WarpState>(i), cycles[i], cycles[i] / sum});
  }
  std::stable_sort(states.begin(), states.end(),
                   [](const WarpStateShare& a, const WarpStateShare& b) { return a.cycles > b.cycles; });
  return states;
}

}  // namespace

std::vector<WarpStateShare> warpStates(const Run& run) {
  std::array<double, kWarpStates> cycles{};
  for (size_t i = 0; i < kWarpStates; ++i) {
    const auto counter = run.counters.find(warpStateCounter(static_cast<WarpState>(i)));
    if (counter != run.counters.end()) cycles[i] = std::max(0.0, counter->second);
  }
  return sharesOf(cycles);
}

std::vector<WarpStateShare> warpStates(const Trace& trace, const TraceWarp& warp) {
  std::array<double, kWarpStates> cycles{};
  if (warp.instruction_count == 0) return {};
  IssueMetrics sum;
  for (const TraceInstruction& instruction : trace.instructionsOf(warp)) sum.add(instruction);
  const auto issued = static_cast<double>(sum.issued);
  for (size_t i = 0; i < kWarpStates; ++i) cycles[i] = static_cast<double>(sum.stalled[i]) / issued;
  cycles[static_cast<size_t>(WarpState::kSelected)] = 1;
  return sharesOf(cycles);
}

void IssueMetrics::add(const TraceInstruction& instruction) {
  ++issued;
  thread_instructions += static_cast<uint64_t>(instruction.mask.count());
  const auto state = static_cast<size_t>(instruction.waited_for);
  if (state >= kWarpStates || instruction.waited_for == WarpState::kSelected) return;
  stall_cycles += instruction.waited_cycles;
  stalled[state] += instruction.waited_cycles;
}

void IssueMetrics::add(const WaitSample& sample) {
  samples += sample.samples;
  if (sample.state == WarpState::kSelected) return;
  stalled_samples += static_cast<int64_t>(sample.samples);
  const auto state = static_cast<size_t>(sample.state);
  if (state < kWarpStates) stalled[state] += static_cast<int64_t>(sample.samples);
}

IssueMetrics& IssueMetrics::operator+=(const IssueMetrics& other) {
  issued += other.issued;
  thread_instructions += other.thread_instructions;
  samples += other.samples;
  stall_cycles += other.stall_cycles;
  stalled_samples += other.stalled_samples;
  for (size_t i = 0; i < kWarpStates; ++i) stalled[i] += other.stalled[i];
  return *this;
}

double IssueMetrics::meanLanes() const {
  return issued == 0 ? 0 : static_cast<double>(thread_instructions) / static_cast<double>(issued);
}

WarpState IssueMetrics::longest() const {
  const auto most = std::max_element(stalled.begin(), stalled.end());
  return *most > 0 ? static_cast<WarpState>(most - stalled.begin()) : WarpState::kSelected;
}

std::vector<IssueMetrics> issueMetricsOfListing(const Run& run) {
  std::vector<IssueMetrics> metrics(run.listing == nullptr ? 0 : run.listing->size());
  for (const TraceInstruction& instruction : run.trace.instructions) {
    if (instruction.listed < metrics.size()) metrics[instruction.listed].add(instruction);
  }
  for (const WaitSample& sample : run.wait_samples ? run.wait_samples->places : std::vector<WaitSample>{}) {
    if (sample.listed < metrics.size()) metrics[sample.listed].add(sample);
  }
  return metrics;
}

std::vector<IssueMetrics> issueMetricsOfLines(const Run& run, const std::vector<IssueMetrics>& of_listing) {
  std::vector<IssueMetrics> metrics(1);
  if (run.listing == nullptr) return metrics;
  for (size_t i = 0; i < std::min(run.listing->size(), of_listing.size()); ++i) {
    constexpr uint32_t kMostLines = 1U << 20;  // a damaged listing may name any line
    const uint32_t line = lineIn(run.source_file, (*run.listing)[i]);
    const uint32_t slot = line < kMostLines ? line : 0;
    if (slot >= metrics.size()) metrics.resize(slot + 1);
    metrics[slot] += of_listing[i];
  }
  return metrics;
}

}  // namespace warpscope
