// The graphs family: its texts, parameters and names of regions.
#include "kernels/experiments/family_parts.h"
#include "kernels/experiments/graphs/regions.h"
#include "kernels/experiments/graphs/shape.h"

namespace warpscope::graphs {
namespace {

std::vector<VariantInfo> variants() {
  return {
      {.name = "one_by_one",
       .title = "One by one",
       .summary =
           "The host launches every node by itself: a call of a few microseconds each. As long as a node "
           "takes the GPU less than the call takes the host, the GPU waits for the host between any two "
           "nodes. With larger nodes, the calls run ahead and only the gaps on the stream are left."},
      {.name = "captured",
       .title = "Graph by stream capture",
       .summary =
           "The same calls on the same streams, but the streams are captured: nothing runs, and the driver "
           "makes a graph of them, once, before the time begins. One call then launches the whole graph, "
           "and the GPU goes from node to node without the host."},
      {.name = "explicit",
       .title = "Graph built node by node",
       .summary =
           "The host tells the driver each node and the nodes that must end before it. No streams and "
           "events stand for the order, so branches are as parallel as their dependencies allow. What is "
           "launched is the same as by capture: the times should be equal."},
      {.name = "conditional",
       .title = "Graph of conditional nodes",
       .summary =
           "A chain of which only the first steps are needed, as of an iteration that converges, and only "
           "the "
           "GPU knows how many. Each step but the first is in an IF node, whose condition the step before it "
           "sets with cudaGraphSetConditional. Once a step sets 0, the rest is skipped: no host is asked, "
           "and "
           "no kernel is launched. A node with a condition takes the GPU longer than one without, so it pays "
           "off where steps are long, or many are skipped."},
  };
}

const std::vector<std::string> kUnconditional = {"one_by_one", "captured", "explicit"};

std::vector<ParameterSpec> parameters() {
  return {
      blockParameter("Threads of a block, each of which writes one element of its node's row."),
      {.name = "size",
       .label = "Elements",
       .kind = ParameterKind::kLog2,
       .min = 1,
       .max = int64_t{1} << 21,
       .default_value = int64_t{1} << 13,
       .unit = "elements",
       .help =
           "Elements of 4 bytes that each node writes. Few of them make nodes so short that launching them "
           "is all there is; raise it until a graph gains nothing.",
       .role = ParameterRole::kElements},
      {.name = "nodes",
       .label = "Nodes",
       .min = 1,
       .max = kMostNodes,
       .default_value = kUsualNodes,
       .unit = "launches",
       .help = "Launches of a small kernel. What the launch of a graph costs is shared by all of its nodes: "
               "look at the time per launch.",
       .samples = {1, 7}},
      {.name = "shape",
       .label = "Shape",
       .kind = ParameterKind::kChoice,
       .max = 1,
       .unit = "shape",
       .help = "A chain, in which each node needs the one before it; or a fork into four branches, which can "
               "run at the same time, and a last node that joins them. One by one, the branches are on "
               "streams of their own, ordered by events.",
       .choices = {"chain", "fork_join"},
       .variants = kUnconditional,
       .samples = {0, 1}},
      {.name = "needed",
       .label = "Steps needed",
       .min = 1,
       .max = kMostNodes,
       .default_value = kUsuallyNeeded,
       .unit = "launches",
       .help = "After how many steps the work has converged; all nodes, if there are no more. It is in the "
               "GPU's memory only: each step reads it and decides whether there is a next one.",
       .variants = {"conditional"},
       .samples = {1, 5}},
  };
}

}  // namespace

FamilyInfo graphsInfo() {
  FamilyInfo info;
  info.name = "graphs";
  info.view = "operations";
  info.title = "Graphs";
  info.summary =
      "Many small launches, each of which needs the results of earlier ones. Launched one by one, each costs "
      "the host a call, and the GPU a gap. A graph is made once and launched by one call: two costs remain, "
      "of making it, which pays off when it is launched again and again, and the short gap between nodes. "
      "Nodes "
      "can have conditions, which kernels set.";
  info.variants = variants();
  info.parameters = parameters();
  return info;
}

std::vector<RegionName> graphsRegionNames() {
  return {{"kIndex", kIndex, "index"},
          {"kGather", kGather, "gather"},
          {"kStore", kStore, "store"},
          {"kDecide", kDecide, "decide"}};
}

}  // namespace warpscope::graphs
