// Executes programs (program.h) and compares them with their references; and checks that forms and programs
// together execute every entry of the opcode table.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <set>

#include "kernels/sim/simt/checks/run_checked.h"
#include "tests/differential/executed_entries.h"
#include "tests/differential/form_runner.h"
#include "tests/differential/ptxas.h"
#include "tests/differential/values.h"

namespace warpscope::test {
namespace {

constexpr size_t kPerModule = 50;

template <class Run>
void forEachModule(const std::vector<Program>& programs, const Run& run) {
  for (size_t first = 0; first < programs.size(); first += kPerModule) {
    const std::span<const Program> some(&programs[first], std::min(kPerModule, programs.size() - first));
    auto simulated = SimulatedForms::load(programModule(some, first), fmt::format("programs_{}.ptx", first));
    ASSERT_TRUE(simulated.has_value()) << simulated.error().message;
    for (size_t i = 0; i < some.size(); ++i) run(**simulated, some[i], fmt::format("program_{}", first + i));
  }
}

// Separate tests per family, so that they can run in parallel.
class Programs : public testing::TestWithParam<void (*)(std::vector<Program>&)> {};

TEST_P(Programs, GiveWhatTheReferenceGives) {
  std::vector<Program> programs;
  GetParam()(programs);
  forEachModule(programs, [](SimulatedForms& simulated, const Program& program, const std::string& kernel) {
    const std::vector<Record> inputs = programInputs(program);
    const auto outputs = simulated.run(runOf(program, kernel, inputs));
    ASSERT_TRUE(outputs.has_value()) << program.label << ": " << outputs.error().message;
    const std::string wrong = differences(program, inputs, programReference(program, inputs), *outputs);
    EXPECT_TRUE(wrong.empty()) << wrong;
  });
  std::cout << programs.size() << " programs compared with the reference\n";
}

// They are correct programs, so that the checks of memory accesses must find nothing and change nothing.
TEST_P(Programs, GiveNoHazards) {
  std::vector<Program> programs;
  GetParam()(programs);
  forEachModule(programs, [](SimulatedForms& simulated, const Program& program, const std::string& kernel) {
    const std::vector<Record> inputs = programInputs(program);
    const KernelRun run = runOf(program, kernel, inputs);
    const auto launch = simulated.prepare(run);
    ASSERT_TRUE(launch.has_value()) << program.label << ": " << launch.error().message;
    sim::WrittenMemory written;
    const auto report = sim::runChecked(*launch, written, {.step_limit = 1'000'000}, {});
    ASSERT_TRUE(report.has_value()) << program.label << ": " << report.error().message;
    for (const Hazard& hazard : report->hazards)
      ADD_FAILURE() << program.label << ": " << formatHazard(hazard);
    const std::string wrong =
        differences(program, inputs, programReference(program, inputs), simulated.outputs(run));
    EXPECT_TRUE(wrong.empty()) << wrong;
  });
}

TEST_P(Programs, AreWhatPtxasAccepts) {
  if (!hasPtxas()) GTEST_SKIP() << kPtxas << " is not there: the PTX is not checked by it";
  std::vector<Program> programs;
  GetParam()(programs);
  for (size_t first = 0; first < programs.size(); first += 200) {
    const std::span<const Program> some(&programs[first], std::min<size_t>(200, programs.size() - first));
    EXPECT_EQ(ptxasErrors(programModule(some, first)), "");
  }
}

std::string familyName(const testing::TestParamInfo<Programs::ParamType>& info) {
  const char* const names[] = {"Memory",  "Addresses",   "Atomics",  "Barriers", "Copies", "Control",
                               "Special", "Contraction", "Matrices", "Clusters", "Bulk",   "Tensors"};
  return names[info.index];
}
INSTANTIATE_TEST_SUITE_P(Of, Programs,
                         testing::Values(addMemoryPrograms, addAddressPrograms, addAtomicPrograms,
                                         addBarrierPrograms, addAsyncPrograms, addControlPrograms,
                                         addSpecialPrograms, addContractionPrograms, addMatrixPrograms,
                                         addClusterPrograms, addBulkPrograms, addTensorPrograms),
                         familyName);

// An instruction that ends a launch with a fault is not a program: a GPU's context would be lost.
void addFaulting(ExecutedEntries& executed) {
  for (const auto& [instruction, message] : {std::pair{"trap", "trap"}, {"brkpt", "breakpoint"}}) {
    const Program program{instruction, fmt::format("  {};\n", instruction), {}};
    auto simulated = SimulatedForms::load(programModule(std::span(&program, 1), 0), "fault.ptx");
    ASSERT_TRUE(simulated.has_value()) << simulated.error().message;
    const std::vector<Record> inputs(size_t{kProgramBlocks} * kProgramThreads);
    const auto outputs = executed.run(**simulated, runOf(program, "program_0", inputs));
    ASSERT_FALSE(outputs.has_value());
    EXPECT_NE(outputs.error().message.find(message), std::string::npos) << outputs.error().message;
  }
}

// A driver other than the functional one, which records what was executed; results are therefore compared
// again.
TEST(OpcodeTable, EveryEntryIsExecuted) {
  ExecutedEntries executed;
  const std::vector<Form> forms = registerForms();
  for (size_t first = 0; first < forms.size(); first += kFormsPerModule) {
    const std::span<const Form> some(&forms[first], std::min(kFormsPerModule, forms.size() - first));
    auto simulated = SimulatedForms::load(moduleText(some, first), "forms.ptx");
    ASSERT_TRUE(simulated.has_value()) << simulated.error().message;
    for (size_t i = 0; i < some.size(); ++i) {
      const std::vector<uint64_t> inputs = inputArray(some[i], inputsOf(some[i], kThreadsPerForm));
      const KernelRun run = runOf(some[i], fmt::format("form_{}", first + i), inputs);
      const auto outputs = executed.run(**simulated, run);
      ASSERT_TRUE(outputs.has_value()) << some[i].label() << ": " << outputs.error().message;
      const auto functional = (*simulated)->run(run);
      ASSERT_TRUE(functional.has_value());
      EXPECT_EQ(*outputs, *functional) << some[i].label();
    }
  }
  const std::vector<Program> programs = allPrograms();
  forEachModule(programs, [&](SimulatedForms& simulated, const Program& program, const std::string& kernel) {
    const std::vector<Record> inputs = programInputs(program);
    const auto outputs = executed.run(simulated, runOf(program, kernel, inputs));
    ASSERT_TRUE(outputs.has_value()) << program.label << ": " << outputs.error().message;
    const std::string wrong = differences(program, inputs, programReference(program, inputs), *outputs);
    EXPECT_TRUE(wrong.empty()) << wrong;
  });
  addFaulting(executed);
  const auto table = ptx::opcodeTable();
  for (size_t i = 0; i < table.size(); ++i) {
    if (sim::accessesImage(table[i].op)) continue;  // images_test has these
    EXPECT_TRUE(executed.entries().contains(i)) << "never executed: " << ptx::formatEntry(table[i]);
  }
  std::cout << executed.entries().size() << " of the opcode table's " << table.size()
            << " entries executed, by " << forms.size() << " instruction forms and " << programs.size()
            << " programs\n";
}

}  // namespace
}  // namespace warpscope::test
