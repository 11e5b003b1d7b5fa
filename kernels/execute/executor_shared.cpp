// The code that the launching steps share on every device. See executor_state.h.
#include <algorithm>

#include "kernels/execute/executor_state.h"

namespace warpscope {
namespace {

constexpr uint32_t kCopyWarmUps = 2;
constexpr uint32_t kCopyRepeats = 10;

}  // namespace

double median(std::vector<double> values) {
  std::ranges::sort(values);
  const size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

void takeProbeCost(Run& run, double probed_median_us, double bare_median_us) {
  run.probe.probed_median_us = probed_median_us;
  if (bare_median_us != run.timing.median_us) run.probe.bare_us = bare_median_us;
  if (bare_median_us > 0) run.probe.ratio = probed_median_us / bare_median_us;
}

Expected<void> Executor::State::verifyOutputs(Job& job) {
  std::vector<std::span<const std::byte>> contents;
  for (size_t i = 0; i < job.plan.buffers.size(); ++i) {
    if (isInput(job.plan.buffers[i])) continue;
    if (!job.plan.buffers[i].checked) {
      contents.emplace_back();
      continue;
    }
    if (job.plan.buffers[i].host) {
      contents.emplace_back(host_sides[i].bytes);
      continue;
    }
    const auto content = backend.downloadView(i, job.working[i], job.plan.buffers[i].bytes);
    if (!content) return tl::unexpected(content.error());
    contents.push_back(*content);
  }
  if (job.plan.verify) {
    job.run.verification = job.plan.verify(contents);
  } else if (job.plan.verify_by_simulation && backend.description().kind != DeviceKind::kSimulated) {
    job.run.verification = job.plan.verify_by_simulation(contents);
  } else {
    job.run.verification = {.detail = "there is nothing to compare the result with", .unchecked = true};
  }
  if (job.run.verification.failed()) {
    // The kernel may have written where it should not, so the next run uploads its inputs again.
    inputs_distrusted = true;
  }
  return {};
}

void Executor::State::takeTiming(Job& job, const std::vector<double>& bare_times_us) {
  Timing& timing = job.run.timing;
  const auto [least, most] = std::ranges::minmax(bare_times_us);
  timing = {median(bare_times_us),
            least,
            most,
            static_cast<uint32_t>(bare_times_us.size()),
            job.run.request.warm_ups,
            static_cast<uint32_t>(job.plan.operations.empty() ? 1 + job.plan.following.size() : 1)};
  job.run.bandwidth.bytes = job.plan.bytes_moved;
  if (timing.median_us > 0) {
    job.run.bandwidth.gb_per_s = static_cast<double>(job.plan.bytes_moved) / (timing.median_us * 1e3);
  }
}

// A copy reads and writes each byte, so half of the kernel's traffic goes each way. If memory does not
// suffice for the two buffers, the ceiling stays unknown.
Expected<void> Executor::State::measureCopy(Job& job) {
  const uint64_t bytes = job.plan.bytes_moved / 2;
  // What a plan with operations moves, it moves between host and device.
  if (bytes == 0 || !job.plan.operations.empty()) return {};
  auto known = copy_gb_per_s.find(bytes);
  if (known == copy_gb_per_s.end()) {
    const auto from = copy_from.atLeast(bytes);
    const auto to = from ? copy_to.atLeast(bytes) : from;
    if (!to) {
      copy_from.release();
      copy_to.release();
      return {};
    }
    const auto times = backend.timeCopy(*to, *from, bytes, kCopyWarmUps, kCopyRepeats);
    if (!times) return tl::unexpected(times.error());
    const double median_us = median(*times);
    if (median_us <= 0) return {};
    known = copy_gb_per_s.emplace(bytes, 2 * static_cast<double>(bytes) / (median_us * 1e3)).first;
  }
  job.run.bandwidth.copy_gb_per_s = known->second;
  return {};
}

Expected<Trace> Executor::State::probe(Job& job, const ProbedLaunch::Launch& launch) {
  if (!collector) {
    const auto pack = library.module("probe_pack");
    if (!pack) return tl::unexpected(pack.error());
    collector.emplace(backend, *pack);
  }
  if (auto fresh = freshContents(job); !fresh) return tl::unexpected(fresh.error());
  DeviceAddress variable = 0;
  if (!job.plan.has_probe_parameter) {
    const auto found = backend.symbol(job.module, kProbeParamsVariable, sizeof(ProbeParams));
    if (!found) return tl::unexpected(found.error());
    variable = *found;
  }
  return collector->collect({.spec = launchSpec(job, job.probed),
                             .sampling = job.run.request.sampling,
                             .bare_median_us = job.run.timing.median_us,
                             .launch = launch,
                             .variable = variable});
}

Expected<void> Executor::State::collectTrace(Job& job, const ProbedLaunch::Launch& launch) {
  auto trace = probe(job, launch);
  if (!trace) return tl::unexpected(trace.error());
  job.run.trace = std::move(*trace);
  job.run.probe.kept = job.run.trace.events.size();
  job.run.probe.dropped = job.run.trace.dropped_events;
  return {};
}

}  // namespace warpscope
