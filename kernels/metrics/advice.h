// Advice on making a run faster, the most promising first: each with its evidence, and with the gain that a
// simple model expects from the run's own numbers. The model removes a part of the kernel's time and leaves
// the rest as it is (Amdahl): which part, `Advice::how` says. docs/advice.md compares it with variants that
// do what is advised.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/run/run.h"

namespace warpscope {

enum class AdviceKind { kBankConflicts, kUncoalesced, kDivergence, kBarriers, kTail, kOccupancy, kMoreWork };
const char* adviceName(AdviceKind kind);  // "bank_conflicts"

struct Advice {
  AdviceKind kind = AdviceKind::kDivergence;
  std::string text;            // "Remove the bank conflicts: about 1.9 times faster."
  std::string evidence;        // "8.0 wavefronts a shared-memory request, where 1.0 would do."
  double gain = 1;             // the launch's time now / then; for kMoreWork: work per time then / now
  std::string how;             // how the gain was computed, sentences on lines of their own
  std::string_view view;       // where the window shows it: "banks"
  std::optional<double> work;  // for kMoreWork: how many times as much
};

// The largest gain first, more work last; smaller gains than 5 % are left out. Empty for a wrong result.
std::vector<Advice> adviceFor(const Run& run);

// The index of the variant that follows the advice: the fastest of `others`, at the same settings, that is
// faster than the run and gets the same advice not at all, or with a much smaller gain. nullopt: none does.
std::optional<size_t> variantThatDoes(const Advice& advice, const Run& run,
                                      std::span<const Run* const> others);

}  // namespace warpscope
