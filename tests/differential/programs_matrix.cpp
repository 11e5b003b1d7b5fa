// Matrix instructions: mma on registers, wmma through memory, ldmatrix, stmatrix and movmatrix. Each warp has
// matrices of its own.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <random>

#include "tests/differential/matrix_reference.h"
#include "tests/differential/program.h"

namespace warpscope::test {
namespace {

using ptx::Type;

uint32_t bitsOf(Type type) {
  return 8 * ptx::bytesOf(type);
}

// Kinds of numbers that a matrix has: what decides a result differs.
enum class Content : uint8_t { kAny, kOrdinary, kAllExponents, kSparse, kCancelling, kSubnormal, kHuge };
constexpr std::array kContents = {Content::kAny,    Content::kOrdinary,   Content::kAllExponents,
                                  Content::kSparse, Content::kCancelling, Content::kSubnormal,
                                  Content::kHuge};
constexpr std::array kContentNames = {"any bits",   "ordinary",  "all exponents", "sparse",
                                      "cancelling", "subnormal", "huge"};

// A float of `exponent_bits` and `fraction_bits`.
uint32_t floatBits(Content content, uint32_t exponent_bits, uint32_t fraction_bits, std::mt19937& random) {
  const uint32_t any = static_cast<uint32_t>(random());
  if (content == Content::kAny) return any & ((2U << (exponent_bits + fraction_bits)) - 1);
  const uint32_t bias = (1U << (exponent_bits - 1)) - 1, most = 2 * bias;
  const uint32_t sign = any >> 31 << (exponent_bits + fraction_bits);
  uint32_t fraction = static_cast<uint32_t>(random()) & ((1U << fraction_bits) - 1);
  uint32_t exponent = bias - 4 + any % 6;
  switch (content) {
    case Content::kAllExponents:
      exponent = exponent_bits == 5 ? 1 + any % most : bias - 30 + any % 60;
      break;
    case Content::kSparse:
      if (any % 5 != 0) return 0;
      exponent = bias - 10 + any % 21;
      break;
    case Content::kCancelling:
      exponent = bias - 7 + 7 * (any % 3);
      fraction = any % 4 == 0 ? 0 : any % 4 == 1 ? 1 : (1U << fraction_bits) - 1;
      break;
    case Content::kSubnormal:
      exponent = exponent_bits == 5 ? 0 : std::array{0U, 1U, bias / 2, bias / 2 + 1}[any % 4];
      break;
    case Content::kHuge:
      exponent = any % 3 == 0 ? most : bias + bias / 2 + any % 3;
      break;
    default:
      break;
  }
  return sign | exponent << fraction_bits | fraction;
}

uint32_t elementBits(Content content, Type type, std::mt19937& random) {
  switch (type) {
    case Type::kF16:
      return floatBits(content, 5, 10, random);
    case Type::kBf16:
      return floatBits(content, 8, 7, random);
    case Type::kTf32:
      return floatBits(content, 8, 10, random) << 13 | (random() & 0x1FFFU);
    case Type::kF32:
      return floatBits(content, 8, 23, random);
    case Type::kS32:
      return content == Content::kHuge ? (random() % 2 == 0 ? 0x7FFFFF00U : 0x80000100U)
                                       : static_cast<uint32_t>(random());
    default:
      return content == Content::kHuge ? (random() % 2 == 0 ? 0x7FU : 0x80U)
                                       : static_cast<uint32_t>(random()) & 0xFFU;
  }
}

uint32_t packedWord(Content content, Type type, std::mt19937& random) {
  uint32_t word = 0;
  for (uint32_t at = 0; at < 32; at += bitsOf(type)) word |= elementBits(content, type, random) << at;
  return word;
}

std::mt19937 generator(const std::string& label, uint64_t more) {
  return std::mt19937(static_cast<uint32_t>(std::hash<std::string>{}(label) + more * 7919));
}

std::string registerList(char letter, uint32_t count) {
  std::string list;
  for (uint32_t i = 0; i < count; ++i) list += fmt::format("{}{}{}", i > 0 ? ", " : "{", letter, i);
  return list + "}";
}

std::string declared(char letter, uint32_t count, Type type) {
  const char* name = type == Type::kF32 ? "f32" : type == Type::kS32 ? "s32" : "b32";
  return fmt::format("  .reg .{} {}<{}>;\n", name, letter, count);
}

// --- mma: cells 0 to 3 of a record hold A, 4 and 5 hold B, 6 to 9 hold C; D goes to cells 0 to 3.

struct Mma {
  std::string shape;
  uint32_t m, n, k;
  MatrixTypes types;

  uint32_t registers(char letter) const {
    const uint32_t cells = letter == 'a' ? m * k : letter == 'b' ? k * n : m * n;
    return cells * bitsOf(typeOf(letter)) / 1024;
  }
  Type typeOf(char letter) const {
    return letter == 'a' ? types.a : letter == 'b' ? types.b : letter == 'c' ? types.c : types.d;
  }
};
constexpr uint32_t kFirstCell[] = {0, 4, 6};

BitMatrix gathered(const Mma& mma, char letter, std::span<const Record> warp) {
  BitMatrix matrix(letter == 'b' ? mma.k : mma.m, letter == 'a' ? mma.k : mma.n);
  const Type type = mma.typeOf(letter);
  const uint32_t bits = bitsOf(type), per_register = 32 / bits;
  for (uint32_t lane = 0; lane < 32; ++lane) {
    for (uint32_t i = 0; i < mma.registers(letter) * per_register; ++i) {
      const Place place = placeInMma(mma.shape, letter, type, lane, i);
      const auto word = static_cast<uint32_t>(warp[lane][kFirstCell[letter - 'a'] + i / per_register]);
      matrix.at(place.row, place.column) =
          word >> (i % per_register * bits) & (bits == 32 ? ~0U : (1U << bits) - 1);
    }
  }
  return matrix;
}

void mmaReference(const Mma& mma, const BlockRecords& block) {
  for (uint32_t first = 0; first < kProgramThreads; first += 32) {
    const auto warp = block.in.subspan(first, 32);
    const BitMatrix d =
        multiplied(gathered(mma, 'a', warp), gathered(mma, 'b', warp), gathered(mma, 'c', warp), mma.types);
    const uint32_t bits = bitsOf(mma.types.d), per_register = 32 / bits;
    for (uint32_t lane = 0; lane < 32; ++lane) {
      for (uint32_t i = 0; i < mma.registers('d') * per_register; ++i) {
        const Place place = placeInMma(mma.shape, 'c', mma.types.d, lane, i);
        block.out[first + lane][i / per_register] |= uint64_t{d.at(place.row, place.column)}
                                                     << (i % per_register * bits);
      }
    }
  }
}

Program mmaProgram(const Mma& mma, size_t content) {
  const std::string opcode =
      fmt::format("mma.sync.aligned.{}.row.col{}.{}.{}.{}.{}", mma.shape,
                  mma.types.saturate ? ".satfinite" : "", ptx::typeName(mma.types.d),
                  ptx::typeName(mma.types.a), ptx::typeName(mma.types.b), ptx::typeName(mma.types.c));
  std::string body = "  {\n";
  for (const char letter : {'a', 'b', 'c', 'd'}) {
    const Type type = letter == 'a' || letter == 'b' ? Type::kB32 : mma.typeOf(letter);
    body += declared(letter, mma.registers(letter), type);
    for (uint32_t i = 0; letter != 'd' && i < mma.registers(letter); ++i)
      body += fmt::format("  ld.global.b32 {}{}, [%in+{}];\n", letter, i, 8 * (kFirstCell[letter - 'a'] + i));
  }
  body += fmt::format("  {} {}, {}, {}, {};\n", opcode, registerList('d', mma.registers('d')),
                      registerList('a', mma.registers('a')), registerList('b', mma.registers('b')),
                      registerList('c', mma.registers('c')));
  for (uint32_t i = 0; i < mma.registers('d'); ++i)
    body += fmt::format("  st.global.b32 [%out+{}], d{};\n", 8 * i, i);
  Program program{fmt::format("{}, {}", opcode, kContentNames[content]), body + "  }\n",
                  [mma](const BlockRecords& block) { mmaReference(mma, block); }};
  program.prepare = [mma, content, label = program.label](Record& record, uint32_t thread) {
    std::mt19937 random = generator(label, thread);
    for (const char letter : {'a', 'b', 'c'}) {
      for (uint32_t i = 0; i < mma.registers(letter); ++i)
        record[kFirstCell[letter - 'a'] + i] = packedWord(kContents[content], mma.typeOf(letter), random);
    }
  };
  return program;
}

void addMma(std::vector<Program>& programs) {
  constexpr auto kF16 = Type::kF16, kBf16 = Type::kBf16, kF32 = Type::kF32, kTf32 = Type::kTf32;
  std::vector<Mma> all;
  for (const uint32_t k : {8U, 16U}) {
    const std::string shape = fmt::format("m16n8k{}", k);
    all.push_back({shape, 16, 8, k, {kF16, kF16, kF32, kF32}});
    all.push_back({shape, 16, 8, k, {kF16, kF16, kF16, kF16}});
    all.push_back({shape, 16, 8, k, {kBf16, kBf16, kF32, kF32}});
    all.push_back({fmt::format("m16n8k{}", k / 2), 16, 8, k / 2, {kTf32, kTf32, kF32, kF32}});
  }
  for (const Mma& mma : all) {
    for (size_t content = 0; content < kContents.size(); ++content)
      programs.push_back(mmaProgram(mma, content));
  }
  for (const auto& [shape, m, k] :
       {std::tuple{"m8n8k16", 8U, 16U}, {"m16n8k16", 16U, 16U}, {"m16n8k32", 16U, 32U}}) {
    for (const Type a : {Type::kS8, Type::kU8}) {
      for (const Type b : {Type::kS8, Type::kU8}) {
        for (const bool saturate : {false, true}) {
          const Mma mma{shape, m, 8, k, {a, b, Type::kS32, Type::kS32, saturate}};
          programs.push_back(mmaProgram(mma, 0));
          programs.push_back(mmaProgram(mma, kContents.size() - 1));
        }
      }
    }
  }
}

// --- wmma: a warp's 32 records are 4096 bytes, in which A, B and C follow one another; D goes to where they
// began.

struct WmmaMatrix {
  uint32_t rows, columns;
  Type type;
  bool column_major;
  uint32_t stride, offset;  // in elements; in bytes

  size_t byteOf(uint32_t row, uint32_t column) const {
    const uint32_t element = column_major ? column * stride + row : row * stride + column;
    return offset + size_t{element} * ptx::bytesOf(type);
  }
  uint32_t bytes() const { return stride * (column_major ? columns : rows) * ptx::bytesOf(type); }
};

struct Wmma {
  std::string shape;
  WmmaMatrix a, b, c, d;
  MatrixTypes types;
  std::string space;  // ".global", ".shared" or generic
  bool default_stride = false;
};

WmmaMatrix matrixIn(uint32_t rows, uint32_t columns, Type type, bool column_major, bool default_stride,
                    uint32_t& offset) {
  WmmaMatrix matrix{rows, columns, type, column_major, 0, offset};
  matrix.stride = (column_major ? rows : columns) + (default_stride ? 0 : 16 / ptx::bytesOf(type));
  offset += (matrix.bytes() + 31) / 32 * 32;
  return matrix;
}

BitMatrix read(const WmmaMatrix& matrix, std::span<const std::byte> memory) {
  BitMatrix bits(matrix.rows, matrix.columns);
  for (uint32_t row = 0; row < matrix.rows; ++row) {
    for (uint32_t column = 0; column < matrix.columns; ++column)
      std::memcpy(&bits.at(row, column), &memory[matrix.byteOf(row, column)], ptx::bytesOf(matrix.type));
  }
  return bits;
}

void wmmaReference(const Wmma& wmma, const BlockRecords& block) {
  for (uint32_t first = 0; first < kProgramThreads; first += 32) {
    const auto memory = std::as_bytes(block.in.subspan(first, 32));
    const auto out = std::as_writable_bytes(block.out.subspan(first, 32));
    const BitMatrix d =
        multiplied(read(wmma.a, memory), read(wmma.b, memory), read(wmma.c, memory), wmma.types);
    for (uint32_t row = 0; row < d.rows; ++row) {
      for (uint32_t column = 0; column < d.columns; ++column)
        std::memcpy(&out[wmma.d.byteOf(row, column)], &d.bits[size_t{row} * d.columns + column],
                    ptx::bytesOf(wmma.d.type));
    }
  }
}

uint32_t wmmaRegisters(const WmmaMatrix& matrix, bool is_factor) {
  if (is_factor && matrix.type == Type::kF16) return 8;
  return matrix.rows * matrix.columns * bitsOf(matrix.type) / 1024;
}

const char* layoutName(const WmmaMatrix& matrix) {
  return matrix.column_major ? "col" : "row";
}

// The warp's bytes, at %x for loads and %y for stores. Shared memory is filled first and copied back last.
constexpr const char* kGlobalBytes =
    "  and.b32 %u, %i, 31;\n  mul.wide.u32 %x, %u, 128;\n  sub.s64 %y, %out, %x;\n  sub.s64 %x, %in, %x;\n";
std::string sharedBytes() {
  std::string text =
      "  .shared .align 128 .b8 mem[32768];\n  mov.u32 %u, mem;\n  mad.lo.u32 %u, %i, 128, %u;\n";
  for (uint32_t at = 0; at < 128; at += 8) {
    text += fmt::format(
        "  ld.global.b64 %x, [%in+{0}];\n  st.shared.b64 [%u+{0}], %x;\n  mov.b64 %x, 0;\n"
        "  st.shared.b64 [%u+{1}], %x;\n",
        at, 16384 + at);
  }
  return text +
         "  bar.sync 0;\n  and.b32 %u, %i, 96;\n  mov.u32 %v, mem;\n  mad.lo.u32 %u, %u, 128, %v;\n"
         "  cvt.u64.u32 %x, %u;\n  cvta.shared.u64 %x, %x;\n  add.s64 %y, %x, 16384;\n";
}
std::string sharedToOut() {
  std::string text = "  bar.sync 0;\n  mov.u32 %u, mem;\n  mad.lo.u32 %u, %i, 128, %u;\n";
  for (uint32_t at = 0; at < 128; at += 8)
    text += fmt::format("  ld.shared.b64 %x, [%u+{}];\n  st.global.b64 [%out+{}], %x;\n", 16384 + at, at);
  return text;
}

Program wmmaProgram(const Wmma& wmma, size_t content) {
  const bool shared = wmma.space == ".shared" || wmma.space.empty();
  std::string body = "  {\n" + (shared ? sharedBytes() : std::string(kGlobalBytes));
  if (wmma.space == ".shared") body += "  cvta.to.shared.u64 %x, %x;\n  cvta.to.shared.u64 %y, %y;\n";
  const auto stride = [&](const WmmaMatrix& matrix) {
    return wmma.default_stride ? std::string() : fmt::format(", {}", matrix.stride);
  };
  for (const auto& [letter, matrix] : {std::pair{'a', &wmma.a}, {'b', &wmma.b}, {'c', &wmma.c}}) {
    const uint32_t count = wmmaRegisters(*matrix, letter != 'c');
    body += declared(letter, count, letter == 'c' ? matrix->type : Type::kB32);
    body += fmt::format("  wmma.load.{}.sync.aligned.{}.{}{}.{} {}, [%x+{}]{};\n", letter,
                        layoutName(*matrix), wmma.shape, wmma.space, ptx::typeName(matrix->type),
                        registerList(letter, count), matrix->offset, stride(*matrix));
  }
  const uint32_t results = wmmaRegisters(wmma.d, false);
  body += declared('d', results, wmma.d.type);
  const std::string factors =
      wmma.types.a == Type::kF16 ? std::string() : fmt::format(".{0}.{0}", ptx::typeName(wmma.types.a));
  const std::string opcode =
      fmt::format("wmma.mma.sync.aligned.{}.{}.{}.{}{}.{}{}", layoutName(wmma.a), layoutName(wmma.b),
                  wmma.shape, ptx::typeName(wmma.types.d), factors, ptx::typeName(wmma.types.c),
                  wmma.types.saturate ? ".satfinite" : "");
  body += fmt::format("  {} {}, {}, {}, {};\n", opcode, registerList('d', results),
                      registerList('a', wmmaRegisters(wmma.a, true)),
                      registerList('b', wmmaRegisters(wmma.b, true)),
                      registerList('c', wmmaRegisters(wmma.c, false)));
  body += fmt::format("  wmma.store.d.sync.aligned.{}.{}{}.{} [%y], {}{};\n", layoutName(wmma.d), wmma.shape,
                      wmma.space, ptx::typeName(wmma.d.type), registerList('d', results), stride(wmma.d));
  if (shared) body += sharedToOut();
  Program program{fmt::format("{}, {}, {}{}", opcode, kContentNames[content],
                              wmma.space.empty() ? "generic" : wmma.space.substr(1),
                              wmma.default_stride ? ", no stride" : ""),
                  body + "  }\n", [wmma](const BlockRecords& block) { wmmaReference(wmma, block); }};
  program.prepare = [wmma, content, label = program.label](Record& record, uint32_t thread) {
    std::mt19937 random = generator(label, thread);
    for (uint32_t word = 0; word < 2 * kRecordCells; ++word) {
      const uint32_t byte = thread % 32 * 128 + 4 * word;
      const Type type = byte < wmma.b.offset ? wmma.a.type : byte < wmma.c.offset ? wmma.b.type : wmma.c.type;
      const uint64_t value = packedWord(kContents[content], type, random);
      record[word / 2] = word % 2 == 0 ? value : record[word / 2] | value << 32;
    }
  };
  return program;
}

struct WmmaShape {
  const char* name;
  uint32_t m, n, k;
};

void addWmmaOf(const WmmaShape& shape, const MatrixTypes& types, std::vector<Program>& programs) {
  static constexpr const char* kSpaces[] = {".global", ".shared", ""};
  for (uint32_t variant = 0; variant < 4; ++variant) {
    const bool column_a = (variant & 1U) != 0, column_b = (variant & 2U) != 0;
    Wmma wmma{.shape = shape.name, .a = {}, .b = {}, .c = {}, .d = {}, .types = types};
    wmma.space = kSpaces[programs.size() % 3];
    wmma.default_stride = programs.size() % 5 == 0;
    uint32_t offset = 0, of_d = 0;
    wmma.a = matrixIn(shape.m, shape.k, types.a, column_a, wmma.default_stride, offset);
    wmma.b = matrixIn(shape.k, shape.n, types.b, column_b, wmma.default_stride, offset);
    wmma.c = matrixIn(shape.m, shape.n, types.c, variant == 1 || variant == 2, wmma.default_stride, offset);
    wmma.d = matrixIn(shape.m, shape.n, types.d, variant >= 2, wmma.default_stride, of_d);
    programs.push_back(wmmaProgram(wmma, programs.size() % kContents.size()));
  }
}

void addWmma(std::vector<Program>& programs) {
  for (const WmmaShape& shape :
       {WmmaShape{"m16n16k16", 16, 16, 16}, {"m32n8k16", 32, 8, 16}, {"m8n32k16", 8, 32, 16}}) {
    for (const Type c : {Type::kF16, Type::kF32}) {
      for (const Type d : {Type::kF16, Type::kF32})
        addWmmaOf(shape, {Type::kF16, Type::kF16, c, d}, programs);
    }
    addWmmaOf(shape, {Type::kBf16, Type::kBf16, Type::kF32, Type::kF32}, programs);
    for (const Type type : {Type::kS8, Type::kU8}) {
      for (const bool saturate : {false, true})
        addWmmaOf(shape, {type, type, Type::kS32, Type::kS32, saturate}, programs);
    }
  }
  for (int i = 0; i < 3; ++i)
    addWmmaOf({"m16n16k8", 16, 16, 8},
              {.a = Type::kTf32, .b = Type::kTf32, .c = Type::kF32, .d = Type::kF32, .in_two_steps = true},
              programs);
}

// --- 8 x 8 elements of 16 bits. A lane's record is 128 bytes of shared memory; it gives a row of one of four
// matrices.

struct Rows {
  uint32_t count;
  bool transposed;

  // Where a matrix's row is among the warp's bytes.
  static size_t byteOf(uint32_t matrix, uint32_t row) {
    const uint32_t lane = 8 * matrix + row;
    return size_t{(lane * 5 + 3) % 32} * 128 + 16 * (lane % 8);
  }
  // The element of 16 bits that is half `part` of a lane's register.
  size_t byteOf(uint32_t matrix, uint32_t lane, uint32_t part) const {
    const uint32_t across = lane / 4, along = lane % 4 * 2 + part;
    return transposed ? byteOf(matrix, along) + 2 * across : byteOf(matrix, across) + 2 * along;
  }
};

std::string rowAddress(bool generic) {
  return std::string(
             "  and.b32 %u, %i, 31;\n  mad.lo.u32 %v, %u, 5, 3;\n  and.b32 %v, %v, 31;\n"
             "  and.b32 %u, %u, 7;\n  mul.lo.u32 %u, %u, 16;\n  mad.lo.u32 %u, %v, 128, %u;\n"
             "  cvt.u64.u32 %z, %u;\n  add.s64 %x, %x, %z;\n  add.s64 %y, %y, %z;\n") +
         (generic ? "" : "  cvta.to.shared.u64 %x, %x;\n  cvta.to.shared.u64 %y, %y;\n");
}

void addRows(std::vector<Program>& programs) {
  for (const uint32_t count : {1U, 2U, 4U}) {
    for (const bool transposed : {false, true}) {
      for (const bool generic : {false, true}) {
        const Rows rows{count, transposed};
        const std::string words =
            fmt::format("m8n8.x{}{}{}.b16", count, transposed ? ".trans" : "", generic ? "" : ".shared");
        const std::string start =
            "  {\n" + declared('r', count, Type::kB32) + sharedBytes() + rowAddress(generic);
        std::string body =
            start + fmt::format("  ldmatrix.sync.aligned.{} {}, [%x];\n", words, registerList('r', count));
        for (uint32_t i = 0; i < count; ++i)
          body += fmt::format("  st.global.b32 [%out+{}], r{};\n", 8 * i, i);
        programs.push_back(
            {"ldmatrix.sync.aligned." + words, body + "  }\n", [rows](const BlockRecords& block) {
               for (uint32_t thread = 0; thread < kProgramThreads; ++thread) {
                 const auto memory = std::as_bytes(block.in.subspan(thread / 32 * 32, 32));
                 for (uint32_t i = 0; i < 2 * rows.count; ++i) {
                   uint16_t half = 0;
                   std::memcpy(&half, &memory[rows.byteOf(i / 2, thread % 32, i % 2)], 2);
                   block.out[thread][i / 2] |= uint64_t{half} << (16 * (i % 2));
                 }
               }
             }});
        body = start;
        for (uint32_t i = 0; i < count; ++i)
          body += fmt::format("  ld.global.b32 r{}, [%in+{}];\n", i, 8 * i);
        body += fmt::format("  stmatrix.sync.aligned.{} [%y], {};\n", words, registerList('r', count)) +
                sharedToOut();
        programs.push_back(
            {"stmatrix.sync.aligned." + words, body + "  }\n", [rows](const BlockRecords& block) {
               for (uint32_t thread = 0; thread < kProgramThreads; ++thread) {
                 const auto out = std::as_writable_bytes(block.out.subspan(thread / 32 * 32, 32));
                 for (uint32_t i = 0; i < 2 * rows.count; ++i) {
                   const auto half = static_cast<uint16_t>(block.in[thread][i / 2] >> (16 * (i % 2)));
                   std::memcpy(&out[rows.byteOf(i / 2, thread % 32, i % 2)], &half, 2);
                 }
               }
             }});
      }
    }
  }
  programs.push_back({"movmatrix.sync.aligned.m8n8.trans.b16",
                      "  ld.global.b32 %u, [%in];\n  movmatrix.sync.aligned.m8n8.trans.b16 %v, %u;\n"
                      "  st.global.b32 [%out], %v;\n",
                      [](const BlockRecords& block) {
                        for (uint32_t thread = 0; thread < kProgramThreads; ++thread) {
                          const uint32_t lane = thread % 32, row = lane / 4;
                          for (uint32_t part = 0; part < 2; ++part) {
                            const uint32_t column = lane % 4 * 2 + part;  // of the result
                            const uint32_t holder = thread / 32 * 32 + column * 4 + row / 2;
                            const uint64_t half = block.in[holder][0] >> (16 * (row % 2)) & 0xFFFF;
                            block.out[thread][0] |= half << (16 * part);
                          }
                        }
                      }});
}

}  // namespace

void addMatrixPrograms(std::vector<Program>& programs) {
  std::vector<Program> mine;
  addMma(mine);
  addWmma(mine);
  addRows(mine);
  for (Program& program : mine) programs.push_back(std::move(program));
}

}  // namespace warpscope::test
