// Every counter that a device reports has a name for the reader.
#include <gtest/gtest.h>

#include <set>

#include "kernels/metrics/counters.h"
#include "kernels/sim/sm/sm_counters.h"

namespace warpscope {
namespace {

TEST(CounterNames, EveryCounterOfTheSimulatedGpuHasWords) {
  const auto counters = sim::nsightCounters({}, {}, {}, 64, 1000);
  std::set<std::string> states;
  for (size_t i = 0; i < kWarpStates; ++i) states.insert(warpStateCounter(static_cast<WarpState>(i)));
  for (const auto& [name, value] : counters) {
    if (states.count(name) > 0) continue;
    const CounterText* text = findCounterText(name);
    ASSERT_NE(text, nullptr) << name;
    EXPECT_FALSE(text->title.empty()) << name;
  }
}

TEST(CounterNames, NamesAreUniqueAndGroupsTogether) {
  std::set<std::string_view> names, ended;
  std::string_view group;
  for (const CounterText& text : counterTexts()) {
    EXPECT_TRUE(names.insert(text.name).second) << text.name;
    if (text.group == group) continue;
    EXPECT_TRUE(ended.insert(text.group).second) << text.group << " comes twice";
    group = text.group;
  }
  EXPECT_EQ(findCounterText("no__such_counter.sum"), nullptr);
}

TEST(CounterNames, ValuesHaveUnits) {
  EXPECT_EQ(formatCounter(65536, "sectors"), "65,536 sectors");
  EXPECT_EQ(formatCounter(1678000, "sectors"), "1.678 M sectors");
  EXPECT_EQ(formatCounter(83.21, "%"), "83.2 %");
  EXPECT_EQ(formatCounter(3658, "ns"), "3.658 µs");
  EXPECT_EQ(formatCounter(16777216, "B"), "16 MiB");
  EXPECT_EQ(formatCounter(1.23456, "per cycle"), "1.235 per cycle");
  EXPECT_EQ(formatCounter(0, ""), "0");
}

}  // namespace
}  // namespace warpscope
