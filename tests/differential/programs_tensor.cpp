// Bulk copies of tensors, by a map of all threads' inputs or outputs: into shared memory and back, with 1 to
// 5 dimensions, elements of 1 to 8 bytes, every swizzle, and boxes that are partly or wholly outside.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "tests/differential/program.h"

namespace warpscope::test {
namespace {

using Map = TensorMapDescription;
using Element = Map::Element;
using Swizzle = Map::Swizzle;
using Place = std::array<int64_t, Map::kMostRank>;

constexpr size_t kBlockBytes = sizeof(Record) * kProgramThreads;
constexpr size_t kTensorBytes = kProgramBlocks * kBlockBytes;

// An mbarrier `bar` for one arrival, 16 KiB of memory that holds ones; %s: thread 0; %u: the thread's 128
// bytes of `mem`; %z: the address of the map; %c0, ...: the coordinates.
std::string begin(const Map& map, const Place& at, uint32_t next) {
  std::string text =
      "  .reg .b32 %c<5>;\n  .shared .align 1024 .b8 mem[16384];\n  .shared .b64 bar;\n"
      "  setp.eq.u32 %s, %i, 0;\n  @%s mbarrier.init.shared::cta.b64 [bar], 1;\n"
      "  fence.mbarrier_init.release.cluster;\n  mov.b64 %z, blob;\n  cvta.param.u64 %z, %z;\n"
      "  cvta.to.global.u64 %in, %in;\n  cvta.to.global.u64 %out, %out;\n  mov.u32 %w, %ctaid.x;\n"
      "  mov.u32 %u, mem;\n  mad.lo.u32 %u, %i, 128, %u;\n";
  for (uint32_t i = 0; i < map.rank; ++i) text += fmt::format("  mov.s32 %c{}, {};\n", i, at[i]);
  text += fmt::format("  mad.lo.s32 %c{0}, %w, {1}, %c{0};\n", map.rank - 1, next);
  for (uint32_t byte = 0; byte < 128; byte += 8) text += fmt::format("  st.shared.b64 [%u+{}], -1;\n", byte);
  return text + "  fence.proxy.async.shared::cta;\n  barrier.cluster.arrive;\n  barrier.cluster.wait;\n";
}

std::string coordinates(const Map& map) {
  std::string text = "[%z, {%c0";
  for (uint32_t i = 1; i < map.rank; ++i) text += fmt::format(", %c{}", i);
  return text + "}]";
}

constexpr const char* kWait =
    "WAIT:\n  mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 %q, [bar], 0;\n  @!%q bra WAIT;\n";

std::string copiedOut() {
  std::string text;
  for (uint32_t at = 0; at < 128; at += 8)
    text += fmt::format("  ld.shared.b64 %x, [%u+{0}];\n  st.global.b64 [%out+{0}], %x;\n", at);
  return text + "  barrier.cluster.arrive;\n  barrier.cluster.wait;\n";
}

// The thread's inputs are in its part of `mem`.
std::string copiedIn() {
  std::string text;
  for (uint32_t at = 0; at < 128; at += 8)
    text += fmt::format("  ld.global.b64 %x, [%in+{0}];\n  st.shared.b64 [%u+{0}], %x;\n", at);
  return text + "  fence.proxy.async.shared::cta;\n  bar.sync 0;\n";
}

// Where byte `at` of a box is in shared memory, whose beginning is that of a swizzle's pattern.
size_t inShared(Swizzle swizzle, size_t at) {
  const size_t line = at / 128, chunk = at % 128 / 16;
  const size_t rows = swizzle == Swizzle::k128Bytes  ? 8
                      : swizzle == Swizzle::k64Bytes ? 4
                      : swizzle == Swizzle::k32Bytes ? 2
                                                     : 1;
  return line * 128 + (chunk ^ line % rows) * 16 + at % 16;
}

// Calls use(byte of the box in shared memory, byte of the tensor or nullopt) for each byte of the box.
template <class Use>
void forEachByte(const Map& map, const Place& first, const Use& use) {
  const uint64_t element = map.elementBytes();
  for (uint64_t index = 0; index < map.boxBytes() / element; ++index) {
    bool inside = true;
    uint64_t rest = index, from = 0;
    for (uint32_t i = 0; i < map.rank; ++i) {
      const int64_t at = first[i] + static_cast<int64_t>(rest % map.box[i]);
      rest /= map.box[i];
      inside = inside && at >= 0 && at < static_cast<int64_t>(map.sizes[i]);
      from += static_cast<uint64_t>(at) * (i == 0 ? element : map.strides[i - 1]);
    }
    for (uint64_t byte = 0; byte < element; ++byte) {
      use(inShared(map.swizzle, index * element + byte),
          inside ? std::optional<uint64_t>(from + byte) : std::nullopt);
    }
  }
}

Place placeOfBlock(const Map& map, Place at, uint32_t next, uint32_t block) {
  at[map.rank - 1] += int64_t{next} * block;
  return at;
}

// What a block finds in its memory, of the box at `at`.
void loaded(const BlockRecords& block, const Map& map, const Place& at, uint32_t to = 0) {
  const auto* from = reinterpret_cast<const std::byte*>(block.grid.data());
  auto* out = reinterpret_cast<std::byte*>(block.out.data()) + to;
  forEachByte(map, at, [&](size_t shared, std::optional<uint64_t> global) {
    out[shared] = global ? from[*global] : std::byte{};
  });
}

// What a block finds in its part of the outputs, to which each block has stored the box that its inputs hold.
void stored(const BlockRecords& block, const Map& map, const Place& at, uint32_t next) {
  std::vector<std::byte> all(kTensorBytes);
  Map whole = map;  // rows end at multiples of 16 bytes
  const uint64_t chunk = 16 / map.elementBytes();
  whole.sizes[0] = (map.sizes[0] + chunk - 1) / chunk * chunk;
  for (uint32_t of = 0; of < kProgramBlocks; ++of) {
    const auto* from = reinterpret_cast<const std::byte*>(block.grid.data()) + of * kBlockBytes;
    forEachByte(whole, placeOfBlock(map, at, next, of), [&](size_t shared, std::optional<uint64_t> global) {
      if (global) all[*global] = from[shared];
    });
  }
  std::memcpy(block.out.data(), all.data() + block.block * kBlockBytes, kBlockBytes);
}

// A tensor in the records of all threads, with rows that end within 16 bytes and gaps between them.
Map mapOf(uint32_t rank, Element element, Swizzle swizzle) {
  Map map;
  map.rank = rank;
  map.element = element;
  map.swizzle = swizzle;
  const uint32_t bytes = map.elementBytes(), row = swizzle == Swizzle::kNone ? 48 : swizzleBytes(swizzle);
  constexpr std::array<std::array<uint64_t, 4>, Map::kMostRank> kSizes{
      {{1, 1, 1, 1}, {40, 1, 1, 1}, {9, 4, 1, 1}, {5, 3, 3, 1}, {5, 3, 2, 2}}};
  constexpr std::array<std::array<uint32_t, 4>, Map::kMostRank> kBoxes{
      {{1, 1, 1, 1}, {17, 1, 1, 1}, {4, 3, 1, 1}, {3, 2, 2, 1}, {3, 2, 2, 1}}};
  map.box[0] = row / bytes;
  map.sizes[0] = 2 * row / bytes - 3;
  uint64_t stride = 2 * row + 16;
  for (uint32_t i = 1; i < rank; ++i) {
    map.box[i] = kBoxes[rank - 1][i - 1];
    map.sizes[i] = kSizes[rank - 1][i - 1];
    map.strides[i - 1] = stride;
    stride *= map.sizes[i];
  }
  return map;
}

struct NamedPlace {
  const char* name;
  Place at{};
};
// A box begins at a multiple of 16 bytes of the rows.
std::vector<NamedPlace> placesIn(const Map& map) {
  const auto step = static_cast<int64_t>(16 / map.elementBytes());
  std::vector<NamedPlace> places{{"inside"}, {"before"}, {"behind"}, {"far"}};
  for (uint32_t i = 0; i < map.rank; ++i) {
    const auto size = static_cast<int64_t>(map.sizes[i]);
    places[0].at[i] = i == 0 ? step : 0;
    places[1].at[i] = i == 0 ? -step : -1;
    places[2].at[i] = i == 0 ? (size - 1) / step * step : size - 1;
    places[3].at[i] = i == 0 ? (size + step) / step * step : size + 7;
  }
  return places;
}

std::string labelOf(const char* way, const Map& map, const char* place) {
  return fmt::format("{}, {}, {}", way, describeTensorMap(map), place);
}

Program& addWith(std::vector<Program>& programs, const std::string& label, const Map& map,
                 const std::string& body, std::function<void(const BlockRecords&)> reference) {
  programs.push_back({label, body, std::move(reference)});
  programs.back().tensor = map;
  return programs.back();
}

std::string loadText(const Map& map, const char* space, const char* more, const char* operands,
                     uint32_t to = 0) {
  return fmt::format(
      "cp.async.bulk.tensor.{}d.{}.global.tile.mbarrier::complete_tx::bytes{} [mem+{}], {}, [bar]{};\n",
      map.rank, space, more, to, coordinates(map), operands);
}

void addLoad(std::vector<Program>& programs, const Map& map, const NamedPlace& place) {
  const uint32_t next = map.rank == 1 ? 16 / map.elementBytes() : 1;
  const std::string body =
      begin(map, place.at, next) +
      fmt::format("  @%s mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], {};\n  @%s ", map.boxBytes()) +
      loadText(map, "shared::cluster", "", "") + kWait + copiedOut();
  addWith(programs, labelOf("load", map, place.name), map, body, [=](const BlockRecords& block) {
    std::memset(block.out.data(), 0xFF, block.out.size_bytes());
    loaded(block, map, placeOfBlock(map, place.at, next, block.block));
  });
}

std::string storeText(const Map& map, const char* hint, const char* operand) {
  return fmt::format(
      "  @%s cp.async.bulk.tensor.{}d.global.shared::cta.tile.bulk_group{} {}, [mem]{};\n"
      "  @%s cp.async.bulk.commit_group;\n  @%s cp.async.bulk.wait_group 0;\n",
      map.rank, hint, coordinates(map), operand);
}

// The blocks' boxes do not overlap.
void addStore(std::vector<Program>& programs, const Map& map, const NamedPlace& place) {
  const uint32_t next = map.box[map.rank - 1];
  const std::string body = begin(map, place.at, next) + copiedIn() + storeText(map, "", "");
  Program& program = addWith(programs, labelOf("store", map, place.name), map, body,
                             [=](const BlockRecords& block) { stored(block, map, place.at, next); });
  program.tensor_is_written = true;
}

// Every form, with a tensor of two dimensions.
void addForms(std::vector<Program>& programs) {
  const Map map = mapOf(2, Element::kU32, Swizzle::k64Bytes);
  const Place at{4, 2};
  const std::string expect = fmt::format(
      "  mov.b64 %x, 0x14F0000000000000;\n  mov.u16 %h, 3;\n"
      "  @%s mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], {};\n",
      map.boxBytes());
  const auto own = [=](const BlockRecords& block) {
    std::memset(block.out.data(), 0xFF, block.out.size_bytes());
    loaded(block, map, placeOfBlock(map, at, 1, block.block));
  };
  for (const char* space : {"shared::cluster", "shared::cta"}) {
    addWith(programs, fmt::format("cp.async.bulk.tensor.{}", space), map,
            begin(map, at, 1) + expect + "  @%s " + loadText(map, space, "", "") + kWait + copiedOut(), own);
    addWith(programs, fmt::format("cp.async.bulk.tensor.{}.L2::cache_hint", space), map,
            begin(map, at, 1) + expect + "  @%s " + loadText(map, space, ".L2::cache_hint", ", %x") + kWait +
                copiedOut(),
            own);
  }
  for (const bool hint : {false, true}) {
    const char* more = hint ? ".multicast::cluster.L2::cache_hint" : ".multicast::cluster";
    Program& program =
        addWith(programs, fmt::format("cp.async.bulk.tensor{}", more), map,
                begin(map, at, 1) + expect + "  setp.eq.and.u32 %q, %w, 1, %s;\n  @%q " +
                    loadText(map, "shared::cluster", more, hint ? ", %h, %x" : ", %h") + kWait + copiedOut(),
                [=](const BlockRecords& block) {
                  std::memset(block.out.data(), 0xFF, block.out.size_bytes());
                  loaded(block, map, placeOfBlock(map, at, 1, 1));
                });
    program.cluster = 2;
  }
  addWith(programs, "cp.async.bulk.tensor.L2::cache_hint, stored", map,
          begin(map, at, map.box[1]) + copiedIn() + "  mov.b64 %x, 0x14F0000000000000;\n" +
              storeText(map, ".L2::cache_hint", ", %x"),
          [=](const BlockRecords& block) { stored(block, map, at, map.box[1]); })
      .tensor_is_written = true;
  addWith(programs, "prefetches of a tensor and its map", map,
          begin(map, at, 1) +
              "  @%s prefetch.tensormap [%z];\n  @%s cp.async.bulk.prefetch.tensor.2d.L2.global.tile " +
              coordinates(map) + ";\n" + copiedOut(),
          [](const BlockRecords& block) { std::memset(block.out.data(), 0xFF, block.out.size_bytes()); });
  addWith(programs, "fences of a tensor map", map,
          begin(map, at, 1) +
              "  fence.proxy.tensormap::generic.release.gpu;\n"
              "  fence.proxy.tensormap::generic.acquire.gpu [%in], 128;\n" +
              copiedOut(),
          [](const BlockRecords& block) { std::memset(block.out.data(), 0xFF, block.out.size_bytes()); });
  // Two boxes, whose bytes one mbarrier counts, and the second of which begins within the swizzle's pattern.
  const uint32_t second = 2048 + 128;
  addWith(programs, "cp.async.bulk.tensor, two boxes", map,
          begin(map, at, 1) +
              fmt::format("  @%s mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], {};\n  @%s ",
                          2 * map.boxBytes()) +
              loadText(map, "shared::cluster", "", "") + "  @%s " +
              loadText(map, "shared::cluster", "", "", second) + kWait + copiedOut(),
          [=](const BlockRecords& block) {
            own(block);
            auto* out = reinterpret_cast<std::byte*>(block.out.data());
            const auto* from = reinterpret_cast<const std::byte*>(block.grid.data());
            uint64_t byte = 0;
            Map plain = map;
            plain.swizzle = Swizzle::kNone;
            forEachByte(plain, placeOfBlock(map, at, 1, block.block),
                        [&](size_t, std::optional<uint64_t> global) {
                          out[inShared(map.swizzle, second + byte++)] = global ? from[*global] : std::byte{};
                        });
          });
}

}  // namespace

void addTensorPrograms(std::vector<Program>& programs) {
  constexpr std::array<std::array<Element, 4>, 3> kTypes{{
      {Element::kU8, Element::kU16, Element::kU32, Element::kU64},
      {Element::kU8, Element::kF16, Element::kF32, Element::kF64},
      {Element::kU8, Element::kBf16, Element::kS32, Element::kS64},
  }};
  size_t turn = 0;
  for (uint32_t rank = 1; rank <= Map::kMostRank; ++rank) {
    for (const Swizzle swizzle : {Swizzle::kNone, Swizzle::k32Bytes, Swizzle::k64Bytes, Swizzle::k128Bytes}) {
      for (size_t size = 0; size < 4; ++size) {
        const Map map = mapOf(rank, kTypes[turn++ % kTypes.size()][size], swizzle);
        for (const NamedPlace& place : placesIn(map)) {
          addLoad(programs, map, place);
          const bool before = std::ranges::any_of(place.at, [](int64_t at) { return at < 0; });
          if (!before) addStore(programs, map, place);  // a GPU refuses these
        }
      }
    }
  }
  addForms(programs);
}

}  // namespace warpscope::test
