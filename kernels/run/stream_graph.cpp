#include "kernels/run/stream_graph.h"

namespace warpscope {

const char* graphMakingName(GraphMaking making) {
  switch (making) {
    case GraphMaking::kCaptured:
      return "captured";
    case GraphMaking::kExplicit:
      return "explicit";
  }
  return "unknown";
}

}  // namespace warpscope
