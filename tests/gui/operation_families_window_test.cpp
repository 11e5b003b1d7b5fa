// The families that go on where one launch ends, on a simulated H100: a slider, another variant, an operation
// or a warp, and another language. Each time the window's state is compared with the run that it shows.
#include <cctype>

#include "app/gui/model/model.h"
#include "kernels/core/units.h"
#include "kernels/experiments/experiment.h"
#include "kernels/metrics/operation_rows.h"
#include "kernels/metrics/streams.h"
#include "tests/gui/window_fixture.h"

namespace warpscope::testing {
namespace {

struct FamilyCase {
  const char* family;
  ParameterValues parameters;  // small
  const char* slider;          // is dragged to the right
  bool adds_operations;        // that does so
};

const FamilyCase kFamilies[] = {
    {"streams", {{"size", 1 << 14}, {"work", 16}, {"chunks", 2}}, "chunks", true},
    {"priorities", {{"size", 1 << 16}, {"work", 16}, {"requests", 1}}, "requests", true},
    {"dependent_launch",
     {{"size", 1 << 13}, {"preamble", 64}, {"work", 64}, {"launches", 2}},
     "launches",
     true},
    {"graphs", {{"size", 1 << 10}, {"nodes", 4}}, "nodes", true},
    {"unified_memory", {{"size", 1 << 17}, {"passes", 1}}, "passes", true},
    {"several_gpus", {{"size", 1 << 16}, {"work", 16}}, "work", false},
    {"clusters", {{"size", 1 << 15}, {"bins", 64}}, "bins", false},
    {"bulk_copy", {{"size", 1 << 16}}, "block", false},
};

void PrintTo(const FamilyCase& of, std::ostream* out) {
  *out << of.family;
}

class OperationFamiliesTest : public WindowTest, public ::testing::WithParamInterface<FamilyCase> {
 protected:
  void SetUp() override {
    WindowTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    std::filesystem::copy(WARPSCOPE_SOURCE_FOLDER "/assets/devices", folder_ / "assets/devices");
    start(StartOptions{.device = "sim:h100",
                       .family = GetParam().family,
                       .variant = info().variants[0].name,
                       .parameters = GetParam().parameters,
                       .width = 1500,
                       .height = 1000});
    ASSERT_TRUE(window_->settled());
    ASSERT_TRUE(rests());
  }

  const FamilyInfo& info() const { return (*findExperiment(GetParam().family))->info(); }
  const warpscope::Run& run() const { return *window_->ui().model.feed().shown().run; }
  std::string summary() const { return window_->text("operations.summary"); }
  void expectRight(const std::string& variant) const {
    EXPECT_EQ(run().request.variant, variant);
    EXPECT_TRUE(window_->state()["run"]["verified"].get<bool>()) << run().verification.detail;
    EXPECT_EQ(window_->state()["problem"], "");
    if (!run().streams) return;
    EXPECT_EQ(summary().find(formatUs(streamTimes(*run().streams).total_ns / 1e3, 4) + " "), 0U) << summary();
  }

  // The bar of an operation on its stream.
  std::string barOf(uint32_t operation) const {
    const StreamLog& log = *run().streams;
    const auto rows = operationRows(log);
    for (size_t row = 0; row < rows.size(); ++row) {
      if (rows[row].kind == OperationRow::Kind::kStream &&
          rows[row].index == log.operations[operation].stream)
        return fmt::format("operations.{}.{}", row, operation);
    }
    return "";
  }
  std::vector<uint32_t> launches() const {
    std::vector<uint32_t> found;
    for (uint32_t i = 0; i < run().streams->operations.size(); ++i) {
      if (run().streams->operations[i].kind == OperationKind::kLaunch) found.push_back(i);
    }
    return found;
  }
};

TEST_P(OperationFamiliesTest, ASliderMakesTheRunAnew) {
  expectRight(info().variants[0].name);
  const std::string name = GetParam().slider;
  const int64_t before = run().request.parameters.at(name);
  const size_t operations = run().streams ? run().streams->operations.size() : 0;
  const auto slider = window_->find("control." + name);
  ASSERT_TRUE(slider);
  window_->drag(slider->x(0.2), slider->y(), slider->x(0.5), slider->y());
  ASSERT_TRUE(window_->until([&](const Json& state) {
    return state["run"]["parameters"][name] == state["parameters"][name] &&
           state["run"]["parameters"][name] != before;
  }));
  ASSERT_TRUE(window_->settled());
  ASSERT_TRUE(rests());
  expectRight(info().variants[0].name);
  if (GetParam().adds_operations) {
    EXPECT_GT(run().streams->operations.size(), operations);
  } else if (run().streams) {
    EXPECT_EQ(run().streams->operations.size(), operations);
  }
}

TEST_P(OperationFamiliesTest, EveryVariantIsShownByItsKey) {
  for (size_t i = 1; i < info().variants.size(); ++i) {
    const std::string variant = info().variants[i].name;
    window_->key(std::to_string(i + 1));
    ASSERT_TRUE(shows(variant));
    ASSERT_TRUE(window_->settled());
    ASSERT_TRUE(rests());
    expectRight(variant);
  }
}

TEST_P(OperationFamiliesTest, AnOperationOrAWarpIsSelectedInEveryView) {
  if (!run().streams) {
    const auto row = window_->find("timeline.row.1");
    ASSERT_TRUE(row);
    window_->click(row->x(0.5), row->y());
    ASSERT_TRUE(window_->until([](const Json& state) { return state.contains("selected_warp"); }));
    return;
  }
  const uint32_t first = launches().front(), last = launches().back();
  const StreamOperation& operation = run().streams->operations[last];
  const auto selects = [&](uint32_t launch) {
    return window_->until([&](const Json& state) {
      return state.contains("selected_warp") &&
             run().streams->operationOf(BlockId{state["selected_warp"]["block"].get<uint32_t>()}) == launch;
    });
  };
  window_->click(barOf(last));
  ASSERT_TRUE(selects(last));
  ASSERT_TRUE(rests());
  EXPECT_EQ(window_->text("operations.chosen"), operationTitle(operation));
  EXPECT_EQ(window_->state()["selection"], operation.blocks == 1
                                               ? fmt::format("b{}", operation.first_block)
                                               : fmt::format("b{}-b{}", operation.first_block,
                                                             operation.first_block + operation.blocks - 1));
  window_->click(fmt::format("operations.warp.{}", first));
  ASSERT_TRUE(selects(first));
  ASSERT_TRUE(rests());
  EXPECT_EQ(window_->text("operations.chosen"), operationTitle(run().streams->operations[first]));
}

// Whether a text has words of five Latin letters or more, which units and names are not.
bool hasEnglishWord(const std::string& text) {
  int letters = 0;
  for (const char c : text) {
    letters = std::isalpha(static_cast<unsigned char>(c)) != 0 ? letters + 1 : 0;
    if (letters >= 5) return true;
  }
  return false;
}

TEST_P(OperationFamiliesTest, AnotherLanguageChangesTextsAndNothingElse) {
  if (run().streams) {
    window_->click(barOf(launches().back()));
    ASSERT_TRUE(window_->until([](const Json& state) { return state.contains("selected_warp"); }));
    ASSERT_TRUE(rests());
  }
  const Json english = window_->report();
  ASSERT_TRUE(clickFor("toolbar.language", [](const Json& state) { return state["language"] == "zh_CN"; }));
  const Json chinese = window_->report();
  for (const char* what :
       {"visible", "run", "parameters", "selected_warp", "selection", "variant", "lanes_tab"})
    EXPECT_EQ(chinese["state"].value(what, Json()), english["state"].value(what, Json())) << what;
  if (!run().streams) return;
  for (const char* text : {"operations.summary", "operations.chosen", "operations.wait"}) {
    if (english["texts"][text].get<std::string>().empty()) continue;  // it waited for nothing
    EXPECT_NE(chinese["texts"][text], english["texts"][text]) << text;
    EXPECT_FALSE(hasEnglishWord(chinese["texts"][text].get<std::string>())) << chinese["texts"][text];
  }
}

INSTANTIATE_TEST_SUITE_P(Families, OperationFamiliesTest, ::testing::ValuesIn(kFamilies),
                         [](const auto& of) { return std::string(of.param.family); });

}  // namespace
}  // namespace warpscope::testing
