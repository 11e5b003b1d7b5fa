#include "tests/support/fake_cuda/fake_kernels.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <utility>

namespace warpscope::testing::fake_driver {
namespace {

constexpr int64_t kStampMargin_ns = 200;

// Answers as long as questions come; each a moment after it was asked.
void answerQuestions(uint32_t* mailbox, uint32_t first, uint32_t count, uint64_t give_up_ns, int gpu) {
  const int64_t until = now() + static_cast<int64_t>(give_up_ns);
  auto* answers = reinterpret_cast<uint64_t*>(reinterpret_cast<std::byte*>(mailbox) + 128);
  for (uint32_t i = 0; i < count; ++i) {
    while (std::atomic_ref(*mailbox).load(std::memory_order_acquire) != first + i) {
      if (now() > until) return;
      std::this_thread::yield();
    }
    std::atomic_ref(answers[i]).store(timer(now(), gpu), std::memory_order_release);
  }
}

template <class T>
T argument(void** arguments, size_t i) {
  T value;
  std::memcpy(&value, arguments[i], sizeof value);
  return value;
}

int64_t lastsOf(const std::string& kernel) {
  if (kernel == "add_one" || kernel == "decide") return kKernel_ns;
  if (kernel == "plug" || kernel == "clock_rate") return kPlug_ns;
  return kernel == "hold" ? kHold_ns : kStamp_ns;
}

void addOne(void** arguments) {
  auto* words = reinterpret_cast<uint32_t*>(argument<Address>(arguments, 0));
  for (uint32_t i = 0; i < argument<uint32_t>(arguments, 1); ++i) ++words[i];
}

// Returns when it ends.
int64_t runNode(FakeNode& node, int64_t begin_ns) {
  Record record;
  record.kind = 10;
  record.correlation = state().correlation;
  record.node = node.number;
  record.begin_ns = begin_ns;
  record.end_ns = begin_ns + lastsOf(node.kernel);
  std::vector<void*> arguments;
  for (auto& each : node.arguments) arguments.push_back(each.data());
  if (node.kernel == "add_one") addOne(arguments.data());
  if (node.kernel == "decide") {
    const auto handle = argument<uint64_t>(arguments.data(), 1);
    if (handle != 0) state().conditions.at(handle) = argument<uint32_t>(arguments.data(), 0);
  }
  keep(record);
  return record.end_ns;
}

}  // namespace

void launch(const std::string& name, FakeStream& stream, void** arguments, bool programmatic) {
  const int64_t before_ends = stream.free_at;
  if (programmatic && stream.triggers_at != 0) stream.free_at = stream.triggers_at;
  Record record = run(stream, lastsOf(name), nullptr);
  record.kind = 10;
  record.end_ns = stream.free_at = std::max(record.end_ns, before_ends);
  stream.triggers_at = record.begin_ns + kTrigger_ns;
  if (name == "answer") {
    state().answering.emplace_back(answerQuestions,
                                   reinterpret_cast<uint32_t*>(argument<Address>(arguments, 0)),
                                   argument<uint32_t>(arguments, 1), argument<uint32_t>(arguments, 2),
                                   argument<uint64_t>(arguments, 3), stream.gpu);
  } else if (name == "stamp") {
    auto* place = reinterpret_cast<uint64_t*>(argument<Address>(arguments, 0));
    place[0] = timer(record.begin_ns + kStampMargin_ns, stream.gpu);
    place[1] = timer(record.end_ns - kStampMargin_ns, stream.gpu);
  } else if (name == "add_one") {
    addOne(arguments);
  }
  keep(record);
}

size_t addNode(FakeGraph& graph, const std::string& kernel, void** arguments, std::vector<size_t> after) {
  static uint64_t numbers = 0;
  FakeNode node{.kernel = kernel, .arguments = {}, .after = std::move(after), .number = ++numbers};
  std::vector<size_t> sizes;
  if (kernel == "add_one") sizes = {sizeof(Address), sizeof(uint32_t)};
  if (kernel == "decide") sizes = {sizeof(uint32_t), sizeof(uint64_t)};
  for (const size_t bytes : sizes) {
    const auto* from = static_cast<const std::byte*>(arguments[node.arguments.size()]);
    node.arguments.emplace_back(from, from + bytes);
  }
  graph.nodes.push_back(std::move(node));
  return graph.nodes.size() - 1;
}

void runGraph(FakeGraph& graph, FakeStream& stream) {
  const int64_t ready = readyAt(stream);
  for (const FakeNode& node : graph.nodes) {
    if (node.body) state().conditions.at(node.condition) = 0;
  }
  std::vector<int64_t> ends;
  for (FakeNode& node : graph.nodes) {
    int64_t before_ns = ready, begin_ns = ready + kStart_ns;
    for (const size_t before : node.after) {
      before_ns = std::max(before_ns, ends[before]);
      begin_ns = std::max(begin_ns, ends[before] + kNodeStart_ns);
    }
    if (state().cupti == Cupti::kHasNoNodeTimes) begin_ns = ready + kStart_ns;
    if (!node.body) {
      ends.push_back(runNode(node, begin_ns));
    } else if (state().conditions.at(node.condition) == 0) {
      ends.push_back(before_ns + kSkip_ns);
    } else {
      ends.push_back(runNode(node.body->nodes.at(0), begin_ns + kCondition_ns));
    }
    stream.free_at = std::max(stream.free_at, ends.back());
  }
}

}  // namespace warpscope::testing::fake_driver
