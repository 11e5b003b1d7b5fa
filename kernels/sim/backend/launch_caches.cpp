#include "kernels/sim/backend/launch_caches.h"

#include <algorithm>
#include <iterator>
#include <span>

#include "kernels/sim/sm/texel_tiles.h"

namespace warpscope::sim {
namespace {

bool holds(const std::vector<AddressRange>& allocations, const AddressRange& one) {
  return std::ranges::find(allocations, one.begin, &AddressRange::begin) != allocations.end();
}

// Those that the launch writes. They were written before it begins, too: by the same launch made earlier, or
// when its inputs were restored.
std::vector<AddressRange> buffersWrittenBy(const LaunchSpec& spec, const LoadedKernel& kernel,
                                           const DeviceMemory& memory) {
  const std::vector<KernelParameter>& parameters = kernel.code->parameters;
  const WrittenParameters& written = kernel.machine.written_parameters;
  std::vector<AddressRange> ranges;
  for (size_t i = 0; i < std::min(spec.parameters.size(), parameters.size()); ++i) {
    const std::span<const std::byte> bytes = spec.parameters[i];
    for (size_t at = 0; at + sizeof(uint64_t) <= bytes.size(); at += sizeof(uint64_t)) {
      const size_t word = (parameters[i].offset + at) / sizeof(uint64_t);
      if (word < written.size() && written[word]) {
        std::ranges::copy(memory.pointedAtBy(bytes.subspan(at, sizeof(uint64_t))),
                          std::back_inserter(ranges));
      }
    }
  }
  return ranges;
}

// All that the launch and those that follow it use, but for where probes record.
std::vector<AddressRange> buffersUsedBy(const LaunchSpec& spec, const std::vector<AddressRange>& recording,
                                        const DeviceMemory& memory) {
  std::vector<AddressRange> used;
  const auto add = [&](const AddressRange& range) {
    if (!holds(recording, range)) used.push_back(range);
  };
  for (const DeviceBuffer& buffer : spec.buffers) {
    if (const auto range = memory.allocationAt(buffer.address)) add(*range);
  }
  for (const LaunchSpec& one : spec.following) std::ranges::for_each(buffersOf(one, memory), add);
  std::ranges::for_each(buffersOf(spec, memory), add);
  return used;
}

}  // namespace

std::vector<AddressRange> buffersOf(const LaunchSpec& spec, const DeviceMemory& memory) {
  std::vector<AddressRange> ranges;
  for (const std::vector<std::byte>& parameter : spec.parameters)
    std::ranges::copy(memory.pointedAtBy(parameter), std::back_inserter(ranges));
  return ranges;
}

uint64_t usedBytes(const LaunchSpec& spec, const AddressRange& allocation, const DeviceMemory& memory) {
  const auto image = std::ranges::find(memory.images(), allocation.begin, &BoundImage::texels);
  if (image != memory.images().end()) return tiledBytes(image->description);
  const auto named = std::ranges::find(spec.buffers, allocation.begin, &DeviceBuffer::address);
  const uint64_t all = allocation.end - allocation.begin;
  return named == spec.buffers.end() ? all : std::min(named->bytes, all);
}

void prepareCaches(ModelledCaches& caches, ModelledLaunch::Caches wanted, const LaunchSpec& spec,
                   const LoadedKernel& kernel, const std::vector<AddressRange>& recording,
                   const DeviceMemory& memory, const UsedShares& used_shares) {
  if (wanted == ModelledLaunch::Caches::kAsLeft) return;
  const std::vector<AddressRange> used = buffersUsedBy(spec, recording, memory);
  ModelledAddresses& addresses = caches.addresses();
  addresses.clear();
  for (const DeviceAddress variable : kernel.module->variable_addresses) {
    if (const auto range = memory.allocationAt(variable)) addresses.add(*range, range->end - range->begin);
  }
  for (const AddressRange& range : used) addresses.add(range, usedBytes(spec, range, memory));
  for (const AddressRange& range : recording) addresses.add(range, range.end - range.begin);
  caches.clear(0);
  if (wanted == ModelledLaunch::Caches::kCold) return;
  const std::vector<AddressRange> written = buffersWrittenBy(spec, kernel, memory);
  for (const AddressRange& range : used) {
    const auto share = used_shares.find(range.begin);
    caches.touch(0, range.begin, usedBytes(spec, range, memory), holds(written, range),
                 share == used_shares.end() ? 1 : share->second);
  }
}

UsedShares usedSharesOf(const LaunchSpec& spec, const std::vector<AddressRange>& recording,
                        const DeviceMemory& memory, ModelledCaches& caches) {
  UsedShares shares;
  for (const AddressRange& range : buffersUsedBy(spec, recording, memory))
    shares[range.begin] = caches.usedShareOf(0, range.begin);
  return shares;
}

DeviceCaches& cachesFor(const LaunchSpec& spec, const DeviceMemory& memory, ModelledCaches& caches) {
  if (!memory.hasPeerMemory() && spec.gpu == 0) return caches.of(0);
  std::vector<AddressRange> others;
  for (const AddressRange& range : buffersOf(spec, memory)) {
    if (memory.gpuOf(range.begin) != spec.gpu)
      others.push_back(caches.seen(range, usedBytes(spec, range, memory)));
  }
  caches.of(spec.gpu).setPeerMemory(others);
  return caches.of(spec.gpu);
}

}  // namespace warpscope::sim
