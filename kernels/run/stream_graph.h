// Operations that the host hands to the GPU as one: a CUDA graph. It is made before the first operation of a
// run, once, and launched as a whole on a stream; its nodes then follow one another without the host.
#pragma once

#include <cstdint>
#include <string>

namespace warpscope {

// How the host says which operations a graph has, and what follows what.
enum class GraphMaking {
  kCaptured,  // operations are enqueued on streams that are captured; streams and events order them
  kExplicit,  // node by node, each with those that must end first
};
const char* graphMakingName(GraphMaking making);  // "captured"

struct StreamGraph {
  std::string name;  // "graph"
  GraphMaking making = GraphMaking::kCaptured;
  uint32_t stream = 0;  // that it is launched on, and whose capture begins and ends, if it is captured
  double make_ns = 0;   // of a run: what the host took to make it, before the run's axis begins
  bool operator==(const StreamGraph&) const = default;
};

}  // namespace warpscope
