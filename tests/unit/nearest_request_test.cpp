// The single change that makes an impossible request possible.
#include <gtest/gtest.h>

#include "kernels/execute/launch_check.h"

namespace warpscope {
namespace {

FamilyInfo family() {
  FamilyInfo info;
  info.name = "f";
  info.variants.push_back({.name = "v"});
  info.parameters = {{.name = "size",
                      .kind = ParameterKind::kLog2,
                      .min = 1,
                      .max = 1 << 20,
                      .default_value = 1024,
                      .role = ParameterRole::kElements},
                     {.name = "work", .min = 0, .max = 1 << 20, .step = 1, .default_value = 10},
                     {.name = "block",
                      .min = 32,
                      .max = 1024,
                      .step = 32,
                      .default_value = 256,
                      .role = ParameterRole::kBlock},
                     {.name = "shape", .kind = ParameterKind::kChoice, .choices = {"a", "b", "c", "d"}}};
  return info;
}

RunRequest with(const ParameterValues& values) {
  ParameterValues all{{"size", 1024}, {"work", 10}, {"block", 256}, {"shape", 0}};
  for (const auto& [name, value] : values) all[name] = value;
  return {.family = "f", .variant = "v", .parameters = std::move(all)};
}

ParameterValues nearest(const ParameterValues& values, const RunRequest* last,
                        const IsPossible& is_possible) {
  return nearestPossible(family(), with(values), last, is_possible);
}

TEST(NearestPossible, IsTheNearestOnEitherSide) {
  const auto at_most = [](int64_t most) {
    return [most](const RunRequest& request) { return request.parameters.at("block") <= most; };
  };
  EXPECT_EQ(nearest({{"block", 1024}}, nullptr, at_most(700)), (ParameterValues{{"block", 672}}));
  EXPECT_EQ(nearest({{"block", 96}}, nullptr,
                    [](const RunRequest& request) { return request.parameters.at("block") >= 512; }),
            (ParameterValues{{"block", 512}}));
  const auto two = [](const RunRequest& request) {
    return request.parameters.at("block") == 32 || request.parameters.at("block") == 512;
  };
  EXPECT_EQ(nearest({{"block", 320}}, nullptr, two), (ParameterValues{{"block", 512}}));
  EXPECT_EQ(nearest({{"block", 256}}, nullptr, two), (ParameterValues{{"block", 32}}));
}

TEST(NearestPossible, MovesWhatWasChangedSinceItWasPossible) {
  const auto product = [](const RunRequest& request) {
    return request.parameters.at("block") * request.parameters.at("work") <= 256 * 100;
  };
  EXPECT_EQ(nearest({{"work", 200}}, nullptr, product), (ParameterValues{{"block", 128}}))
      << "the block first";
  const RunRequest before = with({{"work", 50}});
  EXPECT_EQ(nearest({{"work", 200}}, &before, product), (ParameterValues{{"work", 100}}));
  RunRequest other = before;
  other.variant = "another";
  EXPECT_EQ(nearest({{"work", 200}}, &other, product), (ParameterValues{{"block", 128}}));
}

TEST(NearestPossible, FindsItFarAwayWithoutTryingAll) {
  int tried = 0;
  const auto far = [&](const RunRequest& request) {
    ++tried;
    return request.parameters.at("work") <= 12'345;
  };
  EXPECT_EQ(nearest({{"work", 1'000'000}}, nullptr, far), (ParameterValues{{"work", 12'345}}));
  EXPECT_LT(tried, 250);
}

TEST(NearestPossible, SizesArePowersOfTwoAndChoicesAnyOfThem) {
  EXPECT_EQ(nearest({{"size", 100'000}}, nullptr,
                    [](const RunRequest& request) { return request.parameters.at("size") < 50'000; }),
            (ParameterValues{{"size", 32'768}}));
  EXPECT_EQ(nearest({{"shape", 0}}, nullptr,
                    [](const RunRequest& request) { return request.parameters.at("shape") == 3; }),
            (ParameterValues{{"shape", 3}}));
}

TEST(NearestPossible, IsEmptyWhereOneChangeDoesNotHelp) {
  EXPECT_TRUE(nearest({}, nullptr, [](const RunRequest&) { return false; }).empty());
  EXPECT_TRUE(nearest({{"block", 1024}, {"shape", 1}}, nullptr, [](const RunRequest& request) {
                return request.parameters.at("block") < 512 && request.parameters.at("shape") == 2;
              }).empty());
}

}  // namespace
}  // namespace warpscope
