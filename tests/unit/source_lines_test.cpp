// The text processing of the code view: the region of each line, and where the shown kernel is.
#include "viz/layout/source_lines.h"

#include <gtest/gtest.h>

namespace warpscope {
namespace {

constexpr const char* kSource =
    "#include \"probe.cuh\"\n"             // 1
    "\n"                                   // 2
    "__device__ int helper(Log& log) {\n"  // 3
    "  log.mark(kInner);\n"                // 4
    "  return 1;\n"                        // 5
    "}\n"                                  // 6
    "\n"                                   // 7
    "// What the kernel does.\n"           // 8
    "template <class Probe>\n"             // 9
    "__global__ void kernel(Probe p) {\n"  // 10
    "  log.mark(kLoad);\n"                 // 11
    "  int x = 0;\n"                       // 12
    "\n"                                   // 13
    "  if (x) {\n"                         // 14
    "    log.mark(kPath);\n"               // 15
    "  }\n"                                // 16
    "}\n"                                  // 17
    "INSTANTIATE(kernel);\n";              // 18

warpscope::Run runWith(std::vector<Region> regions) {
  warpscope::Run run;
  run.source = std::make_shared<const std::string>(kSource);
  run.regions = std::move(regions);
  return run;
}

TEST(SourceLines, LinesBelongToTheShortestRegionThatHoldsThem) {
  const SourceLines source =
      sourceLines(runWith({{RegionId{0}, "load", 11, 17}, {RegionId{1}, "path", 15, 15}}));
  ASSERT_EQ(source.lines.size(), 18U);
  EXPECT_EQ(source.lines[9].region, std::nullopt);
  EXPECT_EQ(source.lines[10].region, 0U);
  EXPECT_EQ(source.lines[14].region, 1U);
  EXPECT_EQ(source.lines[15].region, 0U);
  EXPECT_EQ(source.lines[10].text, "  log.mark(kLoad);");
}

TEST(SourceLines, TheFunctionBeginsWithItsCommentAndEndsWithItsBrace) {
  const SourceLines source =
      sourceLines(runWith({{RegionId{0}, "load", 11, 14}, {RegionId{1}, "path", 15, 16}}));
  EXPECT_EQ(source.function_line, 8U) << "a blank line in its body is not its begin";
  for (size_t line = 1; line <= source.lines.size(); ++line) {
    EXPECT_EQ(source.lines[line - 1].in_function, line >= 8 && line <= 17) << line;
  }
  EXPECT_TRUE(source.lines[7].comment);
  EXPECT_FALSE(source.lines[8].comment);
}

TEST(SourceLines, FunctionsThatItMarksRegionsInAreBrightToo) {
  const SourceLines source =
      sourceLines(runWith({{RegionId{0}, "load", 11, 12}, {RegionId{1}, "inner", 4, 5}}));
  EXPECT_EQ(source.function_line, 8U);
  EXPECT_TRUE(source.lines[2].in_function);
  EXPECT_FALSE(source.lines[0].in_function);
}

TEST(SourceLines, ToleratesRegionsOutsideTheTextAndNoText) {
  const SourceLines source = sourceLines(runWith(
      {{RegionId{0}, "zero", 0, 0}, {RegionId{1}, "beyond", 17, 4000}, {RegionId{2}, "far", 99, 100}}));
  EXPECT_EQ(source.lines[16].region, 1U);
  warpscope::Run empty;
  EXPECT_TRUE(sourceLines(empty).lines.empty());
  empty.source = std::make_shared<const std::string>("");
  EXPECT_TRUE(sourceLines(empty).lines.empty());
}

}  // namespace
}  // namespace warpscope
