// A model with a device that answers from a script.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "app/gui/model/model.h"
#include "viz/layout/trace_layout.h"

namespace warpscope {

// Shared between the test and the devices that it creates.
struct Script {
  std::mutex mutex;
  std::condition_variable changed;
  bool hold = false;                // runs wait until it is false
  std::string failing;              // the variant that fails
  int64_t largest_block = 1 << 20;  // larger blocks are impossible
  std::vector<RunRequest> asked;
  int opened = 0;
  bool open_fails = false;
  bool simulated = false;
  std::vector<int64_t> offered;  // block sizes; empty: all
};

class ScriptedDevice : public Device {
 public:
  explicit ScriptedDevice(std::shared_ptr<Script> script) : script_(std::move(script)) {
    description_.id = "scripted";
    description_.name = "Scripted GPU";
    description_.kind = script_->simulated         ? DeviceKind::kSimulated
                        : script_->offered.empty() ? DeviceKind::kCuda
                                                   : DeviceKind::kRecorded;
  }
  const DeviceDescription& description() const override { return description_; }

  Expected<Run> run(const RunRequest& request, const ProgressSink& /*progress*/,
                    const std::stop_token& stop) override {
    std::unique_lock lock(script_->mutex);
    script_->asked.push_back(request);
    while (script_->hold && !stop.stop_requested()) {
      script_->changed.wait_for(lock, std::chrono::milliseconds(2));
    }
    if (stop.stop_requested()) return fail(ErrorKind::kCancelled, "cancelled");
    if (request.parameters.at("block") > script_->largest_block) {
      Error error{ErrorKind::kBadRequest, "too many threads"};
      error.nearest["block"] = script_->largest_block;
      return tl::unexpected(std::move(error));
    }
    if (request.variant == script_->failing) return fail(ErrorKind::kWorkFailed, "the kernel failed");
    Run run;
    run.request = request;
    run.device = description_;
    run.source = std::make_shared<const std::string>("source\n");
    run.bandwidth.gb_per_s = static_cast<double>(request.parameters.at("block"));
    run.trace.warps.push_back(
        {.block = BlockId{3}, .warp_in_block = 1, .live = kFullMask, .end_cycles = 100});
    run.trace.duration_cycles = 100;
    return run;
  }

  std::optional<std::vector<int64_t>> offeredValues(const RunRequest& /*near*/,
                                                    const std::string& parameter) const override {
    if (script_->offered.empty() || parameter != "block") return std::nullopt;
    return script_->offered;
  }
  RunRequest nearestOffered(const RunRequest& request) const override {
    if (script_->offered.empty()) return request;
    RunRequest offered = request;
    int64_t& block = offered.parameters.at("block");
    int64_t best = script_->offered.front();
    for (const int64_t value : script_->offered) {
      if (std::abs(value - block) < std::abs(best - block)) best = value;
    }
    block = best;
    return offered;
  }

 private:
  std::shared_ptr<Script> script_;
  DeviceDescription description_;
};

inline FamilyInfo makeFamily(const std::string& name) {
  return {.name = name,
          .title = name,
          .summary = "",
          .variants = {{"one", "One", ""}, {"two", "Two", ""}, {"three", "Three", ""}},
          .parameters = {
              {.name = "block",
               .label = "Block",
               .min = 32,
               .max = 1024,
               .step = 32,
               .default_value = 256,
               .role = ParameterRole::kBlock},
              {.name = "ways", .label = "Ways", .min = 1, .max = 32, .default_value = 4, .variants = {"two"}},
              {.name = "size",
               .label = "Elements",
               .kind = ParameterKind::kLog2,
               .min = 1 << 10,
               .max = 1 << 20,
               .default_value = 1 << 12,
               .variants = {"three"},
               .role = ParameterRole::kElements}}};
}

class ScriptedModelTest : public ::testing::Test {
 protected:
  DeviceSource source() {
    DeviceSource source;
    source.list = [] {
      DeviceListing listing;
      DeviceDescription device;
      device.id = "scripted";
      listing.devices = {device};
      return listing;
    };
    source.open = [script = script_](const std::string& id) -> Expected<std::unique_ptr<Device>> {
      const std::lock_guard lock(script->mutex);
      ++script->opened;
      if (script->open_fails) return fail(ErrorKind::kNoDevice, "{} has no driver", id);
      return std::make_unique<ScriptedDevice>(script);
    };
    source.build_layout = [](auto run) { return std::make_shared<const TraceLayout>(std::move(run)); };
    source.wake = [] {};
    return source;
  }

  void make(const Settings& settings = {}) {
    model_ = std::make_unique<Model>(source(), std::vector<const FamilyInfo*>{&alpha_, &beta_}, settings);
  }
  template <class Condition>
  [[nodiscard]] bool until(Condition condition, double seconds = 20) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    while (std::chrono::steady_clock::now() < end) {
      model_->update(now_s_ += 0.001);
      if (condition()) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return false;
  }
  [[nodiscard]] bool settled() {
    return until([this] {
      return model_->feed().shown().run != nullptr && !model_->feed().busy() && !model_->outdated();
    });
  }
  int64_t shownBlock() const { return model_->feed().shown().run->request.parameters.at("block"); }
  void hold(bool on) {
    {
      const std::lock_guard lock(script_->mutex);
      script_->hold = on;
    }
    script_->changed.notify_all();
  }
  size_t asked() {
    const std::lock_guard lock(script_->mutex);
    return script_->asked.size();
  }

  std::shared_ptr<Script> script_ = std::make_shared<Script>();
  FamilyInfo alpha_ = makeFamily("alpha"), beta_ = makeFamily("beta");
  std::unique_ptr<Model> model_;
  double now_s_ = 0;
};

}  // namespace warpscope
