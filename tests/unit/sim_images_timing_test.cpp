// Textures and surfaces in the timing model: what the texture units read of them.
#include <gtest/gtest.h>

#include <set>

#include "kernels/sim/sm/texel_tiles.h"
#include "tests/support/timed_launch.h"

namespace warpscope::sim {
namespace {

ImageDescription imageOf(uint32_t width, uint32_t height, uint32_t depth = 1) {
  ImageDescription image;
  image.width = width;
  image.height = height;
  image.depth = depth;
  image.dimensions = depth > 1 ? 3 : 2;
  return image;
}

// The number of different blocks of so many bytes in which the texels of a rectangle lie.
size_t blocksOf(const ImageDescription& image, uint32_t width, uint32_t height, uint64_t bytes) {
  std::set<uint64_t> blocks;
  for (uint64_t y = 0; y < height; ++y) {
    for (uint64_t x = 0; x < width; ++x)
      blocks.insert(placeOf(image, (y * image.width + x) * image.texel.bytes()).offset / bytes);
  }
  return blocks.size();
}

TEST(TexelTiles, HoldRectangles) {
  const ImageDescription image = imageOf(100, 30);
  EXPECT_EQ(blocksOf(image, 4, 2, 32), 1U) << "a sector: 16 bytes of two rows";
  EXPECT_EQ(blocksOf(image, 4, 3, 32), 2U);
  EXPECT_EQ(blocksOf(image, 8, 4, 128), 1U) << "a line: 32 bytes of four rows";
  EXPECT_EQ(blocksOf(image, 16, 8, 512), 1U) << "a tile";
  EXPECT_EQ(blocksOf(image, 17, 9, 512), 4U);
  EXPECT_EQ(tiledBytes(image), 7U * 4 * 512);
  EXPECT_EQ(blocksOf(image, 100, 30, 4), 3000U) << "each texel has a place of its own";
}

TEST(TexelTiles, AreNotOfLinearMemory) {
  ImageDescription image = imageOf(100, 1);
  image.dimensions = 1;
  EXPECT_EQ(tiledBytes(image), 7U * 512) << "an array of one row has tiles, too";
  image.linear_memory = true;
  EXPECT_EQ(tiledBytes(image), 400U);
  EXPECT_EQ(placeOf(image, 396).offset, 396U);
}

TEST(TexelTiles, SliceFollowsSlice) {
  const ImageDescription image = imageOf(16, 8, 3);
  EXPECT_EQ(placeOf(image, uint64_t{2} * 16 * 8 * 4).offset, 2U * 512);
  EXPECT_NE(placeOf(image, 0).column, placeOf(image, uint64_t{16} * 8 * 4).column);
}

constexpr const char* kRegisters = ".reg .f32 %f<8>; .reg .b32 %t<8>; .reg .b64 %h;\n";

// Texels of a row by the lanes of a warp, or of a column.
std::string fetchAt(const std::string& x, const std::string& y) {
  return "ld.param.u64 %h, [p]; and.b32 %t1, %r1, 31; mov.u32 %t2, 0;\n"
         "cvt.rn.f32.u32 %f1, " +
         x + "; cvt.rn.f32.u32 %f2, " + y +
         ";\n"
         "add.f32 %f1, %f1, 0f3F000000; add.f32 %f2, %f2, 0f3F000000;\n"
         "tex.2d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [%h, {%f1, %f2}];\n";
}

double counted(TimedLaunch& launch, const std::string& what) {
  const TimedResult result = launch.run();
  const auto found = result.counters.find("l1tex__t_" + what + ".sum");
  return found == result.counters.end() ? -1 : found->second;
}

// A quad of lanes is a request: four words of a row are a sector, of a column two. (The same on an H200.)
TEST(ImageTiming, QuadsReadSectors) {
  TimedLaunch row(fetchAt("%t1", "%t2"), 1, 32, kRegisters), column(fetchAt("%t2", "%t1"), 1, 32, kRegisters);
  row.passImage(imageOf(64, 64));
  column.passImage(imageOf(64, 64));
  EXPECT_EQ(counted(row, "requests_pipe_tex_mem_texture"), 8);
  EXPECT_EQ(counted(row, "sectors_pipe_tex_mem_texture"), 8);
  EXPECT_EQ(counted(column, "sectors_pipe_tex_mem_texture"), 16);
  EXPECT_EQ(counted(row, "sectors_pipe_lsu_mem_global_op_ld"), 0) << "they are no loads";
}

// The texels between the centres of two rows: those of both.
TEST(ImageTiming, BlendedTexelsAreRead) {
  ImageDescription image = imageOf(64, 64);
  image.linear_filter = true;
  TimedLaunch centres(fetchAt("%t1", "%t2"), 1, 32, kRegisters);
  centres.passImage(image);
  EXPECT_EQ(counted(centres, "sectors_pipe_tex_mem_texture"), 8) << "those without weight are not";
  const std::string between =
      "add.f32 %f2, %f2, 0f3FC00000; "  // between the rows 1 and 2
      "tex.2d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [%h, {%f1, %f2}];\n";
  TimedLaunch rows(fetchAt("%t1", "%t2") + between, 1, 32, kRegisters);
  rows.passImage(image);
  EXPECT_EQ(counted(rows, "sectors_pipe_tex_mem_texture"), 8 + 16);
}

TEST(ImageTiming, TheBorderIsLookedUpWhereItsNearestTexelIs) {
  ImageDescription image = imageOf(8, 8);
  image.address = {AddressMode::kBorder, AddressMode::kBorder, AddressMode::kBorder};
  TimedLaunch launch(fetchAt("%t1", "%t2"), 1, 32, kRegisters);  // three quarters are outside
  launch.passImage(image);
  EXPECT_EQ(counted(launch, "sectors_pipe_tex_mem_texture"), 8);
}

TEST(ImageTiming, SurfacesAreReadByEightLanesAndWritten) {
  ImageDescription image = imageOf(64, 64);
  image.use = ImageDescription::Use::kSurface;
  TimedLaunch launch(
      "ld.param.u64 %h, [p]; and.b32 %t1, %r1, 31; shl.b32 %t2, %t1, 2; mov.u32 %t3, 5;\n"
      "suld.b.2d.b32.trap {%t4}, [%h, {%t2, %t3}];\n"
      "add.u32 %t4, %t4, 1; sust.b.2d.b32.trap [%h, {%t2, %t3}], {%t4};\n",
      1, 32, kRegisters);
  launch.passImage(image);
  const TimedResult result = launch.run();
  const auto count = [&](const std::string& what) { return result.counters.at("l1tex__t_" + what + ".sum"); };
  EXPECT_EQ(count("requests_pipe_tex_mem_surface_op_ld"), 4);
  EXPECT_EQ(count("sectors_pipe_tex_mem_surface_op_ld"), 8);
  EXPECT_EQ(count("requests_pipe_tex_mem_surface_op_st"), 4);
  EXPECT_EQ(count("sectors_pipe_tex_mem_surface_op_st"), 8);
  EXPECT_EQ(launch.word(5 * 64 + 31), 1U);
}

// Rows of eight texels' distance lie in one place of lines that are read one after another.
TEST(ImageTiming, LinesThatMeetTakeTurns) {
  const auto cycles = [](const char* y) {
    std::string fetches = fetchAt("%t2", "%t3");
    fetches.insert(fetches.find("cvt"), y);
    for (int i = 0; i < 16; ++i)
      fetches += "add.f32 %f1, %f1, 0f00000000; tex.2d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [%h, {%f1, %f2}];\n";
    TimedLaunch launch(fetches, 4, 1024, kRegisters);
    launch.passImage(imageOf(4, 256));
    return launch.run().counters.at("sm__cycles_elapsed.max");
  };
  EXPECT_GT(cycles("shl.b32 %t3, %t1, 3; "), 2 * cycles("shr.u32 %t3, %t1, 2; "));
}

TEST(ImageTiming, FullTextureUnitsThrottle) {
  std::string fetches = fetchAt("%t1", "%t2");
  for (int i = 0; i < 16; ++i) fetches += "tex.2d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [%h, {%f1, %f2}];\n";
  TimedLaunch launch(fetches, 4, 1024, kRegisters);
  launch.passImage(imageOf(64, 64));
  const TimedResult result = launch.run();
  EXPECT_GT(cyclesIn(WarpState::kTexThrottle, result), 100);
  EXPECT_EQ(cyclesIn(WarpState::kLgThrottle, result), 0);
}

}  // namespace
}  // namespace warpscope::sim
