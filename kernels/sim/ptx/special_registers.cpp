#include "kernels/sim/ptx/special_registers.h"

#include <algorithm>

namespace warpscope::ptx {
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
    // Without clusters, every block is a cluster of its own (10.8 to 10.14).
    {"%clusterid.x", {Special::kCtaidX}},
    {"%clusterid.y", {Special::kCtaidY}},
    {"%clusterid.z", {Special::kCtaidZ}},
    {"%nclusterid.x", {Special::kNctaidX}},
    {"%nclusterid.y", {Special::kNctaidY}},
    {"%nclusterid.z", {Special::kNctaidZ}},
    {"%cluster_ctaid.x", {Special::kZero}},
    {"%cluster_ctaid.y", {Special::kZero}},
    {"%cluster_ctaid.z", {Special::kZero}},
    {"%cluster_ctarank", {Special::kZero}},
    {"%cluster_nctaid.x", {Special::kZero, Type::kU32, true}},
    {"%cluster_nctaid.y", {Special::kZero, Type::kU32, true}},
    {"%cluster_nctaid.z", {Special::kZero, Type::kU32, true}},
    {"%cluster_nctarank", {Special::kZero, Type::kU32, true}},
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
  for (const Named& named : kNamed) {
    if (named.name != name) continue;
    found = named.what;
    return true;
  }
  // Performance counters and registers that a driver may set: nothing sets them here, so they read 0.
  if (!isNumbered(name, "%envreg", 31) && !isNumbered(name, "%pm", 7)) return false;
  found = {};
  return true;
}

}  // namespace warpscope::ptx
