// Executes every instruction form and program on the device that this test is built for: results must agree
// bit for bit, approximate ones within their bound. On a real GPU this shows whether the simulator and the
// references are right; on the simulated one, whether timing and lowering leave results unchanged. All
// differences are printed with the inputs that cause them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>
#include <iostream>

#include "kernels/device/device.h"
#include "tests/differential/form_runner.h"
#include "tests/differential/mismatch.h"
#include "tests/differential/values.h"

namespace warpscope::test {
namespace {

class DeviceForms {
 public:
  explicit DeviceForms(Backend& backend) : backend_(backend) {}

  Expected<std::vector<uint64_t>> run(const ModuleImage& module, const KernelRun& what) {
    std::vector<uint64_t> outputs(what.output_words);
    const auto handle = backend_.kernel(module, what.kernel);
    if (!handle) return tl::unexpected(handle.error());
    const auto from = backend_.allocate(std::max<uint64_t>(8, what.inputs.size_bytes()));
    const auto to = backend_.allocate(8 * outputs.size());
    if (!from || !to) return fail(ErrorKind::kWorkFailed, "no memory on the device");
    LaunchSpec spec{.kernel = *handle,
                    .grid = {what.blocks, 1, 1},
                    .block = {kBlockThreads, 1, 1},
                    .parameters = {bytesOf(*from), bytesOf(*to)}};
    if (what.cluster > 1) spec.cluster = Dim3{what.cluster, 1, 1};
    if (what.tensor) {
      auto map = backend_.encodeTensorMap(*what.tensor, what.tensor_is_written ? *to : *from);
      if (!map) return tl::unexpected(map.error());
      spec.parameters.push_back(std::move(*map));
    } else if (!what.third.empty()) {
      spec.parameters.emplace_back(what.third.begin(), what.third.end());
    }
    auto done = what.inputs.empty() ? Expected<void>{} : backend_.upload(*from, std::as_bytes(what.inputs));
    if (done) done = backend_.fill(*to, 0, 8 * outputs.size());
    if (done) done = backend_.launch(spec).map([](const LaunchReport&) {});
    if (done) done = backend_.download(std::as_writable_bytes(std::span(outputs)), *to);
    backend_.free(*from);
    backend_.free(*to);
    if (!done) return tl::unexpected(done.error());
    return outputs;
  }

 private:
  static std::vector<std::byte> bytesOf(DeviceAddress address) {
    std::vector<std::byte> bytes(sizeof(address));
    std::memcpy(bytes.data(), &address, sizeof(address));
    return bytes;
  }
  Backend& backend_;
};

struct Comparison {
  size_t forms = 0, differing = 0;
};

void compareForm(const Form& form, const std::vector<uint64_t>& simulated,
                 const std::vector<uint64_t>& device, const std::vector<Inputs>& inputs,
                 Comparison& comparison) {
  Mismatches mismatches(form);
  for (uint32_t first = 0; first < kThreadsPerForm; first += 32) {
    std::array<Inputs, 32> lanes;
    std::copy_n(inputs.begin() + first, 32, lanes.begin());
    const auto expected = reference(form, lanes);
    for (uint32_t lane = 0; lane < 32; ++lane) {
      mismatches.compareDevice(lanes[lane], expected[lane], outputsOf(form, simulated, first + lane),
                               outputsOf(form, device, first + lane));
    }
  }
  ++comparison.forms;
  comparison.differing += mismatches.text().empty() ? 0 : 1;
  std::cout << mismatches.text();
}

TEST(DeviceInstructions, AreSimulatedBitForBit) {
  auto backend = openBackend(WARPSCOPE_TEST_DEVICE);
  if (!backend) GTEST_SKIP() << "no " WARPSCOPE_TEST_DEVICE ": " << backend.error().message;
  DeviceForms on_device(backend->any());
  const std::vector<Form> forms = registerForms();
  Comparison comparison;
  for (size_t first = 0; first < forms.size(); first += kFormsPerModule) {
    const std::span<const Form> some(&forms[first], std::min(kFormsPerModule, forms.size() - first));
    const std::string text = moduleText(some, first), name = fmt::format("forms_{}", first);
    const auto simulated = SimulatedForms::load(text, name);
    ASSERT_TRUE(simulated.has_value()) << simulated.error().message;
    for (size_t i = 0; i < some.size(); ++i) {
      const std::string kernel = fmt::format("form_{}", first + i);
      const std::vector<Inputs> inputs = inputsOf(some[i], kThreadsPerForm);
      const std::vector<uint64_t> array = inputArray(some[i], inputs);
      const auto ours = (*simulated)->run(runOf(some[i], kernel, array));
      const auto theirs = on_device.run({name, text, {}}, runOf(some[i], kernel, array));
      ASSERT_TRUE(theirs.has_value()) << some[i].label() << ": " << theirs.error().message;
      ASSERT_TRUE(ours.has_value()) << some[i].label() << ": " << ours.error().message;
      compareForm(some[i], *ours, *theirs, inputs, comparison);
    }
  }
  std::cout << comparison.forms << " instruction forms compared with " << (*backend)->description().name
            << ", " << comparison.differing << " differ\n";
  EXPECT_EQ(comparison.differing, 0U);
}

// For programs the simulator's outputs equal the references', as the programs' test shows.
TEST(DevicePrograms, GiveWhatTheReferenceGives) {
  auto backend = openBackend(WARPSCOPE_TEST_DEVICE);
  if (!backend) GTEST_SKIP() << "no " WARPSCOPE_TEST_DEVICE ": " << backend.error().message;
  constexpr size_t kPerModule = 100;
  DeviceForms on_device(backend->any());
  const std::vector<Program> programs = allPrograms();
  size_t differing = 0;
  for (size_t first = 0; first < programs.size(); first += kPerModule) {
    const std::span<const Program> some(&programs[first], std::min(kPerModule, programs.size() - first));
    const std::string text = programModule(some, first), name = fmt::format("programs_{}", first);
    for (size_t i = 0; i < some.size(); ++i) {
      const std::vector<Record> inputs = programInputs(some[i]);
      const auto theirs =
          on_device.run({name, text, {}}, runOf(some[i], fmt::format("program_{}", first + i), inputs));
      ASSERT_TRUE(theirs.has_value()) << some[i].label << ": " << theirs.error().message;
      const std::string wrong = differences(some[i], inputs, programReference(some[i], inputs), *theirs);
      differing += wrong.empty() ? 0 : 1;
      std::cout << wrong;
    }
  }
  std::cout << programs.size() << " programs compared with " << (*backend)->description().name << ", "
            << differing << " differ\n";
  EXPECT_EQ(differing, 0U);
}

}  // namespace
}  // namespace warpscope::test
