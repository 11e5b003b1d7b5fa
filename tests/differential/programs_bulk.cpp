// Bulk asynchronous copies, in clusters of two blocks: into shared memory with an mbarrier that counts the
// bytes, to the other block, and to global memory in groups.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "tests/differential/program.h"

namespace warpscope::test {
namespace {

constexpr const char* kMeet = "  barrier.cluster.arrive.aligned;\n  barrier.cluster.wait.aligned;\n";
// Both blocks: an mbarrier `bar` for one arrival, 16 KiB of memory that holds ones, %s: thread 0; %u: the
// thread's 128 bytes of `mem`; %y: the block's records; %w: the rank of the other block.
std::string begin(uint32_t arrivals = 1) {
  std::string text = fmt::format(
      "  .shared .align 128 .b8 mem[16384];\n  .shared .b64 bar;\n  setp.eq.u32 %s, %i, 0;\n"
      "  @%s mbarrier.init.shared::cta.b64 [bar], {};\n  fence.mbarrier_init.release.cluster;\n"
      "  mov.u32 %u, mem;\n  mad.lo.u32 %u, %i, 128, %u;\n  cvta.to.global.u64 %in, %in;\n"
      "  cvta.to.global.u64 %out, %out;\n  mul.wide.u32 %y, %i, 128;\n  sub.s64 %y, %in, %y;\n"
      "  mov.u32 %w, %cluster_ctarank;\n  xor.b32 %w, %w, 1;\n",
      arrivals);
  for (uint32_t at = 0; at < 128; at += 8) text += fmt::format("  st.shared.b64 [%u+{}], -1;\n", at);
  return text + "  fence.proxy.async.shared::cta;\n" + kMeet;
}
// The thread's 128 bytes of `mem`.
std::string copiedOut() {
  std::string text;
  for (uint32_t at = 0; at < 128; at += 8)
    text += fmt::format("  ld.shared.b64 %x, [%u+{0}];\n  st.global.b64 [%out+{0}], %x;\n", at);
  return text + kMeet;
}
constexpr const char* kWait =
    "WAIT:\n  mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %q, [bar], 0;\n  @!%q bra WAIT;\n";

using Combine = std::function<uint64_t(uint64_t, uint64_t)>;

// Combines the two 32-bit numbers of a cell.
Combine eachHalf(uint32_t (*combine)(uint32_t, uint32_t)) {
  return [combine](uint64_t a, uint64_t b) {
    const uint32_t low = combine(static_cast<uint32_t>(a), static_cast<uint32_t>(b));
    const uint32_t high = combine(static_cast<uint32_t>(a >> 32), static_cast<uint32_t>(b >> 32));
    return uint64_t{high} << 32 | low;
  };
}

// Small whole numbers as f16, and back.
uint64_t halfOf(uint32_t number) {
  if (number == 0) return 0;
  const auto exponent = static_cast<uint32_t>(std::bit_width(number) - 1);
  return (exponent + 15) << 10 | (number << (10 - exponent) & 0x3FFU);
}
uint32_t numberOf(uint64_t half) {
  const auto exponent = static_cast<uint32_t>(half >> 10);
  return half == 0 ? 0 : static_cast<uint32_t>((half & 0x3FFU) | 0x400U) >> (25 - exponent);
}

class Adding {
 public:
  explicit Adding(std::vector<Program>& programs) : programs_(programs) {}
  Program& add(const std::string& label, const std::string& body,
               std::function<void(const BlockRecords&)> reference, ptx::Type operands = ptx::Type::kB64) {
    programs_.push_back({label, body, std::move(reference), operands});
    programs_.back().cluster = 2;
    return programs_.back();
  }

 private:
  std::vector<Program>& programs_;
};

std::span<const Record> recordsOf(const BlockRecords& block, uint32_t of) {
  return block.grid.subspan(size_t{of} * kProgramThreads, kProgramThreads);
}
// `bytes` of a block's records, from byte `from` on, are at byte `to` of each block's memory, the rest being
// ones.
void copied(const BlockRecords& block, uint32_t of, uint32_t from, uint32_t to, uint32_t bytes) {
  std::memset(block.out.data(), 0xFF, block.out.size_bytes());
  std::memcpy(reinterpret_cast<std::byte*>(block.out.data()) + to,
              reinterpret_cast<const std::byte*>(recordsOf(block, of).data()) + from, bytes);
}

void addLoads(Adding& programs) {
  for (const char* space : {"shared::cluster", "shared::cta"}) {
    for (const uint32_t bytes : {16U, 144U, 4096U, 16384U}) {
      const uint32_t from = bytes < 16384 ? 32 : 0, to = bytes < 16384 ? 16 : 0;
      programs.add(
          fmt::format("cp.async.bulk.{}.global of {} bytes", space, bytes),
          begin() +
              fmt::format(
                  "  mov.u32 %v, mem;\n  @%s mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], {3};\n"
                  "  @%s cp.async.bulk.{0}.global.mbarrier::complete_tx::bytes [%v+{1}], [%y+{2}], {3}, "
                  "[bar];\n",
                  space, to, from, bytes) +
              kWait + copiedOut(),
          [=](const BlockRecords& block) { copied(block, block.block, from, to, bytes); });
    }
  }
  // The bytes may arrive before they are expected; several copies count together.
  programs.add(
      "cp.async.bulk, three copies, expected afterwards",
      begin() +
          "  mov.u32 %v, 256;\n  mov.b64 %x, 0x14F0000000000000;\n"
          "  @%s cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [mem], [%y], %v, [bar];\n"
          "  @%s cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [mem+256], [%y+256], %v, "
          "[bar];\n"
          "  @%s cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [mem+512], "
          "[%y+512], %v, [bar], %x;\n"
          "  @%s mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 768;\n" +
          std::string(kWait) + copiedOut(),
      [](const BlockRecords& block) { copied(block, block.block, 0, 0, 768); });
  // Into the other block, whose mbarrier is signalled.
  programs.add(
      "cp.async.bulk.shared::cluster.global into another block",
      begin() +
          "  @%s mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 512;\n"
          "  mapa.shared::cluster.u32 %v, mem, %w;\n  mapa.shared::cluster.u32 %w, bar, %w;\n"
          "  @%s cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%v], [%y], 512, [%w];\n" +
          std::string(kWait) + copiedOut(),
      [](const BlockRecords& block) { copied(block, 1 - block.block, 0, 0, 512); });
  for (const bool hint : {false, true}) {
    programs.add(
        fmt::format("cp.async.bulk.multicast::cluster{}", hint ? ".L2::cache_hint" : ""),
        begin() +
            "  @%s mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 256;\n  mov.u16 %h, 3;\n"
            "  mov.b64 %x, 0x14F0000000000000;\n  setp.eq.and.u32 %q, %w, 1, %s;\n" +
            fmt::format(
                "  @%q "
                "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster{} "
                "[mem], [%y], 256, [bar], %h{};\n",
                hint ? ".L2::cache_hint" : "", hint ? ", %x" : "") +
            kWait + copiedOut(),
        [](const BlockRecords& block) { copied(block, 0, 0, 0, 256); });
  }
  programs.add(
      "cp.async.bulk.prefetch.L2.global",
      begin() + "  @%s cp.async.bulk.prefetch.L2.global [%y], 256;\n" + copiedOut(),
      [](const BlockRecords& block) { std::memset(block.out.data(), 0xFF, block.out.size_bytes()); });
}

// The block's records are in its memory, and visible to bulk copies; all threads have come here.
std::string filledMemory() {
  std::string text;
  for (uint32_t at = 0; at < 128; at += 8)
    text += fmt::format("  ld.global.b64 %x, [%in+{0}];\n  st.shared.b64 [%u+{0}], %x;\n", at);
  return text + "  fence.proxy.async.shared::cta;\n" + kMeet;
}

// From half of a block's memory into the other half of the other block's.
void addPasses(Adding& programs) {
  programs.add("cp.async.bulk.shared::cluster.shared::cta",
               begin() + filledMemory() +
                   "  @%s mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 2048;\n"
                   "  mapa.shared::cluster.u32 %v, mem+8192, %w;\n  mapa.shared::cluster.u32 %w, bar, %w;\n"
                   "  @%s cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%v], "
                   "[mem+1024], 2048, "
                   "[%w];\n" +
                   std::string(kWait) + copiedOut(),
               [](const BlockRecords& block) {
                 std::memcpy(block.out.data(), block.in.data(), block.in.size_bytes());
                 std::memcpy(&block.out[64], &recordsOf(block, 1 - block.block)[8], 2048);
               });
  const auto reduces = [&](const char* op, const char* type, const Combine& combine) {
    programs.add(
        fmt::format("cp.reduce.async.bulk.shared::cluster.shared::cta.{}.{}", op, type),
        begin() + filledMemory() +
            fmt::format(
                "  @%s mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 256;\n"
                "  mapa.shared::cluster.u32 %v, mem+8192, %w;\n  mapa.shared::cluster.u32 %w, bar, %w;\n"
                "  @%s cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.{}.{} "
                "[%v], [mem], 256, [%w];\n",
                op, type) +
            kWait + copiedOut(),
        [combine](const BlockRecords& block) {
          std::memcpy(block.out.data(), block.in.data(), block.in.size_bytes());
          for (size_t cell = 0; cell < 32; ++cell) {
            uint64_t& to = block.out[64 + cell / kRecordCells][cell % kRecordCells];
            to = combine(to, recordsOf(block, 1 - block.block)[cell / kRecordCells][cell % kRecordCells]);
          }
        });
  };
  reduces("add", "u64", [](uint64_t a, uint64_t b) { return a + b; });
  reduces("add", "u32", eachHalf([](uint32_t a, uint32_t b) { return a + b; }));
  reduces("add", "s32", eachHalf([](uint32_t a, uint32_t b) { return a + b; }));
  reduces("min", "u32", eachHalf([](uint32_t a, uint32_t b) { return std::min(a, b); }));
  reduces("max", "s32", eachHalf([](uint32_t a, uint32_t b) {
            return static_cast<uint32_t>(std::max(static_cast<int32_t>(a), static_cast<int32_t>(b)));
          }));
  reduces("inc", "u32", eachHalf([](uint32_t a, uint32_t b) { return a >= b ? 0 : a + 1; }));
  reduces("dec", "u32", eachHalf([](uint32_t a, uint32_t b) { return a == 0 || a > b ? b : a - 1; }));
  reduces("and", "b32", eachHalf([](uint32_t a, uint32_t b) { return a & b; }));
  reduces("xor", "b32", eachHalf([](uint32_t a, uint32_t b) { return a ^ b; }));
}

// Each thread copies its record from shared to global memory.
void addStores(Adding& programs) {
  const auto whole = [](const BlockRecords& block) {
    std::memcpy(block.out.data(), block.in.data(), block.in.size_bytes());
  };
  for (const char* read : {"", ".read"}) {
    programs.add(fmt::format("cp.async.bulk.global.shared::cta, cp.async.bulk.wait_group{}", read),
                 begin() + filledMemory() +
                     fmt::format("  cp.async.bulk.global.shared::cta.bulk_group [%out], [%u], 128;\n"
                                 "  cp.async.bulk.commit_group;\n  cp.async.bulk.wait_group{} 0;\n",
                                 read) +
                     "  st.shared.b64 [%u], 0;\n" + kMeet,
                 whole);
  }
  programs.add("cp.async.bulk.global.shared::cta.L2::cache_hint",
               begin() + filledMemory() +
                   "  mov.b64 %x, 0x12F0000000000000;\n"
                   "  cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint [%out], [%u], 128, %x;\n"
                   "  cp.async.bulk.commit_group;\n  cp.async.bulk.wait_group 0;\n" +
                   kMeet,
               whole);
  programs.add(
      "cp.async.bulk, two groups, cp.async.bulk.wait_group 1",
      begin() + filledMemory() +
          "  cp.async.bulk.global.shared::cta.bulk_group [%out], [%u], 64;\n  cp.async.bulk.commit_group;\n"
          "  cp.async.bulk.global.shared::cta.bulk_group [%out+64], [%u+64], 64;\n"
          "  cp.async.bulk.commit_group;\n  cp.async.bulk.wait_group.read 1;\n  st.shared.b64 [%u], 0;\n"
          "  cp.async.bulk.wait_group 0;\n" +
          kMeet,
      whole);
  // The thread's outputs hold its record already; its copy in shared memory is combined with them.
  const auto reduces = [&](const char* op, const char* type, ptx::Type operands,
                           const Combine& combine) -> Program& {
    std::string before;
    for (uint32_t at = 0; at < 128; at += 8)
      before += fmt::format("  ld.global.b64 %x, [%in+{}];\n  st.global.b64 [%out+{}], %x;\n", 120 - at, at);
    return programs.add(
        fmt::format("cp.reduce.async.bulk.global.shared::cta.{}.{}", op, type),
        begin() + filledMemory() + before + "  fence.proxy.async;\n" +
            fmt::format("  cp.reduce.async.bulk.global.shared::cta.bulk_group.{}.{} [%out], [%u], 128;\n", op,
                        type) +
            "  cp.async.bulk.commit_group;\n  cp.async.bulk.wait_group 0;\n" + kMeet,
        [combine](const BlockRecords& block) {
          for (size_t i = 0; i < kProgramThreads; ++i) {
            for (size_t cell = 0; cell < kRecordCells; ++cell)
              block.out[i][cell] = combine(block.in[i][kRecordCells - 1 - cell], block.in[i][cell]);
          }
        },
        operands);
  };
  using ptx::Type;
  reduces("add", "u64", Type::kB64, [](uint64_t a, uint64_t b) { return a + b; });
  reduces("min", "s64", Type::kB64, [](uint64_t a, uint64_t b) {
    return static_cast<uint64_t>(std::min(static_cast<int64_t>(a), static_cast<int64_t>(b)));
  });
  reduces("max", "u64", Type::kB64, [](uint64_t a, uint64_t b) { return std::max(a, b); });
  reduces("and", "b64", Type::kB64, [](uint64_t a, uint64_t b) { return a & b; });
  reduces("or", "b64", Type::kB64, [](uint64_t a, uint64_t b) { return a | b; });
  reduces("xor", "b64", Type::kB64, [](uint64_t a, uint64_t b) { return a ^ b; });
  reduces("inc", "u32", Type::kB64, eachHalf([](uint32_t a, uint32_t b) { return a >= b ? 0 : a + 1; }));
  // Numbers of which every sum is exact, so that no NaN and no rounding matters.
  const auto sums = [&](const char* words, uint32_t bits, uint64_t (*number)(uint32_t), Combine add) {
    Program& program = reduces("add", words, Type::kB64, add);
    program.prepare = [bits, number](Record& record, uint32_t thread) {
      for (uint32_t cell = 0; cell < kRecordCells; ++cell) {
        record[cell] = 0;
        for (uint32_t at = 0; at < 64; at += bits)
          record[cell] |= number((thread * 7 + cell * 5 + at / bits) % 32) << at;
      }
    };
  };
  sums(
      "f32", 32, [](uint32_t n) { return uint64_t{std::bit_cast<uint32_t>(static_cast<float>(n))}; },
      eachHalf([](uint32_t a, uint32_t b) {
        return std::bit_cast<uint32_t>(std::bit_cast<float>(a) + std::bit_cast<float>(b));
      }));
  sums(
      "f64", 64, [](uint32_t n) { return std::bit_cast<uint64_t>(static_cast<double>(n)); },
      [](uint64_t a, uint64_t b) {
        return std::bit_cast<uint64_t>(std::bit_cast<double>(a) + std::bit_cast<double>(b));
      });
  sums("noftz.f16", 16, halfOf, [](uint64_t a, uint64_t b) {
    uint64_t sum = 0;
    for (uint32_t at = 0; at < 64; at += 16)
      sum |= halfOf(numberOf(a >> at & 0xFFFFU) + numberOf(b >> at & 0xFFFFU)) << at;
    return sum;
  });
  sums(
      "noftz.bf16", 16,
      [](uint32_t n) { return uint64_t{std::bit_cast<uint32_t>(static_cast<float>(n)) >> 16}; },
      [](uint64_t a, uint64_t b) {
        const auto number = [](uint64_t bits) {
          return std::bit_cast<float>(static_cast<uint32_t>(bits & 0xFFFFU) << 16);
        };
        uint64_t sum = 0;
        for (uint32_t at = 0; at < 64; at += 16)
          sum |= uint64_t{std::bit_cast<uint32_t>(number(a >> at) + number(b >> at)) >> 16} << at;
        return sum;
      });
}

// Each thread sends its value to its slot in the other block, whose mbarrier counts the bytes.
void addAsyncStores(Adding& programs) {
  const std::string map =
      "  mov.u32 %v, mem;\n  mad.lo.u32 %v, %i, 16, %v;\n  mov.u32 %t, %v;\n"
      "  mapa.shared::cluster.u32 %v, %v, %w;\n  mapa.shared::cluster.u32 %w, bar, %w;\n"
      "  ld.global.b64 %x, [%in];\n  ld.global.b64 %z, [%in+8];\n";
  const std::string end =
      std::string(kWait) +
      "  ld.shared.b64 %x, [%t];\n  ld.shared.b64 %z, [%t+8];\n  st.global.b64 [%out], %x;\n"
      "  st.global.b64 [%out+8], %z;\n" +
      kMeet;
  const auto add = [&](const std::string& label, uint32_t bytes, const std::string& store,
                       const auto& outputs) {
    programs.add(
        label,
        begin() +
            fmt::format("  @%s mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], {};\n", bytes * 128) +
            map + store + end,
        [outputs](const BlockRecords& block) {
          for (size_t i = 0; i < kProgramThreads; ++i)
            outputs(block.out[i], recordsOf(block, 1 - block.block)[i]);
        });
  };
  const auto first = [](Record& out, const Record& other) { out = {other[0], ~uint64_t{0}}; };
  const auto both = [](Record& out, const Record& other) { out = {other[0], other[1]}; };
  for (const char* weak : {"", ".weak"}) {
    add(fmt::format("st.async{}.shared::cluster.b64", weak), 8,
        fmt::format("  st.async{}.shared::cluster.mbarrier::complete_tx::bytes.b64 [%v], %x, [%w];\n", weak),
        first);
  }
  for (const char* type : {"b32", "f32"}) {
    add(fmt::format("st.async.shared::cluster.{}", type), 4,
        fmt::format("  .reg .{0} %c, %d;\n  mov.b64 {{%c, %d}}, %x;\n"
                    "  st.async.shared::cluster.mbarrier::complete_tx::bytes.{0} [%v], %c, [%w];\n",
                    type),
        [](Record& out, const Record& other) {
          out = {0xFFFF'FFFF'0000'0000U | static_cast<uint32_t>(other[0]), ~uint64_t{0}};
        });
    add(fmt::format("st.async.shared::cluster.v2.{}", type), 8,
        fmt::format(
            "  .reg .{0} %c, %d;\n  mov.b64 {{%c, %d}}, %x;\n"
            "  st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.{0} [%v], {{%c, %d}}, [%w];\n",
            type),
        first);
  }
  add("st.async.shared::cluster.v2.b64", 16,
      "  st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.b64 [%v], {%x, %z}, [%w];\n", both);
  add("st.async.shared::cluster.v4.b32", 16,
      "  mov.b64 {%i, %u}, %x;\n  .reg .b32 %c, %d;\n  mov.b64 {%c, %d}, %z;\n"
      "  st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%v], {%i, %u, %c, %d}, [%w];\n",
      both);
  const auto reduces = [&](const char* op, const char* type,
                           uint64_t (*combine)(uint64_t ones, uint64_t value)) {
    const bool wide = std::string(type).ends_with("64");
    add(fmt::format("red.async.relaxed.cluster.{}.{}", op, type), wide ? 8 : 4,
        fmt::format("  cvt.u32.u64 %u, %x;\n"
                    "  red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.{}.{} [%v], "
                    "{}, [%w];\n",
                    op, type, wide ? "%x" : "%u"),
        [combine](Record& out, const Record& other) {
          out = {combine(~uint64_t{0}, other[0]), ~uint64_t{0}};
        });
  };
  constexpr uint64_t kUpper = 0xFFFF'FFFF'0000'0000U;
  reduces("add", "u64", [](uint64_t ones, uint64_t value) { return ones + value; });
  reduces("add", "u32", [](uint64_t, uint64_t value) { return kUpper | static_cast<uint32_t>(value - 1); });
  reduces("add", "s32", [](uint64_t, uint64_t value) { return kUpper | static_cast<uint32_t>(value - 1); });
  reduces("min", "u32", [](uint64_t, uint64_t value) { return kUpper | static_cast<uint32_t>(value); });
  reduces("max", "s32", [](uint64_t, uint64_t value) {
    return kUpper | static_cast<uint32_t>(std::max(-1, static_cast<int32_t>(value)));
  });
  reduces("inc", "u32", [](uint64_t, uint64_t) { return kUpper; });
  reduces("dec", "u32", [](uint64_t, uint64_t value) {
    return kUpper | (static_cast<uint32_t>(value) == ~0U ? ~0U - 1 : static_cast<uint32_t>(value));
  });
  reduces("and", "b32", [](uint64_t, uint64_t value) { return kUpper | static_cast<uint32_t>(value); });
  reduces("xor", "b32", [](uint64_t, uint64_t value) { return kUpper | static_cast<uint32_t>(~value); });
}

}  // namespace

void addBulkPrograms(std::vector<Program>& programs) {
  Adding adding(programs);
  addLoads(adding);
  addPasses(adding);
  addStores(adding);
  addAsyncStores(adding);
}

}  // namespace warpscope::test
