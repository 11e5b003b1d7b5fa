// ld and ldu in every state space, width and vector, and with every qualifier; and prefetches.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "tests/differential/form.h"
#include "tests/differential/programs_memory.h"

namespace warpscope::test {
namespace {

using ptx::Type;

struct Place {
  std::string space;    // as in the opcode
  std::string variant;  // what a generic address points to
  std::string setup;    // makes %y the address of 64 bytes
  std::string address;  // of the access: `kAt` bytes further
  enum class Memory : uint8_t { kRecord, kConstants, kBlob } memory = Memory::kRecord;
};

constexpr const char* kConstantMemory =
    "  mov.u64 %y, constants;\n  and.b32 %u, %i, 7;\n  mul.wide.u32 %x, %u, 64;\n  add.s64 %y, %y, %x;\n";

// The places that a load may read from.
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

// An element as a register with `bits` bits holds it.
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
      return programConstants().data() + (place.variant == "by name" ? 0 : thread % 8 * kMemoryBytes) + kAt;
    case Place::Memory::kBlob:
      return programBlob().data() + kAt;
    default:
      return reinterpret_cast<const std::byte*>(record.data()) + kAt;
  }
}

Program load(const std::string& opcode, const Place& place, Type type, uint32_t count, uint32_t bits) {
  Program program;
  program.label = labelOf(opcode, place.variant, type, bits);
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

void addLoads(std::vector<Program>& programs) {
  for (const Place& place : loadPlaces()) {
    for (const Type type : kMemoryTypes) {
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
        programs.push_back(load(opcode, place, type, count, registerWidth(type)));
      }
    };
    const bool is_local = place.variant == "local";
    for (const std::string& order : everywhere) {
      if (is_local && order != ".weak" && order != ".volatile") continue;
      if (order.starts_with(".mmio") && !place.space.starts_with(".global")) continue;
      add(order, "");
    }
    if (place.space.starts_with(".shared")) continue;  // no caches to give hints to
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
                            type, count, registerWidth(type)));
  }
}

// 128-bit loads.
void addWideLoads(std::vector<Program>& programs) {
  for (const Place& place : loadPlaces()) {
    if (place.memory == Place::Memory::kBlob || place.memory == Place::Memory::kConstants) continue;
    Program program;
    const std::string opcode = "ld" + place.space + ".b128";
    program.label = labelOf(opcode, place.variant, Type::kB128, 128);
    program.body = "  .reg .b128 %e;\n" + place.setup + fmt::format("  {} %e, {};\n", opcode, place.address) +
                   "  mov.b128 {%x, %z}, %e;\n  st.global.b64 [%out], %x;\n  st.global.b64 [%out+8], %z;\n";
    program.reference = [](const BlockRecords& block) {
      for (size_t thread = 0; thread < block.in.size(); ++thread)
        std::copy_n(&block.in[thread][2], 2, block.out[thread].data());
    };
    programs.push_back(std::move(program));
  }
}

// Prefetches change nothing: a load after them reads what is there.
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

void addLoadPrograms(std::vector<Program>& programs) {
  addLoads(programs);
  addQualifiedLoads(programs);
  addWideLoads(programs);
  addPrefetches(programs);
}

}  // namespace warpscope::test
