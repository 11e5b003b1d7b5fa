// Kernels of one texture or surface instruction each, and the images that they access: what the tests of the
// simulated GPU and of a real one share.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kernels/backend/backend.h"

namespace warpscope::test {

// A kernel (.param .u64 image, .param .u64 in, .param .u64 out, .param .u32 count): thread i takes record i
// of `in`, four words of 32 bits, and leaves four in `out`.
inline constexpr size_t kImageWords = 4;
using ImageRecord = std::array<uint32_t, kImageWords>;

struct ImageKernel {
  std::string name;  // of the entry
  std::string text;  // of the instruction
};
// tex of `dimensions`, whose coordinates and results have these types: "f32", "s32", "u32".
ImageKernel fetchKernel(uint32_t dimensions, const std::string& coordinates, const std::string& result,
                        bool level = false);
// suld and sust of `count` elements of `bits` bits at (x, y, z) = the record's words; `bounds`: "trap" ...
// What sust stores follows from the place: storedWord().
ImageKernel surfaceLoadKernel(uint32_t dimensions, uint32_t bits, uint32_t count, const std::string& bounds);
ImageKernel surfaceStoreKernel(uint32_t dimensions, uint32_t bits, uint32_t count, const std::string& bounds);
uint32_t storedWord(const ImageRecord& at, uint32_t word);
ImageKernel queryKernel(const std::string& opcode);  // "txq.width.b32"

// All of these, in a module of PTX.
std::vector<ImageKernel> allImageKernels();
std::string imageModule();

// What the kernel leaves. `texels` are the image's, which a surface's kernel may change.
Expected<std::vector<ImageRecord>> runImageKernel(Backend& backend, const std::string& kernel,
                                                  const ImageDescription& image,
                                                  std::vector<std::byte>& texels,
                                                  std::span<const ImageRecord> in);

}  // namespace warpscope::test
