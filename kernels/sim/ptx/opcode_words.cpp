#include "kernels/sim/ptx/opcode_words.h"

#include <vector>

namespace warpscope::ptx {
namespace {

template <auto kMember, auto kValue>
void set(OpcodeMatch& match) {
  match.modifiers.*kMember = kValue;
}
template <bool Modifiers::*kFlag>
void flag(OpcodeMatch& match) {
  match.modifiers.*kFlag = true;
}
template <Space kSpace>
void space(OpcodeMatch& match) {
  match.space = kSpace;
}
void nothing(OpcodeMatch&) {}

using M = Modifiers;
using Words = std::vector<OpcodeWord>;

template <Rounding kValue>
constexpr auto kRound = set<&M::rounding, kValue>;
template <Compare kValue>
constexpr auto kCompare = set<&M::compare, kValue>;
template <AtomOp kValue>
constexpr auto kAtom = set<&M::atom_op, kValue>;
template <Semantics kValue>
constexpr auto kOrder = set<&M::semantics, kValue>;
template <Scope kValue>
constexpr auto kSeen = set<&M::scope, kValue>;
template <CacheOp kValue>
constexpr auto kCache = set<&M::cache, kValue>;
template <PrmtMode kValue>
constexpr auto kPrmt = set<&M::prmt, kValue>;
template <TestProperty kValue>
constexpr auto kTest = set<&M::test, kValue>;
template <uint8_t kCount>
constexpr auto kVector = set<&M::vector, kCount>;
template <uint8_t kCount>
constexpr auto kDimensions = set<&M::dimensions, kCount>;
template <Bounds kValue>
constexpr auto kBounds = set<&M::bounds, kValue>;
template <ImageProperty kValue>
constexpr auto kProperty = set<&M::property, kValue>;

template <uint8_t kM, uint8_t kN, uint8_t kK>
void shape(OpcodeMatch& match) {
  match.modifiers.m = kM;
  match.modifiers.n = kN;
  match.modifiers.k = kK;
}
// The type of A's elements, or where that is known, of B's.
template <Type kType>
void factor(OpcodeMatch& match) {
  M& modifiers = match.modifiers;
  (modifiers.type_a == Type::kNone ? modifiers.type_a : modifiers.type_b) = kType;
}
template <MatrixRole kRole>
void loadOf(OpcodeMatch& match) {
  match.modifiers.wmma = true;
  match.modifiers.matrix = kRole;
}

struct WordGroup {
  std::string_view name;
  Words words;
};

Words joined(std::initializer_list<Words> lists) {
  Words all;
  for (const Words& list : lists) all.insert(all.end(), list.begin(), list.end());
  return all;
}

const std::vector<WordGroup>& groups() {
  static const Words kEqual = {{"eq", kCompare<Compare::kEq>}, {"ne", kCompare<Compare::kNe>}};
  static const Words kOrdered = {{"lt", kCompare<Compare::kLt>},
                                 {"le", kCompare<Compare::kLe>},
                                 {"gt", kCompare<Compare::kGt>},
                                 {"ge", kCompare<Compare::kGe>}};
  static const Words kUnsigned = {{"lo", kCompare<Compare::kLo>},
                                  {"ls", kCompare<Compare::kLs>},
                                  {"hi", kCompare<Compare::kHi>},
                                  {"hs", kCompare<Compare::kHs>}};
  static const Words kUnordered = {{"equ", kCompare<Compare::kEqu>}, {"neu", kCompare<Compare::kNeu>},
                                   {"ltu", kCompare<Compare::kLtu>}, {"leu", kCompare<Compare::kLeu>},
                                   {"gtu", kCompare<Compare::kGtu>}, {"geu", kCompare<Compare::kGeu>},
                                   {"num", kCompare<Compare::kNum>}, {"nan", kCompare<Compare::kNan>}};
  static const Words kReadWrite = {{"global", space<Space::kGlobal>},
                                   {"shared", space<Space::kShared>},
                                   {"shared::cta", space<Space::kShared>}};
  static const Words kDistributed = {{"shared::cluster", space<Space::kSharedCluster>}};
  static const Words kPerThread = {{"local", space<Space::kLocal>}};
  static const Words kReadOnly = {{"const", space<Space::kConst>}};
  static const Words kParameter = {{"param", space<Space::kParam>},
                                   {"param::entry", space<Space::kParam>},
                                   {"param::func", space<Space::kParam>}};
  static const std::vector<WordGroup> kGroups = {
      {"round",
       {{"rn", kRound<Rounding::kRn>},
        {"rz", kRound<Rounding::kRz>},
        {"rm", kRound<Rounding::kRm>},
        {"rp", kRound<Rounding::kRp>}}},
      {"roundi",
       {{"rni", kRound<Rounding::kRni>},
        {"rzi", kRound<Rounding::kRzi>},
        {"rmi", kRound<Rounding::kRmi>},
        {"rpi", kRound<Rounding::kRpi>}}},
      {"round_bf16",
       {{"rn", kRound<Rounding::kRn>}, {"rz", kRound<Rounding::kRz>}, {"rna", kRound<Rounding::kRna>}}},
      {"round_tf32", {{"rna", kRound<Rounding::kRna>}}},
      {"round_f16x2", {{"rn", kRound<Rounding::kRn>}, {"rz", kRound<Rounding::kRz>}}},
      {"equal", kEqual},
      {"compare_s", joined({kEqual, kOrdered})},
      {"compare_u", joined({kEqual, kOrdered, kUnsigned})},
      {"compare_f", joined({kEqual, kOrdered, kUnordered})},
      {"bool",
       {{"and", set<&M::bool_op, BoolOp::kAnd>},
        {"or", set<&M::bool_op, BoolOp::kOr>},
        {"xor", set<&M::bool_op, BoolOp::kXor>}}},
      {"and_or", {{"and", set<&M::bool_op, BoolOp::kAnd>}, {"or", set<&M::bool_op, BoolOp::kOr>}}},
      {"half", {{"lo", set<&M::part, Part::kLo>}, {"hi", set<&M::part, Part::kHi>}}},
      {"space", joined({kReadWrite, kPerThread})},
      {"space_ld", joined({kReadWrite, kDistributed, kPerThread, kReadOnly, kParameter})},
      {"space_st", joined({kReadWrite, kDistributed, kPerThread, kParameter})},
      {"space_any", joined({kReadWrite, kDistributed, kPerThread, kReadOnly, kParameter})},
      {"space_atom", joined({kReadWrite, kDistributed})},
      {"space_own", kReadWrite},
      {"space_cluster", kDistributed},
      {"space_of_cluster",
       {{"shared::cta", space<Space::kShared>}, {"shared::cluster", space<Space::kSharedCluster>}}},
      {"space_shared", {{"shared", space<Space::kShared>}, {"shared::cta", space<Space::kShared>}}},
      {"order_ld",
       {{"weak", kOrder<Semantics::kWeak>},
        {"volatile", kOrder<Semantics::kVolatile>},
        {"relaxed", kOrder<Semantics::kRelaxed>},
        {"acquire", kOrder<Semantics::kAcquire>}}},
      {"order_st",
       {{"weak", kOrder<Semantics::kWeak>},
        {"volatile", kOrder<Semantics::kVolatile>},
        {"relaxed", kOrder<Semantics::kRelaxed>},
        {"release", kOrder<Semantics::kRelease>}}},
      {"order_atom",
       {{"relaxed", kOrder<Semantics::kRelaxed>},
        {"acquire", kOrder<Semantics::kAcquire>},
        {"release", kOrder<Semantics::kRelease>},
        {"acq_rel", kOrder<Semantics::kAcqRel>}}},
      {"order_fence",
       {{"sc", kOrder<Semantics::kSc>},
        {"acq_rel", kOrder<Semantics::kAcqRel>},
        {"acquire", kOrder<Semantics::kAcquire>},
        {"release", kOrder<Semantics::kRelease>}}},
      {"scope",
       {{"cta", kSeen<Scope::kCta>},
        {"cluster", kSeen<Scope::kCluster>},
        {"gpu", kSeen<Scope::kGpu>},
        {"sys", kSeen<Scope::kSys>}}},
      {"order_arrive", {{"release", kOrder<Semantics::kRelease>}, {"relaxed", kOrder<Semantics::kRelaxed>}}},
      {"order_one_way", {{"acquire", kOrder<Semantics::kAcquire>}, {"release", kOrder<Semantics::kRelease>}}},
      {"restrict", {{"sync_restrict::shared::cta", nothing}, {"sync_restrict::shared::cluster", nothing}}},
      {"proxy_space", {{"global", nothing}, {"shared::cta", nothing}, {"shared::cluster", nothing}}},
      {"membar", {{"cta", kSeen<Scope::kCta>}, {"gl", kSeen<Scope::kGpu>}, {"sys", kSeen<Scope::kSys>}}},
      {"cache_ld",
       {{"ca", kCache<CacheOp::kCa>},
        {"cg", kCache<CacheOp::kCg>},
        {"cs", kCache<CacheOp::kCs>},
        {"lu", kCache<CacheOp::kLu>},
        {"cv", kCache<CacheOp::kCv>}}},
      {"cache_st",
       {{"wb", kCache<CacheOp::kWb>},
        {"cg", kCache<CacheOp::kCg>},
        {"cs", kCache<CacheOp::kCs>},
        {"wt", kCache<CacheOp::kWt>}}},
      // 9.7.9.2: hints. They do not change a result, and the modelled caches ignore them.
      {"evict",
       {{"L1::evict_normal", nothing},
        {"L1::evict_unchanged", nothing},
        {"L1::evict_first", nothing},
        {"L1::evict_last", nothing},
        {"L1::no_allocate", nothing}}},
      {"evict_l2",
       {{"L2::evict_normal", nothing}, {"L2::evict_first", nothing}, {"L2::evict_last", nothing}}},
      {"prefetch", {{"L2::64B", nothing}, {"L2::128B", nothing}, {"L2::256B", nothing}}},
      {"level",
       {{"L1", nothing}, {"L2", nothing}, {"L2::evict_last", nothing}, {"L2::evict_normal", nothing}}},
      {"vector", {{"v2", kVector<2>}, {"v4", kVector<4>}}},
      {"dimensions", {{"1d", kDimensions<1>}, {"2d", kDimensions<2>}, {"3d", kDimensions<3>}}},
      {"tensor",
       {{"1d", kDimensions<1>},
        {"2d", kDimensions<2>},
        {"3d", kDimensions<3>},
        {"4d", kDimensions<4>},
        {"5d", kDimensions<5>}}},
      {"bounds",
       {{"trap", kBounds<Bounds::kTrap>},
        {"clamp", kBounds<Bounds::kClamp>},
        {"zero", kBounds<Bounds::kZero>}}},
      {"property",
       {{"width", kProperty<ImageProperty::kWidth>},
        {"height", kProperty<ImageProperty::kHeight>},
        {"depth", kProperty<ImageProperty::kDepth>}}},
      {"factor_f16", {{"f16", factor<Type::kF16>}}},
      {"factor_bf16", {{"bf16", factor<Type::kBf16>}}},
      {"factor_tf32", {{"tf32", factor<Type::kTf32>}}},
      {"factor_s8", {{"s8", factor<Type::kS8>}}},
      {"factor_u8", {{"u8", factor<Type::kU8>}}},
      {"factor_8", {{"s8", factor<Type::kS8>}, {"u8", factor<Type::kU8>}}},
      {"mma_16bit", {{"m16n8k8", shape<16, 8, 8>}, {"m16n8k16", shape<16, 8, 16>}}},
      {"mma_tf32", {{"m16n8k4", shape<16, 8, 4>}, {"m16n8k8", shape<16, 8, 8>}}},
      {"mma_8bit",
       {{"m8n8k16", shape<8, 8, 16>}, {"m16n8k16", shape<16, 8, 16>}, {"m16n8k32", shape<16, 8, 32>}}},
      {"wmma_k16",
       {{"m16n16k16", shape<16, 16, 16>}, {"m32n8k16", shape<32, 8, 16>}, {"m8n32k16", shape<8, 32, 16>}}},
      {"wmma_k8", {{"m16n16k8", shape<16, 16, 8>}}},
      {"layout", {{"row", nothing}, {"col", flag<&M::column_major>}}},
      {"matrices", {{"x1", kVector<1>}, {"x2", kVector<2>}, {"x4", kVector<4>}}},
      {"test",
       {{"finite", kTest<TestProperty::kFinite>},
        {"infinite", kTest<TestProperty::kInfinite>},
        {"number", kTest<TestProperty::kNumber>},
        {"notanumber", kTest<TestProperty::kNotanumber>},
        {"normal", kTest<TestProperty::kNormal>},
        {"subnormal", kTest<TestProperty::kSubnormal>}}},
      {"prmt",
       {{"f4e", kPrmt<PrmtMode::kF4e>},
        {"b4e", kPrmt<PrmtMode::kB4e>},
        {"rc8", kPrmt<PrmtMode::kRc8>},
        {"ecl", kPrmt<PrmtMode::kEcl>},
        {"ecr", kPrmt<PrmtMode::kEcr>},
        {"rc16", kPrmt<PrmtMode::kRc16>}}},
      {"shuffle",
       {{"up", set<&M::shuffle, ShuffleMode::kUp>},
        {"down", set<&M::shuffle, ShuffleMode::kDown>},
        {"bfly", set<&M::shuffle, ShuffleMode::kBfly>},
        {"idx", set<&M::shuffle, ShuffleMode::kIdx>}}},
      {"vote",
       {{"all", set<&M::vote, VoteMode::kAll>},
        {"any", set<&M::vote, VoteMode::kAny>},
        {"uni", set<&M::vote, VoteMode::kUni>}}},
      {"atom_min_max", {{"min", kAtom<AtomOp::kMin>}, {"max", kAtom<AtomOp::kMax>}}},
      {"atom_inc_dec", {{"inc", kAtom<AtomOp::kInc>}, {"dec", kAtom<AtomOp::kDec>}}},
      {"atom_bits", {{"and", kAtom<AtomOp::kAnd>}, {"or", kAtom<AtomOp::kOr>}, {"xor", kAtom<AtomOp::kXor>}}},
      {"clamp_wrap", {{"clamp", nothing}, {"wrap", flag<&M::wrap>}}},
      {"left_right", {{"l", flag<&M::shift_left>}, {"r", nothing}}},
      {"redux_arithmetic",
       {{"add", kAtom<AtomOp::kAdd>}, {"min", kAtom<AtomOp::kMin>}, {"max", kAtom<AtomOp::kMax>}}},
  };
  return kGroups;
}

const Words& singles() {
  static const Words kSingles = {
      {"rn", kRound<Rounding::kRn>},
      {"ftz", flag<&M::ftz>},
      {"sat", flag<&M::sat>},
      {"relu", flag<&M::relu>},
      {"satfinite", flag<&M::saturate_finite>},
      {"NaN", flag<&M::nan>},
      {"xorsign", flag<&M::xorsign>},
      {"abs", flag<&M::absolute>},
      {"approx", flag<&M::approx>},
      {"full", flag<&M::full>},
      {"noftz", nothing},
      {"v4", kVector<4>},
      {"cc", flag<&M::carry_out>},
      {"lo", set<&M::part, Part::kLo>},
      {"hi", set<&M::part, Part::kHi>},
      {"wide", set<&M::part, Part::kWide>},
      {"shiftamt", flag<&M::shift_amount>},
      {"uni", flag<&M::uniform>},
      {"aligned", flag<&M::aligned>},
      {"to", flag<&M::to_space>},
      {"nc", kCache<CacheOp::kNc>},
      {"noComplete", flag<&M::no_complete>},
      {"expect_tx", flag<&M::expect_tx>},
      {"parity", flag<&M::parity>},
      {"noinc", flag<&M::no_increment>},
      {"mmio", kOrder<Semantics::kMmio>},
      {"relaxed", nothing},
      {"any", set<&M::vote, VoteMode::kAny>},
      {"all", set<&M::vote, VoteMode::kAll>},
      {"ballot", set<&M::vote, VoteMode::kBallot>},
      {"popc", nothing},
      {"add", kAtom<AtomOp::kAdd>},
      {"exch", kAtom<AtomOp::kExch>},
      {"cas", kAtom<AtomOp::kCas>},
      {"ca", kCache<CacheOp::kCa>},
      {"cg", kCache<CacheOp::kCg>},
      {"global", nothing},
      {"sys", kSeen<Scope::kSys>},
      {"cta", nothing},
      {"mask", nothing},
      {"sync", flag<&M::sync>},
      {"arrive", set<&M::bar, BarKind::kArrive>},
      {"red", set<&M::bar, BarKind::kRed>},
      {"wait", set<&M::bar, BarKind::kWait>},
      {"release", kOrder<Semantics::kRelease>},
      {"acquire", kOrder<Semantics::kAcquire>},
      {"cluster", kSeen<Scope::kCluster>},
      {"weak", kOrder<Semantics::kWeak>},
      {"proxies", flag<&M::of_proxies>},
      {"alias", nothing},
      {"async::generic", nothing},
      {"load_bulk", set<&M::bulk, BulkWay::kLoad>},
      {"pass_bulk", set<&M::bulk, BulkWay::kPass>},
      {"store_bulk", set<&M::bulk, BulkWay::kStore>},
      {"mbarrier::complete_tx::bytes", nothing},
      {"multicast::cluster", flag<&M::multicast>},
      {"bulk_group", nothing},
      {"tile", nothing},
      {"L2::cache_hint", nothing},
      {"L2", nothing},
      {"read", flag<&M::only_read>},
      {"shared::cta", nothing},
      {"launch_dependents", flag<&M::launches>},
      {"unaligned", set<&M::aligned, false>},
      {"drop", flag<&M::drop>},
      {"wait_all", flag<&M::all>},
      {"row", nothing},
      {"col", nothing},
      {"trans", flag<&M::transposed>},
      {"wmma", flag<&M::wmma>},
      {"load_a", loadOf<MatrixRole::kA>},
      {"load_b", loadOf<MatrixRole::kB>},
      {"load_c", loadOf<MatrixRole::kC>},
      {"store_d", loadOf<MatrixRole::kD>},
      {"both_f16", [](OpcodeMatch& match) { match.modifiers.type_a = match.modifiers.type_b = Type::kF16; }},
  };
  return kSingles;
}

}  // namespace

std::span<const OpcodeWord> wordGroup(std::string_view group) {
  for (const WordGroup& candidate : groups()) {
    if (candidate.name == group) return candidate.words;
  }
  return {};
}

const OpcodeWord* singleWord(std::string_view word) {
  for (const OpcodeWord& candidate : singles()) {
    if (candidate.word == word) return &candidate;
  }
  return nullptr;
}

}  // namespace warpscope::ptx
