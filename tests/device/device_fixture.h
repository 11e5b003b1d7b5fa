// The device that these tests share, opened once per process: each test program is compiled for one device (a
// real GPU, or the simulated one), named by WARPSCOPE_TEST_DEVICE. Without it tests are skipped, with the
// reason.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "kernels/backend/opened_backend.h"
#include "kernels/execute/executor.h"
#include "kernels/experiments/experiment.h"

namespace warpscope::test {

inline constexpr uint32_t kAllLanes = 0xFFFFFFFFU;
inline constexpr double kAgree_ns = 2000;  // what clocks may differ by, an operation

struct SharedDevice {
  std::optional<OpenedBackend> backend;
  std::unique_ptr<Executor> executor;
  std::string why_not;  // empty: the device is open
};
SharedDevice& sharedDevice();
// A model can only execute smaller sizes within the time of a test than a GPU.
bool isSimulated();

class DeviceTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!sharedDevice().why_not.empty()) GTEST_SKIP() << "no such device: " << sharedDevice().why_not;
  }

  static Backend& backend() { return sharedDevice().backend->any(); }
};

// Runs the request; an error is a test failure and gives an empty run.
Run runOnDevice(const RunRequest& request);
// The same with every block recorded and a single timed launch.
Run runRecorded(const std::string& family, const std::string& variant, ParameterValues parameters);

// A counter of a simulated GPU; if it is missing, a test failure and -1.
double counter(const Run& run, const std::string& name);

struct FamilyVariant {
  std::string family, variant;
  friend void PrintTo(const FamilyVariant& value, std::ostream* out) {
    *out << value.family << ' ' << value.variant;
  }
};
std::vector<FamilyVariant> allVariants();
// nullopt for a correct kernel.
const std::optional<PlantedHazard>& plantedIn(const FamilyVariant& which);
std::string testName(const testing::TestParamInfo<FamilyVariant>& info);  // "reduction_shared"

// Settings with blocks of 32, 64 ... 1024 threads, or with every block shape, for each of these data sizes;
// on a simulated GPU, which takes longer, a third of them, of each variant others.
std::vector<ParameterValues> allBlocks(const FamilyVariant& of, const std::vector<int64_t>& sizes);

std::vector<int64_t> awkwardSizes();

uint32_t warpsPerBlock(const Dim3& block);
// The lanes that exist in a warp of such a block.
uint32_t liveLanes(const Dim3& block, uint32_t warp);

}  // namespace warpscope::test
