// What a step of a lesson shows: a family's variant at some settings, in a view, with something selected, and
// what the step claims of it. In a lesson it is a block of code with the info string `show`:
//
//   family: divergence
//   variant: even_odd
//   work: 512
//   view: timeline
//   warp: 0:0
//   run small: variant = warp_aligned, work = 8
//   note: 0:0 @400 | here the paths part
//   claim: kernel_time > 1.8 * warp_aligned.kernel_time
//
// A block without `family` changes the scene of the step before it. Everything is checked when it is read: a
// scene names only families, variants, parameters and views that exist, so showing it does nothing but run a
// kernel on the device: one of warpscope's or, with `kernel: mine.cu` in place of `family`, one beside the
// lesson.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernels/lesson/claim.h"
#include "kernels/lesson/entries.h"
#include "kernels/lesson/lesson_kernels.h"
#include "kernels/metrics/selection.h"
#include "kernels/run/run.h"

namespace warpscope {

struct FamilyInfo;

struct LessonWarp {
  uint32_t block = 0, warp = 0;
  bool operator==(const LessonWarp&) const = default;
};
Expected<LessonWarp> parseLessonWarp(std::string_view text);  // "0:3"

struct ClaimAtLine {
  Claim claim;
  uint32_t line = 0;
};

// A note on the time axis, of a warp or of the whole launch.
struct LessonNote {
  int64_t cycle = 0;
  std::optional<LessonWarp> warp;
  std::string text;
  bool operator==(const LessonNote&) const = default;
};

struct LessonScene {
  std::string family, variant;
  std::shared_ptr<const Program> program;  // the teacher's own that `family` is; null: it is warpscope's
  ParameterValues parameters;              // those that the lesson gives
  // One of the window's views; empty: the family's own.
  std::string view;
  bool alone = false;              // only that view is in sight, so that others give nothing away
  std::optional<uint32_t> access;  // of the selected warp, which a view of one access at a time shows; from 1
  std::optional<LessonWarp> warp;  // selected
  std::string region;              // selected, by name
  std::optional<CycleRange> zoom;  // on the launch axis; absent: the whole launch
  std::optional<double> play_cycle;  // of the play head
  TraceSelection selection;
  std::vector<LessonNote> notes;
  std::vector<std::string> compare;              // variants that are kept for comparison
  std::map<std::string, RunRequest> other_runs;  // that claims refer to, by the names that the lesson gives
  std::vector<ClaimAtLine> claims;
  uint32_t line = 0;

  RunRequest request() const;  // of what is shown
  // The same of a variant, with the parameters that it has.
  RunRequest requestOf(const std::string& of_variant) const;
  // What a step inherits that says nothing itself: all but what belongs to a single step.
  LessonScene inherited() const;
};

// The views that a lesson may show: those of the window's pages.
std::span<const char* const> lessonViews();

// `before`: the scene of the step before; null: there is none. `kernels` loads own kernels that the scene
// names. Errors: kDamagedFile, "line N: ...".
Expected<LessonScene> readScene(const std::vector<LessonEntry>& entries, const LessonScene* before,
                                uint32_t line, const KernelLoader& kernels);
// What a scene's family is. It exists.
const FamilyInfo& familyOf(const LessonScene& scene);

}  // namespace warpscope
