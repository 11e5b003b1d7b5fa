// Looks for races between the operations of a plan: two that touch the same bytes of device or host memory,
// at least one to write, while nothing orders them (kernels/run/operation_order.h); and for uses of memory
// that an operation has not allocated yet, or has freed. It depends on no times, so a race is found however
// this run went. What copies, fills and host functions touch, the plan says; what launches touch, a launch
// under checks notices, but for reads of textures and surfaces. That kernels wait for each other through
// memory is not seen.
#pragma once

#include <map>
#include <span>
#include <tuple>
#include <vector>

#include "kernels/backend/backend.h"
#include "kernels/experiments/experiment.h"
#include "kernels/run/operation_order.h"
#include "kernels/run/touched_memory.h"

namespace warpscope {

class StreamRaces {
 public:
  // `buffers`: where those of the plan, which must outlive this, are on the device.
  StreamRaces(const LaunchPlan& plan, std::span<const DeviceAddress> buffers);

  // Where to note what a launch of the plan touches; nullptr: all other operations are ordered with it.
  TouchedMemory* touchedBy(uint32_t launch);
  // One hazard for all pairs of the same kinds, kernels and buffer.
  std::vector<Hazard> find() const;

 private:
  struct Touched {
    TouchedMemory device, host;  // host: by hostAddress()
  };
  // Bytes of a buffer on the device or the host.
  struct Place {
    size_t buffer = 0;
    bool on_host = false;
    uint64_t offset = 0, bytes = 0;
  };
  using Key = std::tuple<OperationKind, std::string, OperationKind, std::string, size_t, bool>;

  bool mayRace(uint32_t index) const;
  bool mayRace(uint32_t earlier, uint32_t later) const;
  void note(const PlannedOperation& operation, Touched& touched) const;
  const std::string& kernelOf(const PlannedOperation& operation) const;
  HazardOperation describe(uint32_t index) const;
  Place placeOf(const TouchedMemory::Conflict& conflict, bool on_host) const;
  Hazard hazardOf(uint32_t earlier, uint32_t later, const TouchedMemory::Conflict& conflict,
                  const Place& place) const;
  void takeUse(uint32_t holding, uint32_t using_it, uint64_t bytes, Hazard& hazard) const;

  const LaunchPlan& plan_;
  std::vector<DeviceAddress> buffers_;
  OperationOrder order_;
  std::map<uint32_t, Touched> touched_;  // by operation, of those that may race
};

}  // namespace warpscope
