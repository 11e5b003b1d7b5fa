// The simulated GPU gives the same results as an H100 in cases that the PTX ISA leaves open, or where ptxas
// deviates from it: payloads of NaNs, what .ftz flushes, arguments out of range.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>

#include "tests/differential/form_runner.h"
#include "tests/differential/values.h"

namespace warpscope::test {
namespace {

struct Golden {
  Inputs inputs;
  uint64_t result = 0;
};

// By form: lines "abs.f32 0xff800001 = 0x7fffffff".
std::map<std::string, std::vector<Golden>> goldenResults() {
  std::ifstream file(WARPSCOPE_SOURCE_FOLDER "/tests/golden/instructions_h100.txt");
  std::map<std::string, std::vector<Golden>> results;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("#")) continue;
    std::istringstream words(line);
    std::string form, word;
    Golden golden;
    words >> form;
    while (words >> word && word != "=") golden.inputs.push_back({std::stoull(word, nullptr, 16), 0});
    words >> word;
    golden.result = std::stoull(word, nullptr, 16);
    results[form].push_back(golden);
  }
  return results;
}

TEST(GoldenInstructions, EqualAnH100s) {
  const auto golden = goldenResults();
  std::vector<Form> forms = registerForms();
  std::erase_if(forms, [&](const Form& form) { return !golden.contains(form.label()); });
  EXPECT_EQ(forms.size(), golden.size());
  ASSERT_FALSE(forms.empty());
  const auto simulated = SimulatedForms::load(moduleText(forms, 0), "golden.ptx");
  ASSERT_TRUE(simulated.has_value()) << simulated.error().message;
  for (size_t i = 0; i < forms.size(); ++i) {
    const std::vector<Golden>& wanted = golden.at(forms[i].label());
    std::vector<Inputs> inputs = inputsOf(forms[i], kThreadsPerForm);
    for (size_t thread = 0; thread < wanted.size(); ++thread) {
      ASSERT_EQ(inputs[thread].size(), wanted[thread].inputs.size()) << forms[i].label();
      inputs[thread] = wanted[thread].inputs;
    }
    const std::vector<uint64_t> array = inputArray(forms[i], inputs);
    const auto outputs = (*simulated)->run(runOf(forms[i], fmt::format("form_{}", i), array));
    ASSERT_TRUE(outputs.has_value()) << forms[i].label() << ": " << outputs.error().message;
    for (uint32_t thread = 0; thread < wanted.size(); ++thread) {
      EXPECT_EQ(outputsOf(forms[i], *outputs, thread).front()[0], wanted[thread].result)
          << forms[i].label() << ", example " << thread;
    }
  }
}

}  // namespace
}  // namespace warpscope::test
