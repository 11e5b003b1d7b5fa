#include "kernels/program/compare_outputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "kernels/core/units.h"
#include "kernels/experiments/verification.h"

namespace warpscope {
namespace {

// How much a whole output differs.
struct Difference {
  uint64_t wrong = 0, unequal = 0;  // beyond the tolerance; not of the same bits
  double largest = 0;               // relative to the tolerance
  std::optional<uint64_t> first;    // that is wrong
};

double meanMagnitude(const ComparedOutput& output) {
  double sum = 0;
  uint64_t finite = 0;
  for (size_t at = 0; at + output.type.bytes <= output.expected.size(); at += output.type.bytes) {
    const double value = std::abs(elementNumber(output.type, output.expected.subspan(at, output.type.bytes)));
    if (std::isfinite(value)) sum += value, ++finite;
  }
  return finite == 0 ? 0 : sum / static_cast<double>(finite);
}

Difference differenceOf(const ComparedOutput& output, double tolerance) {
  Difference difference;
  const size_t size = output.type.bytes;
  const bool is_float = output.type.kind == ElementType::Kind::kFloat;
  if (std::ranges::equal(output.got, output.expected)) return difference;
  const double mean = is_float ? meanMagnitude(output) : 0;
  for (size_t i = 0; (i + 1) * size <= output.got.size(); ++i) {
    const auto got = output.got.subspan(i * size, size), expected = output.expected.subspan(i * size, size);
    if (std::memcmp(got.data(), expected.data(), size) == 0) continue;
    ++difference.unequal;
    double error = INFINITY;
    if (is_float) {
      const double one = elementNumber(output.type, got), two = elementNumber(output.type, expected);
      const double scale = std::max({std::abs(one), std::abs(two), mean});
      if (one == two || (std::isnan(one) && std::isnan(two)))
        error = 0;
      else if (std::isfinite(scale) && tolerance > 0)
        error = std::abs(one - two) / (scale * tolerance);
    }
    difference.largest = std::max(difference.largest, error);
    if (error <= 1) continue;
    ++difference.wrong;
    if (!difference.first) difference.first = i;
  }
  return difference;
}

// The elements in ascending order; those that are no numbers stand first.
Bytes sorted(ElementType type, std::span<const std::byte> elements) {
  std::vector<size_t> order(elements.size() / type.bytes);
  std::iota(order.begin(), order.end(), size_t{0});
  const auto at = [&](size_t i) { return elements.subspan(i * type.bytes, type.bytes); };
  const auto key = [&](size_t i) {
    const double number = elementNumber(type, at(i));
    return std::isnan(number) ? -INFINITY : number;
  };
  std::vector<double> keys(order.size());
  for (size_t i = 0; i < keys.size(); ++i) keys[i] = key(i);
  std::ranges::sort(order, [&](size_t a, size_t b) {
    if (keys[a] != keys[b]) return keys[a] < keys[b];
    return std::memcmp(at(a).data(), at(b).data(), type.bytes) < 0;
  });
  Bytes result;
  result.reserve(elements.size());
  for (const size_t i : order) result.insert(result.end(), at(i).begin(), at(i).end());
  return result;
}

}  // namespace

double usualTolerance(ElementType type) {
  constexpr double kOfHalves = 1e-2;
  if (type.kind != ElementType::Kind::kFloat) return 0;
  return type.bytes == 2 ? kOfHalves : kUsualTolerance;
}

Verification compareOutputs(std::span<const ComparedOutput> outputs, const std::string& what,
                            double tolerance) {
  Verification verification{.passed = true};
  uint64_t unequal = 0;
  std::string first;
  for (ComparedOutput output : outputs) {
    if (output.expected.empty()) continue;
    const size_t size = output.type.bytes;
    if (output.got.size() != output.expected.size()) {
      return {.detail = fmt::format("{} has {}, but {} expected", output.name, formatBytes(output.got.size()),
                                    formatBytes(output.expected.size()))};
    }
    const Bytes got = output.any_order ? sorted(output.type, output.got) : Bytes{};
    const Bytes expected = output.any_order ? sorted(output.type, output.expected) : Bytes{};
    if (output.any_order) output.got = got, output.expected = expected;
    const Difference difference = differenceOf(output, tolerance);
    verification.checked += output.got.size() / size;
    verification.mismatches += difference.wrong;
    unequal += difference.unequal;
    if (std::isfinite(difference.largest))
      verification.max_error = std::max(verification.max_error, difference.largest);
    if (!difference.first || !first.empty()) continue;
    const size_t at = *difference.first * size;
    first = fmt::format("{}[{}] = {}, expected {}", output.name, *difference.first,
                        elementText(output.type, output.got.subspan(at, size)),
                        elementText(output.type, output.expected.subspan(at, size)));
  }
  if (verification.checked == 0) {
    return {.detail = "the kernel has no output that could be compared", .unchecked = true};
  }
  verification.passed = verification.mismatches == 0;
  if (!verification.passed) {
    verification.detail = fmt::format("{} (first of {}), compared with {}", first,
                                      groupedDigits(verification.mismatches), what);
  } else if (unequal > 0) {
    verification.detail =
        fmt::format("all {} values are those of {} within {}; {} of them differ in their last digits",
                    groupedDigits(verification.checked), what, tolerance, groupedDigits(unequal));
  } else {
    verification.detail =
        fmt::format("all {} values equal those of {}", groupedDigits(verification.checked), what);
  }
  return verification;
}

}  // namespace warpscope
