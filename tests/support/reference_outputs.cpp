// See reference_outputs.h.
#include "tests/support/reference_outputs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>

#include "kernels/experiments/divergence/paths.h"
#include "kernels/experiments/random_index.h"
#include "kernels/experiments/verification.h"
#include "tests/support/reference_residency.h"

namespace warpscope::test {
namespace {

// The initial content of the plan's `index`-th buffer that has one.
template <class T>
std::vector<T> inputOf(const LaunchPlan& plan, size_t index = 0) {
  for (const BufferSpec& buffer : plan.buffers) {
    if (buffer.role == BufferSpec::Role::kOutput || index-- > 0) continue;
    const auto bytes = buffer.generate();
    std::vector<T> values(bytes->size() / sizeof(T));
    std::memcpy(values.data(), bytes->data(), bytes->size());
    return values;
  }
  return {};
}

template <class T>
Bytes bytesOf(const std::vector<T>& values) {
  const auto bytes = std::as_bytes(std::span(values));
  return {bytes.begin(), bytes.end()};
}

// The multiply-adds of a thread: value = value * scale + offset, `work` times.
struct Chain {
  float scale = divergence::kFirstScale, offset = divergence::kFirstOffset;
  int64_t work = 0;
};

// The place of a thread decides which it computes.
Chain chainOf(const RunRequest& request, int64_t block, int64_t thread) {
  using namespace divergence;
  const int64_t work = std::max<int64_t>(request.parameters.at("work"), 1);
  const int64_t lane = thread % 32;
  if (request.parameters.contains("share")) return {.work = work};
  if (request.variant == "nested") {
    const auto way = static_cast<float>(lane % request.parameters.at("ways"));
    return {kWayScale, kWayOffsetStep * (way + 1), work};
  }
  if (request.variant == "loop_trips") return {.work = work * (1 + lane % request.parameters.at("trips"))};
  bool second = thread % 2 == 1;
  if (request.variant.starts_with("warp_")) second = thread / 32 % 2 == 1;
  if (request.variant == "block_aligned") second = block % 2 == 1;
  if (request.variant == "thread_gt_2") second = thread <= 2;
  return second ? Chain{kSecondScale, kSecondOffset, work} : Chain{.work = work};
}

Bytes divergenceOutput(const RunRequest& request, const LaunchPlan& plan) {
  std::vector<float> out = inputOf<float>(plan);
  // Elements below it are computed, all others copied.
  const auto share = request.parameters.find("share");
  const float below = share == request.parameters.end() ? std::numeric_limits<float>::infinity()
                                                        : static_cast<float>(share->second) / 100.0F;
  // Two blocks stand for all: a thread's chain depends on whether its block's number is odd, not on the
  // number.
  std::array<std::vector<Chain>, 2> chains;
  for (int64_t block = 0; block < 2; ++block) {
    for (int64_t thread = 0; thread < plan.block.x; ++thread)
      chains[static_cast<size_t>(block)].push_back(chainOf(request, block, thread));
  }
  for (size_t i = 0; i < out.size(); ++i) {
    const Chain& chain = chains[i / plan.block.x % 2][i % plan.block.x];
    if (out[i] >= below) continue;
    for (int64_t step = 0; step < chain.work; ++step) out[i] = std::fmaf(out[i], chain.scale, chain.offset);
  }
  return bytesOf(out);
}

// The sums that the variant's blocks write, or their total. Floats are added in float64, so that they are as
// accurate as possible.
template <class T, class Sum>
Bytes sumsOf(const RunRequest& request, const LaunchPlan& plan, const BufferSpec& out) {
  const std::vector<T> in = inputOf<T>(plan);
  std::vector<Sum> sums(out.bytes / sizeof(T), 0);
  const std::map<std::string, size_t> more = {{"unroll2", 2},
                                              {"unroll4", 4},
                                              {"unroll8", 8},
                                              {"unroll_warps8", 8},
                                              {"complete_unroll_warps8", 8},
                                              {"complete_unroll_template", 8},
                                              {"shared_first_add", 2}};
  const auto found = more.find(request.variant);
  const size_t each = plan.block.x * (found == more.end() ? 1 : found->second);
  for (size_t i = 0; i < in.size(); ++i) sums[i / each % sums.size()] += static_cast<Sum>(in[i]);
  return bytesOf(std::vector<T>(sums.begin(), sums.end()));
}

std::vector<Bytes> reductionOutputs(const RunRequest& request, const LaunchPlan& plan) {
  const auto type = request.parameters.find("type");
  const bool floats = type != request.parameters.end() && type->second == 1;
  std::vector<Bytes> outputs;
  for (const BufferSpec& buffer : plan.buffers) {
    if (buffer.role == BufferSpec::Role::kInput) continue;
    outputs.emplace_back();
    if (!buffer.checked) continue;
    outputs.back() = floats ? sumsOf<float, double>(request, plan, buffer)
                            : sumsOf<uint32_t, uint32_t>(request, plan, buffer);
  }
  return outputs;
}

Bytes transposed(const RunRequest& request, const LaunchPlan& plan) {
  const std::vector<float> in = inputOf<float>(plan);
  if (request.variant == "copy") return bytesOf(in);
  const size_t rows = std::get<uint32_t>(plan.arguments.at(2));
  const size_t columns = std::get<uint32_t>(plan.arguments.at(3));
  std::vector<float> out(in.size());
  for (size_t row = 0; row < rows; ++row) {
    for (size_t column = 0; column < columns; ++column)
      out.at(column * rows + row) = in.at(row * columns + column);
  }
  return bytesOf(out);
}

// Phase by phase, the element that the mirrored thread of the tile loads.
Bytes tileLoads(const LaunchPlan& plan, size_t width, bool is_m) {
  const std::vector<float> in = inputOf<float>(plan);
  const size_t tile = plan.block.x, side = plan.grid.x * tile;
  std::vector<float> out(side * side, 0);
  for (size_t row = 0; row < side; ++row) {
    for (size_t column = 0; column < side; ++column) {
      for (size_t first = 0; first < width; first += tile) {
        const size_t from_row = is_m ? row : first + tile - 1 - row % tile;
        const size_t from_column = is_m ? first + tile - 1 - column % tile : column;
        if (from_row < width && from_column < width)
          out[row * side + column] += in[from_row * width + from_column];
      }
    }
  }
  return bytesOf(out);
}

Bytes boundaryOutput(const RunRequest& request, const LaunchPlan& plan) {
  std::vector<float> a = inputOf<float>(plan, 0);
  const std::vector<float> b = inputOf<float>(plan, 1);
  if (request.variant == "vector_add") {
    for (size_t i = 0; i < a.size(); ++i) a[i] += b[i];
    return bytesOf(a);
  }
  const auto width = static_cast<size_t>(request.parameters.at("width"));
  if (request.variant != "tiled_matmul") {
    return tileLoads(plan, width, request.variant == "tiled_matmul_load_m");
  }
  std::vector<float> out(width * width, 0);
  for (size_t row = 0; row < width; ++row) {
    for (size_t k = 0; k < width; ++k) {
      for (size_t column = 0; column < width; ++column) {
        out[row * width + column] += a[row * width + k] * b[k * width + column];
      }
    }
  }
  return bytesOf(out);
}

// Thread by thread in the order of x, y, z: the beginning of its warp, and its lane.
Bytes mappingOutput(const LaunchPlan& plan) {
  std::vector<uint32_t> out;
  for (uint64_t block = 0; block < plan.grid.count(); ++block) {
    uint32_t first = 0, lane = 0;
    for (uint64_t thread = 0; thread < plan.block.count(); ++thread) {
      out.push_back(first);
      out.push_back(lane);
      if (++lane == 32) {
        lane = 0;
        first += 32;
      }
    }
  }
  return bytesOf(out);
}

bool isKept(const RunRequest& request, uint32_t value) {
  return value % 100 < static_cast<uint32_t>(request.parameters.at("keep"));
}

Bytes counts(const RunRequest& request, const LaunchPlan& plan) {
  const auto bins = request.parameters.find("bins");
  std::vector<uint32_t> counts(bins == request.parameters.end() ? 1 : static_cast<size_t>(bins->second), 0);
  for (const uint32_t value : inputOf<uint32_t>(plan)) {
    if (bins != request.parameters.end() || isKept(request, value))
      ++counts.at((value * counts.size()) >> 32);
  }
  return bytesOf(counts);
}

// Threads arrive in the order of their indices here; any other order is equally right.
std::vector<Bytes> atomicsOutputs(const RunRequest& request, const LaunchPlan& plan) {
  const auto in = inputOf<uint32_t>(plan);
  std::vector<uint32_t> out;
  if (request.variant == "ticket") {
    for (uint32_t i = 0; i < in.size(); ++i) out.push_back(i);
    return {Bytes{}, bytesOf(out)};
  }
  if (request.variant != "compact") return {counts(request, plan)};
  for (uint32_t i = 0; i < in.size(); ++i) {
    if (isKept(request, in[i])) out.push_back(i);
  }
  const Bytes reserved = bytesOf(std::vector{static_cast<uint32_t>(out.size())});
  out.resize(in.size(), 0xA5A5A5A5U);
  return {reserved, bytesOf(out)};
}

// Each element and its mirror image in its tile, of four elements a thread that computes.
Bytes bulkCopyOutput(const RunRequest& request, const LaunchPlan& plan) {
  const auto in = inputOf<uint32_t>(plan);
  const auto tile = static_cast<size_t>(4 * request.parameters.at("block"));
  std::vector<uint32_t> out;
  for (size_t i = 0; i < in.size(); ++i) out.push_back(3 * in[i] + in[i - i % tile + tile - 1 - i % tile]);
  return bytesOf(out);
}

// Adds word by word of the element that each read takes from a table whose word w holds the hash of w.
uint32_t tableSum(const RunRequest& request, uint32_t thread) {
  const auto reads = static_cast<uint32_t>(request.parameters.at("reads"));
  const uint32_t words = request.variant == "stride_vec2" ? 2 : request.variant == "stride_vec4" ? 4 : 1;
  const auto stride = request.parameters.find("stride");
  uint32_t sum = 0;
  for (uint32_t read = 0; read < reads; ++read) {
    uint32_t element = thread / 32 + read;
    if (stride != request.parameters.end()) element += thread % 32 * static_cast<uint32_t>(stride->second);
    if (request.variant == "random") element = randomIndex(thread + 1024 * read, 1024);
    for (uint32_t word = 0; word < words; ++word) sum += inputHash(element % 1024 * words + word);
  }
  return sum;
}

Bytes banksOutput(const RunRequest& request, const LaunchPlan& plan) {
  std::vector<uint32_t> sums;
  for (uint32_t thread = 0; thread < plan.block.x; ++thread) sums.push_back(tableSum(request, thread));
  std::vector<uint32_t> out = inputOf<uint32_t>(plan);
  for (size_t i = 0; i < out.size(); ++i) out[i] += sums[i % sums.size()];
  return bytesOf(out);
}

// Visits the input in the order in which the variant reads it.
Bytes coalescingOutput(const RunRequest& request, const LaunchPlan& plan) {
  const std::vector<uint32_t> in = inputOf<uint32_t>(plan);
  std::vector<uint32_t> out(plan.buffers.at(0).bytes / sizeof(uint32_t));
  const std::string& variant = request.variant;
  const auto count = static_cast<uint32_t>(out.size());
  for (uint32_t i = 0; i < count; ++i) {
    size_t from = i;
    if (variant == "offset") from = static_cast<size_t>(32 + i + request.parameters.at("offset"));
    if (variant == "random") from = randomIndex(i, count);
    if (variant == "aos") from = i % (count / 4) * 4 + i / (count / 4);
    if (variant == "permuted") {
      from = i / 32;
      for (uint32_t bit = 0; bit < 5; ++bit) from = from * 2 + (i >> bit & 1);
    }
    if (variant == "stride") {
      const auto stride = static_cast<size_t>(request.parameters.at("stride"));
      const size_t rows = in.size() / stride;
      from = i % rows * stride + i / rows;
    }
    out[i] = in.at(from);
  }
  return bytesOf(out);
}

// Round by round.
Bytes streamsOutput(const RunRequest& request, const LaunchPlan& plan) {
  std::vector<uint32_t> out = inputOf<uint32_t>(plan);
  for (uint32_t& value : out) {
    for (int64_t round = 0; round < request.parameters.at("work"); ++round)
      value = value * 1664525U + 1013904223U;
  }
  return bytesOf(out);
}

// Part by part: the plan has a buffer for the results of each GPU, and the input of the second is the rest.
std::vector<Bytes> severalGpusOutputs(const RunRequest& request, const LaunchPlan& plan) {
  std::vector<Bytes> outputs;
  uint32_t next = 0;
  for (const BufferSpec& buffer : plan.buffers) {
    if (buffer.role != BufferSpec::Role::kOutput) continue;
    std::vector<uint32_t> out(buffer.bytes / sizeof(uint32_t));
    for (uint32_t& value : out) {
      value = next++ * 2654435761U;
      for (int64_t round = 0; round < request.parameters.at("work"); ++round)
        value = value * 1664525U + 1013904223U;
    }
    outputs.push_back(bytesOf(out));
  }
  return outputs;
}

// Row by row, with what each branch has come to.
Bytes graphsOutput(const RunRequest& request, const LaunchPlan& plan) {
  using Row = std::vector<uint32_t>;
  const auto nodes = static_cast<uint32_t>(request.parameters.at("nodes"));
  const bool conditional = request.variant == "conditional";
  const bool forks = !conditional && request.parameters.at("shape") == 1 && nodes >= 4;
  const auto next = [](Row row, uint32_t node) {
    for (uint32_t& value : row) value = value * 1664525U + 1013904223U + node;
    return row;
  };
  const Row first = next(inputOf<uint32_t>(plan), 0);
  std::vector<Row> branches(forks ? std::min(nodes - 2, 4U) : 1, first);
  Row rows = first;
  for (uint32_t node = 1; node < nodes; ++node) {
    Row row;
    if (forks && node == nodes - 1) {
      row = branches.front();
      for (size_t branch = 1; branch < branches.size(); ++branch)
        std::ranges::transform(row, branches[branch], row.begin(), std::plus<>());
      row = next(std::move(row), node);
    } else {
      Row& branch = branches[(node - 1) % branches.size()];
      row = branch = next(branch, node);
    }
    rows.insert(rows.end(), row.begin(), row.end());
  }
  Bytes bytes = bytesOf(rows);
  if (conditional) {
    const auto needed = std::min<int64_t>(nodes, request.parameters.at("needed"));
    std::fill(bytes.begin() + needed * static_cast<int64_t>(first.size() * sizeof(uint32_t)), bytes.end(),
              std::byte{BufferSpec::kNeverWritten});
  }
  return bytes;
}

// Launch by launch, round by round.
Bytes dependentOutput(const RunRequest& request, const LaunchPlan& plan) {
  std::vector<uint32_t> values = inputOf<uint32_t>(plan);
  const int64_t preamble = request.parameters.at("preamble"), work = request.parameters.at("work");
  const auto rounds = [](uint32_t value, int64_t count) {
    for (int64_t round = 0; round < count; ++round) value = value * 1664525U + 1013904223U;
    return value;
  };
  for (int64_t launch = 0; launch < request.parameters.at("launches"); ++launch) {
    const std::vector<uint32_t> before(values.rbegin(), values.rend());
    for (uint32_t i = 0; i < values.size(); ++i) values[i] = rounds(before[i] ^ rounds(i, preamble), work);
  }
  return bytesOf(values);
}

// The rounds of all passes.
Bytes unifiedMemoryOutput(const RunRequest& request, const LaunchPlan& plan) {
  std::vector<uint32_t> values = inputOf<uint32_t>(plan);
  const int64_t rounds = request.parameters.at("passes") * request.parameters.at("work");
  for (uint32_t& value : values) {
    for (int64_t round = 0; round < rounds; ++round) value = value * 1664525U + 1013904223U;
  }
  return bytesOf(values);
}

struct Primitive {
  explicit Primitive(const RunRequest& request) : variant(request.variant) {
    constexpr std::array<uint32_t, 5> kMasks = {0xFFFFFFFFU, 0xFFFFU, 0x55555555U, 0xFFFFFFFEU, 0x11111111U};
    const auto choice = [&](const char* name, int64_t otherwise) {
      const auto found = request.parameters.find(name);
      return found == request.parameters.end() ? otherwise : found->second;
    };
    mask = kMasks.at(static_cast<size_t>(choice("members", 0)));
    width = 32 >> choice("width", 0);
    distance = static_cast<int>(choice("distance", 0));
    pass = static_cast<uint32_t>(choice("pass", 0));
    keys = static_cast<uint32_t>(choice("keys", 1));
  }

  bool isMember(int lane) const { return (mask >> lane & 1) != 0; }
  // The final value of one lane of a warp; `warp` holds the values of all lanes, zeros past the end.
  uint32_t of(const uint32_t* warp, int lane) const;
  uint32_t shuffled(const uint32_t* warp, int lane) const;

  std::string variant;
  uint32_t mask = 0, pass = 0, keys = 1;
  int width = 32, distance = 0;
};

uint32_t Primitive::of(const uint32_t* warp, int lane) const {
  if (!isMember(lane)) return warp[lane];
  if (variant.starts_with("shfl")) return shuffled(warp, lane);
  uint32_t sum = 0, passing = 0, same = 0;
  for (int other = 0; other < 32; ++other) {
    if (other / width == lane / width) sum += warp[other];
    if (!isMember(other)) continue;
    if (warp[other] % 100 < pass) passing |= 1U << other;
    if (warp[other] % keys == warp[lane] % keys) same |= 1U << other;
  }
  if (variant == "butterfly_sum") return sum;
  if (variant == "vote_any") return passing != 0 ? 1 : 0;
  if (variant == "vote_all") return passing == mask ? 1 : 0;
  if (variant == "match_all") return same == mask ? mask : 0;
  return variant == "ballot" ? passing : same;
}

// Up and down stay in the segment; an exchange may also reach earlier segments.
uint32_t Primitive::shuffled(const uint32_t* warp, int lane) const {
  int source = lane - distance;
  if (variant == "shfl_idx") source = lane / width * width + distance % width;
  if (variant == "shfl_down") source = lane + distance;
  if (variant == "shfl_xor") source = lane ^ distance;
  const bool in_reach = source >= 0 && (source / width == lane / width ||
                                        (variant == "shfl_xor" && source / width < lane / width));
  return warp[in_reach && isMember(source) ? source : lane];
}

Bytes primitivesOutput(const RunRequest& request, const LaunchPlan& plan) {
  std::vector<uint32_t> in = inputOf<uint32_t>(plan);
  const size_t size = in.size();
  in.resize((size + 31) / 32 * 32, 0);
  const Primitive primitive(request);
  std::vector<uint32_t> out;
  for (size_t i = 0; i < size; ++i) {
    out.push_back(primitive.of(in.data() + i / 32 * 32, static_cast<int>(i % 32)));
  }
  return bytesOf(out);
}

// Step by step, like the kernels.
Bytes barriersOutput(const RunRequest& request, const LaunchPlan& plan) {
  std::vector<uint32_t> values = inputOf<uint32_t>(plan);
  const size_t size = values.size(), block = plan.block.x;
  values.resize(plan.grid.x * block, 0);
  const auto rounds = static_cast<size_t>(request.parameters.at("rounds"));
  const auto work = static_cast<size_t>(request.parameters.at("work"));
  const size_t group = request.variant == "block_wide" ? block : request.variant == "tile_wide" ? 128 : 32;
  for (size_t round = 0; round < rounds; ++round) {
    for (size_t warp = 0; warp < values.size() / 32; ++warp) {
      const size_t steps = work * (1 + (warp % (block / 32) * 5 + round * 3) % 8);
      for (size_t step = 0; step < steps; ++step) {
        for (size_t lane = 0; lane < 32; ++lane) {
          values[warp * 32 + lane] = values[warp * 32 + lane] * 1664525U + 1013904223U;
        }
      }
    }
    const std::vector<uint32_t> board = values;
    for (size_t i = 0; i < values.size(); ++i) {
      const size_t first = i / block * block + i % block / group * group;
      const size_t count = std::min(group, i / block * block + block - first);
      values[i] += board[first + (i - first + 1) % count];
    }
  }
  values.resize(size);
  return bytesOf(values);
}

Bytes brokenOutput(const RunRequest& request, const LaunchPlan& plan) {
  const std::vector<uint32_t> in = inputOf<uint32_t>(plan);
  const std::string& variant = request.variant;
  const size_t size = in.size(), block = plan.block.x;
  if (variant.ends_with("syncwarp")) {
    std::vector<uint32_t> sums(plan.grid.x, 0);
    for (size_t i = 0; i < size; ++i) sums[i / block] += in[i];
    return bytesOf(sums);
  }
  std::vector<uint32_t> out(in);
  const auto value = [&](size_t i) { return i < size ? in[i] : 0; };
  for (size_t i = 0; i < size; ++i) {
    if (variant.ends_with("barrier")) {
      const uint32_t partner = value(i / block * block + block - 1 - i % block);
      out[i] += i % block % 2 == 0 ? 2 * partner : 0 - partner;
    } else if (variant.ends_with("bounds")) {
      out[i] = in[(i + 1) % size] - in[i];
    } else if (variant == "missing_pad" || variant == "padded") {
      out[i] = value(i / 1024 * 1024 + i % 32 * 32 + i % 1024 / 32);
    }
  }
  if (variant.ends_with("syncthreads") || variant.ends_with("transaction_count") ||
      variant.ends_with("stream_wait")) {
    for (size_t first = 0; first < size; first += block) {
      std::reverse(out.begin() + static_cast<ptrdiff_t>(first),
                   out.begin() + static_cast<ptrdiff_t>(std::min(first + block, size)));
    }
  }
  return bytesOf(out);
}

}  // namespace

std::vector<Bytes> referenceOutputs(const RunRequest& request, const LaunchPlan& plan) {
  if (request.family == "atomics") return atomicsOutputs(request, plan);
  if (request.family == "clusters") return {counts(request, plan)};
  if (request.family == "latency") return latencyOutputs(request, plan);
  if (request.family == "occupancy") return occupancyOutputs(request, plan);
  if (request.family == "reduction") return reductionOutputs(request, plan);
  std::vector<Bytes> outputs;
  for (const BufferSpec& buffer : plan.buffers) {
    if (buffer.role == BufferSpec::Role::kInOut && !buffer.checked) outputs.emplace_back();
  }
  if (request.family == "divergence") outputs.push_back(divergenceOutput(request, plan));
  if (request.family == "boundary") outputs.push_back(boundaryOutput(request, plan));
  if (request.family == "mapping") outputs.push_back(mappingOutput(plan));
  if (request.family == "warp_primitives") outputs.push_back(primitivesOutput(request, plan));
  if (request.family == "barriers") outputs.push_back(barriersOutput(request, plan));
  if (request.family == "broken") outputs.push_back(brokenOutput(request, plan));
  if (request.variant == "use_after_free" || request.variant == "free_after_use") {
    outputs.push_back(*plan.buffers[2].generate());  // of the second vector, turned round twice
  }
  if (request.family == "bulk_copy") outputs.push_back(bulkCopyOutput(request, plan));
  if (request.family == "banks") outputs.push_back(banksOutput(request, plan));
  if (request.family == "coalescing") outputs.push_back(coalescingOutput(request, plan));
  if (request.family == "several_gpus") outputs = severalGpusOutputs(request, plan);
  if (request.family == "graphs") outputs.push_back(graphsOutput(request, plan));
  if (request.family == "streams" || request.family == "priorities")
    outputs.push_back(streamsOutput(request, plan));
  if (request.family == "unified_memory") outputs.push_back(unifiedMemoryOutput(request, plan));
  if (request.family == "dependent_launch") outputs.push_back(dependentOutput(request, plan));
  if (request.family == "transpose") outputs.push_back(transposed(request, plan));
  return outputs;
}

Verification verify(const LaunchPlan& plan, const std::vector<Bytes>& outputs) {
  std::vector<std::span<const std::byte>> spans;
  for (const Bytes& output : outputs) spans.emplace_back(output);
  return plan.verify(spans);
}

}  // namespace warpscope::test
