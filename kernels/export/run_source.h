// Runs to export, one at a time, since a recording may be larger than memory.
#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "kernels/recording/recording.h"

namespace warpscope {

class RunSource {
 public:
  virtual ~RunSource() = default;
  virtual size_t size() const = 0;
  virtual size_t number(
      size_t i) const = 0;  // the number that users know: its index in its recording, from 0
  virtual const Run& summary(size_t i) const = 0;                         // with an empty trace
  virtual Expected<std::shared_ptr<const Run>> load(size_t i) const = 0;  // with its trace
};

// Selected runs of a recording.
class RunsOfRecording : public RunSource {
 public:
  RunsOfRecording(RecordingIndex index, std::vector<size_t> chosen)
      : index_(std::move(index)), chosen_(std::move(chosen)) {}
  size_t size() const override { return chosen_.size(); }
  size_t number(size_t i) const override { return chosen_[i]; }
  const Run& summary(size_t i) const override { return index_.summary(chosen_[i]); }
  Expected<std::shared_ptr<const Run>> load(size_t i) const override;

 private:
  RecordingIndex index_;
  std::vector<size_t> chosen_;
};

// Runs that are in memory, and stay there until the export is done.
class RunsInMemory : public RunSource {
 public:
  explicit RunsInMemory(std::span<const Run> runs) : runs_(runs) {}
  size_t size() const override { return runs_.size(); }
  size_t number(size_t i) const override { return i; }
  const Run& summary(size_t i) const override { return runs_[i]; }
  Expected<std::shared_ptr<const Run>> load(size_t i) const override;

 private:
  std::span<const Run> runs_;
};

}  // namespace warpscope
