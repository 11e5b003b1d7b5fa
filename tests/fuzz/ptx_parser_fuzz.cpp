// Mutates PTX and feeds it to the parser and the executor: `ptx_parser_fuzz SECONDS SEED FILE...`. The same
// seed gives the same texts. The text being tried is in ptx_fuzz_current.ptx in the current folder, so that
// it remains after a crash; `ptx_parser_fuzz 0 SEED FILE` tries a file unchanged.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "kernels/sim/ptx/parser.h"
#include "tests/fuzz/ptx_fuzz.h"

namespace warpscope::fuzz {
namespace {

// Small modules with features that the committed ones lack: calls, tables, barriers, atomics, copies.
constexpr const char* kSmallModules[] = {
    R"(.version 8.4
.target sm_90
.address_size 64
.const .f32 c[] = {1.0, 0f40000000};
.func (.param .b32 r) f(.param .b32 a) { .reg .b32 %r<4>; ld.param.b32 %r1, [a]; mad.lo.s32 %r2, %r1, 3, %r1; st.param.b32 [r], %r2; ret; }
.func (.param .b32 r) g(.param .b32 a) { .reg .b32 %r<4>; ld.param.b32 %r1, [a]; st.param.b32 [r], %r1; ret; }
.global .align 8 .u64 table[2] = {f, g};
.entry k(.param .u64 out, .param .u32 n)
{ .reg .pred %p<5>; .reg .b32 %r<9>; .reg .b64 %rd<9>;
ld.param.u64 %rd1, [out]; ld.param.u32 %r1, [n];
mov.u32 %r2, %tid.x; and.b32 %r3, %r2, 1; mul.wide.u32 %rd2, %r3, 8;
mov.u64 %rd3, table; add.s64 %rd3, %rd3, %rd2; ld.global.u64 %rd4, [%rd3];
{ .param .b32 x; .param .b32 y; st.param.b32 [x], %r2;
pt : .callprototype (.param .b32 _) _ (.param .b32 _);
call (y), %rd4, (x), pt; ld.param.b32 %r4, [y]; }
{ .param .b32 x; .param .b32 y; st.param.b32 [x], %r1; call.uni (y), f, (x); ld.param.b32 %r5, [y]; }
ts: .branchtargets A, B, C; and.b32 %r6, %r2, 3; min.u32 %r6, %r6, 2; brx.idx %r6, ts;
A: add.s32 %r4, %r4, 1; B: xor.b32 %r4, %r4, %r5; C: st.global.u32 [%rd1], %r4; ret; }
)",
    R"(.version 8.4
.target sm_90
.address_size 64
.extern .shared .align 16 .b8 dyn[];
.entry k(.param .u64 out)
{ .reg .pred %p<5>; .reg .b32 %r<19>; .reg .b64 %rd<9>; .reg .f32 %f<9>; .shared .align 8 .b64 bar; .local .align 4 .b8 l[16];
ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 2; mov.u32 %r3, dyn; add.u32 %r4, %r3, %r2;
setp.eq.u32 %p1, %r1, 0; @%p1 mbarrier.init.shared.b64 [bar], 32;
st.shared.u32 [%r4], %r1; bar.sync 0; barrier.red.popc.u32 %r5, 0, %p1;
shfl.sync.bfly.b32 %r6|%p2, %r1, 1, 31, -1; vote.sync.ballot.b32 %r7, %p2, -1; match.any.sync.b32 %r8, %r6, -1;
redux.sync.add.s32 %r9, %r6, -1; elect.sync %r10|%p3, -1; activemask.b32 %r11;
atom.global.add.u32 %r12, [%rd1], 1; atom.shared.cas.b32 %r13, [dyn], 0, 5; red.global.max.s32 [%rd1+4], %r1;
cp.async.ca.shared.global [%r4], [%rd1], 4; cp.async.commit_group; cp.async.wait_group 0; cp.async.wait_all;
mbarrier.arrive.shared.b64 %rd2, [bar]; mbarrier.test_wait.shared.b64 %p4, [bar], %rd2;
L: @!%p4 bra.uni M; st.local.v2.u32 [l+8], {%r9, %r12}; ld.local.u32 %r14, [l+8]; M:
cvt.rn.f32.s32 %f1, %r14; fma.rn.f32 %f2, %f1, %f1, 0f3F800000; ex2.approx.f32 %f3, %f2; cvt.rni.s32.f32 %r15, %f3;
div.s32 %r16, %r15, %r14; prmt.b32 %r17, %r16, %r15, 0x5410; st.global.v4.u32 [%rd1+16], {%r17, %r16, 3, %r15};
membar.gl; nanosleep.u32 20; bar.warp.sync 0xffffffff; @%p1 trap; exit; }
)"};

constexpr const char* kWords[] = {"0",
                                  "1",
                                  "-1",
                                  "0xFFFFFFFF",
                                  "0x7FFFFFFFFFFFFFFF",
                                  "65535",
                                  "1099511627776",
                                  ";",
                                  ",",
                                  "{",
                                  "}",
                                  "(",
                                  ")",
                                  "[",
                                  "]",
                                  "%r1",
                                  "%rd1",
                                  "%p1",
                                  "%f1",
                                  "_",
                                  "!",
                                  "@",
                                  "|",
                                  ":",
                                  "+",
                                  "-",
                                  "<",
                                  ">",
                                  ".u8",
                                  ".b64",
                                  ".f32",
                                  ".align",
                                  ".reg",
                                  ".shared",
                                  ".global",
                                  ".param",
                                  ".local",
                                  "ret",
                                  "exit",
                                  "bra",
                                  "call",
                                  "bar.sync",
                                  "trap",
                                  "%tid.x",
                                  "%clock64",
                                  "ld.global.u32",
                                  "st.shared.v4.f32",
                                  "atom.add.u32",
                                  "mov.b64",
                                  "cvt.u8.f64",
                                  "shl.b64",
                                  "div.s64",
                                  "rem.s32",
                                  "/*",
                                  "*/",
                                  "//",
                                  "\"",
                                  "\n",
                                  "0f7FC00000",
                                  "1e999"};

class Mutator {
 public:
  Mutator(std::vector<std::string> seeds, uint64_t seed) : seeds_(std::move(seeds)), random_(seed) {}

  std::string next() {
    std::string text = seeds_[below(seeds_.size())];
    const uint64_t count = 1 + below(4);
    for (uint64_t i = 0; i < count; ++i) mutate(text);
    return text;
  }
  uint64_t number() { return random_(); }

 private:
  size_t below(size_t bound) { return bound == 0 ? 0 : static_cast<size_t>(random_() % bound); }

  void mutate(std::string& text) {
    const uint64_t kind = below(8);
    if (text.empty()) {
      text = kWords[below(std::size(kWords))];
    } else if (kind == 0) {
      text[below(text.size())] = static_cast<char>(random_());
    } else if (kind == 1) {
      text.erase(below(text.size()), 1 + below(8));
    } else if (kind <= 4) {
      replaceToken(text);
    } else {
      mutateLine(text, kind);
    }
  }

  static bool isOfToken(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '%' ||
           c == '_' || c == '.';
  }
  std::pair<size_t, size_t> token(const std::string& text) {
    size_t begin = below(text.size()), end = begin;
    while (begin > 0 && isOfToken(text[begin - 1])) --begin;
    while (end < text.size() && isOfToken(text[end])) ++end;
    return {begin, std::max<size_t>(end - begin, 1)};
  }
  // Replaces a token by another one of the text, or by one of the words.
  void replaceToken(std::string& text) {
    const auto [begin, length] = token(text);
    std::string with = kWords[below(std::size(kWords))];
    if (below(2) == 0) {
      const auto [from, count] = token(text);
      with = text.substr(from, count);
    }
    text.replace(begin, length, with);
  }
  void mutateLine(std::string& text, uint64_t kind) {
    const auto [from, count] = line(text);
    const std::string copied = text.substr(from, count);
    if (kind == 5) {
      text.erase(from, count);
    } else {
      text.insert(line(text).first, copied);
    }
  }
  std::pair<size_t, size_t> line(const std::string& text) {
    const size_t at = below(text.size());
    const size_t before = text.rfind('\n', at);
    const size_t begin = before == std::string::npos || before == at ? 0 : before + 1;
    const size_t end = std::min(text.find('\n', at), text.size() - 1);
    return {begin, std::max(end + 1, begin) - begin};
  }

  std::vector<std::string> seeds_;
  std::mt19937_64 random_;
};

// Adds the module's head with each of its functions: small texts, of which many can be tried.
void addParts(const std::string& text, std::vector<std::string>& seeds) {
  const size_t first = text.find(".visible");
  if (first == std::string::npos) return seeds.push_back(text);
  const std::string head = text.substr(0, first);
  for (size_t begin = first; begin != std::string::npos;) {
    const size_t end = text.find(".visible", begin + 1);
    const std::string part = text.substr(begin, std::min(end, text.find("\t.section", begin)) - begin);
    if (part.size() < 20'000) seeds.push_back(head + part);
    begin = end;
  }
}

std::string contentOf(const char* path) {
  std::stringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

int run(int argc, char** argv) {
  if (argc < 4) {
    fmt::print(stderr, "usage: ptx_parser_fuzz SECONDS SEED FILE...\n");
    return 2;
  }
  const std::chrono::duration<double> limit(std::atof(argv[1]));
  const uint64_t seed = std::strtoull(argv[2], nullptr, 0);
  Tally tally;
  if (limit.count() == 0) {
    for (int i = 3; i < argc; ++i) tryText(contentOf(argv[i]), seed, tally);
    return 0;
  }
  std::vector<std::string> seeds(std::begin(kSmallModules), std::end(kSmallModules));
  for (int i = 3; i < argc; ++i) addParts(contentOf(argv[i]), seeds);
  for (const std::string& text : seeds) {
    tryText(text, seed, tally);
    const Expected<ptx::Module> module = ptx::parseModule(text, "unchanged module");
    if (module) continue;
    fmt::print(stderr, "{}\n", module.error().message);
    return 1;
  }
  Mutator mutator(std::move(seeds), seed);
  const auto begin = std::chrono::steady_clock::now();
  while (std::chrono::steady_clock::now() - begin < limit) {
    const std::string text = mutator.next();
    const uint64_t launch_seed = mutator.number();
    std::ofstream("ptx_fuzz_current.ptx", std::ios::binary) << text;
    std::ofstream("ptx_fuzz_current.seed") << launch_seed << '\n';
    tryText(text, launch_seed, tally);
  }
  fmt::print("{} texts, {} accepted, {} kernels decoded, {} launches finished\n", tally.texts, tally.parsed,
             tally.decoded, tally.finished);
  return 0;
}

}  // namespace
}  // namespace warpscope::fuzz

int main(int argc, char** argv) {
  return warpscope::fuzz::run(argc, argv);
}
