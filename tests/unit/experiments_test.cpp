// Every variant at awkward block and data sizes: a device can launch the plan, the kernels are in the
// committed PTX, the regions are in the source, and the check distinguishes a right result from a wrong one.
#include <gtest/gtest.h>

#include <algorithm>

#include "kernels/experiments/experiment.h"
#include "kernels/experiments/kernel_modules.h"
#include "tests/support/launch_sweep.h"
#include "tests/support/reference_outputs.h"

namespace warpscope {
namespace {

// An H100's limits, as far as plans use them.
DeviceLimits sampleLimits() {
  DeviceLimits limits;
  limits.compute_capability = {9, 0};
  limits.sm_count = 132;
  limits.max_threads_per_block = 1024;
  limits.shared_bytes_per_block = 48 * 1024;
  limits.concurrent_managed_access = true;
  limits.memory_pools = true;
  limits.conditional_nodes = limits.device_runtime = true;
  return limits;
}

RunRequest makeRequest(const Experiment& experiment, const std::string& variant, ParameterValues parameters) {
  auto request = completeRequest(
      experiment.info(),
      {.family = experiment.info().name, .variant = variant, .parameters = std::move(parameters)});
  EXPECT_TRUE(request.has_value()) << request.error().message;
  return request.value_or(RunRequest{});
}

// Calls visit(experiment, variant name) for all variants.
template <class Visit>
void forEachVariant(Visit&& visit) {
  for (const Experiment* experiment : allExperiments()) {
    for (const VariantInfo& variant : experiment->info().variants) {
      SCOPED_TRACE(experiment->info().name + " " + variant.name);
      visit(*experiment, variant.name);
    }
  }
}

const std::vector<int64_t> kBlocks = {32, 64, 96, 256, 480, 1024};
const std::vector<int64_t> kSizes = {1, 31, 33, 1000, 4096, 100'003};
constexpr int64_t kLarge = (1 << 20) + 7;

// In the order in which they are shown, with their numbers of variants.
TEST(Experiments, AreTheFamiliesOfTheCatalog) {
  const std::vector<std::pair<std::string, size_t>> catalog = {
      {"divergence", 11},    {"boundary", 4},     {"mapping", 3},          {"reduction", 25},
      {"transpose", 7},      {"banks", 5},        {"coalescing", 9},       {"latency", 5},
      {"occupancy", 4},      {"atomics", 7},      {"warp_primitives", 10}, {"barriers", 3},
      {"streams", 5},        {"priorities", 4},   {"graphs", 4},           {"dependent_launch", 4},
      {"unified_memory", 4}, {"several_gpus", 4}, {"clusters", 4},         {"bulk_copy", 5},
      {"broken", 18}};
  std::vector<std::pair<std::string, size_t>> found;
  for (const Experiment* experiment : allExperiments()) {
    found.emplace_back(experiment->info().name, experiment->info().variants.size());
  }
  EXPECT_EQ(found, catalog);
}

TEST(Experiments, AreFoundByName) {
  const auto none = findExperiment("sorting");
  ASSERT_FALSE(none.has_value());
  EXPECT_EQ(none.error().kind, ErrorKind::kBadRequest);
  EXPECT_NE(none.error().message.find("there are divergence, "), std::string::npos);
}

TEST(Experiments, ExplainThemselves) {
  forEachVariant([](const Experiment& experiment, const std::string& variant) {
    const FamilyInfo& info = experiment.info();
    EXPECT_FALSE(info.title.empty());
    EXPECT_FALSE(info.summary.empty());
    const auto found = std::ranges::find(info.variants, variant, &VariantInfo::name);
    EXPECT_FALSE(found->title.empty());
    EXPECT_FALSE(found->summary.empty());
    for (const ParameterSpec* spec : parametersOf(info, variant)) {
      EXPECT_FALSE(spec->label.empty()) << spec->name;
      EXPECT_FALSE(spec->help.empty()) << spec->name;
      EXPECT_FALSE(spec->unit.empty()) << spec->name;
      EXPECT_TRUE(parseParameter(*spec, formatParameter(*spec, spec->default_value)).has_value())
          << spec->name;
    }
  });
}

void expectLaunchable(const LaunchPlan& plan, const DeviceLimits& limits) {
  EXPECT_GE(plan.grid.count(), 1U);
  EXPECT_LE(plan.grid.x, 0x7FFFFFFFU);
  EXPECT_LE(plan.grid.y, 65535U);
  EXPECT_LE(plan.grid.z, 65535U);
  EXPECT_LE(plan.block.count(), limits.max_threads_per_block);
  EXPECT_LE(plan.dynamic_shared_bytes, limits.shared_bytes_per_block);
  for (const KernelArgument& argument : plan.arguments) {
    if (const auto* buffer = std::get_if<BufferArgument>(&argument)) {
      EXPECT_LT(buffer->index, plan.buffers.size());
    }
  }
}

TEST(Plans, AreLaunchableAtEverySizeAndBlock) {
  const DeviceLimits limits = sampleLimits();
  forEachVariant([&](const Experiment& experiment, const std::string& variant) {
    std::vector<int64_t> sizes = kSizes;
    sizes.push_back(kLarge);
    for (const ParameterValues& values : test::launchSweep(experiment.info(), variant, kBlocks, sizes)) {
      const auto plan = experiment.plan(makeRequest(experiment, variant, values), limits);
      ASSERT_TRUE(plan.has_value()) << plan.error().message;
      expectLaunchable(*plan, limits);
      const auto size = values.find("size");
      EXPECT_GE(plan->bytes_moved, size == values.end() ? 1U : static_cast<uint64_t>(size->second) * 4);
    }
  });
}

TEST(Plans, CoverTheLargestSizesWithinGridLimits) {
  const DeviceLimits limits = sampleLimits();
  forEachVariant([&](const Experiment& experiment, const std::string& variant) {
    for (const ParameterValues& values :
         test::launchSweep(experiment.info(), variant, kBlocks, {int64_t{1} << 28})) {
      const auto plan = experiment.plan(makeRequest(experiment, variant, values), limits);
      ASSERT_TRUE(plan.has_value()) << plan.error().message;
      expectLaunchable(*plan, limits);
    }
  });
  const Experiment& transpose = *findExperiment("transpose").value();
  for (const int64_t rows :
       {int64_t{1}, int64_t{3}, int64_t{1} << 22, (int64_t{1} << 28) - 1, int64_t{1} << 28}) {
    const auto plan = transpose.plan(
        makeRequest(transpose, "shared", {{"block", 3}, {"size", int64_t{1} << 28}, {"rows", rows}}), limits);
    ASSERT_TRUE(plan.has_value()) << plan.error().message;
    expectLaunchable(*plan, limits);
    const uint64_t tiles = (uint64_t{1} << 28) / 256;
    EXPECT_GE(plan->grid.count(), tiles) << rows;
  }
}

TEST(Plans, RefuseABlockThatTheDeviceCannotHold) {
  DeviceLimits limits = sampleLimits();
  limits.max_threads_per_block = 512;
  const Experiment& reduction = *findExperiment("reduction").value();
  const auto plan = reduction.plan(makeRequest(reduction, "shared", {{"block", 1024}}), limits);
  ASSERT_FALSE(plan.has_value());
  EXPECT_EQ(plan.error().kind, ErrorKind::kBadRequest);
  EXPECT_NE(plan.error().message.find("1024 threads"), std::string::npos) << plan.error().message;
}

TEST(Plans, InputsAreWhatTheirKeySays) {
  const DeviceLimits limits = sampleLimits();
  forEachVariant([&](const Experiment& experiment, const std::string& variant) {
    const auto plan_of = [&](const ParameterValues& values) {
      return experiment.plan(makeRequest(experiment, variant, values), limits).value();
    };
    const std::vector<ParameterValues> sweep =
        test::launchSweep(experiment.info(), variant, {256}, {1000, 5000});
    const LaunchPlan small = plan_of(sweep.front()), again = plan_of(sweep.front());
    const LaunchPlan larger = plan_of(sweep.back());
    for (size_t i = 0; i < small.buffers.size(); ++i) {
      if (small.buffers[i].role == BufferSpec::Role::kOutput) continue;
      EXPECT_EQ(small.buffers[i].content_key, again.buffers[i].content_key);
      const auto content = small.buffers[i].generate();
      EXPECT_EQ(small.buffers[i].content_key == larger.buffers[i].content_key,
                *content == *larger.buffers[i].generate());
      EXPECT_EQ(content->size(), small.buffers[i].bytes);
      EXPECT_EQ(*content, *again.buffers[i].generate());
    }
  });
}

TEST(Entries, ExistInThePtxInAllForms) {
  const DeviceLimits limits = sampleLimits();
  forEachVariant([&](const Experiment& experiment, const std::string& variant) {
    const auto plan = experiment.plan(makeRequest(experiment, variant, {}), limits).value();
    const auto module = findModule(plan.module);
    ASSERT_TRUE(module.has_value()) << module.error().message;
    const auto bare = findEntry(*module, plan.kernel, ProbeKind::kBare);
    const auto probed = findEntry(*module, plan.kernel, ProbeKind::kProbed);
    ASSERT_TRUE(bare.has_value()) << bare.error().message;
    ASSERT_TRUE(probed.has_value()) << probed.error().message;
    const auto residency = findEntry(*module, plan.kernel, ProbeKind::kResidency);
    ASSERT_TRUE(residency.has_value()) << residency.error().message;
    EXPECT_NE(*bare, *probed);
    EXPECT_NE(module->ptx.find(*residency + "_param_0[16]"), std::string_view::npos);
    // The bare form takes the empty policy, the probed one exactly the bytes of ProbeParams.
    EXPECT_NE(module->ptx.find(*bare + "_param_0[1]"), std::string_view::npos);
    EXPECT_NE(module->ptx.find(*probed + "_param_0[72]"), std::string_view::npos);
  });
}

TEST(Regions, AreNamedAndLieInTheSource) {
  forEachVariant([](const Experiment& experiment, const std::string& variant) {
    const auto regions = experiment.regions(variant);
    ASSERT_TRUE(regions.has_value()) << regions.error().message;
    ASSERT_FALSE(regions->empty());
    const std::string& source = *experiment.source(variant);
    const auto lines = static_cast<uint32_t>(std::ranges::count(source, '\n')) + 1;
    std::vector<uint32_t> ids;
    for (const Region& region : *regions) {
      EXPECT_FALSE(region.name.empty());
      EXPECT_GE(region.first_line, 1U);
      EXPECT_LE(region.first_line, region.last_line);
      EXPECT_LE(region.last_line, lines);
      EXPECT_LT(region.id.value, 255U);
      ids.push_back(region.id.value);
    }
    std::ranges::sort(ids);
    EXPECT_EQ(std::ranges::adjacent_find(ids), ids.end()) << "an id is listed twice";
  });
  EXPECT_FALSE(findExperiment("divergence").value()->regions("sideways").has_value());
}

// Family and variant: the references take so long that separate processes are worthwhile.
class ChecksOf : public testing::TestWithParam<std::pair<std::string, std::string>> {};

TEST_P(ChecksOf, AcceptTheReferenceAndNameAFlippedValue) {
  const Experiment& experiment = *findExperiment(GetParam().first).value();
  auto sweep = test::launchSweep(experiment.info(), GetParam().second, kBlocks, kSizes);
  sweep.push_back(test::launchOf(experiment.info(), GetParam().second, kLarge));
  for (const ParameterValues& values : sweep) {
    SCOPED_TRACE(test::launchName(values));
    const RunRequest request = makeRequest(experiment, GetParam().second, values);
    const LaunchPlan plan = experiment.plan(request, sampleLimits()).value();
    std::vector<Bytes> outputs = test::referenceOutputs(request, plan);
    const Verification right = test::verify(plan, outputs);
    EXPECT_TRUE(right.passed) << right.detail;
    EXPECT_GE(right.checked, outputs.back().size() / 4);
    Bytes& out = outputs.back();
    out[out.size() / 2] ^= std::byte{1};
    const Verification wrong = test::verify(plan, outputs);
    EXPECT_FALSE(wrong.passed);
    EXPECT_GE(wrong.mismatches, 1U);
    EXPECT_NE(wrong.detail.find("expected"), std::string::npos) << wrong.detail;
  }
}

std::vector<std::pair<std::string, std::string>> everyVariant() {
  std::vector<std::pair<std::string, std::string>> all;
  for (const Experiment* experiment : allExperiments()) {
    for (const VariantInfo& variant : experiment->info().variants) {
      all.emplace_back(experiment->info().name, variant.name);
    }
  }
  return all;
}
INSTANTIATE_TEST_SUITE_P(Every, ChecksOf, testing::ValuesIn(everyVariant()),
                         [](const auto& info) { return info.param.first + "_" + info.param.second; });

TEST(Checks, RefuseOutputsNeverWritten) {
  const DeviceLimits limits = sampleLimits();
  forEachVariant([&](const Experiment& experiment, const std::string& variant) {
    const RunRequest request =
        makeRequest(experiment, variant, test::launchOf(experiment.info(), variant, 1000));
    const LaunchPlan plan = experiment.plan(request, limits).value();
    std::vector<Bytes> outputs = test::referenceOutputs(request, plan);
    std::ranges::fill(outputs.back(), std::byte{0xA5});
    EXPECT_FALSE(test::verify(plan, outputs).passed);
    outputs.back().pop_back();
    EXPECT_FALSE(test::verify(plan, outputs).passed) << "a short output";
    outputs.clear();
    EXPECT_FALSE(test::verify(plan, outputs).passed) << "no output";
  });
}

TEST(Checks, KnowEveryControlOfTheirVariant) {
  const DeviceLimits limits = sampleLimits();
  const auto expect_passes = [&](const char* family, const char* variant, ParameterValues parameters) {
    const Experiment& experiment = *findExperiment(family).value();
    const RunRequest request = makeRequest(experiment, variant, std::move(parameters));
    const LaunchPlan plan = experiment.plan(request, limits).value();
    const Verification verification = test::verify(plan, test::referenceOutputs(request, plan));
    EXPECT_TRUE(verification.passed) << family << " " << variant << ": " << verification.detail;
  };
  for (const int64_t ways : {1, 2, 3, 5, 31, 32})
    expect_passes("divergence", "nested", {{"size", 5000}, {"ways", ways}});
  for (const int64_t trips : {1, 2, 7, 32})
    expect_passes("divergence", "loop_trips", {{"size", 5000}, {"trips", trips}});
  for (const int64_t work : {0, 1, 4096})
    expect_passes("divergence", "even_odd", {{"size", 5000}, {"work", work}});
  for (const char* variant : {"data_dependent", "work_queue"}) {
    for (const int64_t data : {0, 1, 2}) {
      for (const int64_t share : {0, 1, 100}) {
        expect_passes("divergence", variant, {{"size", 5000}, {"data", data}, {"share", share}});
      }
    }
  }
  for (const char* variant : {"tiled_matmul_load_m", "tiled_matmul_load_n", "tiled_matmul"}) {
    for (const int64_t width : {1, 8, 63, 64, 65, 300})
      expect_passes("boundary", variant, {{"width", width}});
  }
  for (const int64_t blocks : {1, 3, 32}) {
    expect_passes("reduction", "grid_stride", {{"size", 1 << 20}, {"block", 96}, {"blocks_per_sm", blocks}});
    expect_passes("reduction", "grid_sync", {{"size", 1 << 20}, {"block", 96}, {"resident_blocks", blocks}});
    expect_passes("reduction", "coarsened", {{"size", 99'999}, {"coarsening", blocks}});
  }
  for (const VariantInfo& variant : findExperiment("reduction").value()->info().variants) {
    for (const int64_t copies : {0, 1}) {
      expect_passes("reduction", variant.name.c_str(), {{"size", 100'003}, {"input", copies}});
      if (variant.name == "redux") continue;  // has no parameter `type`
      expect_passes("reduction", variant.name.c_str(), {{"size", 100'003}, {"type", 1}, {"input", copies}});
    }
  }
  for (const char* variant : {"stride", "stride_vec2", "stride_vec4"}) {
    for (const int64_t stride : {1, 2, 5, 32, 33}) {
      expect_passes("banks", variant, {{"size", 5000}, {"stride", stride}, {"reads", 3 * stride}});
    }
  }
  for (const int64_t reads : {0, 1, 1024}) expect_passes("banks", "random", {{"size", 99}, {"reads", reads}});
  for (const int64_t offset : {-2, 0, 31})
    expect_passes("coalescing", "offset", {{"size", 99}, {"offset", offset}});
  for (const int64_t stride : {1, 3, 32})
    expect_passes("coalescing", "stride", {{"size", 99}, {"stride", stride}});
  expect_passes("coalescing", "aos", {{"size", 99}, {"l1", 1}});
  for (const char* variant : {"global_per_thread", "warp_aggregated", "block_aggregated", "compact"}) {
    for (const int64_t keep : {0, 1, 100}) expect_passes("atomics", variant, {{"size", 999}, {"keep", keep}});
  }
  for (const int64_t bins : {1, 3, 4096}) {
    expect_passes("atomics", "histogram_shared", {{"size", 999}, {"bins", bins}});
  }
  for (const char* variant : {"shfl_idx", "shfl_up", "shfl_down", "shfl_xor"}) {
    for (const int64_t members : {0, 1, 2, 3, 4}) {
      for (const int64_t width : {0, 2, 5}) {
        for (const int64_t distance : {0, 1, 5, 31}) {
          expect_passes("warp_primitives", variant,
                        {{"size", 99}, {"members", members}, {"width", width}, {"distance", distance}});
        }
      }
    }
  }
  for (const char* variant : {"vote_all", "vote_any", "ballot"}) {
    for (const int64_t pass : {0, 3, 100}) {
      expect_passes("warp_primitives", variant, {{"size", 99}, {"members", 4}, {"pass", pass}});
    }
  }
  for (const int64_t keys : {1, 3, 64}) {
    for (const char* variant : {"match_any", "match_all"}) {
      expect_passes("warp_primitives", variant, {{"size", 99}, {"members", 3}, {"keys", keys}});
    }
  }
  for (const char* variant : {"block_wide", "tile_wide", "warp_wide"}) {
    for (const int64_t rounds : {1, 8}) {
      expect_passes("barriers", variant, {{"size", 999}, {"block", 160}, {"rounds", rounds}, {"work", 3}});
    }
  }
  for (const int64_t rows : {1, 2, 7, 999, 1000, 1 << 28}) {
    for (const char* variant : {"copy", "shared_padded", "shared_padded_vec"}) {
      expect_passes("transpose", variant, {{"size", 1000}, {"rows", rows}});
    }
  }
}

}  // namespace
}  // namespace warpscope
