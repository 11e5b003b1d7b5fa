#include "kernels/sweep/sweep.h"

#include <atomic>
#include <map>
#include <mutex>
#include <thread>

#include "kernels/core/files.h"
#include "kernels/sweep/manifest.h"
#include "kernels/sweep/point_file.h"

namespace warpscope {
namespace {

// The points of one kind of device, which its workers take one by one.
struct Queue {
  std::vector<size_t> places;  // into SweepResult::points
  std::atomic<size_t> next{0};
};

class Sweep {
 public:
  Sweep(const SweepGrid& grid, const SweepOptions& options, const std::stop_token& stop)
      : grid_(grid), options_(options), on_stop_(stop, [this] { halt_.request_stop(); }), stop_(stop) {}

  Expected<SweepResult> run() {
    for (const size_t point : pointsOf(grid_, options_.shard)) {
      queues_[grid_.points[point].device].places.push_back(result_.points.size());
      result_.points.push_back({.point = point});
    }
    removeLeftovers();
    {
      std::vector<std::jthread> workers;
      for (auto& [device, queue] : queues_) startWorkers(grid_.devices[device], queue, workers);
    }
    if (error_) return tl::unexpected(*error_);
    result_.cancelled = stop_.stop_requested();
    return std::move(result_);
  }

 private:
  void startWorkers(const SweepDevice& device, Queue& queue, std::vector<std::jthread>& workers) {
    const bool simulated = device.description.kind == DeviceKind::kSimulated;
    for (const std::string& id : device.ids) {
      for (uint32_t i = 0; i < (simulated ? std::max(options_.jobs, 1U) : 1U); ++i) {
        workers.emplace_back([this, id, simulated, &queue] { work(id, simulated, queue); });
      }
    }
  }

  void work(const std::string& id, bool simulated, Queue& queue) {
    PointLocks locks(options_.folder);
    std::unique_ptr<Device> device;
    while (!halt_.stop_requested()) {
      const size_t i = queue.next++;
      if (i >= queue.places.size()) return;
      PointResult& result = result_.points[queue.places[i]];
      // Lock first, then look: the previous holder of the lock may just have written the file.
      if (locks.tryLock(result.point)) {
        const bool settled = resume(result) || runPoint(id, simulated, device, result);
        locks.unlock(result.point);
        if (!settled) return;
      } else {
        result.elsewhere = true;
      }
      finished(result);
    }
  }

  // Returns true if there is a file that can be used.
  bool resume(PointResult& result) {
    const SweepPoint& point = grid_.points[result.point];
    const StoredPoint stored = readPoint(options_.folder, point.name, point.request);
    switch (stored.state) {
      case StoredPoint::State::kDone:
        take(result, stored.run);
        return true;
      case StoredPoint::State::kImpossible:
      case StoredPoint::State::kFailed:
        if (options_.retry) return false;
        result.state = stored.state;
        result.reason = stored.reason;
        return true;
      case StoredPoint::State::kDamaged:
        note(fmt::format("run anew: {}", stored.reason));
        return false;
      case StoredPoint::State::kMissing:
        return false;
    }
    return false;
  }

  // Returns false if the sweep ends here, cancelled or with an error.
  bool runPoint(const std::string& id, bool simulated, std::unique_ptr<Device>& device, PointResult& result) {
    if (simulated || !device) {
      device.reset();
      auto opened = options_.open_device(id);
      if (!opened) return abandon(opened.error());
      device = std::move(*opened);
    }
    const SweepPoint& point = grid_.points[result.point];
    const RequestOutcome outcome = runRequest(
        *device, point.request, [](const Progress&) {}, halt_.get_token());
    if (outcome.state == RequestState::kCancelled) return false;
    if (outcome.device_gone)
      return abandon({ErrorKind::kNoDevice, fmt::format("{}: {}", id, outcome.reason)});
    const auto written = writePoint(options_.folder, point.name, point.request, outcome);
    if (!written) return abandon(written.error());
    result.ran = true;
    result.reason = outcome.reason;
    if (outcome.state == RequestState::kDone) {
      take(result, outcome.run);
    } else {
      result.state = outcome.state == RequestState::kImpossible ? StoredPoint::State::kImpossible
                                                                : StoredPoint::State::kFailed;
    }
    return true;
  }

  static void take(PointResult& result, const Run& run) {
    result.state = StoredPoint::State::kDone;
    result.device = run.device;
    result.timing = run.timing;
    result.bandwidth = run.bandwidth;
    result.verification = run.verification;
    if (run.hazards) result.hazards = run.hazards->size();
  }

  // Removes what a killed sweep was writing: it never counted, and its point is run again.
  void removeLeftovers() {
    std::map<std::string, size_t> points;
    for (const PointResult& result : result_.points) points[grid_.points[result.point].name] = result.point;
    PointLocks locks(options_.folder);
    std::error_code error;
    std::vector<std::filesystem::path> leftovers;
    for (const auto& entry : std::filesystem::directory_iterator(options_.folder, error)) {
      if (entry.path().extension() == kTemporaryEnding) leftovers.push_back(entry.path());
    }
    for (const std::filesystem::path& path : leftovers) {
      const std::string file = path.filename().string();
      const auto point = points.find(file.substr(0, file.find('.')));
      if (point == points.end() || !locks.tryLock(point->second)) continue;
      if (std::filesystem::remove(path, error)) {
        note(fmt::format("run anew: {} was only half written and is removed", path.string()));
      }
      locks.unlock(point->second);
    }
  }

  bool abandon(const Error& error) {
    {
      const std::lock_guard lock(mutex_);
      if (!error_) error_ = error;
    }
    halt_.request_stop();
    return false;
  }
  void finished(const PointResult& result) {
    const std::lock_guard lock(mutex_);
    ++done_;
    if (options_.events.finished) options_.events.finished(result, done_, result_.points.size());
  }
  void note(const std::string& line) {
    const std::lock_guard lock(mutex_);
    if (options_.events.note) options_.events.note(line);
  }

  const SweepGrid& grid_;
  const SweepOptions& options_;
  std::stop_source halt_;  // by the user, or because the sweep cannot continue
  std::stop_callback<std::function<void()>> on_stop_;
  std::stop_token stop_;
  std::map<size_t, Queue> queues_;  // by device
  SweepResult result_;              // each point is written only by the worker that took it
  std::mutex mutex_;                // guards what follows, and the events
  std::optional<Error> error_;
  size_t done_ = 0;
};

}  // namespace

Expected<SweepResult> runSweep(const SweepGrid& grid, const SweepOptions& options,
                               const std::stop_token& stop) {
  const auto manifest = openManifest(options.folder, grid, options.program_version);
  if (!manifest) return tl::unexpected(manifest.error());
  if (manifest->program_version != options.program_version && options.events.note) {
    options.events.note(fmt::format("{} was begun with warpscope {}; this is {}: its points may differ",
                                    options.folder.string(), manifest->program_version,
                                    options.program_version));
  }
  return Sweep(grid, options, stop).run();
}

}  // namespace warpscope
