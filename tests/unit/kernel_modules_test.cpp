// The embedded modules, and that the committed PTX is what their sources compile to.
#include "kernels/experiments/kernel_modules.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>

#include "kernels/experiments/experiment.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;
const fs::path kRepository = WARPSCOPE_SOURCE_FOLDER;

std::string readFile(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

struct CommandResult {
  int status = -1;
  std::string output;
};

CommandResult runInRepository(const std::string& command) {
  CommandResult result;
  FILE* pipe = popen(("cd '" + kRepository.string() + "' && " + command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return result;
  std::array<char, 4096> buffer{};
  while (const size_t got = fread(buffer.data(), 1, buffer.size(), pipe))
    result.output.append(buffer.data(), got);
  result.status = pclose(pipe);
  return result;
}

// "Cuda compilation tools, release 13.0, V13.0.88"
std::string compilerLine(const std::string& text) {
  const size_t begin = text.find("Cuda compilation tools");
  return begin == std::string::npos ? "" : text.substr(begin, text.find('\n', begin) - begin);
}

// Every .cu file of the families, by path.
std::vector<fs::path> kernelFiles() {
  std::vector<fs::path> files;
  for (const Experiment* experiment : allExperiments()) {
    for (const auto& entry :
         fs::directory_iterator(kRepository / "kernels/experiments" / experiment->info().name)) {
      if (entry.path().extension() == ".cu") files.push_back(entry.path());
    }
  }
  return files;
}

TEST(Modules, AreThoseOfTheFamiliesThePackerAndTheCalibration) {
  std::vector<std::string> names,
      expected = {"probe_pack", "calibration", "calibration_conditional", "calibration_sm90"};
  for (const ModuleImage& module : allModules()) names.emplace_back(module.name);
  for (const fs::path& file : kernelFiles()) {
    expected.push_back(file.stem());
    const bool also_sm80 = readFile(file).find("WARPSCOPE_SM80") != std::string::npos;
    if (also_sm80) expected.push_back(file.stem().string() + "_sm80");
  }
  std::ranges::sort(names);
  std::ranges::sort(expected);
  EXPECT_EQ(names, expected);
  const auto none = findModule("sorting");
  ASSERT_FALSE(none.has_value());
  EXPECT_NE(none.error().message.find("sorting"), std::string::npos);
}

TEST(Modules, HoldTheCommittedPtxWithANulBehind) {
  for (const ModuleImage& module : allModules()) {
    SCOPED_TRACE(module.name);
    EXPECT_EQ(module.ptx, readFile(kRepository / "assets/ptx" / fmt::format("{}.ptx", module.name)));
    EXPECT_EQ(*(module.ptx.data() + module.ptx.size()), '\0');
    EXPECT_EQ(module.ptx.find('\0'), std::string_view::npos);
    // Half of the kernels' shared state would be in local memory if the compiler could not see through the
    // log.
    EXPECT_EQ(module.ptx.find(".local"), std::string_view::npos);
  }
}

TEST(Modules, HoldFatbinsExactlyWhereTheBuildAskedForThem) {
  for (const ModuleImage& module : allModules()) {
    SCOPED_TRACE(module.name);
    if (!WARPSCOPE_TEST_HAS_FATBINS || module.ptx.find("cudaGraphSetConditional") != std::string_view::npos) {
      EXPECT_TRUE(module.fatbin.empty()) << "it is linked when it is loaded";
    } else {
      ASSERT_GT(module.fatbin.size(), 16U);
      const std::array<std::byte, 4> magic = {std::byte{0x50}, std::byte{0xED}, std::byte{0x55},
                                              std::byte{0xBA}};
      EXPECT_TRUE(std::ranges::equal(module.fatbin.first(4), magic));
    }
  }
}

TEST(Modules, FindEntriesOrSayWhatIsMissing) {
  const auto found = [](const char* module, const char* kernel, ProbeKind kind) {
    return findEntry(findModule(module).value(), kernel, kind).value_or("none");
  };
  EXPECT_TRUE(
      found("transpose", "shared", ProbeKind::kBare).starts_with("_ZN9warpscope6sharedINS_7NoProbeEE"));
  EXPECT_TRUE(found("reduction_shared", "shared<int>", ProbeKind::kBare)
                  .starts_with("_ZN9warpscope6sharedINS_7NoProbeEiEE"));
  EXPECT_TRUE(found("reduction_shared", "shared<float>", ProbeKind::kProbed)
                  .starts_with("_ZN9warpscope6sharedINS_9WarpProbeEfEE"));
  EXPECT_TRUE(found("reduction_unrolled", "complete_unroll_template<int,512>", ProbeKind::kBare)
                  .starts_with("_ZN9warpscope24complete_unroll_templateINS_7NoProbeEiLj512EEE"));
  const ModuleImage reduction = findModule("reduction_shared").value();
  for (const char* kernel : {"shared", "shared<double>", "shared<int,32>", "shared<", "<int>"}) {
    EXPECT_FALSE(findEntry(reduction, kernel, ProbeKind::kBare).has_value()) << kernel;
  }
  const auto none = findEntry(reduction, "share", ProbeKind::kBare);
  ASSERT_FALSE(none.has_value());
  EXPECT_NE(none.error().message.find("'share'"), std::string::npos);
  EXPECT_NE(findModule("probe_pack").value().ptx.find(".entry probe_pack("), std::string_view::npos);
}

TEST(Modules, CountTheBarriersOfABlock) {
  const auto barriers = [](const char* module, const char* kernel) {
    const ModuleImage image = findModule(module).value();
    return barriersOf(image, findEntry(image, kernel, ProbeKind::kBare).value());
  };
  EXPECT_EQ(barriers("banks", "stride"), 1U);
  EXPECT_EQ(barriers("barriers", "tile_wide"), 16U) << "their numbers are computed";
  EXPECT_EQ(barriers("barriers", "warp_wide"), 0U);
  EXPECT_EQ(barriers("divergence", "even_odd"), 0U);
  const ModuleImage invented{.name = "invented",
                             .ptx =
                                 ".entry three(\n)\n{\n\tbar.sync \t0;\n\tbarrier.sync \t2, 64;\n"
                                 "\tbar.warp.sync \t-1;\n}\n.entry next()\n{\n\tbar.sync 9;\n}\n"};
  EXPECT_EQ(barriersOf(invented, "three"), 3U);
  EXPECT_EQ(barriersOf(invented, "none"), 0U);
}

TEST(Modules, SayWhatDeviceTheyNeed) {
  EXPECT_EQ(leastCapability(findModule("reduction").value()), (ComputeCapability{7, 5}));
  EXPECT_EQ(leastCapability(findModule("reduction_redux_sm80").value()), (ComputeCapability{8, 0}));
  EXPECT_EQ(leastCapability(findModule("clusters_sm90").value()), (ComputeCapability{9, 0}));
  EXPECT_EQ(leastCapability({.name = "none", .ptx = "", .fatbin = {}}), (ComputeCapability{0, 0}));
  EXPECT_EQ(leastCapability({.name = "newest", .ptx = ".target sm_120a\n", .fatbin = {}}),
            (ComputeCapability{12, 0}));
}

TEST(Sources, AreThoseOfTheRepository) {
  for (const fs::path& file : kernelFiles()) {
    const auto source = findKernelSource(file.stem().string());
    ASSERT_TRUE(source.has_value()) << source.error().message;
    EXPECT_EQ(*source, readFile(file));
  }
  EXPECT_FALSE(findKernelSource("sorting").has_value());
}

TEST(CommittedPtx, WasMadeFromTheSourcesAsTheyAre) {
  for (const ModuleImage& module : allModules()) {
    const std::string hashes = fmt::format("assets/ptx/{}.sha256", module.name);
    const auto result = runInRepository("sha256sum --check --strict --quiet " + hashes);
    EXPECT_EQ(result.status, 0) << "assets/ptx is stale: run kernels/experiments/build_ptx.sh (needs nvcc)\n"
                                << result.output;
    EXPECT_EQ(readFile(kRepository / hashes).find(" /"), std::string::npos)
        << "an absolute path in " << hashes;
    EXPECT_EQ(module.ptx.find(kRepository.string()), std::string_view::npos);
  }
}

TEST(CommittedPtx, IsWhatNvccMakesByteForByte) {
  const std::string nvcc{std::string_view(WARPSCOPE_TEST_NVCC)};
  if (nvcc.empty()) GTEST_SKIP() << "no nvcc: only the source hashes are checked";
  const std::string here = compilerLine(runInRepository("'" + nvcc + "' --version").output);
  const std::string committed = compilerLine(std::string(findModule("divergence").value().ptx));
  if (here != committed)
    GTEST_SKIP() << "nvcc is '" << here << "', assets/ptx was made by '" << committed << "'";
  const fs::path out = fs::path(WARPSCOPE_BUILD_FOLDER) / "rebuilt_ptx";
  fs::remove_all(out);
  const auto built =
      runInRepository("NVCC='" + nvcc + "' kernels/experiments/build_ptx.sh '" + out.string() + "'");
  ASSERT_EQ(built.status, 0) << built.output;
  for (const ModuleImage& module : allModules()) {
    for (const char* suffix : {"ptx", "sha256"}) {
      const std::string name = fmt::format("{}.{}", module.name, suffix);
      EXPECT_TRUE(readFile(out / name) == readFile(kRepository / "assets/ptx" / name)) << name << " differs";
    }
  }
}

}  // namespace
}  // namespace warpscope
