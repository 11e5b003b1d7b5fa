// See reference_residency.h.
#include "tests/support/reference_residency.h"

#include <cmath>
#include <cstring>
#include <span>

namespace warpscope::test {
namespace {

std::vector<uint32_t> wordsOf(const BufferSpec& buffer) {
  const auto bytes = buffer.generate();
  std::vector<uint32_t> words(bytes->size() / sizeof(uint32_t));
  std::memcpy(words.data(), bytes->data(), bytes->size());
  return words;
}

template <class T>
Bytes bytesOf(const std::vector<T>& values) {
  const auto bytes = std::as_bytes(std::span(values));
  return {bytes.begin(), bytes.end()};
}

uint32_t argument(const LaunchPlan& plan, size_t index) {
  return std::get<uint32_t>(plan.arguments.at(index));
}

uint32_t threadsOf(const LaunchPlan& plan) {
  return plan.grid.x * plan.block.x;
}

std::vector<Bytes> chainOutputs(const LaunchPlan& plan) {
  const uint32_t rounds = argument(plan, 1), chains = argument(plan, 2);
  std::vector<float> by_first(64);
  for (uint32_t first = 0; first < 64; ++first) {
    for (uint32_t chain = 0; chain < chains; ++chain) {
      auto value = static_cast<float>(first + chain);
      for (uint32_t step = 0; step < (1 + rounds) * (120 / chains); ++step)
        value = std::fmaf(value, 1.0F, 1.0F);
      by_first[first] += value;
    }
  }
  std::vector<float> out(threadsOf(plan));
  for (size_t i = 0; i < out.size(); ++i) out[i] = by_first[i % 64];
  return {bytesOf(out)};
}

std::vector<Bytes> chaseOutputs(const LaunchPlan& plan) {
  const uint32_t stride = argument(plan, 5), nodes = argument(plan, 6), hops = argument(plan, 7);
  std::vector<uint32_t> ends;
  for (uint32_t thread = 0; thread < plan.block.x; ++thread) {
    uint32_t node = thread / 32 * (nodes / 64);
    for (uint32_t hop = 0; hop < hops; ++hop) node = node + 1 == nodes ? 0 : node + 1;
    ends.push_back(node);
  }
  std::vector<Bytes> outputs;
  for (const BufferSpec& buffer : plan.buffers) {
    if (buffer.role == BufferSpec::Role::kInOut) outputs.emplace_back();
    if (buffer.role != BufferSpec::Role::kInput || buffer.name != "ring") continue;
    const auto ring = wordsOf(buffer);  // node n leads to the next, in words
    for (uint32_t node = 0; node < nodes; node += nodes / 16) {
      if (ring.at(size_t{node} * stride / 4) != (node + 1) % nodes * (stride / 4)) return {};
    }
  }
  outputs.push_back(bytesOf(std::vector<uint32_t>(plan.block.x / 32, 100 * hops)));
  outputs.push_back(bytesOf(ends));
  return outputs;
}

std::vector<Bytes> loadOutputs(const LaunchPlan& plan) {
  const auto in = wordsOf(plan.buffers.at(0));
  const size_t loads = (1 + argument(plan, 2)) * argument(plan, 3), width = argument(plan, 4) / 4;
  const size_t threads = threadsOf(plan);
  std::vector<uint32_t> out(threads, 0);
  for (size_t load = 0; load < loads; ++load) {
    for (size_t word = 0; word < threads * width; ++word)
      out[word / width] += in.at(load * threads * width + word);
  }
  return {bytesOf(out)};
}

std::vector<Bytes> copyOutputs(const LaunchPlan& plan) {
  const auto in = wordsOf(plan.buffers.at(0));
  const size_t tiles = argument(plan, 2), block = plan.block.x;
  const uint32_t work = argument(plan, 3);
  std::vector<uint32_t> out;
  for (size_t i = 0; i < threadsOf(plan); ++i) {
    uint32_t sum = 0;
    for (size_t tile = 0; tile < tiles; ++tile) {
      const size_t from = ((i / block * tiles + tile) * block + (i + 1) % block) * 4;
      uint32_t value = in.at(from) + in.at(from + 1) + in.at(from + 2) + in.at(from + 3);
      for (uint32_t step = 0; step < work; ++step) value = value * 1664525U + 1013904223U;
      sum += value;
    }
    out.push_back(sum);
  }
  return {bytesOf(out)};
}

std::vector<Bytes> sumOutputs(const LaunchPlan& plan) {
  const auto bytes = plan.buffers.at(1).generate();
  std::vector<float> out(bytes->size() / sizeof(float));
  std::memcpy(out.data(), bytes->data(), bytes->size());
  for (float& value : out) {
    for (uint32_t step = 0; step < argument(plan, 2); ++step) value = std::fmaf(value, 1.0F, 1.0F);
  }
  return {bytesOf(out)};
}

std::vector<Bytes> walkOutputs(const LaunchPlan& plan) {
  const auto table = wordsOf(plan.buffers.at(1));
  std::vector<uint32_t> out;
  for (uint32_t i = 0; i < argument(plan, 2); ++i) {
    uint32_t row = i / 32 % 1024;
    for (uint32_t hop = 0; hop < argument(plan, 3); ++hop) row = table.at(row * 32 + i % 32);
    out.push_back(row);
  }
  return {bytesOf(out)};
}

}  // namespace

std::vector<Bytes> occupancyOutputs(const RunRequest& request, const LaunchPlan& plan) {
  return request.variant == "registers" ? sumOutputs(plan) : walkOutputs(plan);
}

std::vector<Bytes> latencyOutputs(const RunRequest& request, const LaunchPlan& plan) {
  if (request.variant == "dependent_fma") return chainOutputs(plan);
  if (request.variant == "pointer_chase") return chaseOutputs(plan);
  if (request.variant == "bytes_in_flight") return loadOutputs(plan);
  return copyOutputs(plan);
}

}  // namespace warpscope::test
