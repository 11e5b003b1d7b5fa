#include "kernels/backend/cuda/launch_calls.h"

#include <array>
#include <utility>

namespace warpscope::cuda {

// cuLaunchKernel only reads through kernelParams.
void LaunchCalls::takeArguments(const LaunchSpec& spec) {
  arguments_.clear();
  for (const auto& parameter : spec.parameters) {
    arguments_.push_back(const_cast<std::byte*>(parameter.data()));
  }
}

Expected<void> LaunchCalls::enqueue(const KernelEntry& kernel, const LaunchSpec& spec, Stream stream) {
  takeArguments(spec);
  const DriverApi& api = session_.api();
  if (spec.cluster || spec.programmatic) return enqueueWithAttributes(kernel, spec, stream);
  const Result result =
      spec.cooperative ? api.launchCooperativeKernel(kernel.function, spec.grid.x, spec.grid.y, spec.grid.z,
                                                     spec.block.x, spec.block.y, spec.block.z,
                                                     spec.dynamic_shared_bytes, stream, arguments_.data())
                       : api.launchKernel(kernel.function, spec.grid.x, spec.grid.y, spec.grid.z,
                                          spec.block.x, spec.block.y, spec.block.z, spec.dynamic_shared_bytes,
                                          stream, arguments_.data(), nullptr);
  if (result == kSuccess) return {};
  return session_.check(result, "launching {} with grid {}x{}x{}, block {}x{}x{}, {} B dynamic shared memory",
                        kernel.name, spec.grid.x, spec.grid.y, spec.grid.z, spec.block.x, spec.block.y,
                        spec.block.z, spec.dynamic_shared_bytes);
}

// The same launch as a node of a graph. The driver copies the arguments.
Expected<GraphNode> LaunchCalls::addNode(const KernelEntry& kernel, const LaunchSpec& spec, Graph graph,
                                         std::span<const GraphNode> after) {
  if (spec.cluster || spec.cooperative) {
    return fail(ErrorKind::kBadRequest,
                "{}: cooperative launches and those in clusters cannot be nodes of an explicit graph; "
                "capture them",
                kernel.name);
  }
  takeArguments(spec);
  const KernelNode launch{kernel.function,  spec.grid.x,  spec.grid.y,  spec.grid.z,
                          spec.block.x,     spec.block.y, spec.block.z, spec.dynamic_shared_bytes,
                          arguments_.data()};
  GraphNode node = nullptr;
  auto added =
      session_.check(session_.api().graphAddKernelNode(&node, graph, after.data(), after.size(), &launch),
                     "adding a launch of {} to a graph", kernel.name);
  if (!added) return tl::unexpected(added.error());
  return node;
}

// arguments_ are set.
Expected<void> LaunchCalls::enqueueWithAttributes(const KernelEntry& kernel, const LaunchSpec& spec,
                                                  Stream stream) {
  const DriverApi& api = session_.api();
  const Dim3 cluster = spec.cluster.value_or(Dim3{});
  if (api.launchKernelEx == nullptr) {
    return fail(ErrorKind::kBadRequest, "launching {} {}: the driver is too old; 520 or newer is needed",
                kernel.name, spec.cluster ? "in clusters" : "as a programmatic dependent launch");
  }
  if (auto allowed = allowCluster(kernel, cluster); !allowed) return allowed;
  std::array<LaunchAttribute, 3> attributes{};
  unsigned count = 0;
  if (spec.cluster) {
    attributes[count].id = kAttributeClusterDimension;
    attributes[count].value[0] = cluster.x;
    attributes[count].value[1] = cluster.y;
    attributes[count++].value[2] = cluster.z;
  }
  for (const auto& [set, id] : {std::pair(spec.cooperative, kAttributeCooperative),
                                {spec.programmatic, kAttributeProgrammaticStreamSerialization}}) {
    if (!set) continue;
    attributes[count].id = id;
    attributes[count++].value[0] = 1;
  }
  LaunchConfig config{spec.grid.x,
                      spec.grid.y,
                      spec.grid.z,
                      spec.block.x,
                      spec.block.y,
                      spec.block.z,
                      spec.dynamic_shared_bytes,
                      stream,
                      attributes.data(),
                      count};
  const Result result = api.launchKernelEx(&config, kernel.function, arguments_.data(), nullptr);
  if (result == kSuccess) return {};
  return session_.check(result,
                        "launching {} with grid {}x{}x{}, block {}x{}x{}, clusters of {}x{}x{} blocks, {} B "
                        "dynamic shared memory",
                        kernel.name, spec.grid.x, spec.grid.y, spec.grid.z, spec.block.x, spec.block.y,
                        spec.block.z, cluster.x, cluster.y, cluster.z, spec.dynamic_shared_bytes);
}

// More than 8 blocks a cluster are possible only for a function that allows it.
Expected<void> LaunchCalls::allowCluster(const KernelEntry& kernel, const Dim3& cluster) {
  constexpr uint64_t kPortable = 8;
  if (cluster.count() <= kPortable) return {};
  return session_.check(
      session_.api().funcSetAttribute(kernel.function, FunctionAttribute::kNonPortableClusterSizeAllowed, 1),
      "allowing clusters of {} blocks for {}", cluster.count(), kernel.name);
}

}  // namespace warpscope::cuda
