#include "kernels/device/recorded_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <system_error>
#include <tuple>

#include "kernels/experiments/experiment.h"
#include "kernels/program/program.h"
#include "kernels/recording/recording.h"

namespace warpscope {
namespace {

constexpr const char* kRecordingExtension = ".wsrec";

struct RecordedRun {
  size_t file = 0, index = 0;
  ParameterValues parameters;
};

// The distance between two values of a parameter: sizes are compared by ratio, choices are only equal or
// different.
double distance(const ParameterSpec* spec, int64_t a, int64_t b) {
  if (a == b) return 0;
  if (spec != nullptr && spec->kind == ParameterKind::kChoice) return 1;
  const auto magnitude = [](int64_t value) {
    return std::copysign(std::log2(1 + std::abs(static_cast<double>(value))), static_cast<double>(value));
  };
  return std::abs(magnitude(a) - magnitude(b));
}

class RecordedDevice final : public Device {
 public:
  static Expected<std::unique_ptr<Device>> open(const std::filesystem::path& path) {
    std::error_code error;
    std::vector<std::filesystem::path> files;
    const bool is_folder = std::filesystem::is_directory(path, error);
    if (is_folder) {
      for (const auto& entry : std::filesystem::directory_iterator(path, error)) {
        if (entry.path().extension() == kRecordingExtension) files.push_back(entry.path());
      }
      if (error) {
        return fail(ErrorKind::kNoDevice, "cannot look into the recordings in {}: {}", path.string(),
                    error.message());
      }
      std::ranges::sort(files);
    } else if (std::filesystem::exists(path, error)) {
      files.push_back(path);
    } else {
      return fail(ErrorKind::kNoDevice, "there are no recordings: {} does not exist", path.string());
    }
    auto device = std::make_unique<RecordedDevice>();
    device->where_ = path.string();
    for (const auto& file : files) device->add(file);
    if (device->runs_.empty()) {
      return fail(ErrorKind::kNoDevice, "there are no recordings in {}{}", path.string(),
                  device->notes_.empty() ? "" : ": " + fmt::format("{}", fmt::join(device->notes_, "; ")));
    }
    device->description_.id = is_folder ? kRecordedDeviceId : fileDeviceId(path);
    device->description_.recorded_on = device->days();
    return device;
  }

  const DeviceDescription& description() const override { return description_; }
  std::vector<std::string> notes() const override { return notes_; }

  Expected<Run> run(const RunRequest& request, const ProgressSink& progress,
                    const std::stop_token& stop) override {
    if (stop.stop_requested()) return fail(ErrorKind::kCancelled, "cancelled");
    const auto* candidates = candidatesFor(request);
    if (candidates == nullptr) return notRecorded(request);
    const RecordedRun& found = nearest(*candidates, request);
    for (const auto& [name, value] : request.parameters) {
      const auto recorded = found.parameters.find(name);
      if (recorded == found.parameters.end() || recorded->second != value) {
        return notThisValue(request, name, value, found);
      }
    }
    if (progress) progress({0.5, "reading the recording"});
    auto run = files_[found.file].load(found.index);
    if (!run) return run;
    run->device = describe(run->device, run->created);
    if (progress) progress({1, "done"});
    return run;
  }

  std::optional<std::vector<int64_t>> offeredValues(const RunRequest& near,
                                                    const std::string& parameter) const override {
    std::vector<int64_t> values;
    const auto* candidates = candidatesFor(near);
    if (candidates == nullptr) return values;
    ParameterValues others = nearest(*candidates, near).parameters;
    others.erase(parameter);
    for (const RecordedRun& candidate : *candidates) {
      ParameterValues rest = candidate.parameters;
      const auto value = rest.find(parameter);
      if (value == rest.end()) continue;
      values.push_back(value->second);
      rest.erase(value);
      if (rest != others) values.pop_back();
    }
    std::ranges::sort(values);
    values.erase(std::unique(values.begin(), values.end()), values.end());
    return values;
  }

  std::vector<RunRequest> recordedRequests() const override {
    std::vector<RunRequest> requests;
    for (const RecordingIndex& file : files_) {
      for (size_t i = 0; i < file.size(); ++i) requests.push_back(file.summary(i).request);
    }
    return requests;
  }

  RunRequest nearestOffered(const RunRequest& request) const override {
    const auto* candidates = candidatesFor(request);
    if (candidates == nullptr) return request;
    RunRequest offered = request;
    offered.parameters = nearest(*candidates, request).parameters;
    return offered;
  }

 private:
  using Name = std::pair<std::string, std::string>;  // family, variant

  void add(const std::filesystem::path& file) {
    auto index = RecordingIndex::open(file);
    if (!index) {
      notes_.push_back(index.error().message);
      return;
    }
    for (size_t i = 0; i < index->size(); ++i) {
      const Run& run = index->summary(i);
      // A program that this version cannot read is still shown as it was recorded.
      if (run.request.program) static_cast<void>(addProgram(run.request.program));
      const DeviceDescription described = describe(run.device, run.created);
      if (runs_.empty()) description_ = described;
      noteDay(described.recorded_on);
      runs_[{run.request.family, run.request.variant}].push_back({files_.size(), i, run.request.parameters});
    }
    files_.push_back(std::move(*index));
  }

  DeviceDescription describe(DeviceDescription device, const std::string& created) const {
    constexpr size_t kDateLength = 10;  // of an ISO 8601 time
    device.id = description_.id;
    device.kind = DeviceKind::kRecorded;
    if (device.recorded_on.empty()) device.recorded_on = created.substr(0, kDateLength);
    return device;
  }

  void noteDay(const std::string& day) {
    if (day.empty()) return;
    if (first_day_.empty() || day < first_day_) first_day_ = day;
    last_day_ = std::max(last_day_, day);
  }

  // The runs of a folder may be of several days.
  std::string days() const {
    return first_day_ == last_day_ ? first_day_ : fmt::format("{} – {}", first_day_, last_day_);
  }

  const std::vector<RecordedRun>* candidatesFor(const RunRequest& request) const {
    const auto found = runs_.find({request.family, request.variant});
    return found == runs_.end() ? nullptr : &found->second;
  }

  // The recorded run whose parameters are nearest to the requested ones; parameters that were not given count
  // as their defaults.
  static const RecordedRun& nearest(const std::vector<RecordedRun>& candidates, const RunRequest& request) {
    const auto experiment = findExperiment(request);
    const auto spec_of = [&](const std::string& name) -> const ParameterSpec* {
      if (!experiment) return nullptr;
      const auto& specs = (*experiment)->info().parameters;
      const auto spec = std::ranges::find(specs, name, &ParameterSpec::name);
      return spec == specs.end() ? nullptr : &*spec;
    };
    // The given parameters decide; defaults only among those equally near.
    using Score = std::pair<double, double>;
    const auto score = [&](const RecordedRun& candidate) {
      Score sum{};
      for (const auto& [name, value] : candidate.parameters) {
        const ParameterSpec* spec = spec_of(name);
        if (const auto asked = request.parameters.find(name); asked != request.parameters.end()) {
          sum.first += distance(spec, value, asked->second);
        } else if (spec != nullptr) {
          sum.second += distance(spec, value, spec->default_value);
        }
      }
      return sum;
    };
    const RecordedRun* best = &candidates.front();
    Score best_score = score(*best);
    for (const RecordedRun& candidate : candidates) {
      const Score candidate_score = score(candidate);
      if (candidate_score < best_score) std::tie(best, best_score) = std::pair(&candidate, candidate_score);
    }
    return *best;
  }

  tl::unexpected<Error> notRecorded(const RunRequest& request) const {
    std::vector<std::string> variants;
    std::set<std::string> families;
    for (const auto& [name, runs] : runs_) {
      families.insert(name.first);
      if (name.first == request.family) variants.push_back(name.second);
    }
    if (variants.empty()) {
      return fail(ErrorKind::kBadRequest, "{} holds no runs of {}; it has {}", where_, request.family,
                  fmt::join(families, ", "));
    }
    return fail(ErrorKind::kBadRequest, "{} holds no runs of {} {}; it has {}", where_, request.family,
                request.variant, fmt::join(variants, ", "));
  }

  tl::unexpected<Error> notThisValue(const RunRequest& request, const std::string& name, int64_t value,
                                     const RecordedRun& nearest_run) const {
    const std::vector<int64_t> offered = offeredValues(request, name).value_or(std::vector<int64_t>{});
    const auto experiment = findExperiment(request.family);
    const ParameterSpec* spec = nullptr;
    if (experiment) {
      const auto& specs = (*experiment)->info().parameters;
      const auto found = std::ranges::find(specs, name, &ParameterSpec::name);
      if (found != specs.end()) spec = &*found;
    }
    const auto text = [&](int64_t number) {
      return spec != nullptr ? formatParameter(*spec, number) : fmt::to_string(number);
    };
    std::vector<std::string> texts;
    texts.reserve(offered.size());
    for (const int64_t offered_value : offered) texts.push_back(text(offered_value));
    if (texts.empty()) {
      return fail(ErrorKind::kBadRequest, "{} {}: the recording knows no parameter '{}'", request.family,
                  request.variant, name);
    }
    const auto recorded = nearest_run.parameters.find(name);
    const std::string hint = recorded == nearest_run.parameters.end()
                                 ? ""
                                 : fmt::format("; the nearest is {}", text(recorded->second));
    return fail(ErrorKind::kBadRequest, "{} {} was not recorded with {} {}; recorded: {}{}", request.family,
                request.variant, name, text(value), fmt::join(texts, ", "), hint);
  }

  std::string where_;
  std::string first_day_, last_day_;  // on which its runs were recorded
  DeviceDescription description_;
  std::vector<RecordingIndex> files_;
  std::map<Name, std::vector<RecordedRun>> runs_;
  std::vector<std::string> notes_;
};

}  // namespace

Expected<std::unique_ptr<Device>> openRecordedDevice(const std::filesystem::path& folder_or_file) {
  return RecordedDevice::open(folder_or_file);
}

}  // namespace warpscope
