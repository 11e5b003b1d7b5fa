// Textures and surfaces among the arguments of a user's own kernels: what their instructions show, what
// launch comments say of them, what is guessed. No compiler is needed: the kernel is given as PTX with its
// source.
#include <gtest/gtest.h>

#include <algorithm>

#include "kernels/program/launch_rules.h"
#include "kernels/sim/ptx/parser.h"

namespace warpscope {
namespace {

constexpr const char* kPtx = R"(.version 7.0
.target sm_80
.address_size 64
.visible .entry turn(.param .u64 turn_param_0, .param .u64 turn_param_1, .param .u64 turn_param_2,
                     .param .u32 turn_param_3, .param .u32 turn_param_4)
{
  .reg .b32 %r<9>; .reg .b64 %rd<4>; .reg .f32 %f<9>;
  ld.param.u64 %rd1, [turn_param_0];
  ld.param.u64 %rd2, [turn_param_1];
  ld.param.u64 %rd3, [turn_param_2];
  ld.param.u32 %r5, [turn_param_3];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %tid.y;
  cvt.rn.f32.u32 %f5, %r1;
  cvt.rn.f32.u32 %f6, %r2;
  tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f5, %f6}];
  tex.1d.v4.s32.s32 {%r5, %r6, %r7, %r8}, [%rd2, {%r1}];
  sust.b.2d.v2.b32.trap [%rd3, {%r1, %r2}], {%r5, %r6};
  ret;
}
)";
constexpr const char* kSource =
    "__global__ void turn(cudaTextureObject_t image, cudaTextureObject_t table,\n"
    "                     cudaSurfaceObject_t turned, int height, int width) {}\n";

std::vector<KernelSignature> signatures() {
  const auto module = ptx::parseModule(kPtx, "turn.ptx");
  EXPECT_TRUE(module) << (module ? "" : module.error().message);
  return module ? kernelSignatures(*module, kSource) : std::vector<KernelSignature>{};
}

Expected<LaunchRules> rulesOf(const std::string& comments) {
  const auto all = signatures();
  const auto read = readLaunchComments(comments, "turn.cu");
  if (!read) return tl::unexpected(read.error());
  return makeLaunchRules(all.front(), all, *read, "turn.cu");
}

TEST(ImageSignatures, FollowFromInstructions) {
  const auto all = signatures();
  ASSERT_EQ(all.size(), 1U);
  const auto& parameters = all.front().parameters;
  ASSERT_TRUE(parameters[0].image && parameters[1].image && parameters[2].image && !parameters[3].image);
  EXPECT_FALSE(parameters[0].image->is_surface || parameters[0].image->by_index || parameters[0].is_written);
  EXPECT_EQ(parameters[0].image->dimensions, 2U);
  EXPECT_TRUE(parameters[1].image->by_index);
  EXPECT_EQ(parameters[1].value->element.name(), "s32");
  EXPECT_TRUE(parameters[2].image->is_surface && parameters[2].is_written && !parameters[2].is_read);
  EXPECT_EQ(parameters[2].image->channels, 2U);
}

TEST(ImageRules, FollowTheComments) {
  const auto rules = rulesOf(
      "// warpscope: width = 64, height = 32, image = texture2d(u8x4 random[width, 2 * height]:3 in 0..99, "
      "as_float, "
      "linear, wrap)\n"
      "// warpscope: table = buffer(iota[width]), turned = surface2d(f32x2 zeros[width, height])\n");
  ASSERT_TRUE(rules) << rules.error().message;
  const auto launch = resolveLaunch(*rules, {{"height", 10}});
  ASSERT_TRUE(launch) << launch.error().message;
  EXPECT_EQ(launch->counts, (std::vector<uint64_t>{64 * 20 * 4, 64, 64 * 10 * 2, 0, 0}));
  const ImageDescription& image = launch->images[0].value();
  EXPECT_EQ(describeImage(image), "texture2d 64x20 of u8x4");
  EXPECT_TRUE(image.linear_filter && image.normalized_float && !image.normalized_coordinates);
  EXPECT_EQ(image.address[1], AddressMode::kWrap);
  EXPECT_TRUE(launch->images[1]->linear_memory);
  EXPECT_EQ(describeImage(*launch->images[2]), "surface2d 64x10 of f32x2");
  EXPECT_FALSE(launch->images[3]);
  const auto& array = std::get<ArrayRule>(rules->arguments[0]);
  EXPECT_EQ(array.content.range, (InitialContent::Range{0, 99}));
  EXPECT_EQ(array.content.seed, 3U);
}

TEST(ImageRules, AreWrittenAsTheyAreRead) {
  const std::string text =
      "block = (16, 16), height = 32, width = 64, grid = (ceil(width / block.x), ceil(height / block.y)), "
      "image = texture2d(u8x4 random[width, height]:3 in 0..99, linear, wrap, normalized, as_float), "
      "table = buffer(s32 iota[width]), turned = surface2d(f32x2 zeros[width, height])";
  const auto rules = rulesOf("// warpscope: " + text + "\n");
  ASSERT_TRUE(rules) << rules.error().message;
  EXPECT_TRUE(rules->guesses.empty()) << rules->guesses.front();
  EXPECT_EQ(formatLaunchRules(signatures().front(), *rules, {}), text);
}

TEST(ImageRules, AreGuessedFromSizesAndInstructions) {
  const auto rules = rulesOf("");
  ASSERT_TRUE(rules) << rules.error().message;
  const auto launch = resolveLaunch(*rules, {{"width", 80}, {"height", 48}});
  ASSERT_TRUE(launch) << launch.error().message;
  EXPECT_EQ(describeImage(launch->images[0].value()), "texture2d 80x48 of f32");
  EXPECT_EQ(describeImage(launch->images[1].value()), "texture1d 3840 of s32");
  EXPECT_TRUE(launch->images[1]->linear_memory);
  EXPECT_EQ(describeImage(launch->images[2].value()), "surface2d 80x48 of f32x2");
  EXPECT_NE(std::ranges::find(rules->guesses, "turned = surface2d(f32x2 zeros[width, height])"),
            rules->guesses.end());
}

TEST(ImageRules, NameFileAndLineOfWhatIsWrong) {
  const std::pair<const char*, const char*> cases[] = {
      {"image = random[64]", "takes a texture here: write texture2d(f32 random[width, height])"},
      {"turned = random[64]", "takes a surface here: write surface2d("},
      {"image = surface2d(zeros[8, 8])", "uses it as a texture of 2 dimensions: write texture2d("},
      {"image = texture3d(zeros[8, 8, 8])", "uses it as a texture of 2 dimensions"},
      {"image = texture2d(zeros[8])", "2 sides in [] are expected, not 1"},
      {"image = texture2d()", "its texels are written as"},
      {"image = texture2d(zeros)", "its texels are written as"},
      {"image = texture2d(lots[8, 8])", "an array is"},
      {"image = texture2d(f33 zeros[8, 8])", "f33"},
      {"image = texture2d(f64 zeros[8, 8])", "1, 2 or 4 channels"},
      {"image = texture2d(f32x3 zeros[8, 8])", "1, 2 or 4 channels"},
      {"image = texture2d(f32x zeros[8, 8])", "f32x"},
      {"image = texture2d(zeros[8, 8], blurred)", "'blurred' is no option of a texture"},
      {"image = texture2d(u8 zeros[8, 8], linear)", "linear filtering needs floats"},
      {"turned = surface2d(f32x2 zeros[8, 8], linear)", "a surface has neither filter"},
      {"image = texture2d(zeros[8, height +])", "ends too early"},
  };
  for (const auto& [assignment, why] : cases) {
    const auto rules = rulesOf(std::string("\n// warpscope: ") + assignment);
    ASSERT_FALSE(rules) << assignment;
    EXPECT_TRUE(rules.error().message.starts_with("turn.cu:2: ")) << rules.error().message;
    EXPECT_NE(rules.error().message.find(why), std::string::npos) << rules.error().message;
  }
}

TEST(ImageRules, NamePlacesWhereNoValueIsPossible) {
  const auto rules =
      rulesOf("\n// warpscope: width = 64, image = texture2d(zeros[width - 32, 200000 - width])\n");
  ASSERT_TRUE(rules) << rules.error().message;
  for (const int64_t width : {32, 64}) {
    const auto launch = resolveLaunch(*rules, {{"width", width}});
    ASSERT_FALSE(launch) << width;
    EXPECT_TRUE(launch.error().message.starts_with("turn.cu:2: ")) << launch.error().message;
    EXPECT_NE(launch.error().message.find("image: "), std::string::npos) << launch.error().message;
  }
}

}  // namespace
}  // namespace warpscope
