#include "kernels/compile/diagnostics.h"

#include <gtest/gtest.h>

namespace warpscope {
namespace {

TEST(Diagnostics, OfClang) {
  const auto found = parseDiagnostics(
      "In file included from a.cu:1:\n"
      "a.cu:3:5: error: use of undeclared identifier 'f'\n"
      "a.h:7:1: warning: unused variable 'x' [-Wunused-variable]\n"
      "a.cu:9:2: note: expanded from here\n"
      "fatal error: too many errors emitted, stopping now [-ferror-limit=]\n"
      "2 errors generated when compiling for sm_80.\n");
  const std::vector<Diagnostic> expected{
      {"a.cu", 3, 5, Severity::kError, "use of undeclared identifier 'f'"},
      {"a.h", 7, 1, Severity::kWarning, "unused variable 'x' [-Wunused-variable]"},
      {"a.cu", 9, 2, Severity::kNote, "expanded from here"},
      {"", 0, 0, Severity::kError, "too many errors emitted, stopping now [-ferror-limit=]"}};
  EXPECT_EQ(found, expected);
}

TEST(Diagnostics, OfNvidia) {
  const auto found = parseDiagnostics(
      "a.cu(3): error: identifier \"f\" is undefined\n"
      "  f();\n"
      "  ^\n"
      "b(1).cu(12): warning #177-D: variable \"error: x\" was declared but never referenced\n"
      "a.cu(1): catastrophic error: cannot open source file \"x.h\"\n"
      "nvcc fatal   : Unsupported gpu architecture 'compute_20'\n"
      "1 error detected in the compilation of \"a.cu\".\n");
  const std::vector<Diagnostic> expected{
      {"a.cu", 3, 0, Severity::kError, "identifier \"f\" is undefined"},
      {"b(1).cu", 12, 0, Severity::kWarning, "variable \"error: x\" was declared but never referenced"},
      {"a.cu", 1, 0, Severity::kError, "cannot open source file \"x.h\""}};
  EXPECT_EQ(found, expected);
}

TEST(Diagnostics, OfNothing) {
  EXPECT_TRUE(parseDiagnostics("").empty());
  EXPECT_TRUE(parseDiagnostics("an error occurred\n: error\n\n\n").empty());
}

TEST(Diagnostics, AreFormattedAsClangDoes) {
  EXPECT_EQ(formatDiagnostic({"a.cu", 3, 5, Severity::kError, "wrong"}), "a.cu:3:5: error: wrong");
  EXPECT_EQ(formatDiagnostic({"a.cu", 3, 0, Severity::kWarning, "odd"}), "a.cu:3: warning: odd");
  EXPECT_EQ(formatDiagnostic({"", 0, 0, Severity::kNote, "see"}), "note: see");
}

}  // namespace
}  // namespace warpscope
