// The streams family: its texts, parameters and names of regions.
#include "kernels/experiments/family_parts.h"
#include "kernels/experiments/streams/regions.h"
#include "kernels/experiments/streams/shape.h"

namespace warpscope::streams {
namespace {

std::vector<VariantInfo> variants() {
  return {
      {.name = "one_stream",
       .title = "One stream",
       .summary = "All copies and launches are on one stream: each begins when the one before it has ended. "
                  "The time is the sum of all, and two of the three - the copy engine of each direction and "
                  "the SMs - are always idle."},
      {.name = "depth_first",
       .title = "Several streams, chunk by chunk",
       .summary = "Chunks take turns on the streams, and for each the host enqueues copy, launch, copy. Once "
                  "the pipeline is full, one chunk is copied in while another is computed and a third is "
                  "copied out: the time approaches that of the busiest of the three."},
      {.name = "breadth_first",
       .title = "Several streams, step by step",
       .summary =
           "The same operations on the same streams, but the host enqueues all copies in, then all "
           "launches, then all copies out. Where chunks share a stream, the first one's launch is behind "
           "the last one's copy in, and its copy out behind the last one's launch: less overlaps. With "
           "a stream for every chunk, both orders are nearly equal."},
      {.name = "pageable",
       .title = "Pageable memory",
       .summary = "As chunk by chunk, but the vectors are not pinned. A copy then goes through a staging "
                  "buffer of the driver, more slowly, and the host waits until it is over: it enqueues "
                  "nothing meanwhile, so nothing overlaps, whatever the number of streams."},
      {.name = "default_stream",
       .title = "Launches on the default stream",
       .summary = "As chunk by chunk, but the launches' stream is forgotten, which puts them on the legacy "
                  "default stream. It waits for what was enqueued before on all other streams, and they wait "
                  "for it: only copies in opposite directions still overlap."},
  };
}

std::vector<ParameterSpec> parameters() {
  return {
      blockParameter("Threads of a block, each of which works on one element. A chunk's launch has as many "
                     "blocks as the chunk needs."),
      sizeParameter(22, 19,
                    "Elements of 4 bytes of the vector, all chunks together. Copying them each way takes "
                    "long, computing on them little: the link to the GPU is tens of times slower than its "
                    "memory."),
      {.name = "chunks",
       .label = "Chunks",
       .min = 1,
       .max = kMostChunks,
       .default_value = 4,
       .unit = "chunks",
       .help = "The pieces that the vector is cut into. With few, the pipeline takes long to fill and empty; "
               "with many, the host's calls and each copy's own latency are all there is. In between is the "
               "sweet spot.",
       .samples = {1, 3}},
      {.name = "streams",
       .label = "Streams",
       .min = 1,
       .max = kMostStreams,
       .default_value = 3,
       .unit = "streams",
       .help = "Chunks take turns on so many streams. Three are enough to keep both copy engines and the SMs "
               "busy; more only help where operations take unequal times.",
       .variants = {"depth_first", "breadth_first", "pageable", "default_stream"},
       .samples = {3}},
      {.name = "work",
       .label = "Work",
       .kind = ParameterKind::kLog2,
       .min = 1,
       .max = kMostWork,
       .default_value = 1024,
       .unit = "rounds",
       .help =
           "Rounds of a multiplication and an addition for each element. With little work copying "
           "decides; raise it until the launches take as long as the copies in one direction, and beyond.",
       .simulated_default = 128,
       .samples = {16}},
  };
}

}  // namespace

FamilyInfo streamsInfo() {
  FamilyInfo info;
  info.name = "streams";
  info.view = "operations";
  info.title = "Streams";
  info.summary =
      "A vector on the host is worked on by the GPU: copied there, computed, copied back. Cut into chunks "
      "and "
      "spread over streams, copies in both directions and launches overlap. The time cannot become less than "
      "that of the busiest of the three: all copies in, all launches, or all copies out.";
  info.variants = variants();
  info.parameters = parameters();
  return info;
}

std::vector<RegionName> streamsRegionNames() {
  return {{"kIndex", kIndex, "index"},
          {"kLoad", kLoad, "load"},
          {"kCompute", kCompute, "compute"},
          {"kStore", kStore, "store"}};
}

}  // namespace warpscope::streams
