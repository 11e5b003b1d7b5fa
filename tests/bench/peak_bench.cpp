// Measures how close the fastest kernels come to the device's limits, all in one process and in turn, so that
// clocks and temperature are the same for all: every reduction of 2^26 ints and floats compared with CUB, and
// the transposes of 8192 x 8192 floats compared with the `copy` kernel, and that with the device's own copy.
// Each result is checked once; medians are of warm repeats, with the range between the quartiles.
//
//   peak_bench [DEVICE [ROUNDS [LOG2_OF_SIZE]]]     peak_bench cuda:0 10 26
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kernels/device/device.h"
#include "kernels/experiments/experiment.h"
#include "tests/support/plan_runner.h"

namespace warpscope::test {
namespace {

constexpr uint32_t kRepeats = 10;  // per round

// One line of a table: something that can be timed repeatedly.
struct Contender {
  std::string name;
  uint64_t bytes = 0;
  std::function<Expected<std::vector<double>>()> time;
  std::vector<double> times_us;
  std::string problem;

  double quantile(double share) const {
    std::vector<double> sorted = times_us;
    std::ranges::sort(sorted);
    return sorted.empty() ? 0 : sorted[static_cast<size_t>(share * static_cast<double>(sorted.size() - 1))];
  }
  double gbPerS() const {
    const double median = quantile(0.5);
    return median > 0 ? static_cast<double>(bytes) / (median * 1e3) : 0;
  }
};

// A plan with its buffers on the device; its result is checked once.
class Prepared {
 public:
  Prepared(Backend& backend, RunRequest request) : backend_(backend) {
    const Experiment& experiment = *findExperiment(request.family).value();
    auto complete = completeRequest(experiment.info(), std::move(request), backend.description());
    if (!complete) {
      fails(complete.error());
      return;
    }
    auto plan = experiment.plan(*complete, backend.description().limits);
    if (!plan) {
      fails(plan.error());
      return;
    }
    plan_ = std::move(*plan);
    launch_ = std::make_unique<PreparedLaunch>(backend, plan_, ProbeKind::kBare, Bytes(1));
    if (const auto launched = backend.launch(launch_->spec()); !launched) {
      fails(launched.error());
      return;
    }
    const std::vector<Bytes> outputs = launch_->outputs();
    const auto verified =
        plan_.verify(std::vector<std::span<const std::byte>>(outputs.begin(), outputs.end()));
    if (!verified.passed) problem_ = "WRONG: " + verified.detail;
  }

  const std::string& problem() const { return problem_; }
  const LaunchPlan& plan() const { return plan_; }
  DeviceAddress input() const { return launch_->addresses().front(); }

  Expected<std::vector<double>> time() const {
    FillBefore reset;
    for (size_t i = 0; i < plan_.buffers.size(); ++i) {
      const BufferSpec& buffer = plan_.buffers[i];
      if (buffer.filled_each_time) reset = {launch_->addresses()[i], buffer.fill, buffer.bytes};
    }
    return backend_.time(launch_->spec(), 1, kRepeats, reset);
  }

 private:
  void fails(const Error& error) { problem_ = error.message; }

  Backend& backend_;
  LaunchPlan plan_;
  std::unique_ptr<PreparedLaunch> launch_;
  std::string problem_;
};

Contender contender(std::string name, const std::shared_ptr<Prepared>& prepared) {
  return {std::move(name),
          prepared->plan().bytes_moved,
          [prepared] { return prepared->time(); },
          {},
          prepared->problem()};
}

void race(std::vector<Contender>& contenders, int rounds) {
  for (int round = 0; round < rounds; ++round) {
    for (Contender& each : contenders) {
      if (!each.problem.empty()) continue;
      const auto times = each.time();
      if (times) {
        each.times_us.insert(each.times_us.end(), times->begin(), times->end());
      } else {
        each.problem = times.error().message;
      }
    }
  }
}

// Shares are relative to the contender named `ceiling`.
bool print(const std::string& title, const std::vector<Contender>& contenders, const std::string& ceiling) {
  const auto found = std::ranges::find(contenders, ceiling, &Contender::name);
  const double most = found == contenders.end() ? 0 : found->gbPerS();
  std::printf("\n%s\n%-44s %10s %21s %8s %8s %s\n", title.c_str(), "", "median us", "quartiles us", "repeats",
              "GB/s", most > 0 ? ("of " + ceiling).c_str() : "");
  bool fine = true;
  for (const Contender& each : contenders) {
    fine = fine && each.problem.empty();
    if (!each.problem.empty()) {
      std::printf("%-44s %s\n", each.name.c_str(), each.problem.c_str());
      continue;
    }
    const std::string quartiles = fmt::format("{:.2f} .. {:.2f}", each.quantile(0.25), each.quantile(0.75));
    std::printf("%-44s %10.2f %21s %8zu %8.0f", each.name.c_str(), each.quantile(0.5), quartiles.c_str(),
                each.times_us.size(), each.gbPerS());
    if (most > 0) std::printf(" %6.1f %%", 100 * each.gbPerS() / most);
    std::printf("\n");
  }
  return fine;
}

RunRequest request(const std::string& family, const std::string& variant, ParameterValues parameters) {
  return {.family = family, .variant = variant, .parameters = std::move(parameters)};
}

bool reductions(Backend& backend, int rounds, int64_t size, int64_t type) {
  const FamilyInfo& info = findExperiment("reduction").value()->info();
  std::vector<Contender> contenders;
  std::shared_ptr<Prepared> last;
  const auto add = [&](const std::string& variant, ParameterValues parameters, const std::string& name) {
    parameters["size"] = size;
    if (variant != "redux") {
      parameters["type"] = type;
    } else if (type != 0) {
      return;
    }
    const auto prepared =
        std::make_shared<Prepared>(backend, request("reduction", variant, std::move(parameters)));
    contenders.push_back(contender(name, prepared));
    if (prepared->problem().empty()) last = prepared;
  };
  for (const VariantInfo& variant : info.variants) add(variant.name, {}, variant.name);
  for (const int64_t block : {256, 512, 1024}) {
    for (const int64_t blocks : {1, 2, 3, 4, 6, 8}) {
      if (block * blocks > 2048) continue;
      add("grid_stride_vec4", {{"block", block}, {"blocks_per_sm", blocks}},
          fmt::format("grid_stride_vec4 {} x {} an SM", block, blocks));
    }
  }
  const LibraryWork work = last == nullptr ? LibraryWork{} : last->plan().library.value();
  std::string library = "library";
  const auto known = last == nullptr ? Expected<std::optional<LibraryTimes>>{}
                                     : backend.timeLibrary(work.kind, last->input(), work.count, 2, 1);
  if (known && *known) {
    library = (*known)->name;
    contenders.push_back({library,
                          last->plan().bytes_moved,
                          [&backend, work, last]() -> Expected<std::vector<double>> {
                            auto times =
                                backend.timeLibrary(work.kind, last->input(), work.count, 1, kRepeats);
                            if (!times) return tl::unexpected(times.error());
                            return *times ? (*times)->times_us : std::vector<double>{};
                          },
                          {},
                          {}});
  } else {
    std::printf("\nno library to compare with: libwarpscope_cub.so is built where nvcc is\n");
  }
  race(contenders, rounds);
  return print(fmt::format("reduction of {} {}", size, type == 0 ? "ints" : "floats"), contenders, library);
}

bool transposes(Backend& backend, int rounds, int64_t side) {
  const FamilyInfo& info = findExperiment("transpose").value()->info();
  const auto block = std::ranges::find(info.parameters, "block", &ParameterSpec::name);
  const uint64_t bytes = static_cast<uint64_t>(side * side) * sizeof(float);
  bool fine = true;
  for (size_t shape = 0; shape < block->choices.size(); ++shape) {
    std::vector<Contender> contenders;
    std::shared_ptr<Prepared> last;
    for (const VariantInfo& variant : info.variants) {
      last = std::make_shared<Prepared>(
          backend, request("transpose", variant.name,
                           {{"size", side * side}, {"rows", side}, {"block", static_cast<int64_t>(shape)}}));
      contenders.push_back(contender(variant.name, last));
    }
    const auto from = std::make_shared<Buffer>(backend, bytes, 0),
               to = std::make_shared<Buffer>(backend, bytes, 0);
    contenders.push_back({"device memcpy",
                          2 * bytes,
                          [&backend, from, to, bytes] {
                            return backend.timeCopy(to->address(), from->address(), bytes, 1, kRepeats);
                          },
                          {},
                          {}});
    race(contenders, rounds);
    const std::string title =
        fmt::format("transpose of {} x {} floats, blocks of {}", side, side, block->choices[shape]);
    fine = print(title, contenders, "copy") && fine;
  }
  return fine;
}

int run(const std::string& device, int rounds, int log2_size) {
  const auto backend = openBackend(device);
  if (!backend) {
    std::fprintf(stderr, "%s\n", backend.error().message.c_str());
    return 3;
  }
  std::printf("%s %s: %d rounds of %u repeats in turns\n", (*backend)->description().name.c_str(),
              (*backend)->description().driver.c_str(), rounds, kRepeats);
  bool fine = true;
  for (const int64_t type : {0, 1})
    fine = reductions(backend->any(), rounds, int64_t{1} << log2_size, type) && fine;
  fine = transposes(backend->any(), rounds, int64_t{1} << log2_size / 2) && fine;
  return fine ? 0 : 1;
}

}  // namespace
}  // namespace warpscope::test

int main(int count, char** arguments) {
  const std::string device = count > 1 ? arguments[1] : "cuda:0";
  const int rounds = count > 2 ? std::atoi(arguments[2]) : 10;
  const int log2_size = count > 3 ? std::atoi(arguments[3]) : 26;
  if (rounds < 1 || log2_size < 2 || log2_size > 28) {
    std::fprintf(stderr,
                 "peak_bench [DEVICE [ROUNDS [LOG2_OF_SIZE]]]: at least 1 round, sizes from 2^2 to 2^28\n");
    return 2;
  }
  return warpscope::test::run(device, rounds, log2_size);
}
