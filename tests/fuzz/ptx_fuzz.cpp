#include "tests/fuzz/ptx_fuzz.h"

#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "kernels/mark/mark.h"
#include "kernels/sim/ptx/control_flow.h"
#include "kernels/sim/ptx/parser.h"
#include "kernels/sim/simt/checks/run_checked.h"
#include "kernels/sim/simt/decode.h"
#include "kernels/sim/simt/functional_grid.h"
#include "kernels/sim/simt/interpreter.h"
#include "kernels/sim/sm/machine_code.h"
#include "kernels/sim/sm/timed_grid.h"

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

// The drivers that may execute a launch, each of which processes the code in its own way: the lowering, the
// checks' tracking.
enum class Driver : uint8_t { kFunctional, kTimed, kChecked };

// The smallest device, so that lowering and caches take no time.
const sim::DeviceProfile* teachingProfile() {
  static const auto kProfile = sim::readProfile(WARPSCOPE_FUZZ_PROFILE);
  return kProfile ? &*kProfile : nullptr;
}

// Returns whether all blocks ran to completion.
bool run(const sim::Launch& launch, Driver driver) {
  if (driver == Driver::kChecked) {
    sim::WrittenMemory written;
    const auto report = sim::runChecked(launch, written, {.step_limit = kStepLimit}, {});
    return report && report->finished;
  }
  const sim::DeviceProfile* profile = teachingProfile();
  if (driver == Driver::kTimed && profile != nullptr) {
    const sim::MachineCode machine = sim::lowerToMachine(*launch.code, *profile);
    sim::DeviceCaches caches(*profile);
    const sim::TimedOptions options{.threads = 1, .step_limit = kStepLimit, .blocks_per_sm = 2};
    return sim::runTimed(launch, machine, *profile, caches, options, {}).has_value();
  }
  return sim::runFunctional(launch, {.threads = 1, .step_limit = kStepLimit}, {}).has_value();
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
  if (run(launch, static_cast<Driver>(random() % 3))) ++tally.finished;
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
  // Whatever can be executed can be executed with marks.
  const auto marked =
      markModule(text, "fuzz.ptx", seed % 2 == 0 ? MarkLevel::kCoarse : MarkLevel::kFine, "fuzz.ptx", text);
  if (!marked || !ptx::parseModule(marked->ptx, "fuzz.ptx")) std::abort();
  const auto module = std::make_shared<const ptx::Module>(std::move(*parsed));
  // Only a few kernels: a module with many would take the time of many texts.
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
