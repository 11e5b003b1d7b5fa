#include "tests/unit/example_results.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "tests/unit/example_image_results.h"

namespace warpscope::testing {
namespace {

using Floats = std::vector<float>;
using Ints = std::vector<int32_t>;
using Words = std::vector<uint32_t>;

void expectNear(const Floats& got, const Floats& expected, float tolerance) {
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < got.size(); ++i)
    ASSERT_NEAR(got[i], expected[i], tolerance * (1 + std::abs(expected[i]))) << i;
}

// Calls `segment` with the first and the last + 1 index of each `length` of `n` elements.
template <class Segment>
void eachSegment(size_t n, size_t length, Segment segment) {
  for (size_t first = 0; first < n; first += length) segment(first, std::min(first + length, n));
}
constexpr size_t kBlock = 256;  // of the examples that work on a block's elements

void scanned(const EndedLaunch& launch) {
  Words expected = launch.before<uint32_t>("in");
  eachSegment(expected.size(), kBlock, [&](size_t first, size_t end) {
    for (size_t i = first + 1; i < end; ++i) expected[i] += expected[i - 1];
  });
  EXPECT_EQ(launch.after<uint32_t>("out"), expected);
}

void ranked(const EndedLaunch& launch) {
  Words expected = launch.before<uint32_t>("in");
  eachSegment(expected.size(), kBlock, [&](size_t first, size_t end) {
    std::sort(expected.begin() + static_cast<std::ptrdiff_t>(first),
              expected.begin() + static_cast<std::ptrdiff_t>(end));
  });
  EXPECT_EQ(launch.after<uint32_t>("out"), expected);
}

void orderedByDigit(const EndedLaunch& launch) {
  Words expected = launch.before<uint32_t>("in");
  const auto digit = [](uint32_t key) { return (key >> 4) % 16; };
  eachSegment(expected.size(), kBlock, [&](size_t first, size_t end) {
    std::stable_sort(expected.begin() + static_cast<std::ptrdiff_t>(first),
                     expected.begin() + static_cast<std::ptrdiff_t>(end),
                     [&](uint32_t one, uint32_t two) { return digit(one) < digit(two); });
  });
  EXPECT_EQ(launch.after<uint32_t>("out"), expected);
}

void sortedInPlace(const EndedLaunch& launch) {
  Ints expected = launch.before<int32_t>("keys");
  eachSegment(expected.size(), kBlock, [&](size_t first, size_t end) {
    std::sort(expected.begin() + static_cast<std::ptrdiff_t>(first),
              expected.begin() + static_cast<std::ptrdiff_t>(end));
  });
  EXPECT_EQ(launch.after<int32_t>("keys"), expected);
}

void attracted(const EndedLaunch& launch) {
  const Floats bodies = launch.before<float>("bodies"), forces = launch.after<float>("forces");
  const size_t n = bodies.size() / 4;
  for (size_t i = 0; i < n; i += 37) {
    double sum = 0;
    for (size_t j = 0; j < n; ++j) {
      double square = 1e-2;
      for (size_t side = 0; side < 3; ++side) {
        const double distance = bodies[4 * j + side] - bodies[4 * i + side];
        square += distance * distance;
      }
      sum += bodies[4 * j + 3] * (bodies[4 * j] - bodies[4 * i]) / (square * std::sqrt(square));
    }
    EXPECT_NEAR(forces[4 * i], sum, 1e-3 * static_cast<double>(n)) << i;
  }
}

void nextGeneration(const EndedLaunch& launch) {
  const auto in = launch.before<uint8_t>("in"), out = launch.after<uint8_t>("out");
  const size_t width = launch.size("width"), height = launch.size("height");
  for (size_t y = 0; y < height; ++y) {
    for (size_t x = 0; x < width; ++x) {
      int sum = 0;
      for (size_t i = 0; i < 9; ++i)
        sum += in[(y + height + i / 3 - 1) % height * width + (x + width + i % 3 - 1) % width];
      const bool alive = in[y * width + x] != 0;
      ASSERT_EQ(out[y * width + x], sum == 3 || (alive && sum == 4)) << x << ", " << y;
    }
  }
}

// By rows: `function` makes a row's result of the row.
template <class Function>
void expectRows(const EndedLaunch& launch, Function function) {
  const Floats in = launch.before<float>("in");
  Floats expected;
  eachSegment(in.size(), launch.size("columns"), [&](size_t first, size_t end) {
    const std::vector<double> row(in.begin() + static_cast<std::ptrdiff_t>(first),
                                  in.begin() + static_cast<std::ptrdiff_t>(end));
    for (const double value : function(row)) expected.push_back(static_cast<float>(value));
  });
  expectNear(launch.after<float>("out"), expected, 1e-4F);
}

void softmax(const EndedLaunch& launch) {
  expectRows(launch, [](std::vector<double> row) {
    double sum = 0;
    for (double& value : row) sum += value = std::exp(value);
    for (double& value : row) value /= sum;
    return row;
  });
}

void normalized(const EndedLaunch& launch) {
  const Floats gain = launch.before<float>("gain"), bias = launch.before<float>("bias");
  expectRows(launch, [&](std::vector<double> row) {
    const auto count = static_cast<double>(row.size());
    const double mean = std::accumulate(row.begin(), row.end(), 0.0) / count;
    double squares = 0;
    for (const double value : row) squares += (value - mean) * (value - mean);
    for (size_t i = 0; i < row.size(); ++i)
      row[i] = (row[i] - mean) / std::sqrt(squares / count + 1e-5) * gain[i] + bias[i];
    return row;
  });
}

void sparseProduct(const EndedLaunch& launch) {
  const auto begin = launch.before<int32_t>("row_begin"), columns = launch.before<int32_t>("columns");
  const Floats values = launch.before<float>("values"), x = launch.before<float>("x");
  Floats expected(begin.size() - 1);
  for (size_t row = 0; row < expected.size(); ++row) {
    ASSERT_EQ(begin[row + 1] - begin[row], static_cast<int>(1 + row % 61)) << row;
    for (auto i = static_cast<size_t>(begin[row]); i < static_cast<size_t>(begin[row + 1]); ++i)
      expected[row] += values[i] * x[static_cast<size_t>(columns[i])];
  }
  expectNear(launch.after<float>("y"), expected, 1e-4F);
}

void wordsFound(const EndedLaunch& launch) {
  const auto letters = launch.before<char>("text");
  const std::string text(letters.begin(), letters.end());
  std::vector<uint8_t> expected(text.size());
  uint32_t count = 0;
  for (size_t at = text.find("abcab"); at != std::string::npos; at = text.find("abcab", at + 1))
    expected[at] = 1, ++count;
  EXPECT_GT(count, 0U);
  EXPECT_EQ(launch.after<uint8_t>("found"), expected);
  EXPECT_EQ(launch.after<uint32_t>("count"), Words{count});
}

// By the formula of the format.
float halfValue(uint16_t bits) {
  const int exponent = (bits >> 10) & 31;
  const float fraction = static_cast<float>(bits & 1023) / 1024;
  const float value = exponent == 0 ? std::ldexp(fraction, -14) : std::ldexp(1 + fraction, exponent - 15);
  return (bits & 0x8000) != 0 ? -value : value;
}

void productOf(const Floats& a, const Floats& b, const EndedLaunch& launch) {
  const size_t n = launch.size("n");
  Floats expected(n * n);
  for (size_t i = 0; i < n * n; ++i) {
    for (size_t k = 0; k < n; ++k) expected[i] += a[i / n * n + k] * b[k * n + i % n];
  }
  expectNear(launch.after<float>("c"), expected, 1e-4F);
}

void product(const EndedLaunch& launch) {
  productOf(launch.before<float>("a"), launch.before<float>("b"), launch);
}

void productOfHalves(const EndedLaunch& launch) {
  const auto floats = [&](const char* name) {
    Floats values;
    for (const uint16_t bits : launch.before<uint16_t>(name)) values.push_back(halfValue(bits));
    return values;
  };
  productOf(floats("a"), floats("b"), launch);
}

void mandelbrot(const EndedLaunch& launch) {
  const Words steps = launch.after<uint32_t>("steps");
  const size_t width = launch.size("width"), height = launch.size("height");
  const auto at = [&](double cx, double cy) {
    const double x = (cx + 2.2) / 3 * static_cast<double>(width),
                 y = (cy + 1) / 2 * static_cast<double>(height);
    return steps[static_cast<size_t>(y) * width + static_cast<size_t>(x)];
  };
  EXPECT_EQ(at(0, 0), 100U);
  EXPECT_EQ(at(-1, 0), 100U);
  EXPECT_LE(at(0.75, 0.9), 3U);
  const auto inside =
      static_cast<double>(std::ranges::count(steps, 100U)) / static_cast<double>(steps.size());
  EXPECT_NEAR(inside, 1.5066 / 6, 0.03);  // the area of the set in that of the picture
}

void smoothed(const EndedLaunch& launch) {
  const Floats in = launch.before<float>("in");
  const auto n = static_cast<int>(in.size());
  constexpr std::array<float, 9> kWeights{1, 8, 28, 56, 70, 56, 28, 8, 1};
  Floats expected(in.size());
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < 9; ++j) {
      expected[static_cast<size_t>(i)] +=
          kWeights[static_cast<size_t>(j)] / 256 * in[static_cast<size_t>(std::clamp(i + j - 4, 0, n - 1))];
    }
  }
  expectNear(launch.after<float>("out"), expected, 1e-5F);
}

template <class Operation>
void reduced(const EndedLaunch& launch, Operation operation) {
  const Ints in = launch.before<int32_t>("in");
  Ints expected;
  eachSegment(in.size(), kBlock, [&](size_t first, size_t end) {
    expected.push_back(in[first]);
    for (size_t i = first + 1; i < end; ++i) expected.back() = operation(expected.back(), in[i]);
  });
  EXPECT_EQ(launch.after<int32_t>("of_block"), expected);
}

void compacted(const EndedLaunch& launch) {
  const Ints in = launch.before<int32_t>("in");
  Ints expected(in.size()), kept;
  eachSegment(in.size(), kBlock, [&](size_t first, size_t end) {
    size_t next = first;
    for (size_t i = first; i < end; ++i) {
      if (in[i] > 0) expected[next++] = in[i];
    }
    kept.push_back(static_cast<int32_t>(next - first));
  });
  EXPECT_EQ(launch.after<int32_t>("out"), expected);
  EXPECT_EQ(launch.after<int32_t>("kept"), kept);
}

void nearPi(const EndedLaunch& launch) {
  const double pi = 4.0 * launch.after<uint32_t>("hits").front() / static_cast<double>(launch.size("points"));
  EXPECT_NEAR(pi, M_PI, 0.03);
}

void shortestWays(const EndedLaunch& launch) {
  Ints ways = launch.before<int32_t>("distance");
  const size_t n = launch.size("n");
  for (size_t k = 0; k < n; ++k) {
    for (size_t i = 0; i < n * n; ++i) ways[i] = std::min(ways[i], ways[i / n * n + k] + ways[k * n + i % n]);
  }
  EXPECT_EQ(launch.after<int32_t>("distance"), ways);
}

void stepped(const EndedLaunch& launch) {
  const Ints neighbours = launch.before<int32_t>("neighbours");
  Ints level = launch.before<int32_t>("level");
  int32_t reached = 0;
  for (size_t i = 0; i < neighbours.size(); ++i) {
    int32_t& other = level[static_cast<size_t>(neighbours[i])];
    if (level[i / 4] == 1 && other == -1) other = 2, ++reached;
  }
  EXPECT_GT(reached, 32);
  EXPECT_EQ(launch.after<int32_t>("level"), level);
  EXPECT_EQ(launch.after<int32_t>("reached"), Ints{reached});
}

void assigned(const EndedLaunch& launch) {
  const Floats points = launch.before<float>("points"), centres = launch.before<float>("centres");
  const Ints owner = launch.after<int32_t>("owner");
  Floats sums(32);
  Ints counts(16);
  for (size_t i = 0; i < owner.size(); ++i) {
    const auto distance = [&](size_t c) {
      return std::hypot(points[2 * i] - centres[2 * c], points[2 * i + 1] - centres[2 * c + 1]);
    };
    const auto own = static_cast<size_t>(owner[i]);
    ASSERT_LT(own, centres.size() / 2);
    for (size_t c = 0; c < centres.size() / 2; ++c) ASSERT_LE(distance(own), distance(c) + 1e-6F) << i;
    sums[2 * own] += points[2 * i], sums[2 * own + 1] += points[2 * i + 1];
    ++counts[own];
  }
  EXPECT_EQ(launch.after<int32_t>("counts"), counts);
  expectNear(launch.after<float>("sums"), sums, 1e-3F);
}

void transformed(const EndedLaunch& launch) {
  // The sum of a transform is its first sample times the length; its first value is the samples' sum.
  const Floats in = launch.before<float>("in"), out = launch.after<float>("out");
  for (size_t first = 0; first < in.size(); first += 512) {
    double of_samples = 0, of_values = 0;
    for (size_t i = 0; i < 512; i += 2) of_samples += in[first + i], of_values += out[first + i];
    EXPECT_NEAR(out[first], of_samples, 1e-2);
    EXPECT_NEAR(of_values, 256 * in[first], 5e-2);
  }
}

void spread(const EndedLaunch& launch) {
  const Floats in = launch.before<float>("in");
  const size_t width = launch.size("width"), height = launch.size("height");
  Floats expected = in;
  for (size_t y = 1; y + 1 < height; ++y) {
    for (size_t x = 1; x + 1 < width; ++x) {
      const size_t i = y * width + x;
      expected[i] += 0.2F * (in[i - 1] + in[i + 1] + in[i - width] + in[i + width] - 4 * in[i]);
    }
  }
  expectNear(launch.after<float>("out"), expected, 1e-5F);
}

void editDistance(const EndedLaunch& launch) {
  const auto a = launch.before<char>("a"), b = launch.before<char>("b");
  Ints row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (size_t i = 1; i <= a.size(); ++i) {
    Ints next{static_cast<int32_t>(i)};
    for (size_t j = 1; j <= b.size(); ++j)
      next.push_back(std::min({row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] != b[j - 1] ? 1 : 0)}));
    row = next;
  }
  EXPECT_EQ(launch.after<int32_t>("distance"), Ints{row.back()});
}

void marched(const EndedLaunch& launch) {
  const Floats depth = launch.after<float>("depth");
  const size_t width = launch.size("width"), height = launch.size("height");
  EXPECT_NEAR(depth[height / 2 * width + width / 2], 3, 0.01);
  EXPECT_TRUE(std::isinf(depth[0]));
  // The floor is 1 below the eye, so the lowest ray of the left column ends where it has fallen by 1.
  const auto x =
      0.5 / static_cast<double>(height) - 0.5 * static_cast<double>(width) / static_cast<double>(height);
  const double y = 0.5 - 0.5 / static_cast<double>(height);
  EXPECT_NEAR(depth[(height - 1) * width], std::sqrt(x * x + y * y + 1) / y, 0.01);
}

void collatz(const EndedLaunch& launch) {
  Ints expected;
  for (size_t i = 0; i < launch.size("n"); ++i) {
    int32_t steps = 0;
    for (uint64_t number = i + 1; number > 1; ++steps) number = number % 2 == 0 ? number / 2 : 3 * number + 1;
    expected.push_back(steps);
  }
  EXPECT_EQ(launch.after<int32_t>("steps"), expected);
  EXPECT_GE(launch.after<uint32_t>("next").front(), expected.size());
}

void dotProduct(const EndedLaunch& launch) {
  const Ints x = launch.before<int32_t>("x"), y = launch.before<int32_t>("y");
  EXPECT_EQ(launch.after<int32_t>("result"), Ints{std::inner_product(x.begin(), x.end(), y.begin(), 0)});
}

void appended(const EndedLaunch& launch) {
  const Ints in = launch.before<int32_t>("in");
  Ints list = launch.after<int32_t>("list"), expected;
  for (size_t i = 0; i < in.size(); ++i) {
    if (in[i] < 30) expected.push_back(static_cast<int32_t>(i));
  }
  EXPECT_EQ(launch.after<int32_t>("count"), Ints{static_cast<int32_t>(expected.size())});
  list.resize(expected.size());
  std::ranges::sort(list);  // in any order
  EXPECT_EQ(list, expected);
}

void summedByGrid(const EndedLaunch& launch) {
  const Ints in = launch.before<int32_t>("in");
  EXPECT_EQ(launch.after<int32_t>("sum"), Ints{std::accumulate(in.begin(), in.end(), 0)});
}

void readWithStride(const EndedLaunch& launch, size_t stride) {
  Ints expected = launch.before<int32_t>("in");
  for (size_t i = 0; i < expected.size(); ++i) {
    for (size_t turn = 0; turn < 16; ++turn)
      expected[i] += static_cast<int32_t>((i % 32 * stride + turn) % (32 * 33));
  }
  EXPECT_EQ(launch.after<int32_t>("out"), expected);
}

void shifted(const EndedLaunch& launch) {
  const Ints in = launch.before<int32_t>("in");
  Ints expected;
  for (size_t i = 0; i < in.size(); ++i) expected.push_back(in[i / 128 * 128 + (i + 1) % 128]);
  EXPECT_EQ(launch.after<int32_t>("out"), expected);
}

void histogram(const EndedLaunch& launch) {
  Words expected(256);
  for (const uint8_t byte : launch.before<uint8_t>("bytes")) ++expected[byte];
  EXPECT_EQ(launch.after<uint32_t>("bins"), expected);
}

void saxpy(const EndedLaunch& launch) {
  Floats expected = launch.before<float>("y");
  const Floats x = launch.before<float>("x");
  for (size_t i = 0; i < expected.size(); ++i) expected[i] += 2 * x[i];
  expectNear(launch.after<float>("y"), expected, 1e-6F);
}

void transposed(const EndedLaunch& launch) {
  const Floats in = launch.before<float>("in");
  const size_t width = launch.size("width"), height = launch.size("height");
  Floats expected(in.size());
  for (size_t i = 0; i < in.size(); ++i) expected[i % width * height + i / width] = in[i];
  EXPECT_EQ(launch.after<float>("out"), expected);
}

void treeSum(const EndedLaunch& launch) {
  const Words in = launch.before<uint32_t>("in");
  EXPECT_EQ(launch.after<uint32_t>("sum"), Words{std::accumulate(in.begin(), in.end(), 0U)});
}
// y = 1.5 x + 1 in halves.
void axpy(const EndedLaunch& launch) {
  const auto x = launch.before<uint16_t>("x"), y = launch.before<uint16_t>("y"),
             out = launch.after<uint16_t>("y");
  Floats got, expected;
  for (size_t i = 0; i < x.size(); ++i) {
    got.push_back(halfValue(out[i]));
    expected.push_back(1.5F * halfValue(x[i]) + halfValue(y[i]));
  }
  expectNear(got, expected, 1.0F / 1024);
}

}  // namespace

const std::map<std::string, ResultCheck>& exampleResults() {
  const auto smaller = [](int one, int two) { return std::min(one, two); };
  const auto larger = [](int one, int two) { return std::max(one, two); };
  const auto stride = [](size_t words) {
    return [words](const EndedLaunch& launch) { readWithStride(launch, words); };
  };
  static const std::map<std::string, ResultCheck> kResults{
      {"scanNaive", scanned},
      {"rankSort", ranked},
      {"countingPass", orderedByDigit},
      {"insertionSort", sortedInPlace},
      {"forces", attracted},
      {"life", nextGeneration},
      {"softmaxThread", softmax},
      {"layerNormThread", normalized},
      {"spmvScalar", sparseProduct},
      {"search", wordsFound},
      {"product", product},
      {"productPlain", productOfHalves},
      {"mandelbrot", mandelbrot},
      {"smooth", smoothed},
      {"reduceBlock<Sum>", [](const EndedLaunch& launch) { reduced(launch, std::plus<>()); }},
      {"reduceBlock<Largest>", [larger](const EndedLaunch& launch) { reduced(launch, larger); }},
      {"reduceBlock<Smallest>", [smaller](const EndedLaunch& launch) { reduced(launch, smaller); }},
      {"compactSerial", compacted},
      {"countHitsAtomic", nearPi},
      {"shortestWaysSerial", shortestWays},
      {"stepSerial", stepped},
      {"assign", assigned},
      {"fourierSums", transformed},
      {"spread", spread},
      {"distanceSerial", editDistance},
      {"rayMarch", marched},
      {"oneEach", collatz},
      {"fromQueue", collatz},
      {"dotAtomic", dotProduct},
      {"append", appended},
      {"appendTogether", appended},
      {"sumOfGrid", summedByGrid},
      {"readStrided<1>", stride(1)},
      {"readStrided<2>", stride(2)},
      {"readStrided<32>", stride(32)},
      {"readStrided<33>", stride(33)},
      {"shift", shifted},
      {"histogram", histogram},
      {"saxpy", saxpy},
      {"transpose", transposed},
      {"treeSum", treeSum},
      {"axpyPairs", axpy},
      {"blurByHand", blurred},
      {"rotateByHand", rotated}};
  return kResults;
}

}  // namespace warpscope::testing
