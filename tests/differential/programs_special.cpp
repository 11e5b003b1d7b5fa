// Special registers, and instructions that only take time. Registers whose values depend on the device
// (%smid, %clock) are checked for properties that must hold.
#include <fmt/format.h>

#include "tests/differential/program.h"

namespace warpscope::test {
namespace {

struct Thread {
  uint32_t block, index;
  uint32_t lane() const { return index % 32; }
};

struct Known {
  const char* name;
  uint64_t (*value)(Thread);
};
constexpr Known kKnown[] = {
    {"%tid.x", [](Thread t) { return uint64_t{t.index}; }},
    {"%tid.y", [](Thread) { return uint64_t{0}; }},
    {"%tid.z", [](Thread) { return uint64_t{0}; }},
    {"%ntid.x", [](Thread) { return uint64_t{kProgramThreads}; }},
    {"%ntid.y", [](Thread) { return uint64_t{1}; }},
    {"%ntid.z", [](Thread) { return uint64_t{1}; }},
    {"%ctaid.x", [](Thread t) { return uint64_t{t.block}; }},
    {"%ctaid.y", [](Thread) { return uint64_t{0}; }},
    {"%ctaid.z", [](Thread) { return uint64_t{0}; }},
    {"%nctaid.x", [](Thread) { return uint64_t{kProgramBlocks}; }},
    {"%nctaid.y", [](Thread) { return uint64_t{1}; }},
    {"%nctaid.z", [](Thread) { return uint64_t{1}; }},
    {"%laneid", [](Thread t) { return uint64_t{t.lane()}; }},
    {"%lanemask_eq", [](Thread t) { return uint64_t{1} << t.lane(); }},
    {"%lanemask_le", [](Thread t) { return (uint64_t{2} << t.lane()) - 1; }},
    {"%lanemask_lt", [](Thread t) { return (uint64_t{1} << t.lane()) - 1; }},
    {"%lanemask_ge", [](Thread t) { return 0xFFFFFFFFU & ~((uint64_t{1} << t.lane()) - 1); }},
    {"%lanemask_gt", [](Thread t) { return 0xFFFFFFFFU & ~((uint64_t{2} << t.lane()) - 1); }},
    {"%dynamic_smem_size", [](Thread) { return uint64_t{0}; }},
    {"%clusterid.x", [](Thread t) { return uint64_t{t.block}; }},
    {"%nclusterid.x", [](Thread) { return uint64_t{kProgramBlocks}; }},
    {"%cluster_ctaid.x", [](Thread) { return uint64_t{0}; }},
    {"%cluster_ctarank", [](Thread) { return uint64_t{0}; }},
    {"%cluster_nctaid.x", [](Thread) { return uint64_t{1}; }},
    {"%cluster_nctarank", [](Thread) { return uint64_t{1}; }},
};

void addKnown(std::vector<Program>& programs) {
  for (const Known& known : kKnown) {
    for (const char* type : {"u32", "b32", "s32"}) {
      programs.push_back({fmt::format("mov.{} of {}", type, known.name),
                          fmt::format("  mov.{} %u, {};\n  st.global.b32 [%out], %u;\n", type, known.name),
                          [value = known.value](const BlockRecords& block) {
                            for (uint32_t i = 0; i < kProgramThreads; ++i)
                              block.out[i][0] = value({block.block, i});
                          }});
    }
  }
}

// The body sets %s if the property holds.
void addRelations(std::vector<Program>& programs) {
  const auto add = [&](const std::string& label, const std::string& body) {
    programs.push_back({label, body + "  selp.b64 %x, 1, 2, %s;\n  st.global.b64 [%out], %x;\n",
                        [](const BlockRecords& block) {
                          for (Record& record : block.out) record[0] = 1;
                        }});
  };
  const auto below = [&](const char* number, const char* count) {
    add(fmt::format("mov.u32 of {}, {}", number, count),
        filled("  mov.u32 %u, $1;\n  mov.u32 %v, $2;\n  setp.lt.u32 %s, %u, %v;\n", {number, count}));
  };
  below("%smid", "%nsmid");
  below("%warpid", "%nwarpid");
  add("mov.u64 of %gridid", "  mov.u64 %x, %gridid;\n  mov.u64 %y, %gridid;\n  setp.eq.u64 %s, %x, %y;\n");
  add("mov.u32 of %total_smem_size",
      "  mov.u32 %u, %total_smem_size;\n  mov.u32 %v, %dynamic_smem_size;\n"
      "  setp.ge.u32 %s, %u, %v;\n");
  for (const auto& [name, type] :
       {std::pair{"%clock64", "u64"}, {"%globaltimer", "u64"}, {"%clock64", "s64"}, {"%clock64", "b64"}}) {
    add(fmt::format("mov.{} of {}", type, name),
        filled("  mov.$2 %x, $1;\n  bar.sync 0;\n  mov.$2 %y, $1;\n  setp.le.u64 %s, %x, %y;\n",
               {name, type}));
  }
  for (const char* name : {"%clock", "%globaltimer_lo"}) {  // around the wrap of 32 bits
    add(fmt::format("mov.u32 of {}", name),
        filled("  mov.u32 %u, $1;\n  bar.sync 0;\n  mov.u32 %v, $1;\n  sub.u32 %u, %v, %u;\n"
               "  setp.lt.u32 %s, %u, 0x40000000;\n",
               {name}));
  }
  for (const auto& [name, whole] :
       {std::pair{"%clock_hi", "%clock64"}, {"%globaltimer_hi", "%globaltimer"}}) {
    add(fmt::format("mov.u32 of {}", name),
        filled("  mov.u64 %x, $2;\n  mov.u32 %u, $1;\n  shr.u64 %x, %x, 32;\n  cvt.u32.u64 %v, %x;\n"
               "  sub.u32 %u, %u, %v;\n  setp.le.u32 %s, %u, 1;\n",
               {name, whole}));
  }
}

void addPauses(std::vector<Program>& programs) {
  const std::string leave = "  ld.global.b64 %x, [%in];\n  st.global.b64 [%out], %x;\n";
  const auto unchanged = [](const BlockRecords& block) {
    for (size_t i = 0; i < kProgramThreads; ++i) block.out[i][0] = block.in[i][0];
  };
  programs.push_back({"nanosleep.u32", "  nanosleep.u32 100;\n" + leave, unchanged});
  programs.push_back({"nanosleep.u32, diverged",
                      "  and.b32 %u, %i, 7;\n  setp.eq.u32 %s, %u, 3;\n  @%s nanosleep.u32 %i;\n" + leave,
                      unchanged});
  programs.push_back({"pmevent", "  pmevent 3;\n" + leave, unchanged});
  programs.push_back({"pmevent.mask", "  pmevent.mask 5;\n" + leave, unchanged});
}

}  // namespace

void addSpecialPrograms(std::vector<Program>& programs) {
  addKnown(programs);
  addRelations(programs);
  addPauses(programs);
}

}  // namespace warpscope::test
