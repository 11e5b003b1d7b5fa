#include "kernels/experiments/reduction/inputs.h"

#include <map>
#include <mutex>

#include "kernels/experiments/verification.h"
#include "kernels/metrics/precision.h"

namespace warpscope::reduction {
namespace {

constexpr float kCopied = 1.23F;
constexpr double kFloatUnit = 0x1p-24;   // random floats: 24 fraction bits
constexpr double kCopiedUnit = 0x1p-23;  // the last bit of 1.23f
constexpr auto kCopiedUnits = static_cast<int64_t>(double{kCopied} / kCopiedUnit);
static_assert(static_cast<double>(kCopiedUnits) * kCopiedUnit == double{kCopied});

// Small and of both signs: sums of 2^28 of them fit in 32 bits.
int32_t randomInt(uint32_t i) {
  return static_cast<int32_t>(inputHash(i) >> 24) - 128;
}
int32_t randomFloatUnits(uint32_t i) {
  return static_cast<int32_t>(inputHash(i) >> 8);
}

int64_t sumOfRange(bool floats, uint32_t begin, uint32_t end) {
  int64_t sum = 0;
  if (floats) {
    for (uint32_t i = begin; i < end; ++i) sum += randomFloatUnits(i);
  } else {
    for (uint32_t i = begin; i < end; ++i) sum += randomInt(i);
  }
  return sum;
}

// One table per type serves all sizes: it only ever grows, to at most 2^28 / 32 entries.
std::shared_ptr<const std::vector<int64_t>> prefixSums(bool floats, uint32_t groups) {
  static std::mutex mutex;
  static std::shared_ptr<const std::vector<int64_t>> longest[2];
  const std::scoped_lock lock(mutex);
  auto& known = longest[floats ? 1 : 0];
  if (known != nullptr && known->size() > groups) return known;
  auto before = std::make_shared<std::vector<int64_t>>();
  before->reserve(groups + 1);
  if (known != nullptr) *before = *known;
  if (before->empty()) before->push_back(0);
  for (auto group = static_cast<uint32_t>(before->size()) - 1; group < groups; ++group) {
    before->push_back(before->back() + sumOfRange(floats, group * kWarpSize, (group + 1) * kWarpSize));
  }
  known = before;
  return known;
}

template <class T, class Value>
std::shared_ptr<const Bytes> filled(uint32_t size, Value&& value) {
  auto bytes = std::make_shared<Bytes>(uint64_t{size} * sizeof(T));
  auto* values = reinterpret_cast<T*>(bytes->data());
  for (uint32_t i = 0; i < size; ++i) values[i] = value(i);
  return bytes;
}

float randomFloat(uint32_t i) {
  return static_cast<float>(randomFloatUnits(i)) * static_cast<float>(kFloatUnit);
}

}  // namespace

std::shared_ptr<const Bytes> makeInput(Numbers numbers, uint32_t size) {
  if (numbers.floats) {
    return numbers.copies ? filled<float>(size, [](uint32_t) { return kCopied; })
                          : filled<float>(size, randomFloat);
  }
  return numbers.copies ? filled<int32_t>(size, [](uint32_t) { return static_cast<int32_t>(kCopied); })
                        : filled<int32_t>(size, randomInt);
}

float sequentialFloatSum(Numbers numbers, uint32_t size) {
  if (numbers.copies) return sequentialSumOfCopies(kCopied, size);
  static std::mutex mutex;
  static std::map<uint32_t, float> known{
      {0, 0.0F}};  // by size; a longer sum continues from the next shorter one
  const std::scoped_lock lock(mutex);
  const auto [before, sum_before] = *std::prev(known.upper_bound(size));
  float sum = sum_before;
  for (uint32_t i = before; i < size; ++i) sum += randomFloat(i);
  known.emplace(size, sum);
  return sum;
}

RangeSums::RangeSums(Numbers numbers, uint32_t size) : numbers_(numbers) {
  if (numbers.floats) unit_ = numbers.copies ? kCopiedUnit : kFloatUnit;
  if (!numbers.copies) before_ = prefixSums(numbers.floats, size / kWarpSize);
}

int64_t RangeSums::upTo(uint32_t end) const {
  if (numbers_.copies) return int64_t{end} * (numbers_.floats ? kCopiedUnits : static_cast<int64_t>(kCopied));
  const uint32_t group = end / kWarpSize;
  return (*before_)[group] + sumOfRange(numbers_.floats, group * kWarpSize, end);
}

}  // namespace warpscope::reduction
