// Thread block clusters of two blocks: their special registers, addresses in the other block's shared memory,
// the cluster's barrier, and mbarriers at which threads of both blocks arrive. Each program ends with a
// barrier of the cluster, so that no block's memory is gone before the other has used it.
#include <fmt/format.h>

#include "tests/differential/program.h"

namespace warpscope::test {
namespace {

constexpr uint32_t kBlocks = 2;
constexpr const char* kMeet = "  barrier.cluster.arrive.aligned;\n  barrier.cluster.wait.aligned;\n";
// %v: the thread's slot in `mem`, which holds its value (%x); %w: the rank of the other block.
constexpr const char* kFill =
    "  .shared .align 16 .b64 mem[128];\n  mov.u32 %v, mem;\n  mad.lo.u32 %v, %i, 8, %v;\n"
    "  ld.global.b64 %x, [%in];\n  st.shared.b64 [%v], %x;\n"
    "  mov.u32 %w, %cluster_ctarank;\n  xor.b32 %w, %w, 1;\n";
constexpr const char* kStore = "  st.global.b64 [%out], %x;\n";
constexpr const char* kTake = "  mapa.shared::cluster.u32 %v, %v, %w;\n  ld.shared::cluster.b64 %x, [%v];\n";

// The first cell of the same thread in the other block.
void ofOther(const BlockRecords& block) {
  for (uint32_t i = 0; i < kProgramThreads; ++i)
    block.out[i][0] = block.grid[(1 - block.block) * kProgramThreads + i][0];
}

class Adding {
 public:
  explicit Adding(std::vector<Program>& programs) : programs_(programs) {}

  void add(const std::string& label, const std::string& body,
           std::function<void(const BlockRecords&)> reference) {
    programs_.push_back({label, body, std::move(reference)});
    programs_.back().cluster = kBlocks;
  }
  void takesOther(const std::string& label, const std::string& body) { add(label, body, ofOther); }
  void gives(const std::string& label, const std::string& body,
             const std::function<uint64_t(uint32_t block)>& value) {
    add(label, body, [value](const BlockRecords& block) {
      for (Record& record : block.out) record[0] = value(block.block);
    });
  }

 private:
  std::vector<Program>& programs_;
};

void addBarriers(Adding& programs) {
  for (const char* arrive : {"", ".release"}) {
    for (const char* wait : {"", ".acquire"}) {
      for (const char* aligned : {"", ".aligned"}) {
        const std::string meet = fmt::format("  barrier.cluster.arrive{}{};\n  barrier.cluster.wait{}{};\n",
                                             arrive, aligned, wait, aligned);
        programs.takesOther(
            fmt::format("barrier.cluster.arrive{0}{2}, barrier.cluster.wait{1}{2}", arrive, wait, aligned),
            std::string(kFill) + meet + kTake + kStore + kMeet);
      }
    }
  }
  programs.takesOther(
      "barrier.cluster.arrive.relaxed with fences",
      std::string(kFill) +
          "  fence.acq_rel.cluster;\n  barrier.cluster.arrive.relaxed;\n  barrier.cluster.wait;\n"
          "  fence.acq_rel.cluster;\n" +
          kTake + kStore + kMeet);
  // Work between the two halves, and lanes that arrive at different places.
  programs.takesOther("barrier.cluster, work between arrive and wait",
                      std::string(kFill) +
                          "  barrier.cluster.arrive;\n  mapa.shared::cluster.u32 %v, %v, %w;\n"
                          "  add.u32 %u, %i, 1;\n  barrier.cluster.wait;\n"
                          "  ld.shared::cluster.b64 %x, [%v];\n" +
                          kStore + kMeet);
  programs.takesOther("barrier.cluster, diverged",
                      std::string(kFill) +
                          "  and.b32 %u, %i, 1;\n  setp.eq.u32 %s, %u, 0;\n  @%s bra EVEN;\n"
                          "  barrier.cluster.arrive;\n  bra.uni ARRIVED;\nEVEN:\n  barrier.cluster.arrive;\n"
                          "ARRIVED:\n  barrier.cluster.wait;\n" +
                          kTake + kStore + kMeet);
  // Threads that have exited are not waited for.
  programs.add(
      "barrier.cluster, half of the threads have exited",
      std::string(kFill) + kMeet + "  setp.ge.u32 %s, %i, 64;\n  @%s exit;\n" + kTake + kStore + kMeet,
      [](const BlockRecords& block) {
        for (uint32_t i = 0; i < 64; ++i)
          block.out[i][0] = block.grid[(1 - block.block) * kProgramThreads + i][0];
      });
}

void addAddresses(Adding& programs) {
  const std::string begin = std::string(kFill) + kMeet, end = std::string(kStore) + kMeet;
  programs.takesOther("mapa.shared::cluster.u32", begin + kTake + end);
  programs.takesOther("mapa.shared::cluster.u64",
                      begin +
                          "  cvt.u64.u32 %y, %v;\n  mapa.shared::cluster.u64 %y, %y, %w;\n"
                          "  ld.shared::cluster.b64 %x, [%y];\n" +
                          end);
  programs.takesOther("mapa.shared::cluster.u32 of a variable",
                      begin +
                          "  mapa.shared::cluster.u32 %v, mem, %w;\n  mad.lo.u32 %v, %i, 8, %v;\n"
                          "  ld.shared::cluster.b64 %x, [%v];\n" +
                          end);
  programs.add(
      "mapa.shared::cluster.u64 of a variable and an offset",
      begin + "  mapa.shared::cluster.u64 %y, mem+16, %w;\n  ld.shared::cluster.b64 %x, [%y+8];\n" + end,
      [](const BlockRecords& block) {
        for (Record& record : block.out) record[0] = block.grid[(1 - block.block) * kProgramThreads + 3][0];
      });
  const std::string generic = "  cvt.u64.u32 %y, %v;\n  cvta.shared.u64 %y, %y;\n";
  programs.takesOther("mapa.u64", begin + generic + "  mapa.u64 %y, %y, %w;\n  ld.b64 %x, [%y];\n" + end);
  programs.takesOther("cvta.shared::cluster.u64",
                      begin +
                          "  mapa.shared::cluster.u32 %v, %v, %w;\n  cvt.u64.u32 %y, %v;\n"
                          "  cvta.shared::cluster.u64 %y, %y;\n  ld.b64 %x, [%y];\n" +
                          end);
  programs.takesOther("cvta.to.shared::cluster.u64",
                      begin + generic +
                          "  mapa.u64 %y, %y, %w;\n  cvta.to.shared::cluster.u64 %y, %y;\n"
                          "  ld.shared::cluster.b64 %x, [%y];\n" +
                          end);
  // A block's own memory by its rank, and by the plain address.
  const auto own = [](const BlockRecords& block) {
    for (uint32_t i = 0; i < kProgramThreads; ++i) block.out[i][0] = block.in[i][0];
  };
  programs.add("ld.shared::cluster of the own block",
               begin +
                   "  xor.b32 %w, %w, 1;\n  mapa.shared::cluster.u32 %v, %v, %w;\n"
                   "  ld.shared::cluster.b64 %x, [%v];\n" +
                   end,
               own);
  programs.add("ld.shared::cta of the own block's address in the cluster",
               begin +
                   "  xor.b32 %w, %w, 1;\n  mapa.shared::cluster.u32 %v, %v, %w;\n"
                   "  ld.shared::cta.b64 %x, [%v];\n" +
                   end,
               own);
  programs.add("ld.shared::cluster of a plain address", begin + "  ld.shared::cluster.b64 %x, [%v];\n" + end,
               own);
  for (const char* opcode : {"getctarank.shared::cluster.u32 %u, %v", "getctarank.u64 %u, %y"}) {
    const std::string map = std::string(opcode).find("u64") == std::string::npos
                                ? "  mapa.shared::cluster.u32 %v, %v, %w;\n"
                                : generic + "  mapa.u64 %y, %y, %w;\n";
    programs.gives(opcode, begin + map + fmt::format("  {};\n  cvt.u64.u32 %x, %u;\n", opcode) + end,
                   [](uint32_t block) { return uint64_t{1 - block}; });
  }
  programs.gives("getctarank.shared::cluster.u32 of a variable",
                 begin + "  getctarank.shared::cluster.u32 %u, mem;\n  cvt.u64.u32 %x, %u;\n" + end,
                 [](uint32_t block) { return uint64_t{block}; });
  programs.gives(
      "getctarank.shared::cluster.u64",
      begin + "  cvt.u64.u32 %y, %v;\n  getctarank.shared::cluster.u64 %u, %y;\n  cvt.u64.u32 %x, %u;\n" +
          end,
      [](uint32_t block) { return uint64_t{block}; });
  for (const auto& [space, yes] : {std::pair{"shared::cluster", true},
                                   {"shared::cta", false},
                                   {"shared", false},
                                   {"global", false},
                                   {"local", false}}) {
    programs.gives(
        fmt::format("isspacep.{} of another block's memory", space),
        begin + generic +
            fmt::format("  mapa.u64 %y, %y, %w;\n  isspacep.{} %s, %y;\n  selp.b64 %x, 1, 2, %s;\n", space) +
            end,
        [yes = yes](uint32_t) { return yes ? uint64_t{1} : uint64_t{2}; });
    const bool own_yes = std::string(space).starts_with("shared");
    programs.gives(fmt::format("isspacep.{} of the own memory by its rank", space),
                   begin + generic +
                       fmt::format("  xor.b32 %w, %w, 1;\n  mapa.u64 %y, %y, %w;\n  isspacep.{} %s, %y;\n"
                                   "  selp.b64 %x, 1, 2, %s;\n",
                                   space) +
                       end,
                   [own_yes](uint32_t) { return own_yes ? uint64_t{1} : uint64_t{2}; });
  }
}

// Each thread writes to its slot in the other block, which then reads its own memory.
void addStores(Adding& programs) {
  const std::string map =
      std::string(kFill) + kMeet + "  mov.u32 %u, %v;\n  mapa.shared::cluster.u32 %v, %v, %w;\n";
  const std::string end = std::string(kMeet) + "  ld.shared.b64 %x, [%u];\n" + kStore;
  programs.takesOther("st.shared::cluster.b64", map + "  st.shared::cluster.b64 [%v], %x;\n" + end);
  programs.takesOther("st.shared::cluster.v2.b32",
                      map + "  mov.b64 {%w, %i}, %x;\n  st.shared::cluster.v2.b32 [%v], {%w, %i};\n" + end);
  programs.takesOther(
      "st, generic address of another block",
      map + "  cvt.u64.u32 %y, %v;\n  cvta.shared::cluster.u64 %y, %y;\n  st.b64 [%y], %x;\n" + end);
  programs.takesOther("st.relaxed.cluster.shared::cluster, ld.acquire.cluster",
                      map + "  st.relaxed.cluster.shared::cluster.b64 [%v], %x;\n" + kMeet +
                          "  ld.acquire.cluster.shared::cta.b64 %x, [%u];\n" + kStore);
}

// All threads of both blocks count in four words of the block with rank 1.
void addAtomics(Adding& programs) {
  const std::string begin =
      "  .shared .align 16 .b32 mem[4];\n  mov.u32 %v, mem;\n  setp.lt.u32 %s, %i, 4;\n"
      "  mad.lo.u32 %u, %i, 4, %v;\n  @%s st.shared.b32 [%u], 0;\n  and.b32 %u, %i, 3;\n"
      "  mad.lo.u32 %u, %u, 4, %v;\n" +
      std::string(kMeet);
  const std::string end = std::string(kMeet) +
                          "  mapa.shared::cluster.u32 %v, mem, 1;\n  ld.shared::cluster.b32 %w, [%v+4];\n"
                          "  cvt.u64.u32 %x, %w;\n" +
                          kStore + kMeet;
  const auto counted = [&](const std::string& label, const std::string& body, uint64_t result) {
    programs.gives(label, begin + body + end, [result](uint32_t) { return result; });
  };
  const std::string narrow = "  mapa.shared::cluster.u32 %u, %u, 1;\n";
  const std::string wide = "  cvt.u64.u32 %y, %u;\n  cvta.shared.u64 %y, %y;\n  mapa.u64 %y, %y, 1;\n";
  counted("red.shared::cluster.add.u32", narrow + "  red.shared::cluster.add.u32 [%u], 3;\n", 64 * 3);
  counted("red.relaxed.cluster.shared::cluster.add.u32",
          narrow + "  red.relaxed.cluster.shared::cluster.add.u32 [%u], 3;\n", 64 * 3);
  counted("atom.shared::cluster.add.u32", narrow + "  atom.shared::cluster.add.u32 %w, [%u], 2;\n", 64 * 2);
  counted("atom.acq_rel.cluster.shared::cluster.max.u32",
          narrow + "  atom.acq_rel.cluster.shared::cluster.max.u32 %w, [%u], %t;\n", 253);
  counted("atom.add.u32, generic address of another block", wide + "  atom.add.u32 %w, [%y], 1;\n", 64);
  counted("red.inc.u32, generic address of another block", wide + "  red.inc.u32 [%y], 1000;\n", 64);
  counted("atom.shared::cluster.or.b32",
          narrow + "  shl.b32 %w, 1, %i;\n  atom.shared::cluster.or.b32 _, [%u], %w;\n", 0x22222222U);
}

void addRegisters(Adding& programs) {
  const auto gives = [&](const std::string& name, const std::function<uint64_t(uint32_t)>& value) {
    programs.gives(fmt::format("mov.u32 of {}, in a cluster", name),
                   fmt::format("  mov.u32 %u, {};\n  cvt.u64.u32 %x, %u;\n{}", name, kStore), value);
  };
  for (const char* side : {"x", "y", "z"}) {
    const bool x = *side == 'x';
    gives(fmt::format("%clusterid.{}", side), [](uint32_t) { return uint64_t{0}; });
    gives(fmt::format("%nclusterid.{}", side), [](uint32_t) { return uint64_t{1}; });
    gives(fmt::format("%cluster_ctaid.{}", side), [x](uint32_t block) { return x ? uint64_t{block} : 0; });
    gives(fmt::format("%cluster_nctaid.{}", side), [x](uint32_t) { return x ? uint64_t{2} : 1; });
  }
  gives("%cluster_ctarank", [](uint32_t block) { return uint64_t{block}; });
  gives("%cluster_nctarank", [](uint32_t) { return uint64_t{2}; });
  programs.gives("mov.pred of %is_explicit_cluster, in a cluster",
                 std::string("  mov.pred %s, %is_explicit_cluster;\n  selp.b64 %x, 1, 2, %s;\n") + kStore,
                 [](uint32_t) { return uint64_t{1}; });
}

// Both blocks have an mbarrier, `bar`, for `arrivals`; the threads write to the other block, arrive there,
// and wait at their own.
void addMbarriers(Adding& programs) {
  const std::string wait =
      "WAIT:\n  mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %q, [bar], 0;\n  @!%q bra WAIT;\n";
  const auto add = [&](const std::string& label, uint32_t arrivals, const std::string& arrive,
                       const std::string& sink) {
    programs.takesOther(
        label,
        fmt::format(
            "  .shared .b64 bar;\n  setp.eq.u32 %s, %i, 0;\n  @%s mbarrier.init.shared::cta.b64 [bar], {};\n"
            "  fence.mbarrier_init.release.cluster;\n",
            arrivals) +
            kFill + kMeet +
            "  mov.u32 %u, %v;\n  mapa.shared::cluster.u32 %v, %v, %w;\n  mapa.shared::cluster.u32 %w, bar, "
            "%w;\n"
            "  st.shared::cluster.b64 [%v], %x;\n" +
            arrive + sink + "  ld.shared.b64 %x, [%u];\n" + kStore + kMeet);
  };
  for (const std::string order : {"", ".release.cluster"}) {
    // Without a scope the arrival orders memory within the block only (PTX ISA, mbarrier.arrive: .scope
    // defaults to .cta), so a barrier of the cluster orders what the other block has written.
    const std::string sink = order.empty() ? wait + kMeet : wait;
    add(fmt::format("mbarrier.arrive{}.shared::cluster", order), 128,
        fmt::format("  mbarrier.arrive{}.shared::cluster.b64 _, [%w];\n", order), sink);
    add(fmt::format("mbarrier.arrive{}.shared::cluster of several", order), 384,
        fmt::format("  mbarrier.arrive{}.shared::cluster.b64 _, [%w], 3;\n", order), sink);
  }
  add("mbarrier.arrive_drop.release.cluster.shared::cluster", 128,
      "  mbarrier.arrive_drop.release.cluster.shared::cluster.b64 _, [%w];\n", wait);
  add("mbarrier.arrive.expect_tx.release.cluster.shared::cluster, mbarrier.complete_tx", 128,
      "  mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _, [%w], 8;\n"
      "  mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [%w], 8;\n",
      wait);
  add("mbarrier.arrive_drop.expect_tx.release.cluster.shared::cluster", 128,
      "  mbarrier.arrive_drop.expect_tx.release.cluster.shared::cluster.b64 _, [%w], 0;\n", wait);
  add("mbarrier.expect_tx.relaxed.cluster.shared::cluster", 128,
      "  mbarrier.expect_tx.relaxed.cluster.shared::cluster.b64 [%w], 4;\n"
      "  mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [%w], 4;\n"
      "  mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%w];\n",
      wait);
  add("mbarrier.complete_tx.shared::cta, mbarrier.test_wait.acquire.cluster", 129,
      "  mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%w];\n"
      "  @%s mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 32;\n"
      "  @%s mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [bar], 32;\n",
      "WAIT:\n  mbarrier.test_wait.parity.acquire.cluster.shared::cta.b64 %q, [bar], 0;\n  @!%q bra WAIT;\n");
}

void addFences(Adding& programs) {
  for (const char* fence :
       {"fence.acq_rel.cluster", "fence.sc.cluster", "fence.acquire.cluster", "fence.release.cluster",
        "fence.acquire.sync_restrict::shared::cluster.cluster",
        "fence.release.sync_restrict::shared::cta.cluster", "fence.mbarrier_init.release.cluster",
        "fence.proxy.alias", "fence.proxy.async", "fence.proxy.async.global", "fence.proxy.async.shared::cta",
        "fence.proxy.async.shared::cluster",
        "fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster",
        "fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster"}) {
    programs.takesOther(fence,
                        std::string(kFill) + fmt::format("  {};\n", fence) + kMeet + kTake + kStore + kMeet);
  }
  for (const char* opcode : {"griddepcontrol.launch_dependents", "griddepcontrol.wait"}) {
    programs.add(opcode, fmt::format("  {};\n  ld.global.b64 %x, [%in];\n{}", opcode, kStore),
                 [](const BlockRecords& block) {
                   for (uint32_t i = 0; i < kProgramThreads; ++i) block.out[i][0] = block.in[i][0];
                 });
  }
}

}  // namespace

void addClusterPrograms(std::vector<Program>& programs) {
  Adding adding(programs);
  addBarriers(adding);
  addAddresses(adding);
  addStores(adding);
  addAtomics(adding);
  addRegisters(adding);
  addMbarriers(adding);
  addFences(adding);
}

}  // namespace warpscope::test
