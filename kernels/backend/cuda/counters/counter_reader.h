// Reads hardware counters of launches on one GPU, through CUPTI. A GPU counts few things at a time, so the
// kernel is launched once for each pass: eight for the usual counters on an H200, which take 0.13 s. Taking
// the counters takes 0.16 s more, so they are kept until they are given back. Launches that are not counted
// take as long as without it (NVIDIA H200, driver 580.159.04, 2026-11-28).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "kernels/backend/cuda/counters/cupti_api.h"
#include "kernels/backend/cuda/session.h"

namespace warpscope::cuda {

class CounterReader {
 public:
  explicit CounterReader(Session& session) : session_(session) {}
  ~CounterReader();
  CounterReader(const CounterReader&) = delete;
  CounterReader& operator=(const CounterReader&) = delete;

  // The metrics of these that the GPU has, by Nsight Compute's names, of the first kernel that `launch`
  // starts; NaN is left out. `launch` is called once for each pass and must start the same `kernels` kernels
  // each time; `restore`, before each, gives the memory its contents. Errors: kNoDevice, counters cannot be
  // read here, with what to do; kWorkFailed.
  using Work = std::function<Expected<void>()>;
  Expected<std::map<std::string, double>> read(const std::vector<std::string>& metrics, size_t kernels,
                                               const Work& restore, const Work& launch);
  void giveBack();  // so that another profiler can have the counters

 private:
  // A set of metrics, ready to be counted for a number of kernels. The memory for the data stays where it is:
  // with other memory CUPTI prepares the GPU anew, which takes 0.16 s.
  struct Set {
    std::vector<std::string> metrics;  // those that the GPU has
    std::vector<const char*> names;    // of all that are counted: one more where the first pass needs it
    cupti::Host* host = nullptr;
    std::vector<uint8_t> config, data;
    size_t passes = 0;
  };

  Expected<void> prepare();
  Expected<Set*> setOf(const std::vector<std::string>& metrics, size_t kernels);
  Expected<Set> makeSet(const std::vector<std::string>& metrics);
  Expected<void> addMetrics(Set& set);
  Expected<void> take();
  Expected<std::map<std::string, double>> readSet(Set& set, size_t kernels, const Work& restore,
                                                  const Work& launch);
  Expected<void> check(cupti::Result result, const char* doing) const;

  Session& session_;
  const cupti::Api* api_ = nullptr;  // null: not prepared yet
  cupti::Range* range_ = nullptr;    // null: the counters are not ours
  std::string chip_;
  std::vector<uint8_t> availability_;
  std::map<std::pair<size_t, std::vector<std::string>>, Set> sets_;  // by kernels and what was asked for
};

}  // namespace warpscope::cuda
