// The precision of float sums, and the bounds that the reductions' checks use.
#include "kernels/metrics/precision.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "kernels/experiments/reduction/sums.h"

namespace warpscope {
namespace {

using namespace reduction;

TEST(SequentialSum, OfAHundredMillionCopiesStopsAt33554432) {
  EXPECT_EQ(sequentialSumOfCopies(1.23F, 100'000'000), 33554432.0F);
  EXPECT_EQ(sequentialSumOfCopies(1.23F, uint64_t{1} << 40), 33554432.0F);
}

TEST(SequentialSum, OfCopiesIsThatOfAListOfThem) {
  for (const uint64_t count : {0U, 1U, 2U, 1000U, 1'000'003U}) {
    EXPECT_EQ(sequentialSumOfCopies(1.23F, count), sequentialSum(std::vector<float>(count, 1.23F))) << count;
  }
}

TEST(SequentialSum, GoesOnFromWhereItWas) {
  const std::vector<float> values = {0.1F, 0.2F, 0.3F, 1e7F, 0.4F};
  const std::span<const float> all(values);
  EXPECT_EQ(sequentialSum(all.subspan(2), sequentialSum(all.first(2))), sequentialSum(all));
}

TEST(Errors, AreInStepsBetweenFloats) {
  EXPECT_EQ(errorInUlps(1, 1), 0);
  EXPECT_EQ(errorInUlps(std::nextafter(1.0F, 2.0F), 1), 1);
  EXPECT_EQ(errorInUlps(33554432, 33554432 + 4), 1);  // from 2^25 on floats are 4 apart
  EXPECT_EQ(errorInUlps(-6, -4), 2 * 0x1p21);
  EXPECT_EQ(relativeError(3, 4), 0.25);
  EXPECT_EQ(relativeError(0, 0), 0);
  EXPECT_EQ(errorInUlps(0, 0), 0);
}

template <class T>
std::vector<T> inputOf(Numbers numbers, uint32_t size) {
  const auto bytes = makeInput(numbers, size);
  const T* values = reinterpret_cast<const T*>(bytes->data());
  return {values, values + size};
}

// The sums by tables and units, compared with sequential additions, which are exact in float64, too.
TEST(RangeSums, AreThoseOfTheNumbers) {
  constexpr uint32_t kSize = 10'007;
  for (const bool floats : {false, true}) {
    for (const bool copies : {false, true}) {
      const Numbers numbers{floats, copies};
      std::vector<double> values;
      if (floats) {
        for (const float value : inputOf<float>(numbers, kSize)) values.push_back(double{value});
      } else {
        for (const int32_t value : inputOf<int32_t>(numbers, kSize)) values.push_back(value);
      }
      const RangeSums sums(numbers, kSize);
      for (const auto& [begin, end] : {std::pair(0U, kSize), std::pair(0U, 1U), std::pair(31U, 65U),
                                       std::pair(512U, 768U), std::pair(kSize - 1, kSize)}) {
        double sum = 0;
        for (uint32_t i = begin; i < end; ++i) sum += values[i];
        EXPECT_EQ(static_cast<double>(sums.units(begin, end)) * sums.unit(), sum)
            << "floats " << floats << " copies " << copies << " " << begin << " to " << end;
      }
    }
  }
}

TEST(RangeSums, LoopsAddUpWhatKernelsGet) {
  for (const bool copies : {false, true}) {
    const Numbers numbers{true, copies};
    // Also a smaller size after a larger one: what is cached from run to run must not matter.
    for (const uint32_t size : {70'000U, 5U, 100'003U}) {
      EXPECT_EQ(sequentialFloatSum(numbers, size), sequentialSum(inputOf<float>(numbers, size))) << size;
    }
  }
}

TEST(Bounds, GrowWithTheTreeAndNeverBeyondAnyOrder) {
  constexpr double kU = 0x1p-24;
  EXPECT_EQ(errorBound(0, 1), 0);
  EXPECT_EQ(errorBound(10, 1024), 10 * kU / (1 - 10 * kU));
  EXPECT_EQ(errorBound(1023, 1024), 1023 * kU) << "the sharper bound for any order";
  EXPECT_EQ(errorBound(1 << 26, 1 << 26), ((1 << 26) - 1) * kU);
}

Verification checkTotal(double total, uint32_t size) {
  const Expectation expected{{.floats = true, .copies = true}, {size, 256, 1}, true, 10};
  const auto out = static_cast<float>(total);
  const std::span<const std::byte> bytes = std::as_bytes(std::span(&out, 1));
  return checkSums(expected, std::span(&bytes, 1), 0);
}

TEST(Bounds, TellRoundingFromWrongSums) {
  constexpr uint32_t kSize = 1 << 12;
  const double right = double{1.23F} * kSize;
  const auto exact = checkTotal(right, kSize);
  EXPECT_TRUE(exact.passed) << exact.detail;
  ASSERT_TRUE(exact.precision.has_value());
  EXPECT_EQ(exact.precision->reference, right);
  EXPECT_EQ(exact.precision->terms, kSize);
  EXPECT_EQ(exact.precision->sequential, double{sequentialSumOfCopies(1.23F, kSize)});
  EXPECT_TRUE(checkTotal(right * (1 + 9 * 0x1p-24), kSize).passed);
  const auto lost = checkTotal(right - 1.23, kSize);  // one number is missing
  EXPECT_FALSE(lost.passed);
  EXPECT_NE(lost.detail.find("expected"), std::string::npos) << lost.detail;
  EXPECT_FALSE(checkTotal(std::nan(""), kSize).passed);
}

}  // namespace
}  // namespace warpscope
