// Textures and surfaces: which texels a warp's lanes access, and what they get.
#include <algorithm>
#include <bit>
#include <cstring>

#include "kernels/sim/simt/interpreter_state.h"

namespace warpscope::sim {
namespace {

using ptx::Op;
using ptx::Type;

template <class Visit>
void forEachLane(uint32_t mask, const Visit& visit) {
  for (uint32_t rest = mask; rest != 0; rest &= rest - 1)
    visit(static_cast<uint32_t>(std::countr_zero(rest)));
}

const BoundImage* boundImage(const Launch& launch, uint64_t handle) {
  if (launch.images == nullptr || handle - kImageHandles >= launch.images->size()) return nullptr;
  const BoundImage& image = (*launch.images)[handle - kImageHandles];
  return image.texels == 0 ? nullptr : &image;
}

bool isSurfaceAccess(Op op) {
  return op == Op::kSuld || op == Op::kSust;
}

// Why the instruction cannot access this object; empty if it can.
std::string misfit(const Instruction& in, const ImageDescription& image) {
  const bool is_surface = image.use == ImageDescription::Use::kSurface;
  if (isSurfaceAccess(in.op) && !is_surface) return "a surface instruction needs a surface object";
  if (in.op == Op::kTex && is_surface) return "a texture instruction needs a texture object";
  if (in.op != Op::kImageQuery && in.modifiers.dimensions != image.dimensions)
    return fmt::format("the instruction is for {} dimension{}", in.modifiers.dimensions,
                       in.modifiers.dimensions == 1 ? "" : "s");
  if (in.op == Op::kTex && image.linear_memory && in.modifiers.float_coordinates)
    return "a texture in linear memory is read by tex1Dfetch, not at coordinates that are floats";
  return {};
}

// Where a lane of suld or sust is; nullopt: outside.
std::optional<uint64_t> surfaceOffset(const Instruction& in, const Registers& registers,
                                      const ImageDescription& image, uint32_t lane) {
  const auto bytes = static_cast<int64_t>(accessBytes(in));
  const int64_t row_bytes = int64_t{image.width} * image.texel.bytes();
  std::array<int64_t, 3> at{};
  const std::array<int64_t, 3> most{row_bytes - bytes, int64_t{image.height} - 1, int64_t{image.depth} - 1};
  for (size_t axis = 0; axis < image.dimensions; ++axis) {
    at[axis] = static_cast<int32_t>(registers.in(in.sources[1 + axis])[lane]);
    if (in.modifiers.bounds == ptx::Bounds::kClamp)
      at[axis] = std::clamp<int64_t>(at[axis], 0, std::max<int64_t>(most[axis], 0));
    if (at[axis] < 0 || at[axis] > most[axis]) return std::nullopt;
  }
  return static_cast<uint64_t>((at[2] * image.height + at[1]) * row_bytes + at[0]);
}

std::string coordinatesOf(const Instruction& in, const Registers& registers, uint32_t lane) {
  std::string text;
  for (uint32_t axis = 0; axis < in.modifiers.dimensions; ++axis) {
    const auto at = static_cast<int32_t>(registers.in(in.sources[1 + axis])[lane]);
    text += fmt::format("{}{} = {}{}", axis > 0 ? ", " : "", "xyz"[axis], at, axis == 0 ? " bytes" : "");
  }
  return text;
}

Footprint footprintFor(const Instruction& in, const Registers& registers, const ImageDescription& image,
                       uint32_t lane) {
  std::array<float, 3> point{};
  std::array<int32_t, 3> indices{};
  for (size_t axis = 0; axis < image.dimensions; ++axis) {
    const uint32_t bits = registers.in(in.sources[1 + axis])[lane];
    point[axis] = std::bit_cast<float>(bits);
    indices[axis] = static_cast<int32_t>(bits);
  }
  if (in.modifiers.float_coordinates) return footprintAt(image, point);
  return footprintOf(image, indices, in.source_count > 1 + image.dimensions);
}

uint32_t propertyOf(const ImageDescription& image, ptx::ImageProperty property) {
  switch (property) {
    case ptx::ImageProperty::kHeight:
      return image.dimensions > 1 ? image.height : 0;
    case ptx::ImageProperty::kDepth:
      return image.dimensions > 2 ? image.depth : 0;
    case ptx::ImageProperty::kWidth:
      break;
  }
  return image.width;
}

// A register of the width that the instruction's registers have.
void putRegister(const Instruction& in, const Registers& registers, Row row, uint32_t lane, uint64_t value) {
  if (row.index == kSinkRow) return;
  if (in.type2 == Type::kB64) {
    registers.out64(row)[lane] = value;
  } else {
    registers.out(row)[lane] = static_cast<uint32_t>(in.type2 == Type::kB16 ? value & 0xFFFF : value);
  }
}

uint64_t registerOf(const Instruction& in, const Registers& registers, Row row, uint32_t lane) {
  const bool wide = in.type2 == Type::kB64 || (in.type2 == Type::kNone && ptx::bytesOf(in.type) == 8);
  return wide ? registers.in64(row)[lane] : registers.in(row)[lane];
}

}  // namespace

bool Block::State::locateTexels(const Warp& warp, const LaneAccess& access, ImageAccess& image) {
  const Instruction& in = access.instruction;
  for (uint32_t rest = access.mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(rest));
    const uint64_t handle = access.registers.in64(in.sources[0])[lane] + in.immediate;
    const BoundImage* bound = boundImage(launch, handle);
    if (bound == nullptr) {
      raise(warp, access.pc, lane,
            fmt::format("{:#x} is not the handle of a texture or surface object; a kernel gets one as a "
                        "parameter",
                        handle));
      return false;
    }
    const ImageDescription& description = bound->description;
    if (const std::string wrong = misfit(in, description); !wrong.empty()) {
      raise(warp, access.pc, lane, fmt::format("{}: {}", describeImage(description), wrong));
      return false;
    }
    image.images[lane] = bound;
    if (isSurfaceAccess(in.op)) {
      if (!locateElement(warp, access, lane, image)) return false;
    } else if (in.op == Op::kTex) {
      image.footprints[lane] = footprintFor(in, access.registers, description, lane);
      const Footprint& footprint = image.footprints[lane];
      for (uint32_t i = 0; i < footprint.count; ++i) {
        if (footprint.isBorder(i)) continue;
        image.add(i, lane, bound->texels + footprint.texels[i] * description.texel.bytes(),
                  description.texel.bytes());
      }
    }
  }
  return true;
}

bool Block::State::locateElement(const Warp& warp, const LaneAccess& access, uint32_t lane,
                                 ImageAccess& image) {
  const Instruction& in = access.instruction;
  const BoundImage& bound = *image.images[lane];
  const uint32_t bytes = accessBytes(in);
  const auto offset = surfaceOffset(in, access.registers, bound.description, lane);
  if (!offset && in.modifiers.bounds == ptx::Bounds::kTrap) {
    raise(warp, access.pc, lane,
          fmt::format("outside of the surface: {} bytes at {} of {}, whose rows have {} bytes", bytes,
                      coordinatesOf(in, access.registers, lane), describeImage(bound.description),
                      uint64_t{bound.description.width} * bound.description.texel.bytes()));
    return false;
  }
  if (offset && *offset % bytes != 0) {
    raise(warp, access.pc, lane,
          fmt::format("misaligned: {} bytes at {} of {}; x must be a multiple of {}", bytes,
                      coordinatesOf(in, access.registers, lane), describeImage(bound.description), bytes));
    return false;
  }
  if (offset) image.add(0, lane, bound.texels + *offset, bytes);
  return true;
}

void Block::State::moveTexels(const LaneAccess& access, const ImageAccess& image, uint32_t allowed) {
  const Instruction& in = access.instruction;
  const auto host = [&](uint32_t span, uint32_t lane) -> std::byte* {
    const LaneSpan& of = image.spans[span];
    const bool there = span < image.span_count && ((of.mask & allowed) >> lane & 1U) != 0;
    return there ? launch.memory->at(of.addresses[lane], of.bytes) : nullptr;
  };
  const uint32_t element = ptx::bytesOf(in.type);
  forEachLane(access.mask, [&](uint32_t lane) {
    const ImageDescription& description = image.images[lane]->description;
    if (in.op == Op::kImageQuery) {
      putRegister(in, access.registers, in.destinations[0], lane,
                  propertyOf(description, in.modifiers.property));
    } else if (in.op == Op::kTex) {
      std::array<const std::byte*, kMostTexels> texels{};
      for (uint32_t i = 0; i < image.footprints[lane].count; ++i) texels[i] = host(i, lane);
      const auto value = fetchedValue(description, image.footprints[lane], texels);
      for (uint32_t i = 0; i < in.destination_count; ++i)
        putRegister(in, access.registers, in.destinations[i], lane, value[i]);
    } else if (in.op == Op::kSuld) {
      const std::byte* from = host(0, lane);
      for (uint32_t i = 0; i < in.destination_count; ++i) {
        uint64_t value = 0;
        if (from != nullptr) std::memcpy(&value, from + size_t{i} * element, element);
        putRegister(in, access.registers, in.destinations[i], lane, value);
      }
    } else if (std::byte* to = host(0, lane)) {
      for (uint32_t i = 0; i < in.vector; ++i) {
        const Row row = in.sources[1 + in.modifiers.dimensions + i];
        const uint64_t value = registerOf(in, access.registers, row, lane);
        std::memcpy(to + size_t{i} * element, &value, element);
      }
      launch.memory->noteWritten(image.spans[0].addresses[lane], accessBytes(in));
    }
  });
}

}  // namespace warpscope::sim
