// Everything that is built on the occupancy formula: budgets, curves, waves and suggestions. Cases worked out
// by hand, and invariants for whole sweeps.
#include <gtest/gtest.h>

#include <algorithm>

#include "kernels/occupancy/capabilities.h"
#include "kernels/occupancy/curves.h"
#include "kernels/occupancy/occupancy.h"
#include "kernels/occupancy/suggestions.h"

namespace warpscope {
namespace {

OccupancyQuestion hopper(uint32_t threads, uint32_t registers, uint32_t shared_bytes = 0) {
  OccupancyQuestion question{factsOf({9, 0}).limits, {}, threads};
  question.limits.sm_count = 132;
  question.resources.registers_per_thread = registers;
  question.resources.dynamic_shared_bytes = shared_bytes;
  return question;
}

const ResourceBudget& budgetOf(const std::vector<ResourceBudget>& budgets, OccupancyLimiter resource) {
  return *std::ranges::find(budgets, resource, &ResourceBudget::resource);
}

const Suggestion* find(const std::vector<Suggestion>& all, Suggestion::Kind kind) {
  const auto found = std::ranges::find(all, kind, &Suggestion::kind);
  return found == all.end() ? nullptr : &*found;
}

TEST(ResourceBudgets, SayWhatIsUsedLeftAndMissing) {
  // 40 registers x 32 = 1,280 per warp; 8 warps per block: 10,240; six blocks of 256 threads.
  const auto budgets = resourceBudgets(hopper(256, 40, 8000));
  const ResourceBudget& registers = budgetOf(budgets, OccupancyLimiter::kRegisters);
  EXPECT_EQ(registers.capacity, 65'536U);
  EXPECT_EQ(registers.asked, 10'240U);
  EXPECT_EQ(registers.per_block, 10'240U);
  EXPECT_EQ(registers.used, 61'440U);
  EXPECT_EQ(registers.left, 4'096U);
  EXPECT_EQ(registers.missing, 6'144U);
  EXPECT_EQ(registers.blocks, 6U);
  const ResourceBudget& warps = budgetOf(budgets, OccupancyLimiter::kWarps);
  EXPECT_EQ(warps.used, 48U);
  EXPECT_EQ(warps.left, 16U);
  EXPECT_EQ(warps.missing, 0U);
  EXPECT_FALSE(warps.fragmented);
  const ResourceBudget& shared = budgetOf(budgets, OccupancyLimiter::kSharedMemory);
  EXPECT_EQ(shared.asked, 8'000U);
  EXPECT_EQ(shared.per_block, 9'088U);  // with the driver's 1 KiB, rounded up to 128
  EXPECT_EQ(shared.left, 233'472U - 6 * 9'088U);
  // A kernel without barriers has no such budget.
  EXPECT_EQ(budgets.size(), 4U);
}

TEST(ResourceBudgets, NameWhatLiesInPieces) {
  // 104 registers: 3,328 per warp, 4 warps in each of four partitions; three blocks of five warps leave room
  // for one warp, and registers for more in total.
  const auto budgets = resourceBudgets(hopper(160, 104));
  const ResourceBudget& registers = budgetOf(budgets, OccupancyLimiter::kRegisters);
  EXPECT_EQ(registers.blocks, 3U);
  EXPECT_EQ(registers.missing, 1'024U);
  const auto other = resourceBudgets(hopper(96, 168));
  // 5,376 per warp, three per partition: 12 warps, four blocks; 1,024 registers are left over.
  EXPECT_EQ(budgetOf(other, OccupancyLimiter::kRegisters).blocks, 4U);
  // 65,536 / 3,328 = 19 warps by number, 16 by partition: four blocks of four, and 12,288 registers that
  // nothing can use.
  const auto pieces = resourceBudgets(hopper(96, 104));
  const ResourceBudget& fragmented = budgetOf(pieces, OccupancyLimiter::kRegisters);
  EXPECT_EQ(fragmented.blocks, 5U);
  EXPECT_EQ(fragmented.left, 65'536U - 5 * 9'984U);
  EXPECT_TRUE(fragmented.fragmented);
  EXPECT_EQ(fragmented.missing, 0U);
}

TEST(ResourceBudgets, NeverExceedWhatThereIsAndNameALimiter) {
  size_t checked = 0;
  for (const CapabilityFacts& facts : knownCapabilities()) {
    for (uint32_t threads = 8; threads <= 1024; threads += 40) {
      for (uint32_t registers = 1; registers <= facts.rules.max_registers_per_thread; registers += 7) {
        for (const uint32_t shared : {0U, 3000U, 17'000U, 49'152U}) {
          OccupancyQuestion question{facts.limits, {registers, 0, shared, 0, 2}, threads};
          const Occupancy occupancy = theoreticalOccupancy(question);
          const auto budgets = resourceBudgets(question);
          EXPECT_EQ(budgets.empty(), occupancy.blocks_per_sm == 0);
          bool someone_stops_the_next = budgets.empty();
          for (const ResourceBudget& budget : budgets) {
            EXPECT_LE(budget.used, budget.capacity);
            EXPECT_EQ(budget.used + budget.left, budget.capacity);
            EXPECT_GE(budget.per_block, budget.resource == OccupancyLimiter::kRegisters ? 1 : budget.asked);
            EXPECT_GE(budget.blocks, occupancy.blocks_per_sm);
            const bool stops = budget.missing > 0 || budget.fragmented;
            EXPECT_TRUE(stops || budget.resource != occupancy.limiter);
            someone_stops_the_next |= stops;
          }
          EXPECT_TRUE(someone_stops_the_next);
          ++checked;
        }
      }
    }
  }
  EXPECT_GT(checked, 50'000U);
}

TEST(OccupancyCurves, GoThroughThePresentPoint) {
  const OccupancyQuestion question = hopper(256, 40, 8064);
  for (const OccupancyAxis axis : kOccupancyAxes) {
    const auto curve = occupancyCurve(question, axis);
    const AxisRange range = axisRange(question.limits, axis);
    EXPECT_EQ(curve.front().value, range.first);
    EXPECT_EQ(curve.back().value, range.last);
    const uint32_t now = axisValue(question, axis);
    const auto here = std::ranges::find(curve, now, &OccupancyPoint::value);
    ASSERT_NE(here, curve.end()) << axisName(axis);
    EXPECT_EQ(here->occupancy.blocks_per_sm, theoreticalOccupancy(question).blocks_per_sm);
  }
  // More registers or shared memory never allow more blocks.
  for (const OccupancyAxis axis : {OccupancyAxis::kRegisters, OccupancyAxis::kShared}) {
    const auto curve = occupancyCurve(question, axis);
    EXPECT_TRUE(std::ranges::is_sorted(curve, [](const auto& a, const auto& b) {
      return a.occupancy.blocks_per_sm > b.occupancy.blocks_per_sm;
    }));
  }
}

TEST(OccupancyCurves, LessSharedMemoryThanIsStaticLeavesNothingDynamic) {
  OccupancyQuestion question = hopper(256, 32, 1000);
  question.resources.static_shared_bytes = 4096;
  const auto more = withAxisValue(question, OccupancyAxis::kShared, 10'000);
  EXPECT_EQ(more.resources.static_shared_bytes, 4096U);
  EXPECT_EQ(more.resources.dynamic_shared_bytes, 5904U);
  const auto less = withAxisValue(question, OccupancyAxis::kShared, 1024);
  EXPECT_EQ(less.resources.static_shared_bytes, 1024U);
  EXPECT_EQ(less.resources.dynamic_shared_bytes, 0U);
}

TEST(Occupancy, CarveOutsAreThoseThatTheHardwareHas) {
  const DeviceLimits limits = factsOf({9, 0}).limits;
  EXPECT_EQ(sharedConfiguration(limits, 0), 0U);
  EXPECT_EQ(sharedConfiguration(limits, 50), 132U * 1024);
  EXPECT_EQ(sharedConfiguration(limits, 100), 228U * 1024);
  EXPECT_EQ(sharedConfiguration(factsOf({6, 1}).limits, 10), 96U * 1024);
  // No shared memory is requested for the SM, but a block needs some: the smallest size that holds one block.
  OccupancyQuestion question = hopper(64, 16, 20'000);
  question.shared_configuration_bytes = 0;
  EXPECT_EQ(theoreticalOccupancy(question).blocks_per_sm, 1U);
  question.shared_configuration_bytes = 64 * 1024;
  EXPECT_EQ(theoreticalOccupancy(question).blocks_per_sm, 3U);
}

TEST(Waves, HaveATailUnlessTheyAreWhole) {
  const Occupancy occupancy = theoreticalOccupancy(hopper(256, 32));  // 8 blocks
  const auto two = wavesOf(2 * 8 * 132, occupancy, 132);
  ASSERT_TRUE(two);
  EXPECT_EQ(two->full_waves, 2U);
  EXPECT_EQ(two->tail_blocks, 0U);
  EXPECT_DOUBLE_EQ(two->mean_fill, 1);
  const auto more = wavesOf(2 * 8 * 132 + 132, occupancy, 132);
  EXPECT_DOUBLE_EQ(more->waves, 2.125);
  EXPECT_EQ(more->tail_blocks, 132U);
  EXPECT_DOUBLE_EQ(more->tail_share, 0.125);
  EXPECT_NEAR(more->mean_fill, 2.125 / 3, 1e-12);
  EXPECT_FALSE(wavesOf(100, occupancy, 0));
  EXPECT_FALSE(wavesOf(100, Occupancy{}, 132));
}

TEST(Suggestions, OfABlockThatCannotRunSayWhatCan) {
  const auto all = suggestions(hopper(1024, 128));
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].kind, Suggestion::Kind::kImpossible);
  ASSERT_TRUE(all[0].block_threads);
  EXPECT_GT(theoreticalOccupancy(hopper(*all[0].block_threads, 128)).blocks_per_sm, 0U);
}

TEST(Suggestions, OfSmallBlocksAreLargerOnes) {
  const auto all = suggestions(hopper(32, 16));
  const Suggestion* block = find(all, Suggestion::Kind::kBlockSize);
  ASSERT_NE(block, nullptr);
  EXPECT_EQ(block->block_threads, 64U);
  EXPECT_EQ(block->text, "Blocks of 64 threads: occupancy 100 % instead of 50 %.");
  EXPECT_NE(block->reason.find("32 block slots"), std::string::npos);
}

TEST(Suggestions, OfManyRegistersSayHowManyLetOneMoreIn) {
  const auto all = suggestions(hopper(256, 40));
  const Suggestion* fewer = find(all, Suggestion::Kind::kRegisters);
  ASSERT_NE(fewer, nullptr);
  EXPECT_EQ(fewer->registers,
            32U);  // 36 would be seven blocks in total, but warps get registers in units of 8 per thread
  EXPECT_NE(fewer->reason.find("__launch_bounds__(256, 8)"), std::string::npos);
}

TEST(Suggestions, OfMuchSharedMemorySayHowMuchLetsOneMoreIn) {
  const auto all = suggestions(hopper(128, 32, 32 * 1024));
  const Suggestion* less = find(all, Suggestion::Kind::kShared);
  ASSERT_NE(less, nullptr);
  ASSERT_TRUE(less->shared_bytes);
  EXPECT_EQ(theoreticalOccupancy(hopper(128, 32, *less->shared_bytes)).blocks_per_sm, 7U);
  EXPECT_EQ(theoreticalOccupancy(hopper(128, 32, *less->shared_bytes + 128)).blocks_per_sm, 6U);
  OccupancyQuestion carved = hopper(128, 32, 32 * 1024);
  carved.shared_configuration_bytes = 100 * 1024;
  EXPECT_NE(find(suggestions(carved), Suggestion::Kind::kCarveOut), nullptr);
}

TEST(Suggestions, OfTheGridAndOfPartialWarps) {
  EXPECT_NE(find(suggestions(hopper(256, 32), 100), Suggestion::Kind::kSmallGrid), nullptr);
  EXPECT_NE(find(suggestions(hopper(256, 32), 8 * 132 + 100), Suggestion::Kind::kTail), nullptr);
  EXPECT_EQ(find(suggestions(hopper(256, 32), 2 * 8 * 132), Suggestion::Kind::kTail), nullptr);
  const auto all = suggestions(hopper(100, 32));
  const Suggestion* whole = find(all, Suggestion::Kind::kWholeWarps);
  ASSERT_NE(whole, nullptr);
  EXPECT_EQ(whole->block_threads, 128U);
  EXPECT_EQ(whole->text.substr(0, 8), "28 lanes");
}

// Everything that is suggested must be possible and have the promised effect.
TEST(Suggestions, KeepTheirPromises) {
  size_t kept = 0;
  for (const CapabilityFacts& facts : knownCapabilities()) {
    for (uint32_t threads = 16; threads <= 1024; threads += 48) {
      for (uint32_t registers = 8; registers <= facts.rules.max_registers_per_thread; registers += 23) {
        for (const uint32_t shared : {0U, 5000U, 40'000U}) {
          const OccupancyQuestion question{facts.limits, {registers, 0, shared, 0, 1}, threads};
          const double now = theoreticalOccupancy(question).theoretical;
          for (const Suggestion& suggestion : suggestions(question)) {
            EXPECT_FALSE(suggestion.text.empty());
            EXPECT_FALSE(suggestion.reason.empty());
            OccupancyQuestion then = question;
            if (suggestion.block_threads) then.block_threads = *suggestion.block_threads;
            if (suggestion.registers) then.resources.registers_per_thread = *suggestion.registers;
            if (suggestion.shared_bytes) then.resources.dynamic_shared_bytes = *suggestion.shared_bytes;
            if (!suggestion.block_threads && !suggestion.registers && !suggestion.shared_bytes) continue;
            ASSERT_TRUE(suggestion.occupancy);
            EXPECT_DOUBLE_EQ(theoreticalOccupancy(then).theoretical, *suggestion.occupancy)
                << suggestion.text;
            EXPECT_TRUE(*suggestion.occupancy > now || suggestion.kind == Suggestion::Kind::kWholeWarps);
            ++kept;
          }
        }
      }
    }
  }
  EXPECT_GT(kept, 5'000U);
}

}  // namespace
}  // namespace warpscope
