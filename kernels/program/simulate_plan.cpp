#include "kernels/program/simulate_plan.h"

#include <chrono>

#include "kernels/core/units.h"
#include "kernels/execute/parameter_bytes.h"
#include "kernels/execute/plan_objects.h"
#include "kernels/sim/simulated_backend.h"

namespace warpscope {
namespace {

Expected<void> place(Backend& backend, const LaunchPlan& plan, std::vector<DeviceAddress>& addresses) {
  for (const BufferSpec& spec : plan.buffers) {
    const auto address = backend.allocate(spec.bytes);
    if (!address) return tl::unexpected(address.error());
    addresses.push_back(*address);
    auto done = spec.role == BufferSpec::Role::kOutput ? backend.fill(*address, spec.fill, spec.bytes)
                                                       : backend.upload(*address, *spec.generate());
    if (!done) return done;
  }
  return {};
}

Expected<void> launchWithin(Backend& backend, const LaunchSpec& spec, double seconds) {
  std::stop_source stop;
  const auto began = std::chrono::steady_clock::now();
  LaunchListener listener;
  listener.printed = [](std::string_view) {};  // what the kernel prints was seen when it ran
  listener.progress = [&](double) {
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - began;
    if (passed.count() > seconds) stop.request_stop();
  };
  const auto launched = backend.launch(spec, stop.get_token(), listener);
  if (launched) return {};
  if (launched.error().kind == ErrorKind::kCancelled) {
    return fail(ErrorKind::kWorkFailed, "the simulated GPU needs more than {:.0f} s for it", seconds);
  }
  return tl::unexpected(launched.error());
}

}  // namespace

Expected<std::vector<Bytes>> simulatePlan(const LaunchPlan& plan, const SimulationLimits& limits) {
  uint64_t bytes = 0;
  for (const BufferSpec& spec : plan.buffers) bytes += spec.bytes;
  if (bytes > limits.bytes) {
    return fail(ErrorKind::kWorkFailed, "its arrays have {}; up to {} are compared", formatBytes(bytes),
                formatBytes(limits.bytes));
  }
  auto profiles = sim::bundledProfiles();  // nothing is timed, so any will do
  if (profiles.empty()) return fail(ErrorKind::kNoDevice, "the folder assets/devices has no device profile");
  if (!profiles.front()) return tl::unexpected(profiles.front().error());
  auto backend = sim::openSimulatedBackend(std::move(*profiles.front()));
  if (!backend) return tl::unexpected(backend.error());
  const auto module = findModule(plan.module);
  if (!module) return tl::unexpected(module.error());
  const auto entry = findEntry(*module, plan.kernel, ProbeKind::kBare);
  if (!entry) return tl::unexpected(entry.error());
  const auto kernel = (*backend)->kernel(*module, *entry);
  if (!kernel) return tl::unexpected(kernel.error());
  std::vector<DeviceAddress> addresses;
  if (auto placed = place(**backend, plan, addresses); !placed) return tl::unexpected(placed.error());
  PlanObjects objects;
  if (auto made = objects.make(**backend, plan.arguments, addresses); !made)
    return tl::unexpected(made.error());
  LaunchSpec spec{*kernel, plan.grid, plan.block, plan.dynamic_shared_bytes,
                  launchParameters({}, plan.arguments, addresses, objects.values())};
  spec.cooperative = plan.cooperative;
  spec.cluster = plan.cluster;
  if (auto done = launchWithin(**backend, spec, limits.seconds); !done) return tl::unexpected(done.error());
  std::vector<Bytes> outputs;
  for (size_t i = 0; i < plan.buffers.size(); ++i) {
    if (plan.buffers[i].role == BufferSpec::Role::kInput) continue;
    Bytes& output = outputs.emplace_back(plan.buffers[i].bytes);
    if (auto read = (*backend)->download(output, addresses[i]); !read) return tl::unexpected(read.error());
  }
  return outputs;
}

}  // namespace warpscope
