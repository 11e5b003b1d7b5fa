#include "tests/support/plan_runner.h"

#include "kernels/execute/parameter_bytes.h"

namespace warpscope::test {

Buffer::Buffer(Backend& backend, uint64_t bytes, uint8_t fill) : backend_(backend), bytes_(bytes) {
  address_ = must(backend.allocate(bytes));
  must(backend.fill(address_, fill, bytes));
}

namespace {

LaunchSpec launchOf(Backend& backend, const ModuleImage& module, const std::string& kernel, ProbeKind kind,
                    const Bytes& probe, const std::vector<KernelArgument>& arguments,
                    const std::vector<DeviceAddress>& addresses, std::span<const Bytes> objects = {}) {
  LaunchSpec spec;
  spec.kernel = must(backend.kernel(module, must(findEntry(module, kernel, kind))));
  spec.parameters = launchParameters(probe, arguments, addresses, objects);
  return spec;
}

}  // namespace

PreparedLaunch::PreparedLaunch(Backend& backend, const LaunchPlan& plan, ProbeKind kind, const Bytes& probe)
    : backend_(backend), buffers_of_plan_(plan.buffers) {
  const ModuleImage module = must(findModule(plan.module));
  for (const BufferSpec& spec : plan.buffers) {
    if (spec.symbol.empty()) {
      buffers_.push_back(std::make_unique<Buffer>(backend, spec.bytes, spec.fill));
      addresses_.push_back(buffers_.back()->address());
    } else {
      addresses_.push_back(must(backend.symbol(module, spec.symbol, spec.bytes)));
      must(backend.fill(addresses_.back(), spec.fill, spec.bytes));
    }
    if (spec.generate) must(backend.upload(addresses_.back(), *spec.generate()));
  }
  must(objects_.make(backend, plan.arguments, addresses_));
  spec_ = launchOf(backend, module, plan.kernel, kind, probe, plan.arguments, addresses_, objects_.values());
  spec_.grid = plan.grid;
  spec_.block = plan.block;
  spec_.dynamic_shared_bytes = plan.dynamic_shared_bytes;
  spec_.cooperative = plan.cooperative;
  spec_.cluster = plan.cluster;
  for (const FollowingLaunch& next : plan.following) {
    spec_.following.push_back(
        launchOf(backend, module, next.kernel, ProbeKind::kBare, Bytes(1), next.arguments, addresses_));
    spec_.following.back().grid = next.grid;
    spec_.following.back().block = next.block;
    spec_.following.back().dynamic_shared_bytes = next.dynamic_shared_bytes;
    spec_.following.back().cluster = next.cluster;
  }
}

void PreparedLaunch::restore() {
  for (size_t i = 0; i < addresses_.size(); ++i) {
    const BufferSpec& spec = buffers_of_plan_[i];
    if (spec.role == BufferSpec::Role::kInOut && spec.generate)
      must(backend_.upload(addresses_[i], *spec.generate()));
    // What counts from zero must not count on: a kernel may append beyond its buffer. Large outputs are left
    // alone, as filling them would push other data out of the device's caches.
    constexpr uint64_t kSmallBytes = 65536;
    const bool counts = spec.role == BufferSpec::Role::kOutput && spec.fill == 0 && spec.bytes <= kSmallBytes;
    if (spec.filled_each_time || counts) must(backend_.fill(addresses_[i], spec.fill, spec.bytes));
  }
}

std::vector<Bytes> PreparedLaunch::outputs() const {
  std::vector<Bytes> outputs;
  for (size_t i = 0; i < addresses_.size(); ++i) {
    if (buffers_of_plan_[i].role == BufferSpec::Role::kInput) continue;
    outputs.emplace_back(buffers_of_plan_[i].bytes);
    must(backend_.download(outputs.back(), addresses_[i]));
  }
  return outputs;
}

std::vector<Bytes> runPlan(Backend& backend, const LaunchPlan& plan, ProbeKind kind, const Bytes& probe,
                           const std::function<void(LaunchSpec&)>& change) {
  PreparedLaunch launch(backend, plan, kind, probe);
  LaunchSpec spec = launch.spec();
  if (change) change(spec);
  must(backend.launch(spec).map([](const LaunchReport&) {}));
  return launch.outputs();
}

}  // namespace warpscope::test
