// The window's state without a window: a device that answers from a script, changes of settings, and their
// effects.
#include "app/gui/session.h"
#include "tests/unit/scripted_model.h"

namespace warpscope {
namespace {

using ModelTest = ScriptedModelTest;

TEST_F(ModelTest, OpensTheDefaultDeviceAndRunsAtOnce) {
  make();
  ASSERT_TRUE(settled());
  EXPECT_EQ(model_->devices().description()->name, "Scripted GPU");
  EXPECT_EQ(model_->feed().shown().run->request.variant, "one");
  EXPECT_EQ(shownBlock(), 256);
  EXPECT_NE(model_->feed().shown().layout, nullptr);
  EXPECT_EQ(model_->feed().shown().run->request.parameters.count("ways"), 0U)
      << "not a parameter of this variant";
  EXPECT_EQ(model_->view.selected_warp, (WarpKey{BlockId{3}, 1}));
}

TEST_F(ModelTest, EachChangeRunsWhileLive) {
  make();
  ASSERT_TRUE(settled());
  model_->setParameter("block", 512);
  ASSERT_TRUE(settled());
  EXPECT_EQ(shownBlock(), 512);
  EXPECT_EQ(model_->feed().history().back().gb_per_s, 512);
}

TEST_F(ModelTest, OffersASizeThatDoesAsMuchWorkAsIsWanted) {
  make();
  ASSERT_TRUE(settled());
  EXPECT_FALSE(model_->sizeForWork(2).has_value()) << "this variant has no size";
  model_->selectVariant("three");
  EXPECT_FALSE(model_->sizeForWork(2).has_value()) << "the shown run is of another variant";
  ASSERT_TRUE(settled());
  EXPECT_EQ(model_->sizeForWork(5).value().value, 1 << 15) << "20,480 elements or more";
  EXPECT_EQ(model_->sizeForWork(1e9).value().value, 1 << 20) << "the largest there is";
  model_->useSize(model_->sizeForWork(5).value());
  ASSERT_TRUE(settled());
  EXPECT_EQ(model_->feed().shown().run->request.parameters.at("size"), 1 << 15);
  model_->undo();
  ASSERT_TRUE(settled());
  EXPECT_EQ(model_->feed().shown().run->request.parameters.at("size"), 1 << 12);
}

TEST_F(ModelTest, AnotherRunForgetsTheZoomsOfTheOneBefore) {
  make();
  ASSERT_TRUE(settled());
  model_->view.zoom_history = {{false, 10, 20, 0, 0}};
  model_->launch();
  ASSERT_TRUE(settled());
  EXPECT_EQ(model_->view.zoom_history.size(), 1U) << "the same settings once more";
  model_->setParameter("block", 512);
  ASSERT_TRUE(settled());
  EXPECT_TRUE(model_->view.zoom_history.empty());
}

TEST_F(ModelTest, ASimulatedDeviceIsAskedForInstructionsOfWhatIsShownOnly) {
  script_->simulated = true;
  make();
  ASSERT_TRUE(settled());
  ASSERT_TRUE(until([this] { return asked() == 3; })) << "the bars of the other variants";
  EXPECT_TRUE(model_->feed().shown().run->request.log_instructions);
  const std::lock_guard lock(script_->mutex);
  EXPECT_FALSE(script_->asked[1].log_instructions) << "a bar needs none";
  EXPECT_FALSE(script_->asked[2].log_instructions);
}

TEST_F(ModelTest, OtherDevicesAreNotAskedForInstructions) {
  make();
  ASSERT_TRUE(settled());
  EXPECT_FALSE(model_->feed().shown().run->request.log_instructions);
}

TEST_F(ModelTest, HazardsAreLookedForOnRequestWhereTheDeviceCan) {
  script_->simulated = true;
  make();
  ASSERT_TRUE(settled());
  EXPECT_TRUE(model_->canCheck());
  EXPECT_FALSE(model_->feed().shown().run->request.checks);
  model_->setChecks(true);
  ASSERT_TRUE(until([this] { return model_->feed().shown().run->request.checks; })) << "it runs anew";
  ASSERT_TRUE(until([this] { return !model_->feed().busy() && asked() >= 4; }));
  Settings settings;
  model_->storeInto(settings);
  EXPECT_TRUE(settings.checks);
  {
    const std::lock_guard lock(script_->mutex);
    script_->simulated = false;
  }
  make(settings);
  ASSERT_TRUE(settled());
  EXPECT_TRUE(model_->checks()) << "remembered";
  EXPECT_FALSE(model_->canCheck());
  EXPECT_FALSE(model_->feed().shown().run->request.checks);
}

TEST_F(ModelTest, SomeFamiliesAreAlwaysChecked) {
  alpha_.checked = true;
  make();
  EXPECT_TRUE(model_->checks());
  model_->selectFamily("beta");
  EXPECT_FALSE(model_->checks());
}

TEST_F(ModelTest, AnotherVariantForgetsTheSelectedInstruction) {
  make();
  ASSERT_TRUE(settled());
  model_->view.selected_instruction = InstructionKey{{BlockId{3}, 1}, 7, 2};
  model_->view.selected_line = 17;
  model_->launch();
  ASSERT_TRUE(settled());
  EXPECT_TRUE(model_->view.selected_instruction) << "a relaunch keeps it";
  model_->selectVariant("two");
  EXPECT_FALSE(model_->view.selected_instruction);
  EXPECT_FALSE(model_->view.selected_line);
}

TEST_F(ModelTest, NothingRunsByItselfWhileNotLive) {
  make();
  ASSERT_TRUE(settled());
  ASSERT_TRUE(until([this] { return asked() == 3; })) << "the bars of the other variants";
  model_->setLive(false);
  model_->setParameter("block", 512);
  EXPECT_FALSE(model_->feed().busy());
  EXPECT_TRUE(model_->outdated());
  EXPECT_EQ(shownBlock(), 256) << "the last run stays";
  model_->launch();
  ASSERT_TRUE(settled());
  EXPECT_EQ(shownBlock(), 512);
}

TEST_F(ModelTest, TheLatestOfManyChangesWins) {
  make();
  ASSERT_TRUE(settled());
  hold(true);
  for (int64_t block = 32; block <= 1024; block += 32) model_->setParameter("block", block);
  EXPECT_TRUE(model_->feed().busy());
  EXPECT_EQ(shownBlock(), 256) << "the last run stays until the next is there";
  hold(false);
  ASSERT_TRUE(settled());
  EXPECT_EQ(shownBlock(), 1024);
  EXPECT_LT(asked(), 32U) << "superseded requests are dropped";
}

TEST_F(ModelTest, BackgroundRunsFillTheOtherVariantsBars) {
  make();
  const auto filled = [this] {
    for (const VariantResult& result : model_->feed().variants()) {
      if (result.run == nullptr || result.stale) return false;
    }
    return true;
  };
  ASSERT_TRUE(until(filled));
  EXPECT_EQ(model_->feed().shown().run->request.variant, "one")
      << "a bar's run does not replace the shown one";
  model_->setParameter("block", 64);
  EXPECT_TRUE(model_->feed().variants()[1].stale);
  ASSERT_NE(model_->feed().variants()[1].run, nullptr) << "the earlier bar stays until the new one is there";
  ASSERT_TRUE(until(filled));
  for (const VariantResult& result : model_->feed().variants())
    EXPECT_EQ(result.run->request.parameters.at("block"), 64);
}

TEST_F(ModelTest, AFailedRunLeavesTheLastOneAndSaysWhy) {
  make();
  ASSERT_TRUE(settled());
  {
    const std::lock_guard lock(script_->mutex);
    script_->failing = "two";
  }
  model_->selectVariant("two");
  ASSERT_TRUE(until([this] { return model_->problem().has_value(); }));
  EXPECT_NE(model_->problem()->detail.find("the kernel failed"), std::string::npos);
  EXPECT_FALSE(model_->problem()->advice.empty());
  EXPECT_EQ(model_->feed().shown().run->request.variant, "one");
  {
    const std::lock_guard lock(script_->mutex);
    script_->failing.clear();
  }
  model_->retry();
  ASSERT_TRUE(settled());
  EXPECT_EQ(model_->feed().shown().run->request.variant, "two");
  EXPECT_FALSE(model_->problem().has_value());
}

TEST_F(ModelTest, AnImpossibleLaunchSaysWhyAndWhatIsPossible) {
  script_->largest_block = 512;
  make();
  ASSERT_TRUE(settled());
  EXPECT_EQ(model_->impossible(), nullptr);
  model_->beginEdit();
  model_->setParameter("block", 1024);
  ASSERT_TRUE(until([this] { return model_->impossible() != nullptr && !model_->feed().busy(); }));
  EXPECT_EQ(model_->impossible()->reason, "too many threads");
  EXPECT_EQ(model_->impossible()->nearest, (ParameterValues{{"block", 512}}));
  EXPECT_FALSE(model_->problem().has_value()) << "no banner";
  EXPECT_EQ(shownBlock(), 256) << "the last run stays";
  EXPECT_TRUE(model_->outdated());
  model_->setParameter("block", 992);  // the drag continues
  EXPECT_NE(model_->impossible(), nullptr) << "it does not flicker";
  ASSERT_TRUE(until([this] { return !model_->feed().busy(); }));

  model_->useNearest();
  ASSERT_TRUE(settled());
  EXPECT_EQ(shownBlock(), 512);
  EXPECT_EQ(model_->impossible(), nullptr);
  model_->undo();
  EXPECT_EQ(model_->choice().value("block"), 992) << "one step back";
  ASSERT_TRUE(until([this] { return model_->impossible() != nullptr && !model_->feed().busy(); }));
  model_->undo();
  ASSERT_TRUE(settled());
  EXPECT_EQ(shownBlock(), 256);
  EXPECT_EQ(model_->impossible(), nullptr);
}

TEST_F(ModelTest, WhatWasImpossibleIsForgottenWhereItMayNoLongerBeSo) {
  script_->largest_block = 512;
  make();
  ASSERT_TRUE(settled());
  model_->setParameter("block", 1024);
  ASSERT_TRUE(until([this] { return model_->impossible() != nullptr && !model_->feed().busy(); }));
  model_->setLive(false);
  model_->setParameter("block", 128);
  EXPECT_EQ(model_->impossible(), nullptr) << "nobody knows of the new settings";
  model_->setParameter("block", 1024);
  model_->launch();
  ASSERT_TRUE(until([this] { return model_->impossible() != nullptr && !model_->feed().busy(); }));
  model_->selectFamily("beta");
  EXPECT_EQ(model_->impossible(), nullptr);
}

TEST_F(ModelTest, ADeviceThatCannotBeOpenedCanBeTriedAgain) {
  script_->open_fails = true;
  make();
  ASSERT_TRUE(until([this] { return model_->problem().has_value(); }));
  EXPECT_TRUE(model_->problem()->device_failed);
  EXPECT_NE(model_->problem()->detail.find("no driver"), std::string::npos);
  EXPECT_EQ(model_->devices().description(), nullptr);
  {
    const std::lock_guard lock(script_->mutex);
    script_->open_fails = false;
  }
  model_->retry();
  EXPECT_TRUE(settled());
}

TEST_F(ModelTest, NoDeviceAtAllIsAProblemWithNotes) {
  DeviceSource none = source();
  none.list = [] {
    DeviceListing listing;
    listing.notes = {"no driver", "no recordings"};
    return listing;
  };
  model_ = std::make_unique<Model>(none, std::vector<const FamilyInfo*>{&alpha_}, Settings{});
  ASSERT_TRUE(until([this] { return model_->problem().has_value(); }));
  EXPECT_EQ(model_->problem()->detail, "no driver\nno recordings");
}

TEST_F(ModelTest, ARecordedDeviceOffersJustWhatWasRecorded) {
  script_->offered = {64, 128, 512};
  make();
  ASSERT_TRUE(settled());
  EXPECT_EQ(shownBlock(), 128) << "256 was not recorded";
  EXPECT_EQ(model_->offeredValues(alpha_.parameters[0]), (std::vector<int64_t>{64, 128, 512}));
  EXPECT_TRUE(model_->devices().offersOnlyRecorded());
  model_->setParameter("block", 400);
  ASSERT_TRUE(settled());
  EXPECT_EQ(shownBlock(), 512);
}

TEST_F(ModelTest, ValuesOutOfRangeMoveToTheNearestStep) {
  make();
  model_->setParameter("block", 5000);
  EXPECT_EQ(model_->choice().value("block"), 1024);
  model_->setParameter("no such parameter", 1);
  EXPECT_EQ(model_->request().parameters.size(), 1U);
}

TEST_F(ModelTest, AnotherDeviceTakesItsOwnDefaultsAlsoWhenAChangeIsUndone) {
  alpha_.parameters[0].simulated_default = 64;
  make();
  ASSERT_TRUE(settled());
  model_->beginEdit();
  model_->setParameter("block", 512);
  ASSERT_TRUE(settled());
  {
    const std::lock_guard lock(script_->mutex);
    script_->simulated = true;
  }
  model_->openDevice("scripted");
  EXPECT_TRUE(model_->outdated()) << "the shown run is of the device before";
  ASSERT_TRUE(settled());
  EXPECT_EQ(shownBlock(), 512) << "what was chosen stays";
  model_->undo();
  ASSERT_TRUE(settled());
  EXPECT_EQ(shownBlock(), 64) << "256 was the other device's default";
}

TEST_F(ModelTest, UndoAndRedoStepThroughEdits) {
  make();
  ASSERT_TRUE(settled());
  model_->beginEdit();
  for (const int64_t block : {288, 320, 512}) model_->setParameter("block", block);  // one drag
  model_->selectVariant("three");
  model_->selectFamily("beta");
  EXPECT_EQ(model_->choice().family().name, "beta");
  model_->undo();
  EXPECT_EQ(model_->choice().family().name, "alpha");
  EXPECT_EQ(model_->choice().variant().name, "three");
  model_->undo();
  EXPECT_EQ(model_->choice().variant().name, "one");
  EXPECT_EQ(model_->choice().value("block"), 512);
  model_->undo();
  EXPECT_EQ(model_->choice().value("block"), 256) << "a drag is undone as one";
  EXPECT_FALSE(model_->canUndo());
  model_->redo();
  EXPECT_EQ(model_->choice().value("block"), 512);
  ASSERT_TRUE(settled());
  EXPECT_EQ(shownBlock(), 512) << "the redone settings ran";
}

TEST_F(ModelTest, ARelaunchMovesNeitherZoomNorSelection) {
  make();
  ASSERT_TRUE(settled());
  model_->view.fitted = false;
  model_->view.begin_cycles = 10;
  model_->view.end_cycles = 20;
  model_->view.selected_warp = WarpKey{BlockId{7}, 2};
  model_->setParameter("block", 96);
  ASSERT_TRUE(settled());
  EXPECT_FALSE(model_->view.fitted);
  EXPECT_EQ(model_->view.begin_cycles, 10);
  EXPECT_EQ(model_->view.selected_warp, (WarpKey{BlockId{7}, 2}));
  model_->selectFamily("beta");
  EXPECT_TRUE(model_->view.fitted) << "another family is another launch";
  ASSERT_TRUE(settled());
  EXPECT_EQ(model_->view.selected_warp, (WarpKey{BlockId{3}, 1}));
}

TEST_F(ModelTest, CancelStopsWaiting) {
  make();
  ASSERT_TRUE(settled());
  hold(true);
  model_->launch();
  EXPECT_TRUE(model_->feed().busy());
  model_->cancel();
  EXPECT_FALSE(model_->feed().busy());
  hold(false);
  EXPECT_FALSE(model_->problem().has_value());
}

TEST_F(ModelTest, RemembersWhatWasChosen) {
  make();
  model_->selectVariant("two");
  model_->setParameter("ways", 8);
  model_->selectFamily("beta");
  model_->setParameter("block", 64);
  model_->setLive(false);
  Settings settings;
  model_->storeInto(settings);
  make(settings);
  EXPECT_EQ(model_->choice().family().name, "beta");
  EXPECT_EQ(model_->choice().value("block"), 64);
  EXPECT_FALSE(model_->live());
  model_->selectFamily("alpha");
  EXPECT_EQ(model_->choice().variant().name, "two");
  EXPECT_EQ(model_->choice().value("ways"), 8);
}

TEST_F(ModelTest, SettingsOfAnotherVersionTakeDefaults) {
  Settings settings;
  settings.device = "gone:0";
  settings.family = "no such family";
  settings.families["alpha"] = {"no such variant", {{"block", 1 << 30}, {"no such parameter", 3}}};
  make(settings);
  ASSERT_TRUE(settled());
  EXPECT_EQ(model_->devices().id(), "scripted");
  EXPECT_EQ(model_->choice().family().name, "alpha");
  EXPECT_EQ(model_->choice().variant().name, "one");
  EXPECT_EQ(shownBlock(), 256);
}

TEST_F(ModelTest, ASwitchOfTheChecksIsUndone) {
  script_->simulated = true;
  make();
  ASSERT_TRUE(settled());
  model_->setChecks(true);
  ASSERT_TRUE(until([this] { return model_->feed().shown().run->request.checks; }));
  model_->undo();
  EXPECT_FALSE(model_->checks());
  ASSERT_TRUE(until([this] { return !model_->feed().shown().run->request.checks; }));
  model_->redo();
  EXPECT_TRUE(model_->checks());
}

// A session in the form in which a file would give it.
class SavedModelTest : public ModelTest {
 protected:
  OpenedSession saved() {
    Session session;
    model_->storeInto(session);
    OpenedSession opened = prepareSession(session);
    opened.path = "/somewhere/lesson.wssession";
    return opened;
  }
  void makeSaved() {
    make();
    ASSERT_TRUE(settled());
    model_->setParameter("block", 64);
    ASSERT_TRUE(settled());
    ASSERT_TRUE(until([this] {
      return std::ranges::none_of(model_->feed().variants(), [](const auto& result) { return result.stale; });
    }));
    model_->view.begin_cycles = 7;
  }
};

TEST_F(SavedModelTest, ASavedRunIsShownWithoutALaunch) {
  makeSaved();
  if (HasFatalFailure()) return;
  const OpenedSession opened = saved();
  EXPECT_EQ(opened.session.device_name, "Scripted GPU");
  EXPECT_EQ(opened.session.bars.size(), 2U);
  make();
  const size_t before = asked();
  model_->show(opened);
  ASSERT_TRUE(until([this] { return model_->devices().description() != nullptr; }));
  EXPECT_EQ(model_->feed().shown().run, opened.session.run) << "the very same";
  EXPECT_FALSE(model_->outdated());
  EXPECT_FALSE(model_->feed().busy());
  EXPECT_EQ(model_->choice().value("block"), 64);
  EXPECT_EQ(model_->view.begin_cycles, 7);
  EXPECT_EQ(asked(), before) << "its bars were there, too";
  model_->setParameter("block", 96);  // continues as usual
  ASSERT_TRUE(settled());
  EXPECT_EQ(shownBlock(), 96);
}

TEST_F(SavedModelTest, KeptRunsAreThereAgain) {
  makeSaved();
  if (HasFatalFailure()) return;
  EXPECT_EQ(model_->compare().keep(model_->feed().shown().run), "");
  const OpenedSession opened = saved();
  ASSERT_EQ(opened.session.kept.size(), 1U);
  make();
  model_->show(opened);
  ASSERT_EQ(model_->compare().kept().runs.size(), 1U);
  EXPECT_EQ(model_->compare().kept().runs.front().run, opened.session.run) << "the very same";
}

TEST_F(SavedModelTest, InARunningWindowOpeningIsUndone) {
  makeSaved();
  if (HasFatalFailure()) return;
  const OpenedSession opened = saved();
  model_->selectFamily("beta");
  ASSERT_TRUE(settled());
  model_->show(opened);
  EXPECT_EQ(model_->choice().family().name, "alpha");
  EXPECT_EQ(model_->feed().shown().run, opened.session.run);
  EXPECT_FALSE(model_->outdated());
  model_->undo();
  ASSERT_TRUE(settled());
  EXPECT_EQ(model_->choice().family().name, "beta");
}

TEST_F(SavedModelTest, AnotherGpuOfThatIdIsNotTheSavedOne) {
  makeSaved();
  if (HasFatalFailure()) return;
  OpenedSession opened = saved();
  opened.session.device_name = "Another GPU";
  make();
  model_->show(opened);
  // The scripted source opens whatever it is asked for: finally, it is asked for the file.
  ASSERT_TRUE(until([this] { return model_->devices().description() != nullptr; }));
  EXPECT_EQ(model_->devices().id(), "file:/somewhere/lesson.wssession");
  EXPECT_NE(model_->takeNotice().find("Another GPU does not exist here"), std::string::npos);
  EXPECT_EQ(model_->takeNotice(), "");
  EXPECT_EQ(model_->feed().shown().run, opened.session.run);
  EXPECT_FALSE(model_->outdated());
}

TEST_F(SavedModelTest, WithoutADeviceTheRunIsThereAllTheSame) {
  makeSaved();
  if (HasFatalFailure()) return;
  const OpenedSession opened = saved();
  {
    const std::lock_guard lock(script_->mutex);
    script_->open_fails = true;
  }
  make();
  model_->show(opened);
  ASSERT_TRUE(until([this] { return model_->problem().has_value(); }));
  EXPECT_EQ(model_->feed().shown().run, opened.session.run);
  EXPECT_FALSE(model_->outdated());
}

}  // namespace
}  // namespace warpscope
