// The GPU that the tests share: opened once a process; tests skip with the reason where there is none.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "kernels/device/backend.h"
#include "kernels/device/executor.h"
#include "kernels/experiments/experiment.h"

namespace warpscope::test {

struct Gpu {
  std::unique_ptr<Backend> backend;
  std::unique_ptr<Executor> executor;
  std::string why_not;  // empty: there is one
};
Gpu& sharedGpu();

class GpuTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!sharedGpu().why_not.empty()) GTEST_SKIP() << "no CUDA GPU: " << sharedGpu().why_not;
  }

  static Backend& backend() { return *sharedGpu().backend; }
};

// Runs it; a failure is a test failure and an empty run.
Run runOnGpu(const RunRequest& request);
// The same with every block recorded and a single timed launch.
Run runRecorded(const std::string& family, const std::string& variant, ParameterValues parameters);

struct FamilyVariant {
  std::string family, variant;
  friend void PrintTo(const FamilyVariant& value, std::ostream* out) {
    *out << value.family << ' ' << value.variant;
  }
};
std::vector<FamilyVariant> allVariants();
std::string testName(const testing::TestParamInfo<FamilyVariant>& info);  // "reduction_shared"

// 32, 64 ... 1024 threads, or every shape.
std::vector<int64_t> allBlocks(const std::string& family);

inline constexpr int64_t kAwkwardSizes[] = {1, 31, 33, 1000, (1 << 20) + 7};

}  // namespace warpscope::test
