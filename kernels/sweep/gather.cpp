#include "kernels/sweep/gather.h"

#include <algorithm>
#include <map>
#include <set>

#include "kernels/core/json.h"
#include "kernels/recording/recording.h"
#include "kernels/recording/run_json.h"
#include "kernels/sweep/grid.h"
#include "kernels/sweep/manifest.h"
#include "kernels/sweep/point_file.h"

namespace warpscope {
namespace {

struct Found {
  size_t sweep = 0;   // in the order in which sweeps were found; kNoSweep for other runs
  size_t number = 0;  // in the grid, or in the order found
  std::filesystem::path file;
  Run run;
};

class Gathering {
 public:
  Expected<void> add(const std::filesystem::path& input) {
    std::error_code error;
    return std::filesystem::is_directory(input, error) ? addFolder(input) : addFile(input);
  }

  Expected<GatheredRuns> result() {
    std::ranges::stable_sort(found_, [](const Found& a, const Found& b) {
      return std::pair(a.sweep, a.number) < std::pair(b.sweep, b.number);
    });
    GatheredRuns gathered;
    std::map<std::string, std::pair<std::filesystem::path, size_t>>
        first_of;  // in which file, and at which index
    for (Found& found : found_) {
      const auto [entry, is_new] = first_of.try_emplace(keyOf(found.run), found.file, gathered.runs.size());
      if (is_new) {
        gathered.runs.push_back(std::move(found.run));
        continue;
      }
      const auto& [file, index] = entry->second;
      const auto same = equalButForDate(gathered.runs[index], found.run);
      if (!same) return tl::unexpected(same.error());
      if (!*same) {
        return fail(ErrorKind::kBadRequest,
                    "{} and {} both hold {} on {}, with different results: leave one out", file.string(),
                    found.file.string(), describeRequest(found.run.request), found.run.device.name);
      }
      ++gathered.duplicates;
    }
    tellMissing(gathered);
    return gathered;
  }

 private:
  // Equal grids are the same sweep, wherever their folders are.
  size_t sweepOf(const Manifest& manifest) {
    std::string names;
    for (const ManifestPoint& point : manifest.points) names += point.name + "\n";
    return sweeps_.try_emplace(names, sweeps_.size()).first->second;
  }

  Expected<void> addFolder(const std::filesystem::path& folder) {
    const auto manifest = readManifest(folder);
    if (!manifest) return tl::unexpected(manifest.error());
    const size_t sweep = sweepOf(*manifest);
    for (size_t i = 0; i < manifest->points.size(); ++i) {
      const ManifestPoint& point = manifest->points[i];
      StoredPoint stored = readPoint(folder, point.name, point.request);
      const std::string described = fmt::format("{} on {}", describeRequest(point.request), point.device);
      wanted_.try_emplace(point.name, described);
      if (stored.state == StoredPoint::State::kDamaged) {
        return fail(ErrorKind::kDamagedFile, "{}; start the sweep again to run it anew", stored.reason);
      }
      if (stored.state == StoredPoint::State::kDone) {
        held_.insert(point.name);
        found_.push_back({sweep, i, runFile(folder, point.name), std::move(stored.run)});
      } else if (stored.state != StoredPoint::State::kMissing) {
        failed_.try_emplace(point.name, fmt::format("{}: {}", described, stored.reason));
      }
    }
    return {};
  }

  Expected<void> addFile(const std::filesystem::path& file) {
    auto runs = readRecording(file);
    if (!runs) return tl::unexpected(runs.error());
    const std::string name = file.stem().string();
    const auto number = pointNumber(name);
    // A point file beside its manifest belongs to that sweep; elsewhere only its name gives its number.
    size_t sweep = kNoSweep;
    if (number) {
      const auto manifest = readManifest(file.has_parent_path() ? file.parent_path() : ".");
      sweep = manifest ? sweepOf(*manifest) : kLoosePoints;
      held_.insert(name);
    }
    for (Run& run : *runs) found_.push_back({sweep, number.value_or(files_++), file, std::move(run)});
    return {};
  }

  static std::string keyOf(const Run& run) {
    Json request = toJson(run.request);
    return request.dump() + deviceIdentity(run.device);
  }

  static Expected<bool> equalButForDate(const Run& a, Run b) {
    b.created = a.created;
    const auto first = encodeRuns({&a, 1}, Compression::kNone);
    if (!first) return tl::unexpected(first.error());
    const auto second = encodeRuns({&b, 1}, Compression::kNone);
    if (!second) return tl::unexpected(second.error());
    return *first == *second;
  }

  void tellMissing(GatheredRuns& gathered) const {
    for (const auto& [name, described] : wanted_) {
      if (held_.contains(name)) continue;
      const auto failure = failed_.find(name);
      (failure == failed_.end() ? gathered.missing : gathered.failed)
          .push_back(failure == failed_.end() ? described : failure->second);
    }
  }

  static constexpr size_t kLoosePoints = SIZE_MAX - 1, kNoSweep = SIZE_MAX;
  std::vector<Found> found_;
  std::map<std::string, size_t> sweeps_;
  std::map<std::string, std::string> wanted_, failed_;  // by the names of the points
  std::set<std::string> held_;
  size_t files_ = 0;
};

}  // namespace

Expected<GatheredRuns> gatherRuns(const std::vector<std::filesystem::path>& inputs) {
  Gathering gathering;
  for (const std::filesystem::path& input : inputs) {
    const auto added = gathering.add(input);
    if (!added) return tl::unexpected(added.error());
  }
  return gathering.result();
}

}  // namespace warpscope
