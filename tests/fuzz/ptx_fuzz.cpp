#include "tests/fuzz/ptx_fuzz.h"

#include <memory>
#include <random>
#include <stop_token>
#include <string>
#include <vector>

#include "kernels/device/sim/ptx/control_flow.h"
#include "kernels/device/sim/ptx/parser.h"
#include "kernels/device/sim/simt/decode.h"
#include "kernels/device/sim/simt/functional_grid.h"
#include "kernels/device/sim/simt/interpreter.h"

namespace warpscope::fuzz {
namespace {

constexpr uint64_t kMemoryBytes = uint64_t{64} << 20;
constexpr uint64_t kBufferBytes = 1U << 16;
constexpr uint64_t kStepLimit = 20'000;

// Pointers into the buffer, small numbers and noise, eight bytes at a time.
std::vector<std::byte> makeParameters(uint32_t bytes, uint64_t buffer, std::mt19937_64& random) {
  std::vector<std::byte> parameters(bytes);
  for (size_t at = 0; at < parameters.size(); at += 8) {
    const uint64_t kind = random() % 4;
    const uint64_t value = kind < 2    ? buffer + random() % kBufferBytes / 8 * 8
                           : kind == 2 ? random() % 512
                                       : random();
    for (size_t i = 0; i < 8 && at + i < parameters.size(); ++i) {
      parameters[at + i] = static_cast<std::byte>(value >> (8 * i));
    }
  }
  return parameters;
}

void execute(const std::shared_ptr<const ptx::Module>& module, const std::string& kernel, uint64_t seed,
             Tally& tally) {
  std::mt19937_64 random(seed);
  Expected<std::unique_ptr<sim::GlobalMemory>> memory = sim::GlobalMemory::create(kMemoryBytes);
  if (!memory) return;
  const Expected<sim::LoadedModule> loaded = sim::loadModule(module, **memory);
  if (!loaded) return;
  const auto code = sim::decodeKernel(*loaded, kernel);
  const Expected<uint64_t> buffer = (*memory)->allocate(kBufferBytes, "buffer");
  if (!code || !buffer) return;
  ++tally.decoded;
  sim::Launch launch;
  launch.code = code->get();
  launch.memory = memory->get();
  launch.parameters = makeParameters((*code)->parameter_bytes, *buffer, random);
  const auto size = [&](uint64_t most) { return static_cast<uint32_t>(1 + random() % most); };
  launch.grid = {size(3), size(2), 1};
  launch.block = {size(96), size(2), size(2)};
  launch.dynamic_shared_bytes = size(4096);
  launch.print = [](const std::string&) {};
  sim::FunctionalOptions options;
  options.threads = 1;
  options.step_limit = kStepLimit;
  if (sim::runFunctional(launch, options, std::stop_token{})) ++tally.finished;
}

}  // namespace

void tryText(std::string_view text, uint64_t seed, Tally& tally) {
  ++tally.texts;
  const Expected<ptx::ModuleReport> report = ptx::reportModule(text, "fuzz.ptx");
  if (report) {
    for (const ptx::Function& function : report->module.functions) ptx::controlFlow(function);
  }
  Expected<ptx::Module> parsed = ptx::parseModule(text, "fuzz.ptx");
  if (!parsed) return;
  ++tally.parsed;
  const auto module = std::make_shared<const ptx::Module>(std::move(*parsed));
  // A few kernels: a module of many would take the time of many texts.
  size_t done = 0;
  for (size_t i = 0; i < module->functions.size() && done < 2; ++i) {
    const ptx::Function& function = module->functions[(i + seed) % module->functions.size()];
    if (!function.is_entry || function.is_declared_only) continue;
    execute(module, function.name, seed, tally);
    ++done;
  }
}

}  // namespace warpscope::fuzz

#ifdef WARPSCOPE_LIBFUZZER
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  warpscope::fuzz::Tally tally;
  warpscope::fuzz::tryText({reinterpret_cast<const char*>(data), size}, size, tally);
  return 0;
}
#endif
