// Measures a device with micro-kernels and makes a device profile from the results, so that the simulated GPU
// can stand in for that device. Works on any backend: the simulated one must give back the figures of its own
// profile.
#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "kernels/backend/opened_backend.h"
#include "kernels/core/error.h"
#include "kernels/sim/sm/profile.h"

namespace warpscope::calibration {

struct Measurement {
  std::string name;  // "FP32 multiply-add, dependent"
  std::string unit;  // "cycles"
  double median = 0, min = 0, max = 0;
  uint32_t repeats = 0;
  std::string figure;  // the profile's figure that it determines ("pipe.fp32.latency_cycles"), or empty
};
Measurement summary(std::string name, std::string unit, std::vector<double> values);

struct Options {
  uint32_t repeats = 7;
  std::string id, name;  // of the profile; empty: derived from the device's name
  std::string date;      // ISO 8601, for the sources
  std::function<void(const std::string& what, double share_done)> progress;
};

struct Calibration {
  sim::DeviceProfile profile;
  std::vector<Measurement> measurements;
  std::vector<std::string> notes;  // what could not be measured, and why
};

// Whatever is not measured (cache geometry, allocation units) is taken from `base`, including its sources;
// limits are those that the device reports. Errors: kCancelled, or the backend's.
Expected<Calibration> calibrate(const OpenedBackend& backend, const sim::DeviceProfile& base,
                                const Options& options, const std::stop_token& stop);

// The bundled profile that is nearest to a device: the same id; otherwise the same compute capability;
// otherwise the newest that is older; otherwise the oldest.
Expected<sim::DeviceProfile> nearestProfile(const DeviceDescription& device);

}  // namespace warpscope::calibration
