// What a file of kernels says of its launches, and what is guessed where it says nothing: expressions, launch
// comments, signatures, rules. No compiler is needed: kernels are given as PTX with their source beside it.
#include <gtest/gtest.h>

#include <cmath>

#include "kernels/program/compare_outputs.h"
#include "kernels/program/launch_rules.h"
#include "kernels/program/signature.h"
#include "kernels/sim/ptx/parser.h"

namespace warpscope {
namespace {

double valueOf(const std::string& text, const NamedValues& values = {}) {
  const auto expression = Expression::parse(text);
  EXPECT_TRUE(expression) << (expression ? "" : expression.error().message);
  if (!expression) return -1;
  const auto value = expression->evaluate(values);
  EXPECT_TRUE(value) << (value ? "" : value.error().message);
  return value.value_or(-1);
}

TEST(Expressions, AreReadAsArithmeticIs) {
  EXPECT_EQ(valueOf("2 + 3 * 4"), 14);
  EXPECT_EQ(valueOf("(2 + 3) * 4"), 20);
  EXPECT_EQ(valueOf("2^3^2"), 512);
  EXPECT_EQ(valueOf("10 - 3 - 2"), 5);
  EXPECT_EQ(valueOf("-2^2 + 5"), 1);
  EXPECT_EQ(valueOf("1 << 10"), 1024);
  EXPECT_EQ(valueOf("4k + 2M"), 4096 + 2.0 * (1 << 20));
  EXPECT_EQ(valueOf("0x10 % 7"), 2);
  EXPECT_EQ(valueOf("max(min(3, 9), log2(8))"), 3);
  EXPECT_EQ(valueOf("ceil(n / block)", {{"n", 1000}, {"block", 256}}), 4);
  EXPECT_EQ(valueOf("divup(n, block.x)", {{"n", 1000}, {"block.x", 16}}), 63);
}

TEST(Expressions, AreRoundedDownAsIntegersAre) {
  const auto blocks = Expression::parse("(n + block - 1) / block");
  ASSERT_TRUE(blocks);
  EXPECT_EQ(blocks->evaluateWhole({{"n", 1000}, {"block", 256}}, 1, 100).value(), 4);
  EXPECT_EQ(blocks->evaluateWhole({{"n", 1024}, {"block", 256}}, 1, 100).value(), 4);
  EXPECT_EQ(blocks->evaluateWhole({{"n", 1025}, {"block", 256}}, 1, 100).value(), 5);
}

TEST(Expressions, SayWhatIsWrong) {
  for (const char* text : {"", "2 +", "(2", "2 3", "f(2)", "ceil()", "min(1)", "a b", "1 ** 2", "\"", "2x"}) {
    EXPECT_FALSE(Expression::parse(text)) << text;
  }
  EXPECT_FALSE(Expression::parse(std::string(2000, '(')));
  EXPECT_FALSE(Expression::parse(std::string(900, '(')));
  const auto unknown = Expression::parse("n / m")->evaluate({{"n", 1}});
  ASSERT_FALSE(unknown);
  EXPECT_NE(unknown.error().message.find("'m'"), std::string::npos);
  EXPECT_FALSE(Expression::parse("1 / 0")->evaluate({}));
  EXPECT_FALSE(Expression::parse("n")->evaluateWhole({{"n", 0}}, 1, 10));
}

TEST(LaunchComments, AreListsOfAssignments) {
  const auto read = readLaunchComments(
      "// warpscope: block = 256, grid = (ceil(n / block), 2),\n"
      "  // warpscope scan<float>: in = random[n]:3 in 0..9\n"
      "//   warpscope exec mine.cu --grid 4\n"
      "int warpscope = 1;  // the name: nothing\n",
      "mine.cu");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, (std::vector<LaunchAssignment>{{"", "block", "256", 1},
                                                  {"", "grid", "(ceil(n / block), 2)", 1},
                                                  {"scan<float>", "in", "random[n]:3 in 0..9", 2}}));
  const auto wrong = readLaunchComments("\n// warpscope: block 256\n", "mine.cu");
  ASSERT_FALSE(wrong);
  EXPECT_NE(wrong.error().message.find("mine.cu:2: 'block 256'"), std::string::npos) << wrong.error().message;
}

TEST(LaunchComments, AreWrittenBeforeTheirKernel) {
  const std::string source =
      "#include <cstdio>\n\ntemplate <class T>\n__global__ void scan(const T* in, int n) {}\n";
  const std::string first = withLaunchComment(source, "scan<float>", "block = 64");
  EXPECT_EQ(first,
            "#include <cstdio>\n\n// warpscope scan<float>: block = 64\ntemplate <class T>\n"
            "__global__ void scan(const T* in, int n) {}\n");
  EXPECT_EQ(withLaunchComment(first, "scan<float>", "block = 128"),
            withLaunchComment(source, "scan<float>", "block = 128"));
}

constexpr const char* kPtx = R"(.version 7.0
.target sm_80
.address_size 64
.visible .entry _Z5saxpyjfPKfPf(.param .u32 _Z5saxpyjfPKfPf_param_0, .param .f32 _Z5saxpyjfPKfPf_param_1,
                               .param .u64 _Z5saxpyjfPKfPf_param_2, .param .u64 _Z5saxpyjfPKfPf_param_3)
{
  .reg .pred %p<2>; .reg .b32 %r<6>; .reg .b64 %rd<8>; .reg .f32 %f<5>;
  ld.param.u32 %r1, [_Z5saxpyjfPKfPf_param_0];
  ld.param.f32 %f1, [_Z5saxpyjfPKfPf_param_1];
  ld.param.u64 %rd1, [_Z5saxpyjfPKfPf_param_2];
  ld.param.u64 %rd2, [_Z5saxpyjfPKfPf_param_3];
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.s32 %r5, %r2, %r3, %r4;
  setp.ge.u32 %p1, %r5, %r1;
  @%p1 bra $end;
  cvta.to.global.u64 %rd3, %rd1;
  mul.wide.u32 %rd4, %r5, 4;
  add.s64 %rd5, %rd3, %rd4;
  ld.global.f32 %f2, [%rd5];
  cvta.to.global.u64 %rd6, %rd2;
  add.s64 %rd7, %rd6, %rd4;
  mul.f32 %f3, %f2, %f1;
  st.global.f32 [%rd7], %f3;
$end:
  ret;
}
)";
constexpr const char* kSource = R"(// saxpy(x, y) in a comment, "__global__" too
__global__ void saxpy(unsigned int n, float a,
                      const float* __restrict__ x /* in */, float *y) { }
)";

std::vector<KernelSignature> signatures(const char* source) {
  const auto module = ptx::parseModule(kPtx, "saxpy.ptx");
  EXPECT_TRUE(module) << (module ? "" : module.error().message);
  return kernelSignatures(*module, source);
}

TEST(Signatures, NameParametersAsTheSourceDoes) {
  const auto found = signatures(kSource);
  ASSERT_EQ(found.size(), 1U);
  const KernelSignature& saxpy = found.front();
  EXPECT_EQ(saxpy.name, "saxpy");
  EXPECT_EQ(saxpy.line, 2U);
  ASSERT_EQ(saxpy.parameters.size(), 4U);
  EXPECT_EQ(saxpy.parameters[0].name, "n");
  EXPECT_TRUE(saxpy.parameters[0].isInteger());
  EXPECT_EQ(saxpy.parameters[1].name, "a");
  EXPECT_FALSE(saxpy.parameters[1].isInteger());
  const KernelParameter &x = saxpy.parameters[2], &y = saxpy.parameters[3];
  EXPECT_EQ(x.name, "x");
  EXPECT_TRUE(x.is_pointer && x.is_read && !x.is_written);
  EXPECT_EQ(y.name, "y");
  EXPECT_TRUE(y.is_pointer && y.is_written && !y.is_read);
  EXPECT_EQ(y.value->element.name(), "f32");
}

TEST(Signatures, KnowWhatPointersAreWithoutASource) {
  std::string renamed = kPtx;
  for (size_t at = renamed.find("_Z5saxpyjfPKfPf"); at != std::string::npos;
       at = renamed.find("_Z5saxpyjfPKfPf")) {
    renamed.replace(at, 15, "kernel");
  }
  const auto module = ptx::parseModule(renamed, "kernel.ptx");
  ASSERT_TRUE(module);
  const auto found = kernelSignatures(*module, "");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].name, "kernel");
  EXPECT_EQ(found[0].parameters[2].name, "arg2");
  EXPECT_FALSE(found[0].parameters[0].is_pointer);
  EXPECT_TRUE(found[0].parameters[2].is_pointer && !found[0].parameters[2].is_written);
  EXPECT_TRUE(found[0].parameters[3].is_pointer && found[0].parameters[3].is_written);
  EXPECT_EQ(found[0].parameters[3].value->element.name(), "f32");
}

TEST(Signatures, KnowTypes) {
  EXPECT_EQ(valueTypeOf("unsigned char const*")->element.name(), "u8");
  EXPECT_EQ(valueTypeOf("std::size_t")->element.name(), "u64");
  EXPECT_EQ(valueTypeOf("const volatile long long * __restrict__")->element.name(), "s64");
  EXPECT_EQ(valueTypeOf("float4 const*")->components, 4U);
  EXPECT_FALSE(valueTypeOf("Body*"));
  const auto body = valueTypeOf("Body*", "struct Body { float x, y, z; float4 v[2]; };");
  ASSERT_TRUE(body);
  EXPECT_EQ(body->components, 11U);
}

LaunchRules rulesOf(const std::string& comments) {
  const auto all = signatures(kSource);
  const auto read = readLaunchComments(comments, "saxpy.cu");
  EXPECT_TRUE(read) << (read ? "" : read.error().message);
  auto rules = makeLaunchRules(all.front(), all, read.value(), "saxpy.cu");
  EXPECT_TRUE(rules) << (rules ? "" : rules.error().message);
  return rules ? *rules : LaunchRules{};
}

TEST(LaunchRules, AreGuessedWithoutComments) {
  const LaunchRules rules = rulesOf("");
  const auto launch = resolveLaunch(rules, {});
  ASSERT_TRUE(launch) << launch.error().message;
  EXPECT_EQ(launch->block, (Dim3{256, 1, 1}));
  EXPECT_EQ(launch->grid, (Dim3{(1 << 16) / 256, 1, 1}));
  EXPECT_EQ(launch->counts, (std::vector<uint64_t>{0, 0, 1 << 16, 1 << 16}));
  EXPECT_FALSE(rules.guesses.empty());
  const auto specs = launchParametersOf(rules);
  ASSERT_EQ(specs.size(), 2U);
  EXPECT_EQ(specs[0].name, "block");
  EXPECT_EQ(specs[0].role, ParameterRole::kBlock);
  EXPECT_EQ(specs[1].name, "n");
  EXPECT_EQ(specs[1].role, ParameterRole::kElements);
}

TEST(LaunchRules, FollowTheCommentsAndTheSliders) {
  const LaunchRules rules = rulesOf(
      "// warpscope: block = 128, n = 2^20 in 1..2^24, twice = 2 * n, grid = ceil(n / block)\n"
      "// warpscope saxpy: a = 2.5, x = random[n] in -1..1, y = zeros[twice], shared = 4 * block\n");
  const auto launch = resolveLaunch(rules, {{"block", 64}, {"n", 1000}});
  ASSERT_TRUE(launch) << launch.error().message;
  EXPECT_EQ(launch->block.x, 64U);
  EXPECT_EQ(launch->grid.x, 16U);
  EXPECT_EQ(launch->shared_bytes, 256U);
  EXPECT_EQ(launch->counts, (std::vector<uint64_t>{0, 0, 1000, 2000}));
  const auto& x = std::get<ArrayRule>(rules.arguments[2]);
  EXPECT_EQ(x.content.range, (InitialContent::Range{-1, 1}));
  float a = 0;
  std::memcpy(&a, std::get<ValueArgument>(rules.arguments[1]).bytes.data(), sizeof a);
  EXPECT_EQ(a, 2.5F);
  EXPECT_TRUE(rules.guesses.empty()) << rules.guesses.front();
  const auto specs = launchParametersOf(rules);
  ASSERT_EQ(specs.size(), 2U);  // `twice` follows from n
  EXPECT_EQ(specs[1].max, 1 << 24);
}

TEST(LaunchRules, AreWrittenAsTheyAreRead) {
  const std::string comment =
      "// warpscope: block = 128, n = 2^20, twice = 2 * n, grid = ceil(n / block), shared = 4 * block, a = "
      "2.5, "
      "x = random[n]:7 in -1..1, y = zeros[twice], tolerance = 0.001, unordered = y\n";
  const LaunchRules rules = rulesOf(comment);
  const auto all = signatures(kSource);
  const std::string written = formatLaunchRules(all.front(), rules, {});
  EXPECT_EQ("// warpscope: " + written + "\n", comment);
  EXPECT_NE(formatLaunchRules(all.front(), rules, {{"block", 64}}).find("block = 64"), std::string::npos);
}

TEST(LaunchRules, MayAskForClusters) {
  const std::string assignments = "block = 128, n = 2^20, grid = ceil(n / block), cluster = (n / 2^18, 2)";
  const LaunchRules rules = rulesOf("// warpscope: " + assignments + "\n");
  const auto launch = resolveLaunch(rules, {});
  ASSERT_TRUE(launch) << launch.error().message;
  EXPECT_EQ(launch->cluster, (Dim3{4, 2, 1}));
  const auto all = signatures(kSource);
  EXPECT_NE(formatLaunchRules(all.front(), rules, {}).find("cluster = (n / 2^18, 2)"), std::string::npos);
  EXPECT_FALSE(resolveLaunch(rules, {{"n", 1 << 24}})) << "64 blocks are too many";
  EXPECT_FALSE(resolveLaunch(rulesOf(""), {})->cluster.has_value());
}

TEST(LaunchRules, NameFileAndLineOfWhatIsWrong) {
  const auto all = signatures(kSource);
  const std::pair<const char*, const char*> cases[] = {
      {"block = 2000", "1 to 1024"},
      {"block = (64, 64)", "at most 1024"},
      {"grid = ceil(", "ends too early"},
      {"x = lots[n]", "an array is"},
      {"x = random", "its length is missing"},
      {"x = other.y[n]", "there is no kernel 'other'"},
      {"a = blue", "'blue' is not a number"},
      {"reference = naive", "no such kernel"},
      {"n = 5 in 9..1", "a range"},
      {"x = \"no such file\"", "no such file"},
      {"expected.q = \"f\"", "expected.PARAMETER"},
      {"unordered = (y, q)", "writes no array 'q'"},
      {"blocksize = zeros[2]", "no parameter 'blocksize'"},
  };
  for (const auto& [assignment, why] : cases) {
    const auto read = readLaunchComments(std::string("\n// warpscope: ") + assignment, "saxpy.cu");
    ASSERT_TRUE(read) << assignment;
    const auto rules = makeLaunchRules(all.front(), all, *read, "saxpy.cu");
    ASSERT_FALSE(rules) << assignment;
    EXPECT_TRUE(rules.error().message.starts_with("saxpy.cu:2: ")) << rules.error().message;
    EXPECT_NE(rules.error().message.find(why), std::string::npos) << rules.error().message;
  }
}

TEST(LaunchRules, NamePlacesWhereNoValueIsPossible) {
  const LaunchRules rules = rulesOf(
      "\n// warpscope: block = 32, n = 64, grid = ceil(n / block) - 1\n// warpscope: x = random[n - 32]\n");
  ASSERT_TRUE(resolveLaunch(rules, {}));
  const auto no_grid = resolveLaunch(rules, {{"n", 32}}),
             no_array = resolveLaunch(rules, {{"block", 8}, {"n", 16}});
  ASSERT_FALSE(no_grid || no_array);
  EXPECT_TRUE(no_grid.error().message.starts_with("saxpy.cu:2: the grid: ")) << no_grid.error().message;
  EXPECT_TRUE(no_array.error().message.starts_with("saxpy.cu:3: the length of x: "))
      << no_array.error().message;
}

template <class T>
std::span<const std::byte> bytes(const std::vector<T>& values) {
  return std::as_bytes(std::span(values));
}

TEST(CompareOutputs, AllowsFloatsToDifferALittleAndIntegersNot) {
  const ElementType f32{ElementType::Kind::kFloat, 4}, s32{ElementType::Kind::kSigned, 4};
  const std::vector<float> one{1, 2, 3}, near{1, 2.00001F, 3}, far{1, 2, 4};
  const std::vector<int> whole{1, 2, 3}, other{1, 2, 4};
  const auto compare = [&](ElementType type, auto got, auto expected, double tolerance) {
    const ComparedOutput output{"y", type, got, expected};
    return compareOutputs({&output, 1}, "the reference", tolerance);
  };
  EXPECT_TRUE(compare(f32, bytes(one), bytes(one), 0).passed);
  EXPECT_FALSE(compare(f32, bytes(near), bytes(one), 0).passed);
  EXPECT_TRUE(compare(f32, bytes(near), bytes(one), 1e-4).passed);
  const Verification wrong = compare(f32, bytes(far), bytes(one), 1e-4);
  EXPECT_FALSE(wrong.passed);
  EXPECT_EQ(wrong.mismatches, 1U);
  EXPECT_TRUE(wrong.detail.starts_with("y[2] = 4, expected 3")) << wrong.detail;
  EXPECT_FALSE(compare(s32, bytes(other), bytes(whole), 1).passed);
  const Verification nothing = compareOutputs({}, "the reference", 0);
  EXPECT_TRUE(nothing.unchecked && !nothing.passed && !nothing.failed());
}

TEST(CompareOutputs, TakesUnorderedElementsAsASet) {
  const ElementType s32{ElementType::Kind::kSigned, 4}, f32{ElementType::Kind::kFloat, 4};
  const auto compare = [](ElementType type, auto got, auto expected) {
    const ComparedOutput output{"list", type, got, expected, true};
    return compareOutputs({&output, 1}, "the reference", type.kind == ElementType::Kind::kFloat ? 1e-4 : 0);
  };
  const std::vector<int> one{5, -3, 9, 9}, same{9, 5, 9, -3}, other{9, 5, 5, -3};
  EXPECT_TRUE(compare(s32, bytes(one), bytes(same)).passed);
  EXPECT_FALSE(compare(s32, bytes(one), bytes(other)).passed);
  const std::vector<float> floats{0.5F, NAN, -1}, near{NAN, -1, 0.50001F}, far{NAN, -1, 0.6F};
  EXPECT_TRUE(compare(f32, bytes(floats), bytes(near)).passed);
  EXPECT_FALSE(compare(f32, bytes(floats), bytes(far)).passed);
}

// What makes results depend on the order of warps, in a kernel of this body.
std::string orderOf(const std::string& body) {
  const auto module = ptx::parseModule(
      ".version 7.8\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 p) {\n"
      "  .reg .b32 %r<9>; .reg .f32 %f<9>; .reg .b64 %rd<9>;\n  ld.param.u64 %rd1, [p];\n" +
          body + "\n  ret;\n}\n",
      "order.ptx");
  EXPECT_TRUE(module) << (module ? "" : module.error().message);
  return module ? kernelSignatures(*module, "").front().order_dependence : "";
}

TEST(Signatures, KnowWhatMakesResultsDependOnTheOrderOfWarps) {
  EXPECT_EQ(orderOf("atom.global.add.u32 %r1, [%rd1], 1;"), "") << "nothing uses the old value";
  EXPECT_EQ(orderOf("red.global.add.u32 [%rd1], 1;"), "");
  EXPECT_EQ(orderOf("atom.shared.add.u32 %r1, [%rd1], 1; st.global.u32 [%rd1], %r1;"), "");
  EXPECT_NE(orderOf("atom.global.add.u32 %r1, [%rd1], 1; st.global.u32 [%rd1], %r1;"), "");
  EXPECT_NE(orderOf("red.global.add.f32 [%rd1], 0f3F800000;"), "");
  EXPECT_NE(orderOf("mov.u32 %r1, %smid; st.global.u32 [%rd1], %r1;"), "");
  EXPECT_EQ(orderOf("mov.u32 %r1, %tid.x; st.global.u32 [%rd1], %r1;"), "");
}

}  // namespace
}  // namespace warpscope
