#include "viz/layout/step_list.h"

#include <map>

#include "kernels/access/access_shape.h"

namespace warpscope {
namespace {

bool isOf(StepKind kind, const MemoryRequest& request) {
  if (kind == StepKind::kShared) return request.space == AccessSpace::kShared;
  return kind == StepKind::kGlobal &&
         (request.space == AccessSpace::kGlobal || request.space == AccessSpace::kLocal);
}

uint32_t costOf(const MemoryRequest& request) {
  return request.space == AccessSpace::kShared ? sim::sharedShape(request).wavefronts
                                               : sim::globalShape(request).sectors;
}

// The common part of steps and traced instructions.
struct Place {
  uint32_t line = 0;
  std::string opcode;
  bool operator==(const Place&) const = default;
};

Place placeOf(const std::string& file, const ListedInstruction& listed) {
  return {lineIn(file, listed), opcodeOf(listed.text)};
}

}  // namespace

std::string opcodeOf(const std::string& ptx) {
  size_t begin = ptx.find_first_not_of(" \t");
  if (begin == std::string::npos) return "";
  if (ptx[begin] == '@') begin = ptx.find_first_not_of(" \t", ptx.find_first_of(" \t", begin));
  if (begin == std::string::npos) return "";
  return ptx.substr(begin, ptx.find_first_of(" \t;", begin) - begin);
}

StepList::StepList(const LaneLog& log, const LoggedWarp& warp, StepKind kind)
    : log_(&log), warp_(&warp), kind_(kind) {
  if (kind == StepKind::kExchange) {
    for (uint32_t i = 0; i < warp.exchanges.size(); ++i) {
      indices_.push_back(i);
      costs_.push_back(1);
    }
  } else {
    for (uint32_t i = 0; i < warp.requests.size(); ++i) {
      if (!isOf(kind, warp.requests[i])) continue;
      indices_.push_back(i);
      costs_.push_back(costOf(warp.requests[i]));
    }
  }
  usual_ = findUsual();
}

uint32_t StepList::instruction(size_t i) const {
  return kind_ == StepKind::kExchange ? exchange(i).instruction : request(i).instruction;
}

size_t StepList::findUsual() const {
  std::map<uint32_t, uint64_t> cost_of_line;
  for (size_t i = 0; i < size(); ++i) cost_of_line[line(i)] += costs_[i];
  size_t best = 0;
  for (size_t i = 1; i < size(); ++i) {
    if (cost_of_line[line(i)] > cost_of_line[line(best)]) best = i;
  }
  return best;
}

std::optional<size_t> StepList::stepOf(const Run& run, const TraceWarp& warp, uint32_t ordinal) const {
  const auto instructions = run.trace.instructionsOf(warp);
  if (run.listing == nullptr || ordinal >= instructions.size()) return std::nullopt;
  const auto at = [&](size_t i) { return placeOf(run.source_file, run.listing->at(instructions[i].listed)); };
  const Place wanted = at(ordinal);
  size_t before = 0;
  for (size_t i = 0; i < ordinal; ++i) before += at(i) == wanted ? 1 : 0;
  for (size_t i = 0; i < size(); ++i) {
    if (placeOf(log_->source_file, log_->listing->at(instruction(i))) != wanted) continue;
    if (before-- == 0) return i;
  }
  return std::nullopt;
}

std::optional<size_t> StepList::firstOf(const Run& run, uint32_t listed) const {
  if (run.listing == nullptr || listed >= run.listing->size()) return std::nullopt;
  const Place wanted = placeOf(run.source_file, run.listing->at(listed));
  for (size_t i = 0; i < size(); ++i) {
    if (placeOf(log_->source_file, log_->listing->at(instruction(i))) == wanted) return i;
  }
  return std::nullopt;
}

std::optional<uint32_t> StepList::instructionOf(size_t i, const Run& run, const TraceWarp& warp) const {
  const auto instructions = run.trace.instructionsOf(warp);
  if (run.listing == nullptr || i >= size()) return std::nullopt;
  const auto of_step = [&](size_t step) {
    return placeOf(log_->source_file, log_->listing->at(instruction(step)));
  };
  const Place wanted = of_step(i);
  size_t before = 0;
  for (size_t step = 0; step < i; ++step) before += of_step(step) == wanted ? 1 : 0;
  for (size_t k = 0; k < instructions.size(); ++k) {
    if (placeOf(run.source_file, run.listing->at(instructions[k].listed)) != wanted) continue;
    if (before-- == 0) return static_cast<uint32_t>(k);
  }
  return std::nullopt;
}

}  // namespace warpscope
