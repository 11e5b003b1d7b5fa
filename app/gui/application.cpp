#include "app/gui/application.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <fstream>
#include <utility>

#include "app/gui/panels.h"
#include "app/gui/png.h"
#include "app/gui/start.h"
#include "kernels/core/files.h"
#include "kernels/core/json.h"
#include "kernels/export/selection_report.h"
#include "kernels/recording/recording.h"
#include "viz/layout/row_selection.h"
#include "viz/layout/trace_layout.h"
#include "viz/text/translate.h"
#include "viz/widgets/svg_export.h"

namespace warpscope {
namespace {

constexpr size_t kFrameSamples = 100;
constexpr double kLongNotice_s = 12;

std::vector<Action> allActions(const Pages& pages) {
  std::vector<Action> actions = windowActions();
  for (Action& action : pages.actions()) actions.push_back(std::move(action));
  return actions;
}

double sinceThen_ms(std::chrono::steady_clock::time_point then) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - then).count();
}

double threadCpu_ms() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) * 1e-6;
}

Json runState(const ShownRun& shown, double picture_ms) {
  const Run& run = *shown.run;
  Json hazards;  // null: not checked
  if (run.hazards) hazards = run.hazards->size();
  return {{"hazards", hazards},
          {"family", run.request.family},
          {"variant", run.request.variant},
          {"parameters", run.request.parameters},
          {"verified", run.verification.passed},
          {"median_us", run.timing.median_us},
          {"ticket", shown.ticket},
          {"instructions", run.trace.instructions.size()},
          {"latency_ms", shown.latency_ms},
          {"picture_ms", picture_ms}};
}

Json stateOf(const Model& model, const ScreenState& screen) {
  const ViewState& view = model.view;
  Json state{
      {"device", model.devices().description() == nullptr ? "" : model.devices().description()->id},
      {"family", model.choice().family().name},
      {"variant", model.choice().variant().name},
      {"parameters", model.request().parameters},
      {"live", model.live()},
      {"busy", model.feed().busy() || model.devices().listing() || model.devices().opening()},
      {"outdated", model.outdated()},
      {"theme", themeSettingsName(screen.theme)},
      {"language", language().code},
      {"scale", screen.scale},
      {"instructions", view.instructions},
      {"checks", model.checks()},
      {"tabs", {screen.upper_tab, screen.lower_tab}},
      {"alone", screen.stage.alone()},
      {"start_page", screen.start_page_open},
      {"layouts", Json::array()},
      {"panel_tabs", screen.stage.tabbed()},
      {"panel_tab", screen.stage.tab()},
      {"panels",
       {{"controls_width", screen.panels.controls_width}, {"timeline_share", screen.panels.timeline_share}}},
      {"help", screen.help_open},
      {"finding", screen.find.open},
      {"notice", screen.notice},
      {"notes", screen.files.notes},
      {"notes_open", screen.files.notes_open},
      {"dialog", screen.files.dialog_open},
      {"typing", ImGui::GetIO().WantTextInput},
      {"working", screen.files.working},
      {"recent", screen.files.recent},
      {"grouping", kRowKindNames[static_cast<size_t>(view.rows.kind)]},
      {"row_sort", kRowSortNames[static_cast<size_t>(view.rows.sort)]},
      {"rows_filtered", !view.rows.filter.empty()},
      {"problem", model.problem() ? model.problem()->title : ""},
      {"problem_detail", model.problem() ? model.problem()->detail : ""},
      {"visible",
       {{"fitted", view.fitted},
        {"begin_cycles", view.begin_cycles},
        {"end_cycles", view.end_cycles},
        {"first_row", view.first_row}}}};
  for (const auto& layout : screen.layouts) state["layouts"].push_back(layout.first);
  if (const Impossible* impossible = model.impossible()) {
    state["impossible"] = {{"reason", impossible->reason}, {"nearest", impossible->nearest}};
  }
  state["sweep"] = {{"wanted", model.sweep().runs().wanted()},
                    {"missing", model.sweep().runs().missing()},
                    {"paused", model.sweep().runs().paused()},
                    {"asks", model.sweep().runs().asks()}};
  state["lanes_tab"] = model.choice().lanesTab();
  state["lanes_ready"] =
      model.lanes().log() != nullptr && !model.lanes().refreshing(model.feed().shown().run);
  state["lanes_problem"] = model.lanes().problem();
  state["values"] = model.values().log() != nullptr && !model.values().refreshing(model.feed().shown().run);
  state["values_problem"] = model.values().problem();
  state["selected_steps"] = Json::array();
  for (const auto& step : view.selected_steps) {
    state["selected_steps"].push_back(step ? Json(*step) : Json());
  }
  state["variants_ready"] =
      std::count_if(model.feed().variants().begin(), model.feed().variants().end(),
                    [](const auto& result) { return result.run != nullptr && !result.stale; });
  if (model.feed().shown().run != nullptr) state["run"] = runState(model.feed().shown(), screen.picture_ms);
  state["selection"] = selectionText(view.selection);
  state["markers"] = Json::array();
  for (const auto& marker : view.annotations.markers) {
    if (marker) state["markers"].push_back(*marker);
  }
  state["time_notes"] = view.annotations.notes.size();
  state["selection_pending"] = model.selection().pending();
  if (const auto& metrics = model.selection().metrics(); !metrics.empty())
    state["selected"] = selectionReport(shownSelection(view), *metrics.front());
  if (view.selected_warp) {
    state["selected_warp"] = {{"block", view.selected_warp->block.value},
                              {"warp", view.selected_warp->warp_in_block}};
  }
  if (view.selected_instruction && model.feed().shown().run != nullptr &&
      model.feed().shown().run->listing != nullptr &&
      view.selected_instruction->listed < model.feed().shown().run->listing->size()) {
    state["selected_instruction"] =
        (*model.feed().shown().run->listing)[view.selected_instruction->listed].text;
  }
  if (view.selected_line) state["selected_line"] = *view.selected_line;
  if (view.selected_region) state["selected_region"] = view.selected_region->value;
  return state;
}

}  // namespace

double sinceProcessStart_ms() {
  // Field 22 of /proc/self/stat: the start in clock ticks since boot. The name before it is in parentheses.
  std::ifstream file("/proc/self/stat");
  std::string line;
  std::getline(file, line);
  size_t at = line.rfind(')');
  for (int field = 2; field < 22 && at != std::string::npos; ++field) at = line.find(' ', at + 1);
  timespec time{};
  clock_gettime(CLOCK_BOOTTIME, &time);
  if (at == std::string::npos) return 0;
  const double start_s = std::strtod(line.c_str() + at, nullptr) / static_cast<double>(sysconf(_SC_CLK_TCK));
  return (static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9 - start_s) * 1e3;
}

Application::Application(Window& window, const StartOptions& options, const Settings& settings)
    : window_(window),
      model_(deviceSource(options, window), allFamilies(), settings),
      actions_(allActions(pages_)),
      files_(model_, state_,
             {.session = [this] { return session(); },
              .show = [this](const OpenedSession& opened) { show(opened); },
              .tell = [this](const std::string& text, double seconds) { show(text, seconds); },
              .wake = [&window] { window.wake(); },
              .compare = [this](const auto& paths) { return compareFiles(paths); },
              .open_program =
                  [this](const std::filesystem::path& file) {
                    programs_.open(file);
                    state_.page = "kernel";
                  },
              .open_lesson = [this](const std::filesystem::path& file) { lessons_.open(file); }}),
      programs_(model_, {.tell = [this](const std::string& text, double seconds) { show(text, seconds); },
                         .wake = [&window] { window.wake(); }}),
      lessons_({.open_device = deviceSource(options, window).open,
                .tell = [this](const std::string& text, double seconds) { show(text, seconds); },
                .wake = [&window] { window.wake(); }}) {
  report_.focus = &focus_;
  if (!options.family.empty() || !options.variant.empty()) model_.keepSelection();
  model_.view.selection = options.selection;
  if (!options.session.empty()) selection_over_session_ = options.selection;
  state_.theme = findTheme(settings.theme).value_or(ThemeKind::kDark);
  state_.scale = settings.scale;
  state_.language = settings.language;
  state_.language_wanted = settings.language;
  state_.panels = settings.panels;
  state_.upper_tab = settings.upper_tab;
  state_.lower_tab = settings.lower_tab;
  state_.page = pages_.find(settings.page).name();
  state_.stage.showAlone(state_.page, settings.alone);
  programs_.setOptions(options.program_options);
  if (!options.program.empty()) {
    programs_.open(options.program, options.variant);
    state_.page = "kernel";
  }
  if (!options.lesson.empty()) lessons_.open(options.lesson);
  state_.layouts = settings.layouts;
  state_.start_page_dismissed = settings.start_page_dismissed;
  state_.files.recent = settings.recent;
  state_.files.notes = settings.notes;
  actions_.take(settings.keys);
  state_.find.recent = settings.found;
}

Session Application::session() const {
  Session session;
  session.settings = settings({});
  model_.storeInto(session);
  for (const auto& page : pages_.all()) {
    if (std::string state = page->store(); !state.empty()) session.pages[page->name()] = std::move(state);
  }
  session.notes = state_.files.notes;
  session.notes_open = state_.files.notes_open;
  return session;
}

void Application::show(const OpenedSession& opened) {
  const Session& session = opened.session;
  model_.show(opened);
  if (!selection_over_session_.empty()) model_.view.selection = std::exchange(selection_over_session_, {});
  state_.panels = session.settings.panels;
  state_.upper_tab = session.settings.upper_tab;
  state_.lower_tab = session.settings.lower_tab;
  state_.page = pages_.find(session.settings.page).name();
  state_.stage.showAlone(state_.page, session.settings.alone);
  for (const auto& page : pages_.all()) {
    const auto state = session.pages.find(page->name());
    page->restore(state == session.pages.end() ? std::string_view() : state->second);
  }
  state_.files.notes = session.notes;
  state_.files.notes_open = session.notes_open;
  state_.typing.clear();
}

// Keeps one run of each recording: the one with the present settings, or else its first.
bool Application::compareFiles(const std::vector<std::filesystem::path>& paths) {
  std::vector<std::shared_ptr<const Run>> runs;
  const RunRequest wanted = model_.request();
  for (const std::filesystem::path& path : paths) {
    const auto index = RecordingIndex::open(path);
    if (!index || index->size() == 0) return false;
    size_t chosen = 0;
    for (size_t i = index->size(); i-- > 0;) {
      const RunRequest& request = index->summary(i).request;
      const bool same_variant = request.family == wanted.family && request.variant == wanted.variant;
      if (same_variant && request.parameters == wanted.parameters) {
        chosen = i;
        break;
      }
      if (same_variant) chosen = i;
    }
    auto run = index->load(chosen);
    if (!run) return false;
    runs.push_back(std::make_shared<const Run>(std::move(*run)));
  }
  for (const auto& run : runs) {
    if (const std::string why_not = model_.compare().keep(run); !why_not.empty()) show(why_not, 8);
  }
  state_.page = pages_.withView("compare")->name();
  return true;
}

Ui Application::ui() {
  return {.model = model_,
          .screen = state_,
          .theme = window_.theme(),
          .fonts = window_.fonts(),
          .report = report_,
          .pages = pages_,
          .actions = actions_,
          .focus = focus_,
          .programs = programs_,
          .lessons = lessons_,
          .now_s = window_.now()};
}

bool Application::update() {
  const bool news = model_.update(window_.now());
  if (const std::string notice = model_.takeNotice(); !notice.empty()) show(notice, kLongNotice_s);
  for (std::string& path : window_.takeDrops()) state_.files.open_wish.push_back(std::move(path));
  const bool programs = programs_.update(), lessons = lessons_.update();
  return files_.update() || programs || lessons || news;
}

bool Application::pending() const {
  return model_.pending() || files_.busy() || programs_.busy() || lessons_.pending();
}

// Must not be called within a frame: what was drawn before would be in another language, and its characters
// would be missing.
void Application::changeLanguage() {
  const std::string wanted = *std::exchange(state_.language_wanted, std::nullopt);
  state_.language = wanted;
  const std::string code = wanted.empty() ? languageOfEnvironment() : wanted;
  if (const std::string missing = missingFont(code); !missing.empty()) {
    // If only the environment asked for it, nothing is said: the language button shows it.
    if (!wanted.empty()) show("The window stays English: " + missing, 10);
    return;
  }
  if (const auto set = setLanguage(code); !set) show(set.error().message, 10);
}

void Application::frame(Edges edges) {
  state_.redraw_at_s = 0;
  if (state_.language_wanted) changeLanguage();
  report_.clear();
  focus_.beginFrame();
  window_.setPointer(focus_.pointer());
  window_.willShow(lessons_.text());
  window_.setTheme(state_.theme, state_.scale);
  if (edges == Edges::kHard) drawWithHardEdges();
  const double begin_ms = threadCpu_ms();
  window_.beginFrame();
  if (window_.takeMouseMoved()) focus_.hide();
  lessons_.frame(ui());
  advancePlayback(ui());
  drawScreen(ui(), window_.takeKeys());
  if (std::exchange(state_.lesson_closes, false)) lessons_.close(ui());
  finder_.draw(ui());
  files_.draw(ui());
  focus_.draw(ui());
  ImGui::EndFrame();
  const double cpu_ms = threadCpu_ms() - begin_ms;
  window_.render();
  if (frame_cpu_ms_.size() < kFrameSamples) {
    frame_cpu_ms_.push_back(cpu_ms);
  } else {
    frame_cpu_ms_[frames_ % kFrameSamples] = cpu_ms;
  }
  if (frames_ == 0) first_frame_ms_ = sinceProcessStart_ms();
  ++frames_;
}

double Application::frameMedian_ms() const {
  if (frame_cpu_ms_.empty()) return 0;
  std::vector<double> sorted = frame_cpu_ms_;
  const auto middle = sorted.begin() + static_cast<ptrdiff_t>(sorted.size() / 2);
  std::nth_element(sorted.begin(), middle, sorted.end());
  return *middle;
}

Json Application::state() const {
  Json state = stateOf(model_, state_);
  state["page"] = pages_.find(state_.page).name();
  for (const auto& page : pages_.all()) page->describe(model_, state);
  const ImGuiIO& io = ImGui::GetIO();
  if (lessons_.isOpen()) {
    const LessonModel& lesson = lessons_.model();
    state["lesson"] = {{"title", lesson.lesson().title},
                       {"step", lesson.index() + 1},
                       {"ready", lesson.ready() && !lesson.pending()},
                       {"open_question", lesson.hasOpenQuestion()},
                       {"presenting", lessons_.presenting()},
                       {"problem", lesson.problem()},
                       {"right", lesson.given().right},
                       {"answers", lessons_.answersFile().string()}};
  }
  state["focus"] = focus_.name();
  state["mouse"] = {{"x", io.MousePos.x}, {"y", io.MousePos.y}, {"down", ImGui::IsAnyMouseDown()}};
  state["frame_cpu_ms"] = frames_ == 0 ? 0.0 : frame_cpu_ms_[(frames_ - 1) % kFrameSamples];
  state["frame_cpu_median_ms"] = frameMedian_ms();
  state["first_frame_ms"] = first_frame_ms_;
  state["time_s"] = window_.now();
  return state;
}

void Application::presented() {
  const ShownRun& shown = model_.feed().shown();
  if (shown.run.get() == std::exchange(pictured_, shown.run.get())) return;
  // A run whose result has been checked meanwhile is in the picture already.
  const bool again = shown.ticket != 0 && shown.ticket == std::exchange(pictured_ticket_, shown.ticket);
  if (again) return;
  const bool launched = shown.requested != std::chrono::steady_clock::time_point{};  // not from a session
  state_.picture_ms = launched ? sinceThen_ms(shown.requested) : 0;
}

Json Application::describe() const {
  return report_.json(frames_, state());
}

void Application::writeReport(const std::filesystem::path& path) {
  const auto written = replaceFile(path, describe().dump(1) + "\n");
  if (!written && !report_failed_) {
    report_failed_ = true;
    show(written.error().message, 10);
  }
}

void Application::savePictureIfAsked() {
  if (!state_.save_picture) return;
  // The menu that asked for the picture is still visible; two frames later it is gone.
  if (picture_waits_frames_ == 0) {
    picture_waits_frames_ = 3;
  }
  if (--picture_waits_frames_ > 0) {
    state_.redraw_at_s = window_.now();
    return;
  }
  const PictureWish wish = *std::exchange(state_.save_picture, std::nullopt);
  const auto written = savePicture(wish.path, wish.view, wish.svg);
  show(written ? trf("Saved {}", wish.path.string()) : written.error().message, 8);
}

Expected<void> Application::savePicture(const std::filesystem::path& path, const std::string& view,
                                        bool svg) {
  svg = svg || path.extension() == ".svg";
  if (svg) frame(Edges::kHard);
  ImVec2 min(0, 0), max = ImGui::GetIO().DisplaySize;
  if (!view.empty()) {
    const auto* area = report_.find("view." + view);
    if (area == nullptr) return fail(ErrorKind::kWorkFailed, "the view '{}' was not drawn", view);
    min = {(*area)[0], (*area)[1]};
    max = {(*area)[2], (*area)[3]};
  }
  if (!svg) return writePng(path, view.empty() ? window_.pixels() : cropped(window_.pixels(), min, max));
  return svgOf(*ImGui::GetDrawData(), min, max, window_.fonts()).and_then([&](const std::string& text) {
    return replaceFile(path, text);
  });
}

double Application::redrawIn() const {
  return state_.redraw_at_s == 0 ? -1 : std::max(0.0, state_.redraw_at_s - window_.now());
}

Settings Application::settings(const Settings& before) const {
  Settings now = before;
  now.theme = themeSettingsName(state_.theme);
  now.language = state_.language;
  now.scale = state_.scale;
  now.panels = state_.panels;
  now.upper_tab = state_.upper_tab;
  now.lower_tab = state_.lower_tab;
  now.page = pages_.find(state_.page).name();
  now.alone = state_.stage.alone();
  now.layouts = state_.layouts;
  now.start_page_dismissed = state_.start_page_dismissed;
  now.recent = state_.files.recent;
  now.keys = actions_.changed();
  now.found = state_.find.recent;
  now.notes = state_.files.notes;
  const ImVec2 size = window_.sizeOnScreen();
  now.width = static_cast<uint32_t>(size.x);
  now.height = static_cast<uint32_t>(size.y);
  model_.storeInto(now);
  if (const auto& look = lessons_.lookBefore()) {
    now.theme = themeSettingsName(look->theme);
    now.scale = look->scale;
    now.alone.clear();
  }
  return now;
}

void Application::show(const std::string& notice, double seconds) {
  state_.notice = notice;
  state_.notice_until_s = window_.now() + seconds;
  state_.redraw_at_s = window_.now();
}

}  // namespace warpscope
