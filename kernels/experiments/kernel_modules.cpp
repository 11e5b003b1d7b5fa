// The embedded modules and sources: embedded.S (generated, see CMakeLists.txt) holds the bytes, embedded.inc
// lists their names.
#include "kernels/experiments/kernel_modules.h"

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <mutex>

// The begin and end of the bytes that embedded.S includes; a fatbin that was not built is empty.
#define WARPSCOPE_MODULE(name)                                              \
  extern "C" const char warpscope_ptx_##name[], warpscope_ptx_end_##name[]; \
  extern "C" const std::byte warpscope_fatbin_##name[], warpscope_fatbin_end_##name[];
#define WARPSCOPE_SOURCE(name) extern "C" const char warpscope_source_##name[], warpscope_source_end_##name[];
#include "embedded.inc"
#undef WARPSCOPE_MODULE
#undef WARPSCOPE_SOURCE

namespace warpscope {
namespace {

std::string_view textBetween(const char* begin, const char* end) {
  return {begin, static_cast<size_t>(end - begin)};
}

std::span<const std::byte> bytesBetween(const std::byte* begin, const std::byte* end) {
  return {begin, end};
}

constexpr std::string_view kEntry = ".entry ";
constexpr std::string_view kTarget = ".target sm_";

struct Source {
  std::string_view module, text;
};

std::span<const Source> allSources() {
  static const Source kSources[] = {
#define WARPSCOPE_MODULE(name)
#define WARPSCOPE_SOURCE(name) {#name, textBetween(warpscope_source_##name, warpscope_source_end_##name)},
#include "embedded.inc"
#undef WARPSCOPE_MODULE
#undef WARPSCOPE_SOURCE
  };
  return kSources;
}

struct AddedModule {
  std::string name, ptx;
  std::vector<AddedKernel> kernels;
};
struct AddedModules {
  std::mutex mutex;
  std::deque<AddedModule> all;  // addresses stay

  const AddedModule* find(std::string_view name) {
    const std::lock_guard lock(mutex);
    const auto found = std::ranges::find(all, name, &AddedModule::name);
    return found == all.end() ? nullptr : &*found;
  }
};
AddedModules& addedModules() {
  static AddedModules modules;
  return modules;
}

// "<int,512>" -> "iLj512E": the part that follows the probe's argument, whatever that is.
std::string mangledArguments(std::string_view list) {
  std::string mangled;
  for (size_t begin = 1; begin < list.size();) {
    const size_t end = std::min(list.find_first_of(",>", begin), list.size());
    const std::string_view argument = list.substr(begin, end - begin);
    if (argument == "int") {
      mangled += 'i';
    } else if (argument == "uint32_t") {
      mangled += 'j';
    } else if (argument == "float") {
      mangled += 'f';
    } else if (argument == "double") {
      mangled += 'd';
    } else {
      mangled += fmt::format("Lj{}E", argument);
    }
    begin = end + 1;
  }
  return mangled;
}

}  // namespace

std::span<const ModuleImage> allModules() {
  static const ModuleImage kModules[] = {
#define WARPSCOPE_SOURCE(name)
#define WARPSCOPE_MODULE(name)                                         \
  {#name, textBetween(warpscope_ptx_##name, warpscope_ptx_end_##name), \
   bytesBetween(warpscope_fatbin_##name, warpscope_fatbin_end_##name)},
#include "embedded.inc"
#undef WARPSCOPE_MODULE
#undef WARPSCOPE_SOURCE
  };
  return kModules;
}

void addModule(const std::string& name, std::string ptx, std::vector<AddedKernel> kernels) {
  AddedModules& modules = addedModules();
  const std::lock_guard lock(modules.mutex);
  if (std::ranges::count(modules.all, name, &AddedModule::name) > 0) return;
  modules.all.push_back({name, std::move(ptx), std::move(kernels)});
}

Expected<ModuleImage> findModule(std::string_view name) {
  const auto found = std::ranges::find(allModules(), name, &ModuleImage::name);
  if (found == allModules().end()) {
    if (const AddedModule* added = addedModules().find(name)) return ModuleImage{added->name, added->ptx, {}};
    return fail(ErrorKind::kBadRequest, "no kernel module '{}' is built into this program", name);
  }
  return *found;
}

Expected<std::string_view> findKernelSource(std::string_view module) {
  const auto found = std::ranges::find(allSources(), module, &Source::module);
  if (found == allSources().end()) {
    return fail(ErrorKind::kBadRequest, "no kernel source of a module '{}' is built into this program",
                module);
  }
  return found->text;
}

std::string symbolName(std::string_view name) {
  return fmt::format("_ZN9warpscope{}{}E", name.size(), name);
}

ComputeCapability leastCapability(const ModuleImage& module) {
  const size_t at = module.ptx.find(kTarget);
  int number = 0;  // 75: 7.5, 120: 12.0
  for (size_t i = at + kTarget.size(); at != std::string_view::npos && i < module.ptx.size(); ++i) {
    if (module.ptx[i] < '0' || module.ptx[i] > '9') break;
    number = number * 10 + (module.ptx[i] - '0');
  }
  return {number / 10, number % 10};
}

namespace {

Expected<std::string> addedEntry(const AddedModule& module, std::string_view kernel, ProbeKind probe) {
  const auto found = std::ranges::find(module.kernels, kernel, &AddedKernel::kernel);
  if (found != module.kernels.end() && probe == ProbeKind::kBare) return found->bare;
  if (found != module.kernels.end() && probe == ProbeKind::kProbed && !found->probed.empty())
    return found->probed;
  return fail(ErrorKind::kBadRequest, "{} has no such form of a kernel '{}'", module.name, kernel);
}

}  // namespace

Expected<std::string> findEntry(const ModuleImage& module, std::string_view kernel, ProbeKind probe) {
  if (const AddedModule* added = addedModules().find(module.name)) return addedEntry(*added, kernel, probe);
  // Itanium C++ ABI: namespace warpscope, the template's name, its arguments, the first of which is a class.
  const std::string_view policy = probe == ProbeKind::kBare     ? "NoProbe"
                                  : probe == ProbeKind::kProbed ? "WarpProbe"
                                                                : "ResidencyProbe";
  const size_t angle = std::min(kernel.find('<'), kernel.size());
  const std::string prefix = fmt::format("_ZN9warpscope{}{}INS_{}{}E{}E", angle, kernel.substr(0, angle),
                                         policy.size(), policy, mangledArguments(kernel.substr(angle)));
  for (size_t at = module.ptx.find(kEntry); at != std::string_view::npos;
       at = module.ptx.find(kEntry, at + 1)) {
    const std::string_view rest = module.ptx.substr(at + kEntry.size());
    if (!rest.starts_with(prefix)) continue;
    return std::string(rest.substr(0, rest.find_first_of("( \t\r\n")));
  }
  return fail(ErrorKind::kBadRequest,
              "module '{}' has no kernel '{}' for {}: rebuild assets/ptx with build_ptx.sh", module.name,
              kernel, policy);
}

uint32_t barriersOf(const ModuleImage& module, std::string_view entry) {
  constexpr uint32_t kBarriersOfABlock = 16;
  const size_t head = module.ptx.find(fmt::format("{}{}(", kEntry, entry));
  if (head == std::string_view::npos) return 0;
  const std::string_view body = module.ptx.substr(head, module.ptx.find("\n}", head) - head);
  uint32_t barriers = 0;
  for (size_t at = body.find("\tbar"); at != std::string_view::npos; at = body.find("\tbar", at + 1)) {
    const std::string_view instruction = body.substr(at + 1, body.find(';', at) - at - 1);
    const bool is_of_block = (instruction.starts_with("bar.") || instruction.starts_with("barrier.")) &&
                             !instruction.starts_with("bar.warp.") &&
                             !instruction.starts_with("barrier.cluster.");
    const size_t operand = instruction.find_first_of("%0123456789", instruction.find_first_of(" \t"));
    if (!is_of_block || operand == std::string_view::npos) continue;
    const std::string_view named = instruction.substr(operand);
    if (named.front() == '%') return kBarriersOfABlock;
    barriers = std::max(barriers, static_cast<uint32_t>(std::atoi(std::string(named).c_str())) + 1);
  }
  return std::min(barriers, kBarriersOfABlock);
}

}  // namespace warpscope
