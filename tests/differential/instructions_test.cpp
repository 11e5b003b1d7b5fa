// Every instruction form as PTX, parsed, decoded and executed, compared with the reference; and the PTX
// itself checked by ptxas.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <iostream>

#include "tests/differential/form_runner.h"
#include "tests/differential/mismatch.h"
#include "tests/differential/ptxas.h"
#include "tests/differential/values.h"

namespace warpscope::test {
namespace {

void checkForm(const Form& form, SimulatedForms& simulated, const std::string& kernel) {
  const std::vector<Inputs> inputs = inputsOf(form, kThreadsPerForm);
  const std::vector<uint64_t> array = inputArray(form, inputs);
  const auto outputs = simulated.run(runOf(form, kernel, array));
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
  if (!hasPtxas()) GTEST_SKIP() << kPtxas << " is not there: the generated PTX is not checked by it";
  const std::vector<Form> forms = registerForms();
  for (size_t first = 0; first < forms.size(); first += 500) {
    const std::span<const Form> some(&forms[first], std::min<size_t>(500, forms.size() - first));
    EXPECT_EQ(ptxasErrors(moduleText(some, first)), "");
  }
}

}  // namespace
}  // namespace warpscope::test
