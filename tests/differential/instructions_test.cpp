// Every instruction form as PTX, parsed, decoded and executed, against the reference; and the PTX itself
// against ptxas.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "tests/differential/form_runner.h"
#include "tests/differential/mismatch.h"
#include "tests/differential/values.h"

namespace warpscope::test {
namespace {

void checkForm(const Form& form, SimulatedForms& simulated, const std::string& kernel) {
  const std::vector<Inputs> inputs = inputsOf(form, kThreadsPerForm);
  const auto outputs = simulated.run(form, kernel, inputArray(form, inputs));
  ASSERT_TRUE(outputs.has_value()) << form.label() << ": " << outputs.error().message;
  Mismatches mismatches(form);
  for (uint32_t first = 0; first < kThreadsPerForm; first += 32) {
    std::array<Inputs, 32> lanes;
    std::copy_n(inputs.begin() + first, 32, lanes.begin());
    const auto expected = reference(form, lanes);
    for (uint32_t lane = 0; lane < 32; ++lane) {
      mismatches.compare(lanes[lane], expected[lane], outputsOf(form, *outputs, first + lane));
    }
  }
  EXPECT_EQ(mismatches.text(), "");
}

TEST(Instructions, ExecutedFromTheirPtxEqualTheReference) {
  const std::vector<Form> forms = registerForms();
  for (size_t first = 0; first < forms.size(); first += kFormsPerModule) {
    const std::span<const Form> some(&forms[first], std::min(kFormsPerModule, forms.size() - first));
    const auto simulated = SimulatedForms::load(moduleText(some, first), "forms.ptx");
    ASSERT_TRUE(simulated.has_value()) << simulated.error().message;
    for (size_t i = 0; i < some.size(); ++i)
      checkForm(some[i], **simulated, fmt::format("form_{}", first + i));
  }
  std::cout << forms.size() << " instruction forms compared with the reference\n";
}

TEST(Instructions, AreWhatPtxasAccepts) {
  const char* const ptxas = "/usr/local/cuda/bin/ptxas";
  if (!std::filesystem::exists(ptxas))
    GTEST_SKIP() << "no " << ptxas << ": the generated PTX is not checked by it";
  const std::vector<Form> forms = registerForms();
  const auto folder = std::filesystem::path(testing::TempDir()) / "warpscope_forms";
  std::filesystem::create_directories(folder);
  for (size_t first = 0; first < forms.size(); first += 500) {
    const std::span<const Form> some(&forms[first], std::min<size_t>(500, forms.size() - first));
    const auto file = folder / fmt::format("forms_{}.ptx", first);
    std::ofstream(file) << moduleText(some, first);
    const std::string command =
        fmt::format("{} -arch=sm_90 -O0 {} -o {}.cubin", ptxas, file.string(), file.string());
    EXPECT_EQ(std::system(command.c_str()), 0) << file;
  }
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace warpscope::test
