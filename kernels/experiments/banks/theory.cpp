// The banks family: what theory predicts.
#include <array>
#include <cmath>
#include <numeric>

#include "kernels/core/ids.h"
#include "kernels/experiments/family_parts.h"

namespace warpscope::banks {
namespace {

const Measure& wavefrontsARead() {
  static const Measure kMeasure = countedPer("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
                                             "smsp__inst_executed_op_shared_ld.sum");
  return kMeasure;
}

// Lanes are served in `groups` whose elements fill the 32 banks; in each group, gcd(stride, lanes) elements
// are in the same bank.
double wavefrontsOfStride(int64_t stride, int64_t groups) {
  return static_cast<double>(groups * std::gcd(stride, int64_t{kWarpSize} / groups));
}

// The mean of the fullest bank's load when 32 lanes choose among 32 banks: sum over m of P(load >= m), where
// P(no bank above m) = 32! / 32^32 times the coefficient of x^32 in (sum over k <= m of x^k / k!)^32.
double fullestBankOfRandomWords() {
  constexpr size_t kLanes = kWarpSize;
  using Series = std::array<double, kLanes + 1>;
  double mean = 0;
  for (size_t most = 0; most < kLanes; ++most) {
    Series power{1};
    for (size_t bank = 0; bank < kLanes; ++bank) {
      Series product{};
      for (size_t have = 0; have <= kLanes; ++have) {
        for (size_t more = 0; more <= most && have + more <= kLanes; ++more) {
          product[have + more] += power[have] / std::tgamma(static_cast<double>(more) + 1);
        }
      }
      power = product;
    }
    double none_above = power[kLanes];
    for (size_t lane = 1; lane <= kLanes; ++lane) {
      none_above *= static_cast<double>(lane) / static_cast<double>(kLanes);
    }
    mean += 1 - none_above;
  }
  return mean;
}

}  // namespace

std::vector<Prediction> theory(const RunRequest& request) {
  Prediction wavefronts{.label = "Wavefronts for a read", .unit = "wavefronts", .measure = wavefrontsARead()};
  // A last warp with fewer lanes has fewer conflicts.
  const auto size = request.parameters.at("size");
  const double warps = std::ceil(static_cast<double>(size) / kWarpSize);
  if (size % kWarpSize != 0) wavefronts.tolerance = 1 / warps;
  if (request.variant == "broadcast") {
    wavefronts.predicted = 1;
    wavefronts.tolerance = 0;
    wavefronts.reason = "all lanes read the same word: its bank broadcasts it";
  } else if (request.variant == "random") {
    static const double kMean = fullestBankOfRandomWords();
    wavefronts.predicted = kMean;
    wavefronts.tolerance += 0.05 + 1 / std::sqrt(warps);
    wavefronts.reason = "the mean load of the fullest bank when 32 lanes choose among 32";
  } else {
    const int64_t stride = request.parameters.at("stride");
    const int64_t groups = request.variant == "stride" ? 1 : request.variant == "stride_vec2" ? 2 : 4;
    wavefronts.predicted = wavefrontsOfStride(stride, groups);
    wavefronts.reason = groups == 1   ? "gcd(stride, 32) words lie in one bank"
                        : groups == 2 ? "two groups of 16 lanes fill the banks; gcd(stride, 16) meet in each"
                                      : "four groups of 8 lanes fill the banks; gcd(stride, 8) meet in each";
  }
  return {wavefronts};
}

}  // namespace warpscope::banks
