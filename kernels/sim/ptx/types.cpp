#include "kernels/sim/ptx/types.h"

#include <algorithm>
#include <array>
#include <unordered_map>

namespace warpscope::ptx {
namespace {

enum class Class : uint8_t { kOther, kBits, kUnsigned, kSigned, kFloat };
struct TypeFacts {
  const char* name;
  uint32_t bytes;
  Class kind;
};

// In the order of Type.
constexpr std::array<TypeFacts, 22> kTypes{{
    {"", 0, Class::kOther},       {"pred", 0, Class::kOther},   {"b8", 1, Class::kBits},
    {"b16", 2, Class::kBits},     {"b32", 4, Class::kBits},     {"b64", 8, Class::kBits},
    {"b128", 16, Class::kBits},   {"u8", 1, Class::kUnsigned},  {"u16", 2, Class::kUnsigned},
    {"u32", 4, Class::kUnsigned}, {"u64", 8, Class::kUnsigned}, {"s8", 1, Class::kSigned},
    {"s16", 2, Class::kSigned},   {"s32", 4, Class::kSigned},   {"s64", 8, Class::kSigned},
    {"f16", 2, Class::kFloat},    {"f16x2", 4, Class::kFloat},  {"bf16", 2, Class::kFloat},
    {"bf16x2", 4, Class::kFloat}, {"tf32", 4, Class::kFloat},   {"f32", 4, Class::kFloat},
    {"f64", 8, Class::kFloat},
}};
static_assert(kTypes.size() == static_cast<size_t>(Type::kF64) + 1);

const TypeFacts& facts(Type type) {
  return kTypes[static_cast<size_t>(type)];
}

}  // namespace

uint32_t bytesOf(Type type) {
  return facts(type).bytes;
}
bool isFloat(Type type) {
  return facts(type).kind == Class::kFloat;
}
bool isSigned(Type type) {
  return facts(type).kind == Class::kSigned;
}
bool isBits(Type type) {
  return facts(type).kind == Class::kBits;
}
const char* typeName(Type type) {
  return facts(type).name;
}

Type typeNamed(std::string_view name) {
  for (size_t i = 1; i < kTypes.size(); ++i) {
    if (name == kTypes[i].name) return static_cast<Type>(i);
  }
  return Type::kNone;
}

Type twiceAsWide(Type type) {
  switch (type) {
    case Type::kU16:
      return Type::kU32;
    case Type::kS16:
      return Type::kS32;
    case Type::kU32:
      return Type::kU64;
    case Type::kS32:
      return Type::kS64;
    default:
      return Type::kNone;
  }
}

bool registerFits(Type of_register, Type wanted, bool may_be_wider) {
  if (of_register == Type::kPred || wanted == Type::kPred) return of_register == wanted;
  const uint32_t has = bytesOf(of_register), needs = bytesOf(wanted);
  if (has == 0 || needs == 0 || has < needs || (has > needs && !may_be_wider)) return false;
  if (isBits(of_register)) return true;
  if (isBits(wanted)) return has == needs || !isFloat(of_register);
  if (isFloat(of_register) || isFloat(wanted)) return of_register == wanted;
  return true;
}

namespace {

struct Named {
  std::string_view name;
  SpecialRegister what;
};

constexpr Named kNamed[] = {
    {"%tid.x", {Special::kTidX}},
    {"%tid.y", {Special::kTidY}},
    {"%tid.z", {Special::kTidZ}},
    {"%ntid.x", {Special::kNtidX}},
    {"%ntid.y", {Special::kNtidY}},
    {"%ntid.z", {Special::kNtidZ}},
    {"%ctaid.x", {Special::kCtaidX}},
    {"%ctaid.y", {Special::kCtaidY}},
    {"%ctaid.z", {Special::kCtaidZ}},
    {"%nctaid.x", {Special::kNctaidX}},
    {"%nctaid.y", {Special::kNctaidY}},
    {"%nctaid.z", {Special::kNctaidZ}},
    {"%laneid", {Special::kLaneid}},
    {"%warpid", {Special::kWarpid}},
    {"%nwarpid", {Special::kNwarpid}},
    {"%smid", {Special::kSmid}},
    {"%nsmid", {Special::kNsmid}},
    {"%gridid", {Special::kGridid, Type::kU64}},
    {"%lanemask_eq", {Special::kLanemaskEq}},
    {"%lanemask_le", {Special::kLanemaskLe}},
    {"%lanemask_lt", {Special::kLanemaskLt}},
    {"%lanemask_ge", {Special::kLanemaskGe}},
    {"%lanemask_gt", {Special::kLanemaskGt}},
    {"%clock", {Special::kClock}},
    {"%clock_hi", {Special::kClockHi}},
    {"%clock64", {Special::kClock64, Type::kU64}},
    {"%globaltimer", {Special::kGlobaltimer, Type::kU64}},
    {"%globaltimer_lo", {Special::kGlobaltimerLo}},
    {"%globaltimer_hi", {Special::kGlobaltimerHi}},
    {"%dynamic_smem_size", {Special::kDynamicSmemSize}},
    {"%total_smem_size", {Special::kTotalSmemSize}},
    {"%aggr_smem_size", {Special::kTotalSmemSize}},
    {"%envreg1", {Special::kGridWorkspaceHi}},
    {"%envreg2", {Special::kGridWorkspaceLo}},
    {"%clusterid.x", {Special::kClusterIdX}},
    {"%clusterid.y", {Special::kClusterIdY}},
    {"%clusterid.z", {Special::kClusterIdZ}},
    {"%nclusterid.x", {Special::kNclusterIdX}},
    {"%nclusterid.y", {Special::kNclusterIdY}},
    {"%nclusterid.z", {Special::kNclusterIdZ}},
    {"%cluster_ctaid.x", {Special::kClusterCtaidX}},
    {"%cluster_ctaid.y", {Special::kClusterCtaidY}},
    {"%cluster_ctaid.z", {Special::kClusterCtaidZ}},
    {"%cluster_nctaid.x", {Special::kClusterNctaidX}},
    {"%cluster_nctaid.y", {Special::kClusterNctaidY}},
    {"%cluster_nctaid.z", {Special::kClusterNctaidZ}},
    {"%cluster_ctarank", {Special::kClusterCtarank}},
    {"%cluster_nctarank", {Special::kClusterNctarank}},
    {"%is_explicit_cluster", {Special::kIsExplicitCluster, Type::kPred}},
    {"%tid.w", {Special::kZero}},
    {"%ntid.w", {Special::kZero}},
    {"%ctaid.w", {Special::kZero}},
    {"%nctaid.w", {Special::kZero}},
};

bool isNumbered(std::string_view name, std::string_view prefix, int most) {
  if (!name.starts_with(prefix)) return false;
  name.remove_prefix(prefix.size());
  if (name.empty() || name.size() > 2) return false;
  int number = 0;
  for (const char c : name) {
    if (c < '0' || c > '9') return false;
    number = number * 10 + (c - '0');
  }
  return number <= most;
}

}  // namespace

bool findSpecialRegister(std::string_view name, SpecialRegister& found) {
  if (!name.starts_with('%')) return false;
  // Every register of a module is looked for here first.
  static const auto kKnown = [] {
    std::unordered_map<std::string_view, SpecialRegister> by_name;
    for (const Named& named : kNamed) by_name.emplace(named.name, named.what);
    return by_name;
  }();
  if (const auto at = kKnown.find(name); at != kKnown.end()) {
    found = at->second;
    return true;
  }
  // Performance counters, and other registers that a driver may set: nothing sets them here, so they read 0.
  if (!isNumbered(name, "%envreg", 31) && !isNumbered(name, "%pm", 7)) return false;
  found = {};
  return true;
}

}  // namespace warpscope::ptx
