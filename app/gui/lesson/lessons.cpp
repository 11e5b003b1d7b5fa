#include "app/gui/lesson/lessons.h"

#include <GLFW/glfw3.h>
#include <fmt/chrono.h>

#include <algorithm>
#include <ctime>
#include <utility>

#include "app/gui/pages/pages.h"
#include "app/gui/ui.h"
#include "app/gui/window.h"
#include "kernels/core/files.h"
#include "viz/layout/navigation.h"
#include "viz/layout/step_list.h"
#include "viz/text/translate.h"

namespace warpscope {
namespace {

constexpr double kNoticeLong_s = 10;
// In presenter mode a line of text takes this share of the window's height.
constexpr float kLinesOfWindow = 25, kTextPixelsAtFullScale = 15;

// $XDG_DATA_HOME/warpscope/answers, or the same below ~/.local/share; empty if neither is known.
std::filesystem::path answersFolder() {
  if (const char* data = std::getenv("XDG_DATA_HOME"); data != nullptr && data[0] != '\0')
    return std::filesystem::path(data) / "warpscope" / "answers";
  if (const char* home = std::getenv("HOME"); home != nullptr && home[0] != '\0')
    return std::filesystem::path(home) / ".local" / "share" / "warpscope" / "answers";
  return {};
}

std::filesystem::path newAnswersFile(const std::filesystem::path& lesson) {
  const std::filesystem::path folder = answersFolder();
  if (folder.empty()) return {};
  std::tm now{};
  const std::time_t time = std::time(nullptr);
  localtime_r(&time, &now);
  return folder / (lesson.stem().string() + fmt::format("-{:%Y%m%d-%H%M%S}", now) + kAnswersEnding);
}

// Which pictures of one access at a time a view shows; nullopt: it is none of them.
std::optional<StepKind> stepKindOf(std::string_view view) {
  if (view == "banks") return StepKind::kShared;
  if (view == "sectors") return StepKind::kGlobal;
  if (view == "shuffle") return StepKind::kExchange;
  return std::nullopt;
}

// Every text of the lesson that is shown.
std::string shownText(const Lesson& lesson) {
  std::string text = lesson.title;
  for (const LessonStep& step : lesson.steps) {
    text += step.title;
    for (const auto* blocks : {&step.caption, &step.answer}) {
      for (const MarkdownBlock& block : *blocks) text += plainText(block);
    }
    if (!step.question) continue;
    text += step.question->text + step.question->unit;
    for (const LessonOption& option : step.question->options) text += option.text;
  }
  for (const LessonStep& step : lesson.steps) {
    for (const LessonNote& note : step.scene.notes) text += note.text;
  }
  return text;
}

}  // namespace

Lessons::Lessons(LessonHooks hooks)
    : hooks_(std::move(hooks)),
      model_(hooks_.open_device, hooks_.wake),
      work_(hooks_.wake, [this](const std::string& message) { hooks_.tell(message, kNoticeLong_s); }) {}

void Lessons::open(const std::filesystem::path& file) {
  if (!hasOwnKernels(file)) return take(readLesson(file), file);
  opening_ = true;
  work_.start(tr("Compiling the lesson's kernels"), [this, file](WorkProgress& progress) {
    auto lesson = guarded(file.string(), [&] { return readLesson(file, progress.stop); });
    return [this, file, lesson = std::make_shared<Expected<Lesson>>(std::move(lesson))] {
      opening_ = false;
      take(std::move(*lesson), file);
    };
  });
}

void Lessons::take(Expected<Lesson> lesson, const std::filesystem::path& file) {
  if (!lesson) return hooks_.tell(lesson.error().message, kNoticeLong_s);
  model_.open(std::move(*lesson), file);
  applied_.reset();
  answers_file_.clear();
  saved_version_ = model_.version();
  text_ = shownText(model_.lesson());
}

void Lessons::close(const Ui& ui) {
  present(ui, false);
  takeNotesBack(ui.model.view.annotations);
  model_.close();
  ui.screen.stage.showAlone(ui.screen.page, "");
}

bool Lessons::update() {
  const bool saved = work_.poll();
  return model_.update() || saved;
}

bool Lessons::pending() const {
  const bool scene_awaited = isOpen() && (applied_ != model_.index() || wants_run_);
  const bool unsaved = isOpen() && model_.version() != saved_version_;
  return opening_ || model_.pending() || work_.busy() || scene_awaited || unsaved;
}

const std::vector<LessonTitle>& Lessons::titles() {
  if (titles_language_ == language().code) return titles_;
  titles_language_ = language().code;
  titles_.clear();
  for (const std::filesystem::path& file : bundledLessons(titles_language_)) {
    if (const auto lesson = readLesson(file))
      titles_.push_back({lesson->title, lesson->summary, lesson->minutes, file});
  }
  return titles_;
}

void Lessons::frame(const Ui& ui) {
  if (!isOpen()) return;
  const DeviceDescription* device = ui.model.devices().description();
  if (device == nullptr) return;
  if (applied_ && applied_ != model_.index() && !home_device_.empty()) {
    cannot_show_.clear();
    applied_.reset();
    ui.model.openDevice(std::exchange(home_device_, {}));
    return;
  }
  if (ui.model.devices().opening()) return;
  if (applied_ != model_.index() || applied_device_ != device->id) {
    applied_device_ = device->id;
    applyScene(ui);
  }
  const std::shared_ptr<const Run>& shown = ui.model.feed().shown().run;
  const bool is_scene = shown != nullptr && showsScene(*shown);
  model_.follow(device->id, is_scene ? shown : nullptr);
  model_.saw(shown);
  for (const VariantResult& bar : ui.model.feed().variants()) {
    if (!bar.stale) model_.saw(bar.run);
  }
  if (is_scene && wants_run_) applyWhenRun(ui);
  if (ui.model.problem()) wants_run_ = false;  // there will be no run
  if (model_.version() != saved_version_ || (saved_student_ != model_.student && !answers_file_.empty()))
    saveAnswers();
}

bool Lessons::showsScene(const Run& run) const {
  const LessonScene& scene = model_.step().scene;
  return run.request.family == scene.family && run.request.variant == scene.variant &&
         run.request.parameters == applied_parameters_;
}

void Lessons::applyScene(const Ui& ui) {
  Model& model = ui.model;
  const LessonScene& scene = model_.step().scene;
  applied_ = model_.index();
  ui.screen.start_page_open = false;
  painted = LaneMask{};
  typed_number.clear();
  device_note_ = cannot_show_;
  if (scene.program != nullptr) adoptKernels(model);
  model.beginEdit();
  model.selectFamily(scene.family);
  model.selectVariant(scene.variant);
  model.resetParameters();
  // Twice, since a recording offers the values of one setting near those of the others.
  for (int i = 0; i < 2; ++i) {
    for (const auto& [name, value] : scene.parameters) model.setParameter(name, value);
  }
  applied_parameters_ = model.request().parameters;
  const bool same = std::ranges::all_of(scene.parameters, [&](const auto& parameter) {
    const auto now = applied_parameters_.find(parameter.first);
    return now != applied_parameters_.end() && now->second == parameter.second;
  });
  if (!same || model.request().variant != scene.variant) useRecording(model);
  if (!model.live()) model.launch();

  const std::string view = scene.view.empty() ? familyOf(scene).view : scene.view;
  if (Page* page = ui.pages.withView(view); page != nullptr) {
    ui.screen.page = page->name();
    page->show(ui, view);
    const bool alone = presenting() || scene.alone;
    if (alone || shown_alone_) ui.screen.stage.showAlone(page->name(), alone ? view : "");
    shown_alone_ = alone;
  }
  ViewState& state = model.view;
  state.forgetCode();  // a region's number means another region in another variant
  takeNotesBack(state.annotations);
  state.selected_warp.reset();
  if (scene.warp) state.selected_warp = WarpKey{BlockId{scene.warp->block}, scene.warp->warp};
  state.selection = scene.selection;
  state.fitted = true;
  state.zoom_history.clear();
  state.play_head.reset();
  for (const std::string& variant : scene.compare) {
    if (const std::string why = model.keepVariant(variant); !why.empty()) hooks_.tell(why, kNoticeLong_s);
  }
  wants_run_ = true;
}

// Makes the teacher's file a family of the window, which compiles nothing anew. Recordings hold no run of it,
// so the model opens a simulated GPU in their place.
void Lessons::adoptKernels(Model& model) {
  const DeviceDescription& device = *model.devices().description();
  if (device.kind == DeviceKind::kRecorded) {
    cannot_show_ = device_note_ =
        tr("Recordings hold no run of this lesson's own kernel; a simulated GPU shows it.");
    home_device_ = device.id;
  }
  if (model.choice().family().program != model_.step().scene.program)
    model.adopt(familyOf(model_.step().scene));
}

// The device that is shown lacks the settings of this step.
void Lessons::useRecording(Model& model) {
  const DeviceDescription& device = *model.devices().description();
  if (device.kind == DeviceKind::kRecorded) {
    device_note_ = tr("The recordings do not have the settings of this step; the nearest ones are shown.");
    return;
  }
  cannot_show_ = device_note_ = trf("{} cannot show this step; the recording is shown.", device.name);
  home_device_ = device.id;
  model.openDevice(kRecordedDeviceId);
}

void Lessons::takeNotesBack(Annotations& annotations) {
  std::erase_if(annotations.notes,
                [&](const TimeNote& note) { return std::ranges::find(notes_, note) != notes_.end(); });
  notes_.clear();
}

void Lessons::applyWhenRun(const Ui& ui) {
  wants_run_ = false;
  const LessonScene& scene = model_.step().scene;
  const Run& run = *ui.model.feed().shown().run;
  ViewState& state = ui.model.view;
  if (const auto kind = stepKindOf(scene.view); kind && scene.access)
    state.selected_steps[static_cast<size_t>(*kind)] = *scene.access - 1;
  for (const LessonNote& each : scene.notes) {
    TimeNote note{.cycle = each.cycle, .text = each.text};
    if (each.warp) note.warp = WarpKey{BlockId{each.warp->block}, each.warp->warp};
    state.annotations.notes.push_back(note);
    notes_.push_back(std::move(note));
  }
  const auto region = std::ranges::find(run.regions, scene.region, &Region::name);
  // One that no warp comes to, left over from a step before, would dim all others.
  if (region != run.regions.end() && std::ranges::any_of(run.trace.events, [&](const TraceEvent& event) {
        return event.region == region->id;
      }))
    state.selected_region = region->id;
  state.play_head = scene.play_cycle;
  if (scene.zoom) {
    const auto last = static_cast<double>(run.trace.duration_cycles);
    zoomTo(state, std::max(0.0, static_cast<double>(scene.zoom->begin)),
           std::min(last, static_cast<double>(scene.zoom->end)));
  }
}

void Lessons::go(int by) {
  if (model_.canGo(by)) model_.go(static_cast<size_t>(static_cast<int64_t>(model_.index()) + by));
}

void Lessons::answer(const LessonAnswer& answer) {
  if (!model_.ready() || !model_.hasOpenQuestion()) return;
  if (const auto answered = model_.answer(answer); !answered)
    hooks_.tell(answered.error().message, kNoticeLong_s);
}

void Lessons::answerDragged(const Ui& ui) {
  const std::string& name = model_.step().question->parameter;
  const RunRequest at = ui.model.request();
  const FamilyInfo& family = ui.model.choice().family();
  const auto spec = std::ranges::find(family.parameters, name, &ParameterSpec::name);
  const auto now = at.parameters.find(name);
  if (spec == family.parameters.end() || now == at.parameters.end())
    return hooks_.tell(tr("This setting belongs to another variant."), kNoticeLong_s);
  const std::vector<int64_t> values = inStepsOf(*model_.step().question, ui.model.offeredValues(*spec));
  std::optional<RunRequest> before;
  if (const auto place = std::ranges::lower_bound(values, now->second); place != values.begin()) {
    before = at;
    before->parameters[name] = *(place - 1);
  }
  model_.answerDragged(ui.model.devices().description()->id, at, std::move(before));
}

void Lessons::saveAnswers() {
  saved_version_ = model_.version();
  saved_student_ = model_.student;
  if (answers_file_.empty()) answers_file_ = newAnswersFile(model_.file());
  if (answers_file_.empty()) return;
  work_.start(tr("Writing the answers"),
              [this, file = answers_file_, answers = model_.answers(applied_device_)](WorkProgress&) {
                const auto written = writeAnswers(file, answers);
                return [this, error = written ? std::string() : written.error().message] {
                  if (!error.empty()) hooks_.tell(error, kNoticeLong_s);
                };
              });
}

void Lessons::present(const Ui& ui, bool on) {
  if (on == presenting() || (on && !isOpen())) return;
  ink = {};
  ScreenState& screen = ui.screen;
  if (on) {
    before_ = Look{screen.theme, screen.scale};
    screen.theme = ThemeKind::kHighContrast;
    screen.scale = std::clamp(ImGui::GetIO().DisplaySize.y / kLinesOfWindow / kTextPixelsAtFullScale, 1.0F,
                              kLargestScale);
    applied_.reset();  // with its view alone
    return;
  }
  screen.theme = before_->theme;
  screen.scale = before_->scale;
  before_.reset();
  screen.stage.showAlone(screen.page, "");
  shown_alone_ = false;
}

bool Lessons::takeKey(const Ui& ui, const KeyPress& press) {
  if (!isOpen() || press.control || press.alt || press.shift || ImGui::GetIO().WantTextInput) return false;
  if (press.key == GLFW_KEY_PAGE_DOWN || press.key == GLFW_KEY_PAGE_UP) {
    go(press.key == GLFW_KEY_PAGE_DOWN ? 1 : -1);
    return true;
  }
  if (press.key == GLFW_KEY_ESCAPE && presenting()) {
    present(ui, false);
    return true;
  }
  const auto& question = model_.step().question;
  if (!question || !model_.hasOpenQuestion() || question->kind != LessonQuestion::Kind::kChoice) return false;
  const int option = press.key - GLFW_KEY_1;
  if (option < 0 || option >= static_cast<int>(question->options.size())) return false;
  answer({.option = static_cast<size_t>(option)});
  return true;
}

}  // namespace warpscope
