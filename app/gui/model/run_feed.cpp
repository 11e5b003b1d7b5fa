#include "app/gui/model/run_feed.h"

#include <utility>

#include "kernels/experiments/experiment.h"

namespace warpscope {
namespace {

constexpr size_t kHistory = 240;  // samples of the rolling plot

}  // namespace

void RunFeed::show(ShownRun shown, double now_s) {
  // The same run again, its result checked: it has been seen since the first time.
  const bool again = shown_.run != nullptr && shown_.ticket == shown.ticket && shown.ticket != 0;
  if (again) {
    shown.latency_ms = shown_.latency_ms;
    shown.requested = shown_.requested;
  }
  shown_ = std::move(shown);
  if (shown_.run == nullptr || again) return;
  history_.push_back({now_s, shown_.run->bandwidth.gb_per_s, shown_.run->request.variant});
  if (history_.size() > kHistory) history_.pop_front();
}

void RunFeed::showNothing() {
  shown_ = {};
  history_.clear();
}

void RunFeed::resetVariants(const FamilyInfo& family) {
  variants_.clear();
  for (const VariantInfo& info : family.variants)
    variants_.push_back({.variant = info.name, .title = info.title});
}

void RunFeed::takeRun(size_t variant, std::shared_ptr<const Run> run, bool stale) {
  VariantResult& entry = variants_[variant];
  entry.run = std::move(run);
  entry.stale = stale;
  entry.error.clear();
}

void RunFeed::takeError(size_t variant, const Error& error) {
  variants_[variant].error = error.message;
  variants_[variant].impossible = error.kind == ErrorKind::kBadRequest;
}

void RunFeed::markStale(const std::function<bool(const RunRequest&)>& answers) {
  for (VariantResult& result : variants_) {
    result.stale = result.run == nullptr || !answers(result.run->request);
    result.error.clear();
  }
}

std::vector<size_t> RunFeed::missing(size_t but) const {
  std::vector<size_t> missing;
  for (size_t i = 0; i < variants_.size(); ++i) {
    const VariantResult& entry = variants_[i];
    if (i != but && (entry.run == nullptr || entry.stale) && entry.error.empty()) missing.push_back(i);
  }
  return missing;
}

void RunFeed::await(uint64_t ticket, double now_s) {
  if (!awaited_) awaited_since_s_ = now_s;
  awaited_ = ticket;
}

}  // namespace warpscope
