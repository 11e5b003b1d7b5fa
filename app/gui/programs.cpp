#include "app/gui/programs.h"

#include <fmt/format.h>
#include <imgui.h>

#include <array>
#include <chrono>
#include <utility>

#include "app/gui/model/model.h"
#include "kernels/core/files.h"
#include "viz/text/translate.h"

namespace warpscope {
namespace {

constexpr double kShort_s = 5, kLong_s = 12;

std::vector<KernelTemplate> findTemplates() {
  struct Named {
    const char* name;
    const char* file;
  };
  static constexpr std::array<Named, 14> kTemplates{{{trMark("saxpy"), "saxpy"},
                                                     {trMark("reduction"), "tree_sum"},
                                                     {trMark("scan"), "scan"},
                                                     {trMark("histogram"), "histogram"},
                                                     {trMark("transpose"), "transpose"},
                                                     {trMark("matrix product"), "matrix_product"},
                                                     {trMark("stencil"), "heat"},
                                                     {trMark("sort"), "bitonic_sort"},
                                                     {trMark("n-body"), "nbody"},
                                                     {trMark("divergent loop"), "collatz"},
                                                     {trMark("softmax"), "softmax"},
                                                     {trMark("cooperative groups"), "dot"},
                                                     {trMark("printf"), "hello"},
                                                     {trMark("a race"), "race"}}};
  std::error_code ignored;
  const std::filesystem::path folder = examplesFolder();
  std::vector<KernelTemplate> templates;
  for (const Named& each : kTemplates) {
    const auto file = folder / (std::string(each.file) + ".cu");
    if (std::filesystem::exists(file, ignored)) templates.push_back({each.name, file});
  }
  return templates;
}

}  // namespace

Programs::Programs(Model& model, ProgramHooks hooks)
    : model_(model),
      hooks_(std::move(hooks)),
      templates_(findTemplates()),
      outcomes_([this] { hooks_.wake(); }),
      watch_([this] { hooks_.wake(); }) {}

void Programs::open(const std::filesystem::path& file, const std::string& kernel) {
  if (isOpen() && isChanged()) {
    ImGui::SetClipboardText(text_.c_str());
    hooks_.tell(trf("{} was not saved: its text is on the clipboard.", file_.filename().string()), kLong_s);
  }
  std::error_code error;
  const auto whole = std::filesystem::absolute(file, error);
  file_ = error ? file : whole;
  wanted_kernel_ = kernel;
  text_ = saved_ = compiled_text_ = with_comment_ = {};
  diagnostics_.clear();
  error_.clear();
  ++version_;
  watch_.watch(file_);
  start(std::nullopt);
}

void Programs::create(const std::filesystem::path& file, std::string text) {
  open(file);
  saved_.clear();
  showText(std::move(text));
  compile();
}

void Programs::showText(std::string text) {
  if (text == text_) return;
  text_ = std::move(text);
  ++version_;
}

void Programs::compile() {
  if (isOpen()) start(text_);
}

void Programs::save() {
  if (!isOpen()) return;
  const auto written = replaceFile(file_, text_);
  if (!written) return hooks_.tell("✗ " + trMessage(written.error().message), kLong_s);
  saved_ = text_;
  hooks_.tell(trf("Saved {}", file_.string()), kShort_s);
  compile();
}

void Programs::writeLaunchComment() {
  auto comment = launchComment(model_.request());
  if (!comment || program_ == nullptr) return;
  if (text_ != program_->source) {
    return hooks_.tell(
        tr("Run the kernel as it is now first (F5): the comment is written into what was compiled."),
        kLong_s);
  }
  if (comment->source == text_) return hooks_.tell(tr("The source says so already."), kShort_s);
  before_comment_ = text_;
  with_comment_ = comment->source;
  showText(std::move(comment->source));
}

void Programs::takeCommentBack() {
  if (canTakeCommentBack()) showText(before_comment_);
}

// Without a text, the file's.
void Programs::start(std::optional<std::string> text) {
  compiling_ = true;
  const uint64_t ticket = ++ticket_;
  worker_.stopRunning();
  worker_.wish([this, ticket, file = file_, options = options_,
                text = std::move(text)](const std::stop_token& stop) mutable {
    const auto began = std::chrono::steady_clock::now();
    Outcome outcome{.ticket = ticket, .from_disk = !text};
    const auto made = guarded(file.string(), [&]() -> Expected<void> {
      if (!text) {
        auto read = readFile(file);
        if (!read) return tl::unexpected(read.error());
        text = std::move(*read);
      }
      outcome.text = *text;
      auto loaded = loadProgram(file, options, stop, outcome.text);
      if (!loaded) return tl::unexpected(loaded.error());
      outcome.loaded = std::move(*loaded);
      const auto added = addProgram(outcome.loaded.program);
      if (!added) return tl::unexpected(added.error());
      outcome.experiment = *added;
      return {};
    });
    if (!made) outcome.error = made.error();
    outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    worker_.settle();
    outcomes_.put(std::move(outcome));
  });
}

void Programs::take(Outcome outcome) {
  if (outcome.ticket != ticket_) return;  // a newer one is on its way
  compiling_ = false;
  compile_s_ = outcome.seconds;
  if (outcome.from_disk && (!outcome.error || !outcome.text.empty())) {
    const bool known =
        outcome.text == saved_ && !compiled_text_.empty();  // save() wrote it, or it was only touched
    const bool edited = isChanged();
    saved_ = outcome.text;
    if (known) return;
    if (edited) {
      return hooks_.tell(
          trf("{} was changed by another program. Your edits here are kept: saving overwrites it.",
              file_.filename().string()),
          kLong_s);
    }
    showText(outcome.text);
  }
  compiled_text_ = outcome.text;
  if (outcome.error) {
    error_ = outcome.error->message;
    diagnostics_ = parseDiagnostics(error_);
    return;
  }
  error_.clear();
  diagnostics_ = std::move(outcome.loaded.warnings);
  program_ = outcome.loaded.program;
  model_.adopt(outcome.experiment->info());
  if (wanted_kernel_.empty()) return;
  const std::vector<VariantInfo>& kernels = outcome.experiment->info().variants;
  if (std::ranges::find(kernels, wanted_kernel_, &VariantInfo::name) == kernels.end())
    hooks_.tell(trf("{} has no kernel '{}'.", file_.filename().string(), wanted_kernel_), kLong_s);
  model_.selectVariant(wanted_kernel_);
  wanted_kernel_.clear();
}

bool Programs::update() {
  bool news = false;
  for (Outcome& outcome : outcomes_.take()) {
    take(std::move(outcome));
    news = true;
  }
  // While the user's own text is compiled, the file can wait.
  if (watch_.takeChange()) file_changed_ = true;
  if (!file_changed_ || compiling_) return news;
  file_changed_ = false;
  start(std::nullopt);
  return true;
}

}  // namespace warpscope
