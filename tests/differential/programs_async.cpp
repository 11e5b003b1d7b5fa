// cp.async with its groups, and mbarriers. An mbarrier's state is opaque, so programs query its meaning.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "tests/differential/program.h"

namespace warpscope::test {
namespace {

// Makes %u the address of 128 bytes of the thread's own shared memory, all ones.
std::string ownShared() {
  std::string text =
      "  .shared .align 16 .b8 mem[16384];\n  mov.u32 %u, mem;\n  mad.lo.u32 %u, %i, 128, %u;\n"
      "  cvta.to.global.u64 %in, %in;\n";
  for (uint32_t at = 0; at < 64; at += 8) text += fmt::format("  st.shared.b64 [%u+{}], -1;\n", at);
  return text;
}
std::string copiedOut() {
  std::string text;
  for (uint32_t at = 0; at < 64; at += 8)
    text += fmt::format("  ld.shared.b64 %x, [%u+{0}];\n  st.global.b64 [%out+{0}], %x;\n", at);
  return text;
}

// The result of a copy of `bytes` from the record's byte 32 to byte 16 of the thread's memory, if only
// `from_source` of them are read.
void copied(Record& out, const Record& in, uint32_t bytes, uint32_t from_source) {
  std::fill_n(out.begin(), 8, ~uint64_t{0});
  std::byte* to = reinterpret_cast<std::byte*>(out.data()) + 16;
  std::memcpy(to, reinterpret_cast<const std::byte*>(in.data()) + 32, from_source);
  std::memset(to + from_source, 0, bytes - from_source);
}

struct CopyForm {
  const char *variant, *setup, *operand;
  uint32_t (*source_bytes)(uint32_t thread, uint32_t bytes);
};
const CopyForm kCopies[] = {
    {"", "", "", [](uint32_t, uint32_t bytes) { return bytes; }},
    {", no source bytes", "", ", 0", [](uint32_t, uint32_t) { return 0U; }},
    {", source bytes in a register", "  and.b32 %v, %i, 3;\n", ", %v",
     [](uint32_t thread, uint32_t) { return thread % 4; }},
    {", source ignored", "  and.b32 %v, %i, 1;\n  setp.ne.u32 %s, %v, 0;\n", ", %s",
     [](uint32_t thread, uint32_t bytes) { return thread % 2 == 1 ? 0 : bytes; }},
};

void addCopies(std::vector<Program>& programs) {
  for (const std::string cache : {"ca", "cg"}) {
    for (const char* space : {"shared", "shared::cta"}) {
      for (const char* prefetch : {"", ".L2::64B", ".L2::128B", ".L2::256B"}) {
        for (const uint32_t bytes : {4U, 8U, 16U}) {
          if (cache == "cg" && bytes != 16) continue;
          const std::string opcode = fmt::format("cp.async.{}.{}.global{}", cache, space, prefetch);
          for (const CopyForm& form : kCopies) {
            programs.push_back({fmt::format("{} of {} bytes{}", opcode, bytes, form.variant),
                                ownShared() + form.setup +
                                    fmt::format("  {} [%u+16], [%in+32], {}{};\n  cp.async.wait_all;\n",
                                                opcode, bytes, form.operand) +
                                    copiedOut(),
                                [=](const BlockRecords& block) {
                                  for (uint32_t i = 0; i < kProgramThreads; ++i)
                                    copied(block.out[i], block.in[i], bytes, form.source_bytes(i, bytes));
                                }});
          }
        }
      }
    }
  }
}

// Three groups: the copied data of the awaited ones, and of all of them at the end.
void addGroups(std::vector<Program>& programs) {
  for (const uint32_t left : {0U, 1U, 2U}) {
    std::string body = ownShared();
    for (uint32_t group = 0; group < 3; ++group) {
      body += fmt::format("  cp.async.ca.shared.global [%u+{0}], [%in+{0}], 8;\n  cp.async.commit_group;\n",
                          8 * group);
    }
    body += fmt::format("  cp.async.wait_group {};\n", left);
    for (uint32_t group = 0; group + left < 3; ++group)
      body += fmt::format("  ld.shared.b64 %x, [%u+{0}];\n  st.global.b64 [%out+{0}], %x;\n", 8 * group);
    body += "  cp.async.wait_group 0;\n";
    for (uint32_t group = 0; group < 3; ++group) {
      body += fmt::format("  ld.shared.b64 %x, [%u+{}];\n  st.global.b64 [%out+{}], %x;\n", 8 * group,
                          64 + 8 * group);
    }
    programs.push_back({fmt::format("cp.async.wait_group {}", left), body, [left](const BlockRecords& block) {
                          for (size_t i = 0; i < kProgramThreads; ++i) {
                            for (size_t group = 0; group < 3; ++group) {
                              if (group + left < 3) block.out[i][group] = block.in[i][group];
                              block.out[i][8 + group] = block.in[i][group];
                            }
                          }
                        }});
  }
  // An empty group counts as one; copies that are in no group are awaited only by wait_all.
  programs.push_back({"cp.async.commit_group, empty",
                      ownShared() +
                          "  cp.async.ca.shared.global [%u], [%in], 8;\n  cp.async.commit_group;\n"
                          "  cp.async.commit_group;\n  cp.async.wait_group 1;\n  ld.shared.b64 %x, [%u];\n"
                          "  st.global.b64 [%out], %x;\n",
                      [](const BlockRecords& block) {
                        for (size_t i = 0; i < kProgramThreads; ++i) block.out[i][0] = block.in[i][0];
                      }});
}

// One mbarrier for the block at %v, initialised by thread 0 for $1 arrivals; and values to exchange at %u.
std::string blockMbarrier(uint32_t arrivals, const std::string& suffix) {
  return fmt::format(
      "  .shared .b64 bar;\n  .shared .b64 mem[128];\n  mov.u32 %v, bar;\n  mov.u32 %u, mem;\n"
      "  mad.lo.u32 %u, %i, 8, %u;\n  setp.eq.u32 %s, %i, 0;\n  @%s mbarrier.init{}.b64 [%v], {};\n"
      "  bar.sync 0;\n  ld.global.b64 %x, [%in];\n  st.shared.b64 [%u], %x;\n",
      suffix, arrivals);
}
// The value of the thread at distance 64.
constexpr const char* kTakeOther =
    "  xor.b32 %w, %i, 64;\n  mov.u32 %u, mem;\n  mad.lo.u32 %u, %w, 8, %u;\n  ld.shared.b64 %x, [%u];\n"
    "  st.global.b64 [%out], %x;\n  bar.sync 0;\n  @%s mbarrier.inval.shared.b64 [%v];\n";

void takenFromOther(const BlockRecords& block) {
  for (size_t i = 0; i < kProgramThreads; ++i) block.out[i][0] = block.in[i ^ 64U][0];
}

std::string waiting(const std::string& instruction) {
  return "WAIT:\n  " + instruction + ";\n  @!%q bra WAIT;\n";
}

void addHandshakes(std::vector<Program>& programs) {
  const auto add = [&](const std::string& label, uint32_t arrivals, const std::string& meeting,
                       const std::string& suffix = ".shared") {
    programs.push_back({label, blockMbarrier(arrivals, suffix) + meeting + kTakeOther, takenFromOther});
  };
  std::vector<std::string> orders = {""};
  for (const char* scope : {".cta", ".cluster"}) orders.push_back(std::string(".release") + scope);
  for (const std::string& order : orders) {
    for (const char* space : {".shared", ".shared::cta"}) {
      for (const char* count : {"", ", 1"}) {
        const std::string arrive = fmt::format("mbarrier.arrive{}{}.b64 %y, [%v]{}", order, space, count);
        for (const char* test : {"test", "try"}) {
          std::string acquire = order;
          if (!order.empty()) acquire.replace(0, 8, ".acquire");
          add(fmt::format("{}, mbarrier.{}_wait", arrive, test), 128,
              fmt::format("  {};\n", arrive) +
                  waiting(fmt::format("mbarrier.{}_wait{}{}.b64 %q, [%v], %y", test, acquire, space)));
          add(fmt::format("{}, mbarrier.{}_wait.parity", arrive, test), 128,
              fmt::format("  {};\n", arrive) +
                  waiting(fmt::format("mbarrier.{}_wait.parity{}{}.b64 %q, [%v], 0", test, acquire, space)));
        }
      }
    }
  }
  const std::string wait = waiting("mbarrier.try_wait.shared.b64 %q, [%v], %y, 1000");
  add("mbarrier.try_wait, time", 128, "  mbarrier.arrive.shared.b64 %y, [%v];\n" + wait);
  add("mbarrier.try_wait.parity, time", 128,
      "  mbarrier.arrive.shared.b64 _, [%v];\n" +
          waiting("mbarrier.try_wait.parity.shared.b64 %q, [%v], 0, 1000"));
  add("mbarrier.arrive of several", 256, "  mbarrier.arrive.shared.b64 %y, [%v], 2;\n" + wait);
  add("mbarrier.arrive, generic address", 128,
      "  cvta.shared.u64 %z, bar;\n  mbarrier.arrive.b64 %y, [%z];\n" +
          waiting("mbarrier.test_wait.b64 %q, [%z], %y"));
  add("mbarrier.arrive_drop", 128, "  mbarrier.arrive_drop.shared.b64 %y, [%v];\n" + wait);
  add("mbarrier.arrive_drop of several", 256, "  mbarrier.arrive_drop.shared.b64 %y, [%v], 2;\n" + wait);
  // The parity of the first phase is over from the beginning of the second on, and over again for the third.
  add("mbarrier, three phases", 128,
      "  mov.u32 %w, 0;\nPHASE:\n  mbarrier.arrive.shared.b64 _, [%v];\n  and.b32 %t, %w, 1;\n" +
          waiting("mbarrier.test_wait.parity.shared.b64 %q, [%v], %t") +
          "  add.u32 %w, %w, 1;\n  setp.lt.u32 %q, %w, 3;\n  @%q bra PHASE;\n");
  add("mbarrier.arrive.expect_tx of nothing", 128,
      "  mbarrier.arrive.expect_tx.shared.b64 %y, [%v], 0;\n" + wait);
  add("mbarrier.arrive.noComplete", 129,
      "  mbarrier.arrive.noComplete.shared.b64 %y, [%v], 1;\n  bar.sync 0;\n"
      "  @%s mbarrier.arrive.shared.b64 _, [%v];\n" +
          wait);
}

// One mbarrier per thread, for `arrivals`: the results of the queries, at %w, are known exactly.
void addAnswers(std::vector<Program>& programs) {
  const auto add = [&](const std::string& label, uint32_t arrivals, const std::string& body,
                       uint64_t answer) {
    programs.push_back({label,
                        fmt::format("  .shared .b64 bars[128];\n  mov.u32 %v, bars;\n  mad.lo.u32 %v, %i, 8, "
                                    "%v;\n  mbarrier.init.shared::cta.b64 [%v], {};\n",
                                    arrivals) +
                            body + "  st.global.b32 [%out], %w;\n  mbarrier.inval.shared::cta.b64 [%v];\n",
                        [answer](const BlockRecords& block) {
                          for (Record& record : block.out) record[0] = answer;
                        }});
  };
  const std::string arrive = "  mbarrier.arrive.shared.b64 %y, [%v];\n";
  const std::string pending = "  mbarrier.pending_count.b64 %w, %y;\n";
  const std::string over = "  mbarrier.test_wait.shared.b64 %q, [%v], %y;\n  selp.b32 %w, 1, 2, %q;\n";
  add("mbarrier.pending_count", 5, arrive + pending, 5);
  add("mbarrier.pending_count, after some", 5, arrive + arrive + arrive + pending, 3);
  add("mbarrier.pending_count, of the next phase", 2, arrive + arrive + arrive + pending, 2);
  add("mbarrier.pending_count, after arrive_drop", 4,
      "  mbarrier.arrive_drop.shared.b64 %y, [%v];\n" + arrive + arrive + arrive + arrive + pending, 3);
  add("mbarrier.arrive_drop.noComplete", 4,
      "  mbarrier.arrive_drop.noComplete.shared.b64 %y, [%v], 2;\n" + arrive + pending, 2);
  add("mbarrier.test_wait, not yet", 2, arrive + over, 2);
  add("mbarrier.test_wait, over", 1, arrive + over, 1);
  add("mbarrier.expect_tx", 1, "  mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%v], 16;\n" + arrive + over,
      2);
  add("mbarrier.arrive.expect_tx", 1, "  mbarrier.arrive.expect_tx.shared.b64 %y, [%v], 16;\n" + over, 2);
  add("mbarrier.arrive_drop.expect_tx", 1,
      "  mbarrier.arrive_drop.expect_tx.shared.b64 %y, [%v], 16;\n" + over, 2);
  for (const auto& [parity, answer] : {std::pair{0, 2}, {1, 1}}) {
    add(fmt::format("mbarrier.test_wait.parity {}, nobody came", parity), 1,
        fmt::format("  mbarrier.test_wait.parity.shared.b64 %q, [%v], {};\n  selp.b32 %w, 1, 2, %q;\n",
                    parity),
        static_cast<uint64_t>(answer));
  }
}

// Copies that arrive at an mbarrier: other threads may read the copied data after it.
void addArrivingCopies(std::vector<Program>& programs) {
  for (const char* space : {".shared", ".shared::cta"}) {
    const std::string copy = "  cvta.to.global.u64 %in, %in;\n  cp.async.ca.shared.global [%u], [%in], 8;\n";
    const std::string wait = waiting("mbarrier.test_wait.parity.shared.b64 %q, [%v], 0");
    programs.push_back({fmt::format("cp.async.mbarrier.arrive.noinc{}", space),
                        blockMbarrier(128, ".shared") + copy +
                            fmt::format("  cp.async.mbarrier.arrive.noinc{}.b64 [%v];\n", space) + wait +
                            kTakeOther,
                        takenFromOther});
    programs.push_back({fmt::format("cp.async.mbarrier.arrive{}", space),
                        blockMbarrier(128, ".shared") + copy +
                            fmt::format("  cp.async.mbarrier.arrive{}.b64 [%v];\n", space) +
                            "  mbarrier.arrive.shared.b64 _, [%v];\n" + wait + kTakeOther,
                        takenFromOther});
  }
}

}  // namespace

void addAsyncPrograms(std::vector<Program>& programs) {
  addCopies(programs);
  addGroups(programs);
  addHandshakes(programs);
  addAnswers(programs);
  addArrivingCopies(programs);
}

}  // namespace warpscope::test
