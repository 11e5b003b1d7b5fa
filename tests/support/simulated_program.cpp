#include "tests/support/simulated_program.h"

#include <functional>
#include <map>
#include <mutex>
#include <stdexcept>

#include "kernels/execute/parameter_bytes.h"
#include "kernels/sim/ptx/parser.h"
#include "kernels/sim/simt/tensor_map.h"
#include "tests/support/must.h"

namespace warpscope::test {

namespace {
// Tests of a family's variants share its module, which takes longer to parse than most of them to run.
std::shared_ptr<const ptx::Module> parsed(std::string_view text, const std::string& name) {
  static std::mutex mutex;
  static std::map<std::string, std::shared_ptr<const ptx::Module>, std::less<>> known;
  const std::lock_guard lock(mutex);
  auto found = known.find(text);
  if (found == known.end()) {
    auto module = std::make_shared<const ptx::Module>(must(ptx::parseModule(text, name)));
    found = known.emplace(text, std::move(module)).first;
  }
  return found->second;
}
}  // namespace

SimulatedProgram::SimulatedProgram(std::string_view ptx, const std::string& name)
    : memory_(must(sim::GlobalMemory::create(uint64_t{1} << 32))) {
  module_ = must(sim::loadModule(parsed(ptx, name), *memory_));
}

uint64_t SimulatedProgram::allocate(uint64_t bytes, uint8_t fill, const std::string& name) {
  const uint64_t address = must(memory_->allocate(bytes, name));
  std::memset(memory_->at(address, bytes), fill, bytes);
  return address;
}

uint64_t SimulatedProgram::variable(const std::string& name) const {
  for (size_t i = 0; i < module_.module->variables.size(); ++i) {
    if (module_.module->variables[i].name == name) return module_.variable_addresses[i];
  }
  throw std::runtime_error("no variable " + name);
}

const std::shared_ptr<const sim::Code>& SimulatedProgram::code(const std::string& kernel) {
  if (decoded_ == nullptr || decoded_name_ != kernel) {
    decoded_ = must(sim::decodeKernel(module_, kernel));
    decoded_name_ = kernel;
  }
  return decoded_;
}

sim::Launch SimulatedProgram::launch(const std::string& kernel, Dim3 grid, Dim3 block,
                                     const std::vector<std::vector<std::byte>>& arguments,
                                     uint32_t dynamic_shared_bytes) {
  sim::Launch launch;
  launch.code = code(kernel).get();
  launch.memory = memory_.get();
  launch.grid = grid;
  launch.block = block;
  launch.dynamic_shared_bytes = dynamic_shared_bytes;
  launch.sm_count = 132;
  launch.print = [this](const std::string& text) { printed += text; };
  launch.parameters.resize(launch.code->parameter_bytes);
  for (size_t i = 0; i < arguments.size() && i < launch.code->parameters.size(); ++i) {
    std::memcpy(launch.parameters.data() + launch.code->parameters[i].offset, arguments[i].data(),
                arguments[i].size());
  }
  return launch;
}

Expected<sim::FunctionalResult> SimulatedProgram::run(const std::string& kernel, Dim3 grid, Dim3 block,
                                                      const std::vector<std::vector<std::byte>>& arguments,
                                                      const sim::FunctionalOptions& options,
                                                      uint32_t dynamic_shared_bytes,
                                                      const std::stop_token& stop) {
  return sim::runFunctional(launch(kernel, grid, block, arguments, dynamic_shared_bytes), options, stop);
}

namespace {

// By argument; plans with images are not run here.
std::vector<Bytes> tensorMaps(const LaunchPlan& plan, const std::vector<uint64_t>& buffers) {
  std::vector<Bytes> maps(plan.arguments.size());
  for (size_t i = 0; i < maps.size(); ++i) {
    const auto* buffer = std::get_if<BufferArgument>(&plan.arguments[i]);
    if (buffer != nullptr && buffer->tensor)
      maps[i] = sim::encodeTensorMap({*buffer->tensor, buffers[buffer->index]});
  }
  return maps;
}

}  // namespace

SimulatedPlan::SimulatedPlan(const LaunchPlan& plan, ProbeKind kind, const std::vector<std::byte>& probe)
    : plan_(plan), program_(must(findModule(plan.module)).ptx, plan.module) {
  entry_ = must(findEntry(must(findModule(plan.module)), plan.kernel, kind));
  for (const BufferSpec& spec : plan.buffers) {
    if (spec.symbol.empty()) {
      buffers_.push_back(program_.allocate(spec.bytes, spec.fill, spec.name));
    } else {
      buffers_.push_back(program_.variable(symbolName(spec.symbol)));
    }
    if (!spec.generate) continue;
    const auto content = spec.generate();
    std::memcpy(program_.host<std::byte>(buffers_.back(), content->size()), content->data(), content->size());
  }
  arguments_ = launchParameters(probe, plan.arguments, buffers_, tensorMaps(plan, buffers_));
}

sim::Launch SimulatedPlan::launch() {
  sim::Launch launch =
      program_.launch(entry_, plan_.grid, plan_.block, arguments_, plan_.dynamic_shared_bytes);
  launch.cluster = plan_.cluster.value_or(Dim3{});
  launch.explicit_cluster = plan_.cluster.has_value();
  return launch;
}

Expected<sim::FunctionalResult> SimulatedPlan::run(sim::FunctionalOptions options) {
  options.all_resident = plan_.cooperative;
  auto result = sim::runFunctional(launch(), options, {});
  for (size_t i = 0; i < plan_.following.size() && result; ++i) {
    const FollowingLaunch& next = plan_.following[i];
    const auto entry = must(findEntry(must(findModule(plan_.module)), next.kernel, ProbeKind::kBare));
    auto done = program_.run(entry, next.grid, next.block,
                             launchParameters(std::vector<std::byte>(1), next.arguments, buffers_), {},
                             next.dynamic_shared_bytes);
    if (!done) return done;
    result->warp_instructions += done->warp_instructions;
    result->thread_instructions += done->thread_instructions;
  }
  return result;
}

std::vector<Bytes> SimulatedPlan::outputs() {
  std::vector<Bytes> outputs;
  for (size_t i = 0; i < buffers_.size(); ++i) {
    if (plan_.buffers[i].role == BufferSpec::Role::kInput) continue;
    const std::byte* from = program_.host<std::byte>(buffers_[i], plan_.buffers[i].bytes);
    outputs.emplace_back(from, from + plan_.buffers[i].bytes);
  }
  return outputs;
}

}  // namespace warpscope::test
