// The driver's calls that launch a kernel, whatever the launch asks for: cooperative, in clusters, dependent
// on the one before it, or as a node of a graph. The context of the stream's GPU must be the thread's;
// dynamic shared memory must have been allowed. Errors name the kernel and its launch; kBadRequest: what the
// driver is too old for, or what a graph cannot have.
#pragma once

#include <span>
#include <vector>

#include "kernels/backend/backend.h"
#include "kernels/backend/cuda/loaded_kernels.h"
#include "kernels/backend/cuda/session.h"

namespace warpscope::cuda {

class LaunchCalls {
 public:
  explicit LaunchCalls(Session& session) : session_(session) {}

  Expected<void> enqueue(const KernelEntry& kernel, const LaunchSpec& spec, Stream stream);
  Expected<GraphNode> addNode(const KernelEntry& kernel, const LaunchSpec& spec, Graph graph,
                              std::span<const GraphNode> after);

 private:
  void takeArguments(const LaunchSpec& spec);
  Expected<void> enqueueWithAttributes(const KernelEntry& kernel, const LaunchSpec& spec, Stream stream);
  Expected<void> allowCluster(const KernelEntry& kernel, const Dim3& cluster);

  Session& session_;
  std::vector<void*> arguments_;  // of one call; kept so that launches do not wait for memory
};

}  // namespace warpscope::cuda
