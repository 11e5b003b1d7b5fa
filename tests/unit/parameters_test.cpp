// Parameter text forms and request completion.
#include <gtest/gtest.h>

#include "kernels/experiments/experiment.h"

namespace warpscope {
namespace {

FamilyInfo sampleFamily() {
  FamilyInfo family;
  family.name = "sample";
  family.variants = {{.name = "plain", .title = "", .summary = ""},
                     {.name = "forked", .title = "", .summary = ""}};
  family.parameters = {
      {.name = "block", .label = "", .min = 32, .max = 1024, .step = 32, .default_value = 256},
      {.name = "size",
       .label = "",
       .kind = ParameterKind::kLog2,
       .min = 1,
       .max = 1 << 28,
       .default_value = 1 << 20},
      {.name = "ways", .label = "", .min = 1, .max = 32, .default_value = 4, .variants = {"forked"}},
      {.name = "shape", .label = "", .kind = ParameterKind::kChoice, .choices = {"32x8", "16x16"}}};
  return family;
}

TEST(ParseParameter, ReadsPlainPowersSumsAndMultiples) {
  const auto family = sampleFamily();
  EXPECT_EQ(parseParameter(family.parameters[1], "2^20").value(), 1 << 20);
  EXPECT_EQ(parseParameter(family.parameters[1], "2^20+7").value(), (1 << 20) + 7);
  EXPECT_EQ(parseParameter(family.parameters[1], "4M").value(), 4 << 20);
  EXPECT_EQ(parseParameter(family.parameters[1], "1000").value(), 1000);
  EXPECT_EQ(parseParameter(family.parameters[3], "16x16").value(), 1);
}

TEST(ParseParameter, ReadsNegativeNumbersWhereTheRangeHasThem) {
  const ParameterSpec offset{.name = "offset", .min = -2, .max = 31};
  EXPECT_EQ(parseParameter(offset, "-2").value(), -2);
  EXPECT_EQ(parseParameter(offset, formatParameter(offset, -1)).value(), -1);
  for (const char* text : {"-3", "--1", "-", "+-1", "-2^2"}) {
    EXPECT_FALSE(parseParameter(offset, text).has_value()) << text;
  }
}

TEST(ParseParameter, RefusesNonsenseAndNamesWhatIsAllowed) {
  const auto family = sampleFamily();
  for (const char* text : {"", "-1", "2^", "2^99", "12a", "+", "1+", "99999999999999999999", "0x10", " 5"}) {
    EXPECT_FALSE(parseParameter(family.parameters[1], text).has_value()) << text;
  }
  const auto odd = parseParameter(family.parameters[0], "100");
  ASSERT_FALSE(odd.has_value());
  EXPECT_NE(odd.error().message.find("32 to 1024 in steps of 32"), std::string::npos) << odd.error().message;
  const auto shape = parseParameter(family.parameters[3], "7x7");
  ASSERT_FALSE(shape.has_value());
  EXPECT_NE(shape.error().message.find("32x8, 16x16"), std::string::npos) << shape.error().message;
}

TEST(CompleteRequest, FillsDefaultsOfTheVariantOnly) {
  const auto plain = completeRequest(sampleFamily(), {.family = "sample", .variant = "plain"});
  ASSERT_TRUE(plain.has_value());
  EXPECT_EQ(plain->parameters, (ParameterValues{{"block", 256}, {"shape", 0}, {"size", 1 << 20}}));
  const auto forked = completeRequest(sampleFamily(), {.family = "sample", .variant = "forked"});
  EXPECT_EQ(forked->parameters.at("ways"), 4);
}

TEST(CompleteRequest, RefusesUnknownNamesAndValuesOutOfRange) {
  const auto family = sampleFamily();
  EXPECT_EQ(completeRequest(family, {.family = "sample", .variant = "none"}).error().kind,
            ErrorKind::kBadRequest);
  EXPECT_FALSE(
      completeRequest(family, {.family = "sample", .variant = "plain", .parameters = {{"ways", 2}}}));
  const auto large =
      completeRequest(family, {.family = "sample", .variant = "plain", .parameters = {{"block", 2048}}});
  ASSERT_FALSE(large.has_value());
  EXPECT_NE(large.error().message.find("block is 2048"), std::string::npos) << large.error().message;
}

TEST(FormatParameter, RoundTrips) {
  const auto family = sampleFamily();
  for (const ParameterSpec& spec : family.parameters) {
    const auto text = formatParameter(spec, spec.default_value);
    EXPECT_EQ(parseParameter(spec, text).value(), spec.default_value) << text;
  }
  EXPECT_EQ(formatParameter(family.parameters[1], 1 << 24), "2^24");
  EXPECT_EQ(formatParameter(family.parameters[1], (1 << 20) + 7), "1048583");
}

}  // namespace
}  // namespace warpscope
