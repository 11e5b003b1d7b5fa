#include "kernels/calibrate/calibrate.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "kernels/calibrate/steps.h"

namespace warpscope::calibration {
namespace {

constexpr Step kSteps[] = {
    {"clock", measureClock},
    {"arithmetic pipes", measurePipes},
    {"warp instructions", measureWarps},
    {"shared memory", measureShared},
    {"latencies", measureLatencies},
    {"bandwidths", measureBandwidths},
    {"atomics", measureAtomics},
    {"launches", measureLaunches},
    {"clusters", measureClusters},
    {"streams", measureStreams},
    {"graphs", measureGraphs},
    {"conditional nodes of graphs", measureConditions},
    {"a second GPU", measurePeers},
    {"managed memory", measureManaged},
};

constexpr const char* kReference = "calibrate";

std::string shortName(const std::string& name) {
  constexpr std::string_view kMaker = "NVIDIA ";
  return name.starts_with(kMaker) ? name.substr(kMaker.size()) : name;
}

// "NVIDIA H100 80GB HBM3" -> "sim:h100_80gb_hbm3"
std::string idFrom(const std::string& name) {
  std::string id = "sim:";
  for (const char c : shortName(name)) {
    const bool upper = c >= 'A' && c <= 'Z';
    const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    id += upper ? static_cast<char>(c - 'A' + 'a') : plain ? c : '_';
  }
  return id;
}

// The figures that the device itself reports.
std::vector<std::pair<const char*, double>> reported(const DeviceDescription& device) {
  const DeviceLimits& limits = device.limits;
  return {
      {"compute_capability.major", limits.compute_capability.major},
      {"compute_capability.minor", limits.compute_capability.minor},
      {"sm_count", limits.sm_count},
      {"max_threads_per_block", limits.max_threads_per_block},
      {"max_threads_per_sm", limits.max_threads_per_sm},
      {"max_blocks_per_sm", limits.max_blocks_per_sm},
      {"registers_per_sm", limits.registers_per_sm},
      {"registers_per_block", limits.registers_per_block},
      {"shared_bytes_per_sm", limits.shared_bytes_per_sm},
      {"shared_bytes_per_block", limits.shared_bytes_per_block},
      {"shared_bytes_per_block_opt_in", limits.shared_bytes_per_block_opt_in},
      {"memory_bytes", static_cast<double>(device.memory_bytes)},
      {"memory_clock_mhz", device.memory_clock_khz / 1000},
      {"memory_bus_bits", device.memory_bus_bits},
  };
}

// The meaningful part of a measurement: four digits; and an interval close to a whole number of cycles is
// rounded to it (the cost of the loop itself leaves a few per cent).
double meaningful(const std::string& figure, double value) {
  constexpr double kNear = 0.04;
  const double whole = std::round(value);
  if (figure.ends_with("_cycles") && whole > 0 && std::abs(value / whole - 1) < kNear) return whole;
  if (!(value > 0)) return value;
  const double unit = std::pow(10, std::floor(std::log10(value)) - 3);
  return std::round(value / unit) * unit;
}

// Sets a figure, or notes why it keeps the base's value.
void decide(sim::DeviceProfile& profile, const std::string& figure, double value, const std::string& source,
            std::vector<std::string>& notes) {
  if (const auto set = sim::setProfileFigure(profile, figure, value, source); !set) {
    notes.push_back(fmt::format("{}; it keeps the value of the nearest profile", set.error().message));
  }
}

void takeReported(sim::DeviceProfile& profile, const DeviceDescription& device,
                  std::vector<std::string>& notes) {
  const std::string source = "reported by the driver (" + std::string(kReference) + ")";
  for (const auto& [figure, value] : reported(device)) {
    if (value > 0 || std::string_view(figure).starts_with("compute_capability")) {
      decide(profile, figure, value, source, notes);
    }
  }
  // 0 is a valid value before compute capability 8.0.
  decide(profile, "shared_bytes_reserved_per_block", device.limits.shared_bytes_reserved_per_block, source,
         notes);
  if (device.limits.gpus > 1)
    decide(profile, "peer_access", device.limits.peer_access ? 1 : 0, source, notes);
  const uint64_t set_bytes = uint64_t{profile.l2.line_bytes} * profile.l2.ways;
  if (device.limits.l2_bytes >= set_bytes) {
    const uint64_t whole_sets = device.limits.l2_bytes / set_bytes;
    decide(profile, "l2.bytes", static_cast<double>(whole_sets * set_bytes), source, notes);
  }
}

}  // namespace

std::span<const Step> steps() {
  return kSteps;
}

Expected<void> Results::add(Expected<Measurement> measurement, const std::string& figure) {
  if (!measurement) return tl::unexpected(measurement.error());
  measurement->figure = figure;
  all_.push_back(std::move(*measurement));
  return {};
}

double Results::figure(const std::string& name) const {
  const auto found = std::ranges::find(all_, name, &Measurement::figure);
  return found == all_.end() ? 0 : found->median;
}

Expected<Calibration> calibrate(const OpenedBackend& backend, const sim::DeviceProfile& base,
                                const Options& options, const std::stop_token& stop) {
  // Measuring takes minutes, so what is wrong with the request is said before.
  if (!options.id.empty() && !options.id.starts_with("sim:")) {
    return fail(ErrorKind::kBadRequest, "--id: '{}' must begin with 'sim:'", options.id);
  }
  auto bench = Bench::create(backend, options.repeats, stop);
  if (!bench) return tl::unexpected(bench.error());
  Results results;
  double done_steps = 0;
  for (const Step& step : steps()) {
    if (options.progress) options.progress(step.name, done_steps / static_cast<double>(steps().size()));
    if (auto done = step.run(*bench, results); !done) return tl::unexpected(done.error());
    ++done_steps;
  }

  const DeviceDescription& device = backend->description();
  Calibration calibration{base, results.all(), results.notes()};
  sim::DeviceProfile& profile = calibration.profile;
  profile.id = options.id.empty() ? idFrom(device.name) : options.id;
  profile.name = options.name.empty() ? "Simulated " + shortName(device.name) : options.name;
  profile.references[kReference] =
      fmt::format("warpscope calibrate on {}{}{}, {}", device.name, device.driver.empty() ? "" : ", driver ",
                  device.driver, options.date);
  takeReported(profile, device, calibration.notes);
  for (const Measurement& measurement : calibration.measurements) {
    if (measurement.figure.empty()) continue;
    decide(profile, measurement.figure, meaningful(measurement.figure, measurement.median),
           fmt::format("measured ({}): {}", kReference, measurement.name), calibration.notes);
  }
  // The profile as a whole must be consistent, too.
  if (auto whole = sim::parseProfile(sim::formatProfile(profile), "the calibrated profile"); !whole) {
    return fail(ErrorKind::kWorkFailed, "{}", whole.error().message);
  }
  return calibration;
}

Expected<sim::DeviceProfile> nearestProfile(const DeviceDescription& device) {
  std::optional<sim::DeviceProfile> nearest;
  for (auto& profile : sim::bundledProfiles()) {
    // The invented profile says nothing about a real device.
    if (!profile || (profile->id == "sim:teaching" && device.id != profile->id)) continue;
    if (profile->id == device.id) return std::move(*profile);
    const ComputeCapability here = profile->limits.compute_capability;
    const ComputeCapability wanted = device.limits.compute_capability;
    const auto distance = [&](ComputeCapability c) {
      const int steps = 10 * (wanted.major - c.major) + wanted.minor - c.minor;
      return steps >= 0 ? steps : 1000 - steps;  // any older one before any newer one
    };
    if (!nearest || distance(here) < distance(nearest->limits.compute_capability)) {
      nearest = std::move(*profile);
    }
  }
  if (!nearest)
    return fail(ErrorKind::kDamagedFile, "there is no device profile in assets/devices to start from");
  return std::move(*nearest);
}

}  // namespace warpscope::calibration
