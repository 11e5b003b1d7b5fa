// Webs on random control flow, against reaching definitions found the plain way: as sets.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <set>

#include "kernels/sim/sm/lowering/webs.h"

namespace warpscope::sim::lowering {
namespace {

constexpr uint32_t kKeys = 4;

struct Program {
  Code code;
  Graph graph;
  std::vector<uint32_t> order;
  std::vector<Accessed> accessed;

  void connect(uint32_t from, uint32_t to) {
    std::vector<uint32_t>& successors = graph.segments[from].successors;
    if (std::ranges::find(successors, to) != successors.end()) return;
    successors.push_back(to);
    graph.segments[to].predecessors.push_back(from);
  }
};

// Every segment but the first is reached from one before it; further edges go anywhere.
void fill(Program& program, std::mt19937& random, uint32_t segments) {
  const auto below = [&](uint32_t limit) {
    return std::uniform_int_distribution<uint32_t>(0, limit - 1)(random);
  };
  program.graph.code = &program.code;
  program.graph.segments.resize(segments);
  for (uint32_t s = 0; s < segments; ++s) {
    program.order.push_back(s);
    program.graph.segments[s].order = s;
    if (s > 0) program.connect(below(s), s);
    if (below(2) == 0) program.connect(s, below(segments));
    Segment segment;
    segment.first = static_cast<uint32_t>(program.accessed.size());
    segment.count = below(5);
    program.code.segments.push_back(segment);
    for (uint32_t i = 0; i < segment.count; ++i) {
      Accessed accessed;
      for (uint32_t uses = below(3); uses > 0; --uses) accessed.uses.push_back(below(kKeys));
      if (below(3) > 0) accessed.definitions.push_back(below(kKeys));
      accessed.partial = below(3) == 0;
      program.accessed.push_back(accessed);
    }
  }
}

// A definition is its instruction (each has at most one); a use that nothing reaches is one of its own for
// each segment and register.
class Reference {
 public:
  explicit Reference(const Program& program) : program_(program), out_(program.graph.segments.size()) {
    for (bool changed = true; changed;) {
      changed = false;
      for (const uint32_t s : program.order) {
        Reaching now = in(s);
        for (uint32_t pc = first(s); pc < end(s); ++pc) apply(pc, now);
        changed = changed || now != out_[s];
        out_[s] = std::move(now);
      }
    }
  }

  // Calls visit(pc, which use, the definitions that reach it).
  template <class Visit>
  void forEachUse(Visit visit) const {
    for (const uint32_t s : program_.order) {
      Reaching now = in(s);
      for (uint32_t pc = first(s); pc < end(s); ++pc) {
        const Accessed& accessed = program_.accessed[pc];
        for (size_t i = 0; i < accessed.uses.size(); ++i) visit(pc, i, now[accessed.uses[i]]);
        apply(pc, now);
      }
    }
  }

 private:
  using Reaching = std::map<Key, std::set<uint32_t>>;

  uint32_t first(uint32_t s) const { return program_.code.segments[s].first; }
  uint32_t end(uint32_t s) const { return first(s) + program_.code.segments[s].count; }

  Reaching in(uint32_t s) const {
    Reaching all;
    for (const uint32_t p : program_.graph.segments[s].predecessors) {
      for (const auto& [key, definitions] : out_[p]) all[key].insert(definitions.begin(), definitions.end());
    }
    return all;
  }

  void apply(uint32_t pc, Reaching& now) const {
    for (const Key key : program_.accessed[pc].definitions) {
      if (!program_.accessed[pc].partial) now[key].clear();
      now[key].insert(pc);
    }
  }

  const Program& program_;
  std::vector<Reaching> out_;
};

uint32_t root(std::vector<uint32_t>& parent, uint32_t d) {
  while (parent[d] != d) d = parent[d];
  return d;
}

TEST(Webs, JoinJustTheDefinitionsThatReachTheSameUse) {
  std::mt19937 random(1);
  size_t shared = 0;
  for (int round = 0; round < 3000; ++round) {
    SCOPED_TRACE(round);
    Program program;
    fill(program, random, 1 + static_cast<uint32_t>(round % 9));
    const Webs webs = findWebs(program.graph, program.order, program.accessed);
    ASSERT_EQ(webs.uses.size(), program.accessed.size());

    // Uses join what reaches them; a guarded write joins what it may leave in place, if it is used itself.
    std::vector<uint32_t> parent(program.accessed.size());
    std::iota(parent.begin(), parent.end(), 0);
    std::set<uint32_t> used;
    const Reference reference(program);
    reference.forEachUse([&](uint32_t pc, size_t i, const std::set<uint32_t>& definitions) {
      for (const uint32_t d : definitions) {
        used.insert(d);
        parent[root(parent, d)] = root(parent, *definitions.begin());
        EXPECT_EQ(webs.definitions[d][0], webs.uses[pc][i]) << "instruction " << pc << " uses " << d;
      }
      shared += definitions.size() > 1 ? 1 : 0;
    });
    for (const uint32_t a : used) {
      for (const uint32_t b : used) {
        EXPECT_EQ(webs.definitions[a][0] == webs.definitions[b][0], root(parent, a) == root(parent, b))
            << "definitions " << a << " and " << b;
      }
    }
  }
  EXPECT_GT(shared, 1000U);
}

// Straight code in which each register is written in full before it is read: each value is a web.
TEST(Webs, EachValueOfStraightCodeIsItsOwn) {
  Program program;
  program.graph.code = &program.code;
  program.graph.segments.resize(1);
  program.graph.segments[0].order = 0;
  program.order = {0};
  program.accessed = {{{}, {1}}, {{1}, {1}}, {{1}, {2}}, {{1, 2}, {1}}};
  program.code.segments.push_back({});
  program.code.segments[0].count = 4;
  const Webs webs = findWebs(program.graph, program.order, program.accessed);
  EXPECT_EQ(webs.count, 4U);
  EXPECT_EQ(webs.definitions[0], webs.uses[1]);
  EXPECT_EQ(webs.definitions[1], webs.uses[2]);
  EXPECT_EQ(webs.uses[3], (std::vector<uint32_t>{webs.definitions[1][0], webs.definitions[2][0]}));
  EXPECT_NE(webs.definitions[3], webs.definitions[1]);
}

}  // namespace
}  // namespace warpscope::sim::lowering
