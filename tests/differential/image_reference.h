// Texture fetches as the "CUDA C++ Programming Guide" writes them in "Texture Fetching", axis by axis, and
// the images to try them with. Written without the simulator's code.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "kernels/core/image.h"
#include "tests/differential/image_kernels.h"

namespace warpscope::test {

// The channels of the fetch at such coordinates, as numbers.
std::array<double, 4> referenceFetch(const ImageDescription& image, const std::vector<std::byte>& texels,
                                     const std::array<double, 3>& point, bool by_index, bool has_level);
// Whether a fetch of the nearest texel may as well take a neighbour: the point is on the edge of a texel, but
// for what is lost where the coordinate is multiplied.
bool isAtEdge(const ImageDescription& image, const std::array<double, 3>& point);

struct ImageCase {
  ImageDescription image;
  std::string coordinates, result;  // of the fetch: "f32", "s32", "u32"
  bool has_level = false;           // tex.level
  std::string label() const;
};
// Every filter, address mode, kind of coordinates and conversion, for each number of dimensions.
std::vector<ImageCase> imageCases();

std::vector<std::byte> randomTexels(const ImageDescription& image);
// Random coordinates around the image, and ones on the edges and in the middle of texels.
std::vector<ImageRecord> fetchPoints(const ImageCase& which);
std::array<double, 3> pointOf(const ImageCase& which, const ImageRecord& record);

}  // namespace warpscope::test
