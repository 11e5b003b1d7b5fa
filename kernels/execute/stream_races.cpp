#include "kernels/execute/stream_races.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/backend/stream_graphs.h"
#include "kernels/core/units.h"

namespace warpscope {
namespace {

using Touch = TouchedMemory::Touch;

// The host's sides of buffers, far from one another.
constexpr uint64_t kHostSide = uint64_t{1} << 44;

constexpr uint64_t hostAddress(size_t buffer, uint64_t offset) {
  return buffer * kHostSide + offset;
}

std::string bytesText(uint64_t bytes) {
  return fmt::format("{} byte{}", formatCount(static_cast<int64_t>(bytes)), bytes == 1 ? "" : "s");
}

// The part of the plan that orders its operations.
StreamWork orderOf(const LaunchPlan& plan) {
  StreamWork work{.streams = plan.streams, .graphs = plan.graphs};
  for (const PlannedOperation& planned : plan.operations) {
    EnqueuedOperation& operation = work.operations.emplace_back();
    operation.kind = planned.kind;
    operation.stream = planned.stream;
    operation.event = planned.event;
    operation.graph = planned.graph;
    operation.nodes = planned.nodes;
  }
  return work;
}

// Events and waits have no bytes.
bool touchesMemory(const PlannedOperation& operation) {
  if (operation.kind == OperationKind::kLaunch) return true;
  // Pages that move stay what they are.
  if (operation.kind == OperationKind::kPrefetchToDevice || operation.kind == OperationKind::kPrefetchToHost)
    return false;
  const bool idle = operation.kind == OperationKind::kHostFunction && !operation.work.usesMemory();
  return operation.bytes > 0 && !idle;
}

bool holdsMemory(const PlannedOperation& operation) {
  return operation.kind == OperationKind::kAllocate || operation.kind == OperationKind::kFree;
}

std::string verbOf(const HazardAccess& access) {
  return access.action + "s";
}

}  // namespace

StreamRaces::StreamRaces(const LaunchPlan& plan, std::span<const DeviceAddress> buffers)
    : plan_(plan), buffers_(buffers.begin(), buffers.end()) {
  for (const auto& after : dependenciesOf(orderOf(plan))) order_.add(after);
  for (uint32_t i = 0; i < plan.operations.size(); ++i) {
    if (mayRace(i)) note(plan.operations[i], touched_[i]);
  }
}

bool StreamRaces::mayRace(uint32_t index) const {
  if (!touchesMemory(plan_.operations[index])) return false;
  for (uint32_t other = 0; other < plan_.operations.size(); ++other) {
    if (touchesMemory(plan_.operations[other]) && mayRace(std::min(index, other), std::max(index, other)))
      return true;
  }
  return false;
}

// Memory must be allocated before each use of it, and freed after each. What is enqueued behind the free and
// ordered with it comes too late, whatever the time.
bool StreamRaces::mayRace(uint32_t earlier, uint32_t later) const {
  if (earlier == later) return false;
  return !order_.ordered(earlier, later) || plan_.operations[earlier].kind == OperationKind::kFree;
}

void StreamRaces::note(const PlannedOperation& operation, Touched& touched) const {
  const auto on_device = [&](Touch touch, size_t buffer, uint64_t offset) {
    touched.device.add(touch, buffers_[buffer] + offset, operation.bytes);
  };
  const auto on_host = [&](Touch touch) {
    touched.host.add(touch, hostAddress(operation.buffer, operation.offset), operation.bytes);
  };
  switch (operation.kind) {
    case OperationKind::kCopyToDevice:
      on_host(Touch::kRead);
      return on_device(Touch::kWrite, operation.buffer, operation.offset);
    case OperationKind::kCopyToHost:
      on_device(Touch::kRead, operation.buffer, operation.offset);
      return on_host(Touch::kWrite);
    case OperationKind::kCopyOnDevice:
    case OperationKind::kPeerCopy:
      on_device(Touch::kRead, operation.from, operation.from_offset);
      return on_device(Touch::kWrite, operation.buffer, operation.offset);
    case OperationKind::kFill:
    case OperationKind::kAllocate:  // whatever was there before is lost
    case OperationKind::kFree:
      return on_device(Touch::kWrite, operation.buffer, operation.offset);
    case OperationKind::kHostFunction: {
      const Touch touch = operation.work.add == 0 ? Touch::kRead : Touch::kWrite;
      const bool managed = plan_.buffers[operation.buffer].host == HostMemory::kManaged;
      return managed ? on_device(touch, operation.buffer, operation.offset) : on_host(touch);
    }
    case OperationKind::kPrefetchToDevice:
    case OperationKind::kPrefetchToHost:
    case OperationKind::kLaunch:  // it does not say what it touches
    case OperationKind::kEvent:
    case OperationKind::kWait:
      break;
  }
}

TouchedMemory* StreamRaces::touchedBy(uint32_t launch) {
  for (auto& [index, touched] : touched_) {
    const PlannedOperation& operation = plan_.operations[index];
    if (operation.kind == OperationKind::kLaunch && operation.launch == launch) return &touched.device;
  }
  return nullptr;
}

const std::string& StreamRaces::kernelOf(const PlannedOperation& operation) const {
  static const std::string kNone;
  if (operation.kind != OperationKind::kLaunch) return kNone;
  return operation.launch == 0 ? plan_.kernel : plan_.following[operation.launch - 1].kernel;
}

HazardOperation StreamRaces::describe(uint32_t index) const {
  const PlannedOperation& operation = plan_.operations[index];
  const std::string& of = operation.name.empty() ? kernelOf(operation) : operation.name;
  std::string name = operationKindName(operation.kind);
  if (!of.empty()) name += " of " + of;
  return {index, std::move(name), plan_.streams[operation.stream].name};
}

// Allocations may follow one another without a gap, so that a conflict reaches from one into the next.
StreamRaces::Place StreamRaces::placeOf(const TouchedMemory::Conflict& conflict, bool on_host) const {
  for (size_t buffer = 0; buffer < plan_.buffers.size(); ++buffer) {
    const uint64_t begin = on_host ? hostAddress(buffer, 0) : buffers_[buffer];
    const uint64_t size = plan_.buffers[buffer].bytes;
    if (conflict.address < begin || conflict.address - begin >= size) continue;
    const uint64_t offset = conflict.address - begin;
    return {buffer, on_host, offset, std::min(conflict.bytes, size - offset)};
  }
  return {plan_.buffers.size(), on_host, 0, conflict.bytes};
}

// The same, of memory that `holding` allocates or frees and the other one uses.
void StreamRaces::takeUse(uint32_t holding, uint32_t using_it, uint64_t bytes, Hazard& hazard) const {
  hazard.kind = HazardKind::kUseAfterFree;
  const bool frees = plan_.operations[holding].kind == OperationKind::kFree;
  if (hazard.operations[0].index == holding) {
    std::swap(hazard.access, *hazard.second);
    std::swap(hazard.operations[0], hazard.operations[1]);
  }
  hazard.second->action = frees ? "free" : "allocate";
  if (holdsMemory(plan_.operations[using_it])) hazard.access.action = "free";
  const HazardOperation& use = hazard.operations[0];
  const HazardOperation& hold = hazard.operations[1];
  const std::string what =
      fmt::format("operation {} ({} on {}) {} {} of {}, from byte {} on,", use.index, use.name, use.stream,
                  verbOf(hazard.access), bytesText(bytes), hazard.allocation, formatCount(hazard.offset));
  if (frees && order_.ordered(holding, using_it)) {
    hazard.message = fmt::format(
        "{} which operation {} ({} on {}) has freed before: another allocation may have got that memory",
        what, hold.index, hold.name, hold.stream);
    return;
  }
  const HazardOperation& first = frees ? use : hold;
  const HazardOperation& second = frees ? hold : use;
  hazard.message = fmt::format(
      "{} and nothing orders that with operation {} ({} on {}), which {} it{}: record an event on {} after "
      "operation {} and let {} wait for it before operation {}",
      what, hold.index, hold.name, hold.stream, frees ? "frees" : "allocates",
      frees ? ", after which another allocation may get that memory" : "", first.stream, first.index,
      second.stream, second.index);
}

Hazard StreamRaces::hazardOf(uint32_t earlier, uint32_t later, const TouchedMemory::Conflict& conflict,
                             const Place& place) const {
  Hazard hazard{.kind = HazardKind::kStreamRace};
  const std::string& kernel = kernelOf(plan_.operations[later]);
  hazard.kernel = kernel.empty() ? kernelOf(plan_.operations[earlier]) : kernel;
  hazard.access = conflict.second;
  hazard.second = conflict.first;
  hazard.operations = {describe(later), describe(earlier)};
  hazard.space = place.on_host ? "host" : "global";
  hazard.address = place.on_host ? place.offset : conflict.address;
  hazard.offset = static_cast<int64_t>(place.offset);
  hazard.allocation = "memory outside the plan's buffers";
  if (place.buffer < plan_.buffers.size()) {
    const BufferSpec& buffer = plan_.buffers[place.buffer];
    hazard.allocation = fmt::format("'{}' ({})", buffer.name, bytesText(buffer.bytes));
  }
  for (const auto& [holding, other] : {std::pair(earlier, later), std::pair(later, earlier)}) {
    if (!holdsMemory(plan_.operations[holding])) continue;
    takeUse(holding, other, place.bytes, hazard);
    return hazard;
  }
  const HazardOperation& second = hazard.operations[0];
  const HazardOperation& first = hazard.operations[1];
  hazard.message = fmt::format(
      "operation {} ({} on {}) {} and operation {} ({} on {}) {} the same {} of {}{}, from byte {} on, "
      "and nothing orders the two: record an event on {} after operation {} and let {} wait for it before "
      "operation {}",
      first.index, first.name, first.stream, verbOf(*hazard.second), second.index, second.name, second.stream,
      verbOf(hazard.access), bytesText(place.bytes), hazard.allocation, place.on_host ? " on the host" : "",
      formatCount(hazard.offset), first.stream, first.index, second.stream, second.index);
  return hazard;
}

std::vector<Hazard> StreamRaces::find() const {
  std::vector<Hazard> hazards;
  std::map<Key, size_t> known;
  for (const auto& [later, second] : touched_) {
    for (const auto& [earlier, first] : touched_) {
      if (earlier >= later || !mayRace(earlier, later)) continue;
      for (const bool on_host : {false, true}) {
        const auto conflict = on_host ? TouchedMemory::conflict(first.host, second.host)
                                      : TouchedMemory::conflict(first.device, second.device);
        if (!conflict) continue;
        const Place place = placeOf(*conflict, on_host);
        const PlannedOperation& one = plan_.operations[earlier];
        const PlannedOperation& other = plan_.operations[later];
        // The same mistake with several allocations is one hazard.
        const bool held = holdsMemory(one) || holdsMemory(other);
        const Key key{
            one.kind, kernelOf(one), other.kind, kernelOf(other), held ? plan_.buffers.size() : place.buffer,
            on_host};
        const auto [at, is_new] = known.try_emplace(key, hazards.size());
        if (is_new) {
          hazards.push_back(hazardOf(earlier, later, *conflict, place));
        } else {
          ++hazards[at->second].count;
        }
      }
    }
  }
  return hazards;
}

}  // namespace warpscope
