#include "kernels/sim/backend/loaded_kernels.h"

#include <algorithm>

#include "kernels/sim/listing.h"
#include "kernels/sim/ptx/parser.h"
#include "kernels/sim/sm/shifting_parameters.h"

namespace warpscope::sim {
namespace {

std::shared_ptr<const Listing> listingOf(const Code& code) {
  Listing listing;
  const FileName file = [&](uint32_t number) {
    return number < code.files.size() ? code.files[number] : std::string();
  };
  for (size_t i = 0; i < code.instructions.size(); ++i)
    listing.push_back(listInstruction(code.texts[i], code.lines[i], file));
  return std::make_shared<const Listing>(std::move(listing));
}

}  // namespace

Expected<KernelHandle> LoadedKernels::load(const ModuleImage& image, const std::string& entry) {
  const auto key = std::pair(std::string(image.name), entry);
  if (const auto known = handles_.find(key); known != handles_.end()) return known->second;
  const auto module = loadedModule(image);
  if (!module) return tl::unexpected(module.error());
  auto code = decodeKernel(**module, entry);
  if (!code) return tl::unexpected(code.error());
  MachineCode machine = lowerToMachine(**code, profile_);
  auto listing = listingOf(**code);
  const Influence influence = influenceOfBlocks(**code);
  kernels_.push_back({std::move(*code), std::move(machine), std::move(listing), *module,
                      barriersOf(image, entry), influence});
  return handles_.emplace(key, KernelHandle{kernels_.size()}).first->second;
}

Expected<DeviceAddress> LoadedKernels::symbol(const ModuleImage& image, const std::string& name,
                                              uint64_t bytes) {
  const auto loaded = loadedModule(image);
  if (!loaded) return tl::unexpected(loaded.error());
  const std::vector<ptx::Variable>& variables = (*loaded)->module->variables;
  const auto found = std::ranges::find(variables, symbolName(name), &ptx::Variable::name);
  if (found == variables.end() || found->bytes < bytes) {
    return fail(ErrorKind::kBadRequest, "module {} has no variable {} of {} bytes", image.name, name, bytes);
  }
  return (*loaded)->variable_addresses.at(static_cast<size_t>(found - variables.begin()));
}

KernelResources LoadedKernels::resources(KernelHandle handle, uint32_t dynamic_shared_bytes) const {
  const LoadedKernel& kernel = of(handle);
  uint32_t local_bytes = 0;
  for (const CodeFunction& function : kernel.code->functions) local_bytes += function.local_bytes;
  return {kernel.machine.registers_per_thread, kernel.code->static_shared_bytes, dynamic_shared_bytes,
          local_bytes, kernel.barriers};
}

bool LoadedKernels::hasClusters(const LaunchSpec& spec) const {
  const std::optional<Dim3>& required = of(spec.kernel).code->required_cluster;
  return spec.cluster.value_or(required.value_or(Dim3{})).count() > 1;
}

const std::vector<bool>& LoadedKernels::shiftingParametersOf(KernelHandle handle) {
  LoadedKernel& kernel = kernels_.at(handle.value - 1);
  if (!kernel.shifting) kernel.shifting = shiftingParameters(*kernel.code);
  return *kernel.shifting;
}

Expected<const LoadedModule*> LoadedKernels::loadedModule(const ModuleImage& image) {
  const std::string name(image.name);
  if (const auto known = modules_.find(name); known != modules_.end()) return &known->second;
  // Messages name the file. The suffix behind '#' only keeps the names of users' modules apart.
  auto parsed = ptx::parseModule(image.ptx, name.substr(0, name.find('#')));
  if (!parsed) return tl::unexpected(parsed.error());
  if (parsed->files.empty()) ptx::nameOwnLines(*parsed);
  auto loaded = loadModule(std::make_shared<const ptx::Module>(std::move(*parsed)), memory_);
  if (!loaded) return tl::unexpected(loaded.error());
  return &modules_.emplace(name, std::move(*loaded)).first->second;
}

}  // namespace warpscope::sim
