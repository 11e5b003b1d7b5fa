#include "tests/gui/software_renderer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace warpscope::testing {
namespace {

// Vertices lie on a grid of 1/256 pixel, as on GPUs: with integers, triangles that share an edge neither
// overlap nor leave a gap.
constexpr int64_t kSubpixels = 256;
constexpr float kFarthest = 1e6F;  // pixels; farther vertices would overflow, and nobody sees where they are

struct Corner {
  int64_t x = 0, y = 0;
  float u = 0, v = 0;
  std::array<float, 4> colour{};  // red, green, blue, alpha; 0 to 255
};

Corner cornerOf(const ImDrawVert& vertex, ImVec2 origin) {
  const auto fixed = [](float pixels) {
    return static_cast<int64_t>(std::lround(std::clamp(pixels, -kFarthest, kFarthest) * float{kSubpixels}));
  };
  Corner corner{fixed(vertex.pos.x - origin.x), fixed(vertex.pos.y - origin.y), vertex.uv.x, vertex.uv.y, {}};
  constexpr std::array<int, 4> kShifts{IM_COL32_R_SHIFT, IM_COL32_G_SHIFT, IM_COL32_B_SHIFT,
                                       IM_COL32_A_SHIFT};
  for (size_t i = 0; i < 4; ++i) corner.colour[i] = static_cast<float>(vertex.col >> kShifts[i] & 255U);
  return corner;
}

// The font atlas: how much of a glyph, or of a line's edge, covers each texel.
struct Atlas {
  const unsigned char* coverage = nullptr;
  int width = 0, height = 0;

  float texel(int x, int y) const {
    return coverage[std::clamp(y, 0, height - 1) * width + std::clamp(x, 0, width - 1)];
  }
  float at(float u, float v) const {  // 0 to 1, between the four texels around it
    const float x = u * static_cast<float>(width) - 0.5F, y = v * static_cast<float>(height) - 0.5F;
    const float left = std::floor(x), top = std::floor(y);
    const float right_share = x - left, lower_share = y - top;
    const int column = static_cast<int>(left), row = static_cast<int>(top);
    const float upper = texel(column, row) * (1 - right_share) + texel(column + 1, row) * right_share;
    const float lower = texel(column, row + 1) * (1 - right_share) + texel(column + 1, row + 1) * right_share;
    return (upper * (1 - lower_share) + lower * lower_share) / 255;
  }
};

struct Clip {
  int left = 0, top = 0, right = 0, bottom = 0;  // pixels; right and bottom are outside
};

void blend(uint8_t* pixel, const std::array<float, 4>& colour, float coverage) {
  const float alpha = colour[3] / 255 * coverage;
  for (size_t i = 0; i < 3; ++i) {
    const float mixed = colour[i] * alpha + static_cast<float>(pixel[i]) * (1 - alpha);
    pixel[i] = static_cast<uint8_t>(std::lround(mixed));
  }
}

// Twice the area of (a, b, point): positive where the point is right of the way from a to b, y pointing down.
int64_t side(const Corner& a, const Corner& b, int64_t x, int64_t y) {
  return (b.x - a.x) * (y - a.y) - (b.y - a.y) * (x - a.x);
}

// Pixels whose centre is on an edge belong to the triangle below it or right of it.
int64_t edgeBias(const Corner& a, const Corner& b) {
  const bool top_or_left = b.y < a.y || (b.y == a.y && b.x > a.x);
  return top_or_left ? 0 : -1;
}

class Triangle {
 public:
  Triangle(const Corner& a, const Corner& b, const Corner& c) : corners_{a, b, c} {
    area_ = side(a, b, c.x, c.y);
    if (area_ < 0) {
      std::swap(corners_[1], corners_[2]);
      area_ = -area_;
    }
    flat_ =
        a.u == b.u && a.u == c.u && a.v == b.v && a.v == c.v && a.colour == b.colour && a.colour == c.colour;
  }

  void draw(Image& image, Clip clip, const Atlas& atlas) const {
    if (area_ == 0) return;
    const auto [min_x, max_x] = std::minmax({corners_[0].x, corners_[1].x, corners_[2].x});
    const auto [min_y, max_y] = std::minmax({corners_[0].y, corners_[1].y, corners_[2].y});
    clip.left = std::max(clip.left, static_cast<int>(min_x / kSubpixels) - 1);
    clip.right = std::min(clip.right, static_cast<int>(max_x / kSubpixels) + 1);
    clip.top = std::max(clip.top, static_cast<int>(min_y / kSubpixels) - 1);
    clip.bottom = std::min(clip.bottom, static_cast<int>(max_y / kSubpixels) + 1);
    const float flat_coverage = flat_ ? atlas.at(corners_[0].u, corners_[0].v) : 0;
    for (int y = clip.top; y < clip.bottom; ++y) {
      uint8_t* row = image.rgb.data() + static_cast<size_t>(y) * image.width * 3;
      drawRow(row, y, clip, atlas, flat_coverage);
    }
  }

 private:
  void drawRow(uint8_t* row, int y, const Clip& clip, const Atlas& atlas, float flat_coverage) const {
    const int64_t centre_x = clip.left * kSubpixels + kSubpixels / 2;
    const int64_t centre_y = y * kSubpixels + kSubpixels / 2;
    std::array<int64_t, 3> weights{}, steps{}, biases{};  // of the corner opposite to each edge
    for (size_t i = 0; i < 3; ++i) {
      const Corner &from = corners_[(i + 1) % 3], &to = corners_[(i + 2) % 3];
      weights[i] = side(from, to, centre_x, centre_y);
      steps[i] = -(to.y - from.y) * kSubpixels;
      biases[i] = edgeBias(from, to);
    }
    for (int x = clip.left; x < clip.right; ++x) {
      const bool inside =
          ((weights[0] + biases[0]) | (weights[1] + biases[1]) | (weights[2] + biases[2])) >= 0;
      if (inside && flat_) {
        blend(row + static_cast<ptrdiff_t>(x) * 3, corners_[0].colour, flat_coverage);
      } else if (inside) {
        const Corner point = between(weights);
        blend(row + static_cast<ptrdiff_t>(x) * 3, point.colour, atlas.at(point.u, point.v));
      }
      for (size_t i = 0; i < 3; ++i) weights[i] += steps[i];
    }
  }

  Corner between(const std::array<int64_t, 3>& weights) const {
    Corner point;
    for (size_t i = 0; i < 3; ++i) {
      const float share = static_cast<float>(weights[i]) / static_cast<float>(area_);
      point.u += corners_[i].u * share;
      point.v += corners_[i].v * share;
      for (size_t c = 0; c < 4; ++c) point.colour[c] += corners_[i].colour[c] * share;
    }
    return point;
  }

  std::array<Corner, 3> corners_;
  int64_t area_ = 0;
  bool flat_ = false;  // one colour and one texel
};

Clip clipOf(const ImDrawCmd& command, ImVec2 origin, const Image& image) {
  const auto within = [](float pixels, uint32_t limit) {
    return static_cast<int>(std::clamp(pixels, 0.0F, static_cast<float>(limit)));
  };
  return {within(command.ClipRect.x - origin.x, image.width),
          within(command.ClipRect.y - origin.y, image.height),
          within(command.ClipRect.z - origin.x, image.width),
          within(command.ClipRect.w - origin.y, image.height)};
}

void drawList(Image& image, const ImDrawList& list, ImVec2 origin, const Atlas& atlas) {
  for (const ImDrawCmd& command : list.CmdBuffer) {
    if (command.UserCallback != nullptr) continue;
    const Clip clip = clipOf(command, origin, image);
    const auto corner = [&](unsigned index) {
      const ImDrawIdx vertex = list.IdxBuffer[static_cast<int>(command.IdxOffset + index)];
      return cornerOf(list.VtxBuffer[static_cast<int>(command.VtxOffset + vertex)], origin);
    };
    for (unsigned i = 0; i + 2 < command.ElemCount; i += 3) {
      Triangle(corner(i), corner(i + 1), corner(i + 2)).draw(image, clip, atlas);
    }
  }
}

Atlas presentAtlas() {
  Atlas atlas;
  unsigned char* coverage = nullptr;
  ImGui::GetIO().Fonts->GetTexDataAsAlpha8(&coverage, &atlas.width, &atlas.height);
  atlas.coverage = coverage;
  return atlas;
}

}  // namespace

Image renderInSoftware(const ImDrawData& data, ImU32 background) {
  Image image{static_cast<uint32_t>(data.DisplaySize.x), static_cast<uint32_t>(data.DisplaySize.y), {}};
  const size_t pixels = size_t{image.width} * image.height;
  image.rgb.resize(pixels * 3);
  for (size_t i = 0; i < pixels; ++i) {
    image.rgb[i * 3] = static_cast<uint8_t>(background >> IM_COL32_R_SHIFT);
    image.rgb[i * 3 + 1] = static_cast<uint8_t>(background >> IM_COL32_G_SHIFT);
    image.rgb[i * 3 + 2] = static_cast<uint8_t>(background >> IM_COL32_B_SHIFT);
  }
  const Atlas atlas = presentAtlas();
  for (int i = 0; i < data.CmdListsCount; ++i) drawList(image, *data.CmdLists[i], data.DisplayPos, atlas);
  return image;
}

}  // namespace warpscope::testing
