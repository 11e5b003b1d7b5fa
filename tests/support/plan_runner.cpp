#include "tests/support/plan_runner.h"

#include <memory>
#include <stdexcept>
#include <type_traits>
#include <variant>

#include "kernels/device/parameter_bytes.h"

namespace warpscope::test {

void must(const Expected<void>& done) {
  if (!done) throw std::runtime_error(done.error().message);
}

Buffer::Buffer(Backend& backend, uint64_t bytes, uint8_t fill) : backend_(backend), bytes_(bytes) {
  address_ = backend.allocate(bytes).value();
  must(backend.fill(address_, fill, bytes));
}

std::vector<Bytes> runPlan(Backend& backend, const LaunchPlan& plan, ProbeKind kind, const Bytes& probe,
                           const std::function<void(LaunchSpec&)>& change) {
  std::vector<std::unique_ptr<Buffer>> buffers;
  for (const BufferSpec& spec : plan.buffers) {
    buffers.push_back(std::make_unique<Buffer>(backend, spec.bytes, 0xA5));
    if (spec.generate) must(backend.upload(buffers.back()->address(), *spec.generate()));
  }
  const ModuleImage module = findModule(plan.module).value();
  LaunchSpec spec;
  spec.kernel = backend.kernel(module, findEntry(module, plan.kernel, kind).value()).value();
  spec.grid = plan.grid;
  spec.block = plan.block;
  spec.dynamic_shared_bytes = plan.dynamic_shared_bytes;
  spec.parameters.push_back(probe);
  for (const KernelArgument& argument : plan.arguments) {
    spec.parameters.push_back(std::visit(
        [&]<class T>(const T& value) {
          if constexpr (std::is_same_v<T, BufferArgument>) {
            return parameterBytes(buffers[value.index]->address());
          } else {
            return parameterBytes(value);
          }
        },
        argument));
  }
  if (change) change(spec);
  must(backend.launch(spec));
  std::vector<Bytes> outputs;
  for (size_t i = 0; i < buffers.size(); ++i) {
    if (plan.buffers[i].role != BufferSpec::Role::kInput) outputs.push_back(buffers[i]->content<std::byte>());
  }
  return outputs;
}

}  // namespace warpscope::test
