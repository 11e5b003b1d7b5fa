// What is copied of something that a view shows, and the command that shows its run again.
#include "viz/layout/shown_item.h"

#include <gtest/gtest.h>

#include "kernels/experiments/experiment.h"

namespace warpscope {
namespace {

TEST(ShownItem, IsCopiedAsALineAndAsCsv) {
  const ShownItem item{.title = "Bank 5",
                       .values = {{"words", "3"}, {"lanes", "0, 2"}},
                       .run = "banks stride, block 64 on Simulated H100"};
  EXPECT_EQ(itemText(item), "Bank 5: words 3, lanes 0, 2 (banks stride, block 64 on Simulated H100)");
  EXPECT_EQ(itemCsv(item),
            "item,words,lanes,run\nBank 5,3,\"0, 2\",\"banks stride, block 64 on Simulated H100\"\n");
  EXPECT_EQ(itemText({.title = "Bank 5"}), "Bank 5");
}

// Every value of every variant's defaults must be one word that is parsed as the same value.
TEST(ShownItem, TheCommandNamesTheSameRun) {
  for (const auto& experiment : allExperiments()) {
    const FamilyInfo& family = experiment->info();
    for (const VariantInfo& variant : family.variants) {
      const auto request = completeRequest(family, {.family = family.name, .variant = variant.name});
      ASSERT_TRUE(request) << request.error().message;
      warpscope::Run run;
      run.request = *request;
      run.device.id = "sim:h100";
      const std::string command = windowCommand(run, selectWarp(BlockId{3}, 1));
      EXPECT_TRUE(command.ends_with(" --select 'b3 w1'")) << command;
      for (const auto& [name, value] : request->parameters) {
        const auto spec = std::ranges::find(family.parameters, name, &ParameterSpec::name);
        ASSERT_NE(spec, family.parameters.end());
        const std::string option = " --" + name + " ";
        const size_t at = command.find(option);
        ASSERT_NE(at, std::string::npos) << command;
        const size_t from = at + option.size();
        const std::string text = command.substr(from, command.find(' ', from) - from);
        const auto parsed = parseParameter(*spec, text);
        ASSERT_TRUE(parsed) << command << ": " << parsed.error().message;
        EXPECT_EQ(*parsed, value) << command;
      }
    }
  }
}

}  // namespace
}  // namespace warpscope
