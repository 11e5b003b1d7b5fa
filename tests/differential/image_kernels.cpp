#include "tests/differential/image_kernels.h"

#include <fmt/format.h>

#include "kernels/execute/parameter_bytes.h"

namespace warpscope::test {
namespace {

constexpr uint32_t kThreads = 128;

constexpr const char* kImagePrologue = R"(
  .reg .b64 %image, %in, %out, %at, %l0, %l1;
  .reg .b32 %i, %n, %x, %y, %z, %w, %a, %b, %c, %d, %k;
  .reg .f32 %fx, %fy, %fz;
  .reg .b16 %h0, %h1, %h2, %h3;
  .reg .pred %p;
  ld.param.u64 %image, [image];
  ld.param.u64 %in, [in];
  ld.param.u64 %out, [out];
  ld.param.u32 %n, [count];
  mov.u32 %i, %ctaid.x;
  mov.u32 %x, %ntid.x;
  mov.u32 %y, %tid.x;
  mad.lo.u32 %i, %i, %x, %y;
  setp.ge.u32 %p, %i, %n;
  @%p ret;
  mul.wide.u32 %at, %i, 16;
  add.s64 %in, %in, %at;
  add.s64 %out, %out, %at;
  ld.global.v4.b32 {%x, %y, %z, %w}, [%in];
  mov.b32 %fx, %x;
  mov.b32 %fy, %y;
  mov.b32 %fz, %z;
  mov.b32 %a, 0;
  mov.b32 %b, 0;
  mov.b32 %c, 0;
  mov.b32 %d, 0;
)";
constexpr const char* kImageEpilogue = "  st.global.v4.b32 [%out], {%a, %b, %c, %d};\n  ret;\n}\n";

std::string coordinatesFor(uint32_t dimensions, bool is_float) {
  const std::string f = is_float ? "f" : "";
  if (dimensions == 1) return fmt::format("{{%{}x}}", f);
  if (dimensions == 2) return fmt::format("{{%{0}x, %{0}y}}", f);
  return fmt::format("{{%{0}x, %{0}y, %{0}z, %{0}z}}", f);
}

// Registers of `bits` bits as one operand, and code between them and %a to %d.
struct Moves {
  std::string operand, to_words, from_words;
};
Moves movesOf(uint32_t bits, uint32_t count) {
  constexpr const char* kWords[] = {"%a", "%b", "%c", "%d"};
  Moves moves;
  for (uint32_t i = 0; i < count; ++i) {
    std::string name = kWords[i];
    if (bits < 32) {
      name = fmt::format("%h{}", i);
      moves.to_words += fmt::format("  cvt.u32.u16 {}, {};\n", kWords[i], name);
      moves.from_words += fmt::format("  cvt.u16.u32 {}, {};\n", name, kWords[i]);
    } else if (bits == 64) {
      name = fmt::format("%l{}", i);
      moves.to_words += fmt::format("  mov.b64 {{{}, {}}}, {};\n", kWords[2 * i], kWords[2 * i + 1], name);
      moves.from_words += fmt::format("  mov.b64 {}, {{{}, {}}};\n", name, kWords[2 * i], kWords[2 * i + 1]);
    }
    moves.operand += (i > 0 ? ", " : "") + name;
  }
  moves.operand = "{" + moves.operand + "}";
  return moves;
}

std::string vectorOf(uint32_t count) {
  return count > 1 ? fmt::format(".v{}", count) : "";
}

}  // namespace

ImageKernel fetchKernel(uint32_t dimensions, const std::string& coordinates, const std::string& result,
                        bool level) {
  const bool is_float = coordinates == "f32";
  const char* const zero = is_float ? ", 0f00000000" : ", 0";
  std::string moved;
  if (result == "f32")
    moved = "  mov.b32 %a, %r0;\n  mov.b32 %b, %r1;\n  mov.b32 %c, %r2;\n  mov.b32 %d, %r3;\n";
  const std::string registers = moved.empty() ? "{%a, %b, %c, %d}" : "{%r0, %r1, %r2, %r3}";
  return {
      fmt::format("tex{}_{}d_{}_{}", level ? "_level" : "", dimensions, result, coordinates),
      fmt::format("{}  tex{}.{}d.v4.{}.{} {}, [%image, {}]{};\n{}",
                  moved.empty() ? "" : "  .reg .f32 %r<4>;\n", level ? ".level" : "", dimensions, result,
                  coordinates, registers, coordinatesFor(dimensions, is_float), level ? zero : "", moved)};
}

ImageKernel surfaceLoadKernel(uint32_t dimensions, uint32_t bits, uint32_t count, const std::string& bounds) {
  const Moves moves = movesOf(bits, count);
  return {fmt::format("suld_{}d_b{}_{}_{}", dimensions, bits, count, bounds),
          fmt::format("  suld.b.{}d{}.b{}.{} {}, [%image, {}];\n{}", dimensions, vectorOf(count), bits,
                      bounds, moves.operand, coordinatesFor(dimensions, false), moves.to_words)};
}

uint32_t storedWord(const ImageRecord& at, uint32_t word) {
  return (at[0] * 2654435761U + at[1] * 40503U + at[2] * 97U) ^ (word * 0x01010101U);
}

ImageKernel surfaceStoreKernel(uint32_t dimensions, uint32_t bits, uint32_t count,
                               const std::string& bounds) {
  const Moves moves = movesOf(bits, count);
  const std::string words =
      "  mul.lo.u32 %k, %x, 2654435761;\n  mad.lo.u32 %k, %y, 40503, %k;\n  mad.lo.u32 %a, %z, 97, %k;\n"
      "  xor.b32 %b, %a, 0x01010101;\n  xor.b32 %c, %a, 0x02020202;\n  xor.b32 %d, %a, 0x03030303;\n";
  return {fmt::format("sust_{}d_b{}_{}_{}", dimensions, bits, count, bounds),
          fmt::format("{}{}  sust.b.{}d{}.b{}.{} [%image, {}], {};\n", words, moves.from_words, dimensions,
                      vectorOf(count), bits, bounds, coordinatesFor(dimensions, false), moves.operand)};
}

ImageKernel queryKernel(const std::string& opcode) {
  std::string name = opcode;
  for (char& c : name) c = c == '.' ? '_' : c;
  return {name, fmt::format("  {} %a, [%image];\n", opcode)};
}

std::vector<ImageKernel> allImageKernels() {
  std::vector<ImageKernel> kernels;
  for (uint32_t dimensions = 1; dimensions <= 3; ++dimensions) {
    for (const char* coordinates : {"f32", "s32"}) {
      for (const char* result : {"f32", "u32", "s32"}) {
        kernels.push_back(fetchKernel(dimensions, coordinates, result));
        kernels.push_back(fetchKernel(dimensions, coordinates, result, true));
      }
    }
    for (const uint32_t bits : {8U, 16U, 32U, 64U}) {
      for (uint32_t count = 1; count <= 4 && count * bits <= 128; count *= 2) {
        for (const char* bounds : {"trap", "clamp", "zero"}) {
          kernels.push_back(surfaceLoadKernel(dimensions, bits, count, bounds));
          kernels.push_back(surfaceStoreKernel(dimensions, bits, count, bounds));
        }
      }
    }
  }
  for (const char* opcode : {"txq.width.b32", "txq.height.b32", "txq.depth.b32", "suq.width.b32",
                             "suq.height.b32", "suq.depth.b32"})
    kernels.push_back(queryKernel(opcode));
  return kernels;
}

std::string imageModule() {
  std::string text = ".version 8.0\n.target sm_80\n.address_size 64\n";
  for (const ImageKernel& kernel : allImageKernels()) {
    text += fmt::format(
        ".visible .entry {}(.param .u64 image, .param .u64 in, .param .u64 out, .param .u32 count) {{{}{}{}",
        kernel.name, kImagePrologue, kernel.text, kImageEpilogue);
  }
  return text;
}

Expected<std::vector<ImageRecord>> runImageKernel(Backend& backend, const std::string& kernel,
                                                  const ImageDescription& image,
                                                  std::vector<std::byte>& texels,
                                                  std::span<const ImageRecord> in) {
  static const std::string kModule = imageModule();
  const auto handle = backend.kernel({"images", kModule, {}}, kernel);
  if (!handle) return tl::unexpected(handle.error());
  const auto at = backend.allocate(texels.size());
  const auto from = backend.allocate(in.size_bytes());
  const auto to = backend.allocate(in.size_bytes());
  if (!at || !from || !to) return fail(ErrorKind::kWorkFailed, "no memory on the device");
  std::vector<ImageRecord> out(in.size());
  auto done = backend.upload(*at, texels).and_then([&] { return backend.upload(*from, std::as_bytes(in)); });
  auto object = done ? backend.createImage(image, *at) : tl::unexpected(done.error());
  if (!object) return tl::unexpected(object.error());
  const auto count = static_cast<uint32_t>(in.size());
  const LaunchSpec spec{.kernel = *handle,
                        .grid = {(count + kThreads - 1) / kThreads, 1, 1},
                        .block = {kThreads, 1, 1},
                        .parameters = {parameterBytes(object->value), parameterBytes(*from),
                                       parameterBytes(*to), parameterBytes(count)}};
  done = backend.launch(spec).map([](const LaunchReport&) {});
  if (done) done = backend.download(std::as_writable_bytes(std::span(out)), *to);
  if (done) done = backend.download(texels, *at);
  if (!backend.poisoned()) {
    backend.freeImage(*object);
    for (const DeviceAddress address : {*at, *from, *to}) backend.free(address);
  }
  if (!done) return tl::unexpected(done.error());
  return out;
}

}  // namespace warpscope::test
