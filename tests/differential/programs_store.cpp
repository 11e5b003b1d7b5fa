// st in every state space it has, width and vector, and with every qualifier.
#include <fmt/format.h>

#include <cstring>
#include <utility>

#include "tests/differential/form.h"
#include "tests/differential/programs_memory.h"

namespace warpscope::test {
namespace {

using ptx::Type;

// The places that a store may write to: `setup` zeroes the place, `read_back` copies it to the thread's
// record.
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
  program.label = labelOf(opcode, target.variant, type, bits);
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
    for (const Type type : kMemoryTypes) {
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
          add(order, "", registerWidth(type));
        }
        if (target.space.starts_with(".shared")) continue;  // no caches to give hints to
        for (const std::string& hint : hints) add("", hint, registerWidth(type));
      }
    }
  }
}

// 128-bit stores.
void addWideStores(std::vector<Program>& programs) {
  for (const Target& target : storeTargets()) {
    Program program;
    const std::string opcode = "st" + target.space + ".b128";
    program.label = labelOf(opcode, target.variant, Type::kB128, 128);
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

// Immediates among registers that are wider than the stored type.
void addImmediates(std::vector<Program>& programs) {
  for (const auto& [bits, type] : {std::pair{64U, Type::kB32}, {64U, Type::kU16}, {32U, Type::kB8}}) {
    Program program;
    program.label =
        fmt::format("st.global.v4.{}, immediates among {}-bit registers", ptx::typeName(type), bits);
    program.body = registersOf(bits, 2) + fmt::format(
                                              "  ld.global.b{0} %e0, [%in];\n  ld.global.b{0} %e1, [%in+8];\n"
                                              "  st.global.v4.{1} [%out+16], {{%e0, 77, %e1, 5}};\n",
                                              bits, ptx::typeName(type));
    program.reference = [type = type](const BlockRecords& block) {
      for (size_t i = 0; i < kProgramThreads; ++i) {
        const uint64_t values[] = {block.in[i][0], 77, block.in[i][1], 5};
        const uint32_t bytes = bitsOf(type) / 8;
        std::byte* to = reinterpret_cast<std::byte*>(block.out[i].data()) + kAt;
        for (uint32_t k = 0; k < 4; ++k) std::memcpy(to + k * bytes, &values[k], bytes);
      }
    };
    programs.push_back(std::move(program));
  }
}

}  // namespace

void addStorePrograms(std::vector<Program>& programs) {
  addStores(programs);
  addWideStores(programs);
  addImmediates(programs);
}

}  // namespace warpscope::test
