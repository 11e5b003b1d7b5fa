// Textures and surfaces on the device that this test is built for, compared with the programming guide's
// formulas (image_reference.h): on the simulated GPU this shows whether it does what the guide says, on a
// real one whether both are right. All that differs is printed.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <iostream>
#include <map>
#include <optional>
#include <set>

#include "kernels/device/device.h"
#include "kernels/sim/ptx/opcode_table.h"
#include "kernels/sim/ptx/parser.h"
#include "kernels/sim/simt/code.h"
#include "tests/differential/image_reference.h"
#include "tests/differential/ptxas.h"

namespace warpscope::test {
namespace {

constexpr bool isSimulated() {
  return std::string_view(WARPSCOPE_TEST_DEVICE).starts_with("sim:");
}
// Of values from -1 to 1. The guide documents only the weights' precision, not that of the sums: what an H100
// does is tested bit for bit in tests/golden/texture_filters_test.cpp.
constexpr double kFilterTolerance = 1.0 / 128;
constexpr double kConversionTolerance = isSimulated() ? 1e-6 : kFilterTolerance;

class DeviceImages : public ::testing::Test {
 protected:
  void SetUp() override {
    auto opened = openBackend(WARPSCOPE_TEST_DEVICE);
    if (!opened) GTEST_SKIP() << "no " WARPSCOPE_TEST_DEVICE ": " << opened.error().message;
    opened_.emplace(std::move(*opened));
  }
  Backend& backend() { return opened_->any(); }

  // Returns how many points differ; `worst` becomes the largest difference of a filtered value.
  size_t compareFetches(const ImageCase& which, const std::vector<std::byte>& texels,
                        const std::vector<ImageRecord>& points, const std::vector<ImageRecord>& found,
                        double& worst, size_t& at_edges) {
    size_t differing = 0;
    const bool by_index = which.coordinates == "s32";
    for (size_t i = 0; i < points.size(); ++i) {
      const auto point = pointOf(which, points[i]);
      const auto expected = referenceFetch(which.image, texels, point, by_index, which.has_level);
      for (uint32_t c = 0; c < which.image.texel.channels; ++c) {
        const uint32_t bits = found[i][c];
        const double value = which.result == "f32"   ? double{std::bit_cast<float>(bits)}
                             : which.result == "s32" ? static_cast<double>(static_cast<int32_t>(bits))
                                                     : static_cast<double>(bits);
        const double difference = std::abs(value - expected[c]);
        const bool rounded = which.image.linear_filter || which.image.normalized_float;
        if (rounded && difference <= (which.image.linear_filter ? kFilterTolerance : kConversionTolerance)) {
          worst = std::max(worst, difference);
          continue;
        }
        if (difference == 0) continue;
        if (!isSimulated() && !by_index && !which.image.linear_filter && isAtEdge(which.image, point)) {
          ++at_edges;
          break;
        }
        if (++differing <= 3) {
          std::cout << fmt::format("{}: at ({}, {}, {}), channel {}: {}, must be {}\n", which.label(),
                                   point[0], point[1], point[2], c, value, expected[c]);
        }
        break;
      }
    }
    return differing;
  }

 private:
  std::optional<OpenedBackend> opened_;
};

TEST_F(DeviceImages, FetchesGiveWhatTheGuideSays) {
  size_t differing = 0, fetches = 0, at_edges = 0;
  double worst = 0;
  const std::vector<ImageCase> cases = imageCases();
  for (const ImageCase& which : cases) {
    std::vector<std::byte> texels = randomTexels(which.image);
    const std::vector<ImageRecord> points = fetchPoints(which);
    const ImageKernel kernel =
        fetchKernel(which.image.dimensions, which.coordinates, which.result, which.has_level);
    const auto found = runImageKernel(backend(), kernel.name, which.image, texels, points);
    ASSERT_TRUE(found.has_value()) << which.label() << ": " << found.error().message;
    fetches += points.size();
    differing += compareFetches(which, texels, points, *found, worst, at_edges) > 0 ? 1 : 0;
  }
  std::cout << fmt::format(
      "{} images, {} fetches compared with {}: {} images differ; largest difference of a converted or "
      "filtered "
      "value: {:.3g}; {} fetches at edges of texels took a neighbour\n",
      cases.size(), fetches, backend().description().name, differing, worst, at_edges);
  EXPECT_EQ(differing, 0U);
}

TEST_F(DeviceImages, MissingChannelsAreZeros) {
  ImageDescription image;
  image.texel.channels = 2;
  std::vector<std::byte> texels = randomTexels(image);
  const std::vector<ImageRecord> points(1);
  const auto found = runImageKernel(backend(), fetchKernel(2, "f32", "f32").name, image, texels, points);
  ASSERT_TRUE(found.has_value()) << found.error().message;
  EXPECT_EQ((*found)[0][2], 0U);
  EXPECT_EQ((*found)[0][3], 0U);
}

// What a load or store of `bytes` at the record's place moves; nullopt: it is outside.
std::optional<size_t> placeIn(const ImageDescription& image, const ImageRecord& at, uint32_t bytes,
                              bool clamp) {
  const int64_t row = int64_t{image.width} * image.texel.bytes();
  const std::array<int64_t, 3> most{row - bytes, int64_t{image.height} - 1, int64_t{image.depth} - 1};
  std::array<int64_t, 3> place{};
  for (size_t axis = 0; axis < image.dimensions; ++axis) {
    place[axis] = static_cast<int32_t>(at[axis]);
    if (clamp) place[axis] = std::min(std::max<int64_t>(place[axis], 0), most[axis]);
    if (place[axis] < 0 || place[axis] > most[axis]) return std::nullopt;
  }
  return static_cast<size_t>((place[2] * image.height + place[1]) * row + place[0]);
}

// The surface that is accessed with elements of so many bytes, and places in and around it: no two in it are
// the same, so that stores do not collide.
ImageDescription surfaceFor(uint32_t dimensions, uint32_t bytes) {
  ImageDescription image;
  image.use = ImageDescription::Use::kSurface;
  image.dimensions = dimensions;
  image.width = 16;
  image.height = dimensions > 1 ? 6 : 1;
  image.depth = dimensions > 2 ? 4 : 1;
  image.texel = {TexelFormat::Kind::kUnsigned, std::min(bytes, 4U), std::max(bytes / 4, 1U)};
  return image;
}

std::vector<ImageRecord> surfacePlaces(const ImageDescription& image, uint32_t bytes, int outside) {
  std::vector<ImageRecord> places;
  const auto range = [&](uint32_t size, bool exists) {
    return std::pair(exists ? -outside : 0, exists ? static_cast<int>(size) + outside : 1);
  };
  const auto [z0, z1] = range(image.depth, image.dimensions > 2);
  const auto [y0, y1] = range(image.height, image.dimensions > 1);
  const auto [x0, x1] = range(image.width, true);
  for (int z = z0; z < z1; ++z) {
    for (int y = y0; y < y1; ++y) {
      for (int x = x0; x < x1; ++x) {
        places.push_back({static_cast<uint32_t>(x * static_cast<int>(bytes)), static_cast<uint32_t>(y),
                          static_cast<uint32_t>(z), 0});
      }
    }
  }
  return places;
}

uint32_t wordAt(const std::vector<std::byte>& bytes, size_t at, uint32_t element_bytes) {
  uint32_t word = 0;
  std::memcpy(&word, &bytes[at], std::min(element_bytes, 4U));
  return word;
}

TEST_F(DeviceImages, SurfacesAreReadAndWrittenByteForByte) {
  size_t kernels = 0;
  for (uint32_t dimensions = 1; dimensions <= 3; ++dimensions) {
    for (const uint32_t bits : {8U, 16U, 32U, 64U}) {
      for (uint32_t count = 1; count <= 4 && count * bits <= 128; count *= 2) {
        for (const std::string bounds : {"trap", "clamp", "zero"}) {
          const uint32_t element = bits / 8, bytes = element * count;
          const uint32_t word_bytes = std::min(element, 4U), words = bytes / word_bytes;
          const ImageDescription image = surfaceFor(dimensions, bytes);
          const auto places = surfacePlaces(image, bytes, bounds == "trap" ? 0 : 2);
          const bool clamp = bounds == "clamp";
          std::vector<std::byte> texels = randomTexels(image);
          const auto load = surfaceLoadKernel(dimensions, bits, count, bounds);
          const auto found = runImageKernel(backend(), load.name, image, texels, places);
          ASSERT_TRUE(found.has_value()) << load.name << ": " << found.error().message;
          for (size_t i = 0; i < places.size(); ++i) {
            const auto at = placeIn(image, places[i], bytes, clamp);
            for (uint32_t w = 0; w < words; ++w) {
              ASSERT_EQ((*found)[i][w], at ? wordAt(texels, *at + size_t{w} * word_bytes, element) : 0U)
                  << load.name << " word " << w << " at " << static_cast<int>(places[i][0]) << ","
                  << static_cast<int>(places[i][1]) << "," << static_cast<int>(places[i][2]);
            }
          }
          // Several threads would write one place where it is clamped, so only what lies within is stored.
          const auto inside = surfacePlaces(image, bytes, bounds == "zero" ? 2 : 0);
          std::vector<std::byte> expected = texels;
          for (const ImageRecord& place : inside) {
            const auto at = placeIn(image, place, bytes, false);
            for (uint32_t w = 0; at && w < words; ++w) {
              const uint32_t word = storedWord(place, w);
              std::memcpy(&expected[*at + size_t{w} * word_bytes], &word, word_bytes);
            }
          }
          const auto store = surfaceStoreKernel(dimensions, bits, count, bounds);
          const auto stored = runImageKernel(backend(), store.name, image, texels, inside);
          ASSERT_TRUE(stored.has_value()) << store.name << ": " << stored.error().message;
          EXPECT_TRUE(texels == expected) << store.name;
          kernels += 2;
        }
      }
    }
  }
  std::cout << kernels << " surface instructions compared with " << backend().description().name << "\n";
}

TEST_F(DeviceImages, QueriesGiveTheSides) {
  for (const bool surface : {false, true}) {
    ImageDescription image = surfaceFor(3, 4);
    if (!surface) image.use = ImageDescription::Use::kTexture;
    for (const auto& [property, value] : std::map<std::string, uint32_t>{
             {"width", image.width}, {"height", image.height}, {"depth", image.depth}}) {
      std::vector<std::byte> texels = randomTexels(image);
      const std::vector<ImageRecord> one(1);
      const auto kernel = queryKernel(fmt::format("{}.{}.b32", surface ? "suq" : "txq", property));
      const auto found = runImageKernel(backend(), kernel.name, image, texels, one);
      ASSERT_TRUE(found.has_value()) << kernel.name << ": " << found.error().message;
      EXPECT_EQ((*found)[0][0], value) << kernel.name;
    }
  }
}

#ifdef WARPSCOPE_TEST_IMAGE_MISTAKES
std::string messageOf(Backend& backend, const ImageKernel& kernel, const ImageDescription& image,
                      const ImageRecord& at) {
  std::vector<std::byte> texels(image.bytes());
  const std::vector<ImageRecord> one{at};
  const auto found = runImageKernel(backend, kernel.name, image, texels, one);
  return found ? "" : found.error().message;
}

TEST_F(DeviceImages, MistakesAreNamed) {
  const ImageDescription surface = surfaceFor(2, 4);
  const auto contains = [](const std::string& message, const std::string& text) {
    EXPECT_NE(message.find(text), std::string::npos) << message;
  };
  const auto load = surfaceLoadKernel(2, 32, 1, "trap");
  contains(
      messageOf(backend(), load, surface, {64, 0, 0, 0}),
      "outside of the surface: 4 bytes at x = 64 bytes, y = 0 of surface2d 16x6 of u32, whose rows have 64 "
      "bytes");
  contains(messageOf(backend(), load, surface, {0, 6, 0, 0}), "outside of the surface");
  contains(messageOf(backend(), load, surface, {2, 0, 0, 0}), "misaligned: 4 bytes at x = 2 bytes");
  contains(messageOf(backend(), fetchKernel(2, "f32", "f32"), surface, {}), "needs a texture object");
  ImageDescription texture;
  contains(messageOf(backend(), load, texture, {}), "needs a surface object");
  contains(messageOf(backend(), fetchKernel(1, "f32", "f32"), texture, {}),
           "the instruction is for 1 dimension");
  texture.dimensions = 1;
  texture.linear_memory = true;
  contains(messageOf(backend(), fetchKernel(1, "f32", "f32"), texture, {}), "tex1Dfetch");
  texture.linear_filter = true;
  contains(messageOf(backend(), fetchKernel(1, "f32", "f32"), texture, {}),
           "linear memory has one dimension");
  EXPECT_FALSE(backend().createImage(surface, 0x123).has_value());
}

TEST(ImageKernels, AreWhatPtxasAccepts) {
  if (!hasPtxas()) GTEST_SKIP() << kPtxas << " is not there: the PTX is not checked by it";
  EXPECT_EQ(ptxasErrors(imageModule()), "");
}

TEST(ImageKernels, HaveEveryEntryOfTheOpcodeTable) {
  const auto module = ptx::parseModule(imageModule(), "images.ptx");
  ASSERT_TRUE(module.has_value()) << module.error().message;
  std::set<const ptx::OpcodeEntry*> seen;
  for (const ptx::Function& function : module->functions) {
    for (const ptx::Instruction& instruction : function.instructions) seen.insert(instruction.entry);
  }
  for (const ptx::OpcodeEntry& entry : ptx::opcodeTable()) {
    if (!sim::accessesImage(entry.op)) continue;
    EXPECT_TRUE(seen.contains(&entry)) << ptx::formatEntry(entry);
  }
}
#endif

}  // namespace
}  // namespace warpscope::test
