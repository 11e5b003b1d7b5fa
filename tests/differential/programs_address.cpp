// Addresses of variables and functions, cvta and isspacep: the values of addresses differ between devices,
// but what they refer to does not.
#include <fmt/format.h>

#include "tests/differential/program.h"

namespace warpscope::test {
namespace {

// Outputs the thread's first cell.
void firstCell(const BlockRecords& block) {
  for (size_t thread = 0; thread < block.in.size(); ++thread) block.out[thread][0] = block.in[thread][0];
}

constexpr const char* kLoadCell = "  ld.global.b64 %x, [%in];\n";
constexpr const char* kStoreCell = "  st.global.b64 [%out], %x;\n";
constexpr const char* kSlot = "  shl.b32 %v, %i, 3;\n  cvt.u64.u32 %z, %v;\n";  // 8 bytes a thread

void addMoves(std::vector<Program>& programs) {
  for (const char* type : {"b64", "u64", "s64"}) {
    programs.push_back({fmt::format("mov.{}, shared variable", type),
                        filled("  .shared .b64 mem[128];\n$2$3  mov.$1 %y, mem;\n  add.s64 %y, %y, %z;\n"
                               "  st.shared.b64 [%y], %x;\n  ld.shared.b64 %x, [%y];\n$4",
                               {type, kLoadCell, kSlot, kStoreCell}),
                        firstCell});
    programs.push_back({fmt::format("mov.{}, local variable", type),
                        filled("  .local .b64 mem[4];\n$2  mov.$1 %y, mem;\n  st.local.b64 [%y+8], %x;\n"
                               "  ld.local.b64 %x, [mem+8];\n$3",
                               {type, kLoadCell, kStoreCell}),
                        firstCell});
    programs.push_back(
        {fmt::format("mov.{}, offset of a const variable", type),
         filled("  mov.$1 %y, constants+8;\n  ld.const.b64 %x, [%y+8];\n$2", {type, kStoreCell}),
         [](const BlockRecords& block) {
           for (Record& record : block.out) {
             record[0] = *reinterpret_cast<const uint64_t*>(programConstants().data() + 16);
           }
         }});
  }
  for (const char* type : {"b32", "u32", "s32"}) {
    programs.push_back({fmt::format("mov.{}, shared variable", type),
                        filled("  .shared .b64 mem[128];\n$2$3  mov.$1 %u, mem;\n  add.s32 %u, %u, %v;\n"
                               "  st.shared.b64 [%u], %x;\n  ld.shared.b64 %x, [%u];\n$4",
                               {type, kLoadCell, kSlot, kStoreCell}),
                        firstCell});
  }
}

struct Window {
  const char *space, *declaration, *name;
};
constexpr Window kWindows[] = {{"shared", "  .shared .b64 mem[128];\n", "mem"},
                               {"shared::cta", "  .shared .b64 mem[128];\n", "mem"},
                               {"local", "  .local .b64 mem[128];\n", "mem"}};

// A value stored through a generic address is loaded from the state space, and the reverse.
void addConversions(std::vector<Program>& programs) {
  for (const Window& window : kWindows) {
    const std::string space = std::string(window.space).substr(0, 6) == "shared" ? "shared" : window.space;
    programs.push_back(
        {fmt::format("cvta.{}.u64", window.space),
         filled("$1$2$3  mov.u64 %y, $4;\n  add.s64 %y, %y, %z;\n  cvta.$5.u64 %z, %y;\n  st.b64 [%z], %x;\n"
                "  ld.$6.b64 %x, [%y];\n$7",
                {window.declaration, kLoadCell, kSlot, window.name, window.space, space, kStoreCell}),
         firstCell});
    programs.push_back(
        {fmt::format("cvta.{}.u64 of a variable", window.space),
         filled("$1$2$3  cvta.$5.u64 %y, $4;\n  add.s64 %y, %y, %z;\n  st.b64 [%y], %x;\n"
                "  mov.u64 %y, $4;\n  add.s64 %y, %y, %z;\n  ld.$6.b64 %x, [%y];\n$7",
                {window.declaration, kLoadCell, kSlot, window.name, window.space, space, kStoreCell}),
         firstCell});
    programs.push_back(
        {fmt::format("cvta.to.{}.u64", window.space),
         filled("$1$2$3  mov.u64 %y, $4;\n  add.s64 %y, %y, %z;\n  cvta.$5.u64 %z, %y;\n"
                "  cvta.to.$5.u64 %z, %z;\n  st.$6.b64 [%z], %x;\n  ld.$6.b64 %x, [%y];\n$7",
                {window.declaration, kLoadCell, kSlot, window.name, window.space, space, kStoreCell}),
         firstCell});
  }
  for (const char* opcode : {"cvta.global.u64", "cvta.to.global.u64"}) {
    programs.push_back(
        {opcode, filled("  $1 %y, %in;\n  ld.global.b64 %x, [%y];\n$2", {opcode, kStoreCell}), firstCell});
  }
  const auto leads_to = [&](const std::string& label, const std::string& body, const std::byte* what) {
    programs.push_back({label, body + kStoreCell, [what](const BlockRecords& block) {
                          for (Record& record : block.out)
                            record[0] = *reinterpret_cast<const uint64_t*>(what);
                        }});
  };
  leads_to("cvta.const.u64, cvta.to.const.u64",
           "  mov.u64 %y, constants;\n  cvta.const.u64 %y, %y;\n  cvta.to.const.u64 %y, %y;\n"
           "  ld.const.b64 %x, [%y+24];\n",
           programConstants().data() + 24);
  leads_to("cvta.const.u64 of a variable", "  cvta.const.u64 %y, constants;\n  ld.b64 %x, [%y+32];\n",
           programConstants().data() + 32);
  for (const char* space : {"param", "param::entry"}) {
    leads_to(fmt::format("cvta.{}.u64", space),
             filled("  mov.b64 %y, blob;\n  cvta.$1.u64 %y, %y;\n  ld.b64 %x, [%y+40];\n", {space}),
             programBlob().data() + 40);
    leads_to(fmt::format("cvta.to.{}.u64", space),
             filled("  mov.b64 %y, blob;\n  cvta.$1.u64 %y, %y;\n  cvta.to.$1.u64 %y, %y;\n"
                    "  ld.param.b64 %x, [%y+48];\n",
                    {space}),
             programBlob().data() + 48);
  }
}

// Queries whether an address in each space is in each space. That of a const variable is queried for const
// only: whether it is in global memory, too, depends on the driver.
void addQueries(std::vector<Program>& programs) {
  struct Address {
    const char* space;
    const char* code;
  };
  const Address addresses[] = {
      {"global", "  cvta.global.u64 %y, %in;\n"},
      {"shared", "  .shared .b64 mem[4];\n  cvta.shared.u64 %y, mem;\n  add.s64 %y, %y, 8;\n"},
      {"local", "  .local .b64 mem[4];\n  cvta.local.u64 %y, mem;\n  add.s64 %y, %y, 8;\n"},
      {"const", "  cvta.const.u64 %y, constants;\n"},
      {"param", "  mov.b64 %y, blob;\n  cvta.param.u64 %y, %y;\n"},
  };
  for (const Address& address : addresses) {
    for (const std::string space :
         {"global", "shared", "shared::cta", "local", "const", "param", "param::entry"}) {
      const bool yes = space.starts_with(address.space);
      const bool special = std::string(address.space) == "const" || std::string(address.space) == "param";
      if (!yes && special && space != "shared" && space != "local") continue;
      programs.push_back(
          {fmt::format("isspacep.{} of {}", space, address.space),
           filled("$1  isspacep.$2 %s, %y;\n  selp.b64 %x, 1, 2, %s;\n$3", {address.code, space, kStoreCell}),
           [yes](const BlockRecords& block) {
             for (Record& record : block.out) record[0] = yes ? 1 : 2;
           }});
    }
  }
}

}  // namespace

void addAddressPrograms(std::vector<Program>& programs) {
  addMoves(programs);
  addConversions(programs);
  addQueries(programs);
}

}  // namespace warpscope::test
