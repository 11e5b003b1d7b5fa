// ld, ldu, st and prefetch in every state space, width and vector, and with every qualifier.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "tests/differential/form.h"
#include "tests/differential/program.h"

namespace warpscope::test {
namespace {

using ptx::Type;

constexpr uint32_t kAt = 16;  // what is moved lies so far behind the beginning of its memory
constexpr uint32_t kCopied = 64;

constexpr Type kTypes[] = {Type::kB8,  Type::kB16, Type::kB32, Type::kB64, Type::kU8,
                           Type::kU16, Type::kU32, Type::kU64, Type::kS8,  Type::kS16,
                           Type::kS32, Type::kS64, Type::kF32, Type::kF64};

struct Place {
  std::string space;    // as the opcode has it
  std::string variant;  // what a generic address points to
  std::string setup;    // makes %y the address of 64 bytes
  std::string address;  // of the access: `kAt` behind them
  enum class Memory : uint8_t { kRecord, kConstants, kBlob } memory = Memory::kRecord;
};

// Copies the thread's first cells to where %y (and `instruction`) say.
std::string copiedIn(const std::string& store) {
  std::string text;
  for (uint32_t at = 0; at < kCopied; at += 8) {
    text += filled("  ld.global.b64 %x, [%in+$1];\n  $2.b64 [%y+$1], %x;\n", {std::to_string(at), store});
  }
  return text;
}
std::string zeroed(const std::string& store) {
  std::string text;
  for (uint32_t at = 0; at < kCopied; at += 8) text += fmt::format("  {}.b64 [%y+{}], 0;\n", store, at);
  return text;
}
std::string copiedOut(const std::string& load) {
  std::string text;
  for (uint32_t at = 0; at < kCopied; at += 8) {
    text += filled("  $2.b64 %x, [%y+$1];\n  st.global.b64 [%out+$1], %x;\n", {std::to_string(at), load});
  }
  return text;
}

constexpr const char* kSharedMemory =
    "  .shared .align 16 .b8 mem[16384];\n  mov.u32 %u, mem;\n  mad.lo.u32 %u, %i, 128, %u;\n"
    "  cvt.u64.u32 %y, %u;\n";
constexpr const char* kLocalMemory = "  .local .align 16 .b8 mem[64];\n  mov.u64 %y, mem;\n";
constexpr const char* kConstantMemory =
    "  mov.u64 %y, constants;\n  and.b32 %u, %i, 7;\n  mul.wide.u32 %x, %u, 64;\n  add.s64 %y, %y, %x;\n";

// Where a load may read.
std::vector<Place> loadPlaces() {
  const std::string shared = kSharedMemory + copiedIn("st.shared");
  const std::string local = kLocalMemory + copiedIn("st.local");
  const std::string in = "[%in+16]", y = "[%y+16]";
  using Memory = Place::Memory;
  return {
      {".global", "", "", in},
      {"", "global", "", in},
      {".shared", "", shared, y},
      {".shared::cta", "", shared, y},
      {".shared", "32-bit address", shared + "  cvt.u32.u64 %u, %y;\n", "[%u+16]"},
      {"", "shared", shared + "  cvta.shared.u64 %y, %y;\n", y},
      {".local", "", local, y},
      {".local", "by name", local, "[mem+16]"},
      {"", "local", local + "  cvta.local.u64 %y, %y;\n", y},
      {".const", "", kConstantMemory, y, Memory::kConstants},
      {".const", "by name", "", "[constants+16]", Memory::kConstants},
      {"", "const", kConstantMemory + std::string("  cvta.const.u64 %y, %y;\n"), y, Memory::kConstants},
      {".param", "", "", "[blob+16]", Memory::kBlob},
      {".param::entry", "", "", "[blob+16]", Memory::kBlob},
  };
}

uint32_t widthOf(Type type) {
  return std::max(16U, bitsOf(type));
}

std::string registersOf(uint32_t bits, uint32_t count) {
  std::string list;
  for (uint32_t i = 0; i < count; ++i) list += fmt::format("{}%e{}", i > 0 ? ", " : "", i);
  return fmt::format("  .reg .b{} {};\n", bits, list);
}
std::string operandOf(uint32_t count) {
  std::string list;
  for (uint32_t i = 0; i < count; ++i) list += fmt::format("{}%e{}", i > 0 ? ", " : "", i);
  return count > 1 ? "{" + list + "}" : list;
}
std::string vectorWord(uint32_t count) {
  return count > 1 ? fmt::format(".v{}", count) : "";
}

// An element as a register of `bits` has it.
uint64_t extended(const std::byte* from, Type type, uint32_t bits) {
  uint64_t value = 0;
  const uint32_t width = bitsOf(type);
  std::memcpy(&value, from, width / 8);
  if (ptx::isSigned(type) && width < 64 && ((value >> (width - 1)) & 1U) != 0) value |= ~uint64_t{0} << width;
  return bits == 64 ? value : value & ((uint64_t{1} << bits) - 1);
}

const std::byte* memoryOf(const Place& place, const Record& record, uint32_t thread) {
  switch (place.memory) {
    case Place::Memory::kConstants:
      return programConstants().data() + (place.variant == "by name" ? 0 : thread % 8 * kCopied) + kAt;
    case Place::Memory::kBlob:
      return programBlob().data() + kAt;
    default:
      return reinterpret_cast<const std::byte*>(record.data()) + kAt;
  }
}

Program load(const std::string& opcode, const Place& place, Type type, uint32_t count, uint32_t bits) {
  Program program;
  program.label = fmt::format("{}{}{}{}", opcode, place.variant.empty() ? "" : ", " + place.variant,
                              bits == widthOf(type) ? "" : fmt::format(", {}-bit registers", bits), "");
  program.body = registersOf(bits, count) + place.setup +
                 fmt::format("  {} {}, {};\n", opcode, operandOf(count), place.address);
  for (uint32_t i = 0; i < count; ++i)
    program.body += fmt::format("  st.global.b{} [%out+{}], %e{};\n", bits, 8 * i, i);
  program.reference = [=](const BlockRecords& block) {
    for (uint32_t thread = 0; thread < kProgramThreads; ++thread) {
      const std::byte* from = memoryOf(place, block.in[thread], thread);
      for (uint32_t i = 0; i < count; ++i)
        block.out[thread][i] = extended(from + i * bitsOf(type) / 8, type, bits);
    }
  };
  return program;
}

std::vector<uint32_t> registerWidths(Type type) {
  std::vector<uint32_t> widths{widthOf(type)};
  if (ptx::isFloat(type)) return widths;
  while (widths.back() < 64) widths.push_back(widths.back() * 2);
  return widths;
}

void addLoads(std::vector<Program>& programs) {
  for (const Place& place : loadPlaces()) {
    for (const Type type : kTypes) {
      for (const uint32_t count : {1U, 2U, 4U}) {
        if (count * bitsOf(type) > 128) continue;
        const std::string opcode =
            fmt::format("ld{}{}.{}", place.space, vectorWord(count), ptx::typeName(type));
        for (const uint32_t bits : registerWidths(type))
          programs.push_back(load(opcode, place, type, count, bits));
      }
    }
  }
}

// What may stand for `qualifier` depends on the space.
bool allowsCacheHints(const std::string& space) {
  return space == ".global" || space.empty();
}

void addQualifiedLoads(std::vector<Program>& programs) {
  const std::vector<std::string> everywhere = {
      ".weak",        ".volatile",    ".relaxed.cta",      ".relaxed.cluster",
      ".relaxed.gpu", ".relaxed.sys", ".acquire.cta",      ".acquire.cluster",
      ".acquire.gpu", ".acquire.sys", ".mmio.relaxed.sys",
  };
  const std::vector<std::string> cached = {".ca", ".cg", ".cs", ".cv"};
  const std::vector<std::string> hinted = {
      ".L1::evict_normal", ".L1::evict_unchanged",
      ".L1::evict_first",  ".L1::evict_last",
      ".L1::no_allocate",  ".L2::64B",
      ".L2::128B",         ".L2::256B",
  };
  const std::vector<std::string> read_only = {
      ".nc",         ".ca.nc", ".cg.nc", ".cs.nc", ".nc.L1::no_allocate", ".nc.L1::evict_last.L2::128B",
      ".nc.L2::256B"};
  const std::pair<Type, uint32_t> kinds[] = {{Type::kS8, 1},  {Type::kU16, 1}, {Type::kB32, 1},
                                             {Type::kU64, 1}, {Type::kF32, 4}, {Type::kB64, 2},
                                             {Type::kS16, 2}};
  for (const Place& place : loadPlaces()) {
    const bool strong = place.space == ".global" || place.space == ".shared" || place.space.empty();
    if (!strong || place.variant == "32-bit address" || place.memory != Place::Memory::kRecord) continue;
    const auto add = [&](const std::string& before, const std::string& after) {
      for (const auto& [type, count] : kinds) {
        if (before.starts_with(".mmio") && count > 1) continue;
        const std::string opcode =
            fmt::format("ld{}{}{}{}.{}", before, place.space, after, vectorWord(count), ptx::typeName(type));
        programs.push_back(load(opcode, place, type, count, widthOf(type)));
      }
    };
    const bool is_local = place.variant == "local";
    for (const std::string& order : everywhere) {
      if (is_local && order != ".weak" && order != ".volatile") continue;
      if (order.starts_with(".mmio") && !place.space.starts_with(".global")) continue;
      add(order, "");
    }
    if (!allowsCacheHints(place.space)) continue;
    for (const std::string& word : cached) add("", word);
    for (const std::string& word : hinted) add("", word);
    add(".relaxed.gpu", ".L1::evict_first.L2::128B");
    if (place.space != ".global") continue;
    for (const std::string& word : read_only) add("", word);
    add("", ".lu");
  }
  for (const auto& [type, count] : kinds) {
    const Place global{".global", "", "", "[%in+16]"};
    programs.push_back(load(fmt::format("ldu.global{}.{}", vectorWord(count), ptx::typeName(type)), global,
                            type, count, widthOf(type)));
  }
}

// Where a store may write: `setup` zeroes the place, `read_back` moves it to the thread's record.
struct Target {
  std::string space, variant, setup, address, read_back;
};

std::vector<Target> storeTargets() {
  const std::string shared = kSharedMemory + zeroed("st.shared"), read_shared = copiedOut("ld.shared");
  const std::string local = kLocalMemory + zeroed("st.local"), read_local = copiedOut("ld.local");
  const std::string y = "[%y+16]";
  return {
      {".global", "", "", "[%out+16]", ""},
      {"", "global", "", "[%out+16]", ""},
      {".shared", "", shared, y, read_shared},
      {".shared::cta", "", shared, y, read_shared},
      {".shared", "32-bit address", shared + "  cvt.u32.u64 %u, %y;\n", "[%u+16]", read_shared},
      {"", "shared", shared + "  cvta.shared.u64 %z, %y;\n", "[%z+16]", read_shared},
      {".local", "", local, y, read_local},
      {".local", "by name", local, "[mem+16]", read_local},
      {"", "local", local + "  cvta.local.u64 %z, %y;\n", "[%z+16]", read_local},
  };
}

Program store(const std::string& opcode, const Target& target, Type type, uint32_t count, uint32_t bits) {
  Program program;
  program.label = fmt::format("{}{}{}", opcode, target.variant.empty() ? "" : ", " + target.variant,
                              bits == widthOf(type) ? "" : fmt::format(", {}-bit registers", bits));
  program.body = registersOf(bits, count) + target.setup;
  for (uint32_t i = 0; i < count; ++i)
    program.body += fmt::format("  ld.global.b{} %e{}, [%in+{}];\n", bits, i, 8 * i);
  program.body += fmt::format("  {} {}, {};\n", opcode, target.address, operandOf(count)) + target.read_back;
  program.reference = [=](const BlockRecords& block) {
    for (uint32_t thread = 0; thread < kProgramThreads; ++thread) {
      std::byte* to = reinterpret_cast<std::byte*>(block.out[thread].data()) + kAt;
      const uint32_t bytes = bitsOf(type) / 8;
      for (uint32_t i = 0; i < count; ++i) std::memcpy(to + i * bytes, &block.in[thread][i], bytes);
    }
  };
  return program;
}

void addStores(std::vector<Program>& programs) {
  const std::string orders[] = {
      ".weak",        ".volatile",    ".relaxed.cta",      ".relaxed.cluster",
      ".relaxed.gpu", ".relaxed.sys", ".release.cta",      ".release.cluster",
      ".release.gpu", ".release.sys", ".mmio.relaxed.sys",
  };
  const std::string hints[] = {".wb",
                               ".cg",
                               ".cs",
                               ".wt",
                               ".L1::evict_normal",
                               ".L1::evict_unchanged",
                               ".L1::evict_first",
                               ".L1::evict_last",
                               ".L1::no_allocate"};
  for (const Target& target : storeTargets()) {
    for (const Type type : kTypes) {
      for (const uint32_t count : {1U, 2U, 4U}) {
        if (count * bitsOf(type) > 128) continue;
        const auto add = [&](const std::string& before, const std::string& after, uint32_t bits) {
          const std::string opcode = fmt::format("st{}{}{}{}.{}", before, target.space, after,
                                                 vectorWord(count), ptx::typeName(type));
          programs.push_back(store(opcode, target, type, count, bits));
        };
        for (const uint32_t bits : registerWidths(type)) add("", "", bits);
        const bool strong =
            target.space == ".global" || target.space == ".shared" || target.variant == "global";
        if (!strong || target.variant == "32-bit address" || (type != Type::kB64 && type != Type::kS16))
          continue;
        for (const std::string& order : orders) {
          if (order.starts_with(".mmio") && (count > 1 || target.space != ".global")) continue;
          add(order, "", widthOf(type));
        }
        if (!allowsCacheHints(target.space)) continue;
        for (const std::string& hint : hints) add("", hint, widthOf(type));
      }
    }
  }
}

// Of 128 bits at once, in all spaces.
void addWide(std::vector<Program>& programs) {
  for (const Place& place : loadPlaces()) {
    if (place.memory == Place::Memory::kBlob || place.memory == Place::Memory::kConstants) continue;
    Program program;
    const std::string opcode = "ld" + place.space + ".b128";
    program.label = opcode + (place.variant.empty() ? "" : ", " + place.variant);
    program.body = "  .reg .b128 %e;\n" + place.setup + fmt::format("  {} %e, {};\n", opcode, place.address) +
                   "  mov.b128 {%x, %z}, %e;\n  st.global.b64 [%out], %x;\n  st.global.b64 [%out+8], %z;\n";
    program.reference = [](const BlockRecords& block) {
      for (size_t thread = 0; thread < block.in.size(); ++thread)
        std::copy_n(&block.in[thread][2], 2, block.out[thread].data());
    };
    programs.push_back(std::move(program));
  }
  for (const Target& target : storeTargets()) {
    Program program;
    const std::string opcode = "st" + target.space + ".b128";
    program.label = opcode + (target.variant.empty() ? "" : ", " + target.variant);
    program.body = "  .reg .b128 %e;\n  .reg .b64 %a, %b;\n" + target.setup +
                   "  ld.global.v2.b64 {%a, %b}, [%in];\n  mov.b128 %e, {%a, %b};\n" +
                   fmt::format("  {} {}, %e;\n", opcode, target.address) + target.read_back;
    program.reference = [](const BlockRecords& block) {
      for (size_t thread = 0; thread < block.in.size(); ++thread)
        std::copy_n(block.in[thread].data(), 2, &block.out[thread][2]);
    };
    programs.push_back(std::move(program));
  }
}

// Prefetches change nothing: a load behind them sees what is there.
void addPrefetches(std::vector<Program>& programs) {
  for (const std::string opcode :
       {"prefetch.global.L1", "prefetch.global.L2", "prefetch.L1", "prefetch.L2", "prefetchu.L1",
        "prefetch.global.L2::evict_last", "prefetch.global.L2::evict_normal", "prefetch.local.L1"}) {
    const bool local = opcode.find("local") != std::string::npos;
    programs.push_back({opcode,
                        (local ? "  .local .b64 mem;\n" : "") +
                            fmt::format("  {} {};\n", opcode, local ? "[mem]" : "[%in]") +
                            "  ld.global.b64 %x, [%in];\n  st.global.b64 [%out], %x;\n",
                        [](const BlockRecords& block) {
                          for (size_t thread = 0; thread < block.in.size(); ++thread)
                            block.out[thread][0] = block.in[thread][0];
                        }});
  }
}

}  // namespace

void addMemoryPrograms(std::vector<Program>& programs) {
  addLoads(programs);
  addQualifiedLoads(programs);
  addWide(programs);
  addStores(programs);
  addPrefetches(programs);
}

}  // namespace warpscope::test
