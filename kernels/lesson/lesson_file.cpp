#include "kernels/lesson/lesson_file.h"

#include <xxhash.h>

#include <algorithm>

#include "kernels/core/files.h"
#include "kernels/lesson/run_values.h"

namespace warpscope {
namespace {

using Kind = MarkdownBlock::Kind;
constexpr std::string_view kRecorded = "recorded:";

// Calls text(piece) and number(inside of braces) for the parts of a span, in order. False: a brace is not
// closed.
template <class Text, class Number>
bool forEachPart(std::string_view text, Text&& take_text, Number&& take_number) {
  while (!text.empty()) {
    const size_t open = text.find('{');
    take_text(text.substr(0, open));
    if (open == std::string_view::npos) return true;
    const size_t close = text.find('}', open);
    if (close == std::string_view::npos) return false;
    take_number(text.substr(open + 1, close - open - 1));
    text = text.substr(close + 1);
  }
  return true;
}

Expected<TextNumber> textNumber(std::string_view inside) {
  TextNumber number;
  inside = trimmed(inside);
  number.of_recording = inside.starts_with(kRecorded);
  if (number.of_recording) inside = trimmed(inside.substr(kRecorded.size()));
  auto expression = Expression::parse(inside);
  if (!expression) return tl::unexpected(expression.error());
  number.expression = std::move(*expression);
  return number;
}

class LessonReader {
 public:
  explicit LessonReader(const KernelLoader& kernels) : kernels_(kernels) {}

  Expected<Lesson> read(const std::vector<MarkdownBlock>& blocks) {
    for (const MarkdownBlock& block : blocks) {
      if (const auto taken = take(block); !taken) return tl::unexpected(taken.error());
    }
    if (const auto ended = endStep(); !ended) return tl::unexpected(ended.error());
    if (lesson_.title.empty()) return failAtLine(1, "the title is missing: '# Title'");
    if (lesson_.steps.empty()) return failAtLine(1, "there is no step: '## Title' begins one");
    return std::move(lesson_);
  }

 private:
  Expected<void> take(const MarkdownBlock& block) {
    if (block.kind == Kind::kHeading && block.level == 1) {
      if (!lesson_.title.empty()) return failAtLine(block.line, "a lesson has one title; '##' begins a step");
      lesson_.title = plainText(block);
      return {};
    }
    if (block.kind == Kind::kHeading && block.level == 2) return beginStep(block);
    if (block.kind == Kind::kCode && block.info == "lesson") return takeHead(block);
    if (block.kind == Kind::kCode && block.info == "show") return takeScene(block);
    if (block.kind == Kind::kCode && block.info == "ask") return takeQuestion(block);
    return takeText(block);
  }

  Expected<void> takeHead(const MarkdownBlock& block) {
    const auto entries = readEntries(block);
    if (!entries) return tl::unexpected(entries.error());
    for (const LessonEntry& entry : *entries) {
      if (entry.key == "device") {
        lesson_.device = entry.value;
      } else if (entry.key == "minutes") {
        const auto minutes = Expression::parse(entry.value);
        const auto value = minutes ? minutes->constant() : std::nullopt;
        constexpr double kMostMinutes = 600;
        if (!value || *value < 1 || *value > kMostMinutes)
          return failAtLine(entry.line, "minutes: '{}' is not a number from 1 to {}", entry.value,
                            kMostMinutes);
        lesson_.minutes = static_cast<uint32_t>(*value);
      } else if (entry.key == "source") {
        lesson_.sources.push_back(entry.value);
      } else if (entry.key == "summary") {
        lesson_.summary = entry.value;
      } else {
        return failAtLine(entry.line, "'{}' is not known here; there are summary, device, minutes and source",
                          entry.key);
      }
    }
    return {};
  }

  Expected<void> beginStep(const MarkdownBlock& block) {
    if (auto ended = endStep(); !ended) return ended;
    if (lesson_.steps.size() == kMostLessonSteps)
      return failAtLine(block.line, "a lesson has at most {} steps", kMostLessonSteps);
    step_.emplace();
    step_->title = plainText(block);
    step_->line = block.line;
    has_scene_ = false;
    return {};
  }
  Expected<void> endStep() {
    if (!step_) return {};
    if (!has_scene_) {
      if (lesson_.steps.empty())
        return failAtLine(step_->line, "the first step shows nothing: it needs a block 'show'");
      step_->scene = lesson_.steps.back().scene.inherited();
    }
    if (auto checked = checkNames(); !checked) return checked;
    lesson_.steps.push_back(std::move(*step_));
    step_.reset();
    return {};
  }

  Expected<void> takeScene(const MarkdownBlock& block) {
    if (!step_) return failAtLine(block.line, "'show' belongs to a step, which '## Title' begins");
    if (has_scene_ || step_->question)
      return failAtLine(block.line, "a step has one 'show', before its question");
    const auto entries = readEntries(block);
    if (!entries) return tl::unexpected(entries.error());
    auto scene = readScene(*entries, lesson_.steps.empty() ? nullptr : &lesson_.steps.back().scene,
                           block.line, kernels_);
    if (!scene) return tl::unexpected(scene.error());
    step_->scene = std::move(*scene);
    has_scene_ = true;
    return {};
  }
  Expected<void> takeQuestion(const MarkdownBlock& block) {
    if (!step_) return failAtLine(block.line, "'ask' belongs to a step, which '## Title' begins");
    if (step_->question) return failAtLine(block.line, "a step asks one question");
    if (!has_scene_) {
      if (lesson_.steps.empty()) return failAtLine(block.line, "'show' comes before 'ask'");
      step_->scene = lesson_.steps.back().scene.inherited();
      has_scene_ = true;
    }
    const auto entries = readEntries(block);
    if (!entries) return tl::unexpected(entries.error());
    auto question = readQuestion(*entries, step_->scene, block.line);
    if (!question) return tl::unexpected(question.error());
    step_->question = std::move(*question);
    return {};
  }
  Expected<void> takeText(const MarkdownBlock& block) {
    if (!step_) return {};  // an introduction for those who read the file
    const auto numbers = numbersIn(block);
    if (!numbers) return failAtLine(block.line, "{}", numbers.error().message);
    (step_->question ? step_->answer : step_->caption).push_back(block);
    return {};
  }

  Expected<void> checkNames() const {
    const auto check = [&](const auto& names, uint32_t line, bool before = false) -> Expected<void> {
      for (const std::string& name : names) {
        const auto resolved = resolveName(name, step_->scene, before);
        if (!resolved) return failAtLine(line, "{}", resolved.error().message);
      }
      return {};
    };
    for (const ClaimAtLine& each : step_->scene.claims) {
      if (auto checked = check(each.claim.names(), each.line); !checked) return checked;
    }
    if (const auto& question = step_->question) {
      for (const LessonOption& option : question->options) {
        if (auto checked = check(option.holds.names(), option.line); !checked) return checked;
      }
      if (question->number) {
        if (auto checked = check(question->number->names(), question->line); !checked) return checked;
      }
      if (question->where) {
        if (auto checked = check(question->where->names(), question->line, true); !checked) return checked;
      }
    }
    for (const auto* texts : {&step_->caption, &step_->answer}) {
      for (const MarkdownBlock& block : *texts) {
        const auto numbers = numbersIn(block);
        for (const TextNumber& number : *numbers) {
          if (auto checked = check(number.expression.names(), block.line); !checked) return checked;
        }
      }
    }
    return {};
  }

  const KernelLoader& kernels_;
  Lesson lesson_;
  std::optional<LessonStep> step_;
  bool has_scene_ = false;
};

}  // namespace

Expected<std::vector<TextNumber>> numbersIn(const MarkdownBlock& block) {
  std::vector<TextNumber> numbers;
  if (block.kind == Kind::kCode) return numbers;
  for (const MarkdownSpan& span : block.spans) {
    if (span.code) continue;
    std::optional<Error> error;
    const bool closed = forEachPart(
        span.text, [](std::string_view) {},
        [&](std::string_view inside) {
          auto number = textNumber(inside);
          if (number)
            numbers.push_back(std::move(*number));
          else if (!error)
            error = number.error();
        });
    if (error) return tl::unexpected(*error);
    if (!closed)
      return fail(ErrorKind::kBadRequest, "'{{' has no '}}'; braces that are not numbers stand in `code`");
  }
  return numbers;
}

std::vector<MarkdownSpan> withNumbers(const MarkdownBlock& block,
                                      const std::function<std::string(const TextNumber&)>& format) {
  std::vector<MarkdownSpan> spans = block.spans;
  if (block.kind == Kind::kCode) return spans;
  for (MarkdownSpan& span : spans) {
    if (span.code) continue;
    std::string text;
    forEachPart(
        span.text, [&](std::string_view piece) { text += piece; },
        [&](std::string_view inside) {
          const auto number = textNumber(inside);
          text += number ? format(*number) : "?";
        });
    span.text = std::move(text);
  }
  return spans;
}

Expected<Lesson> lessonOf(std::string_view text, const std::string& name, const KernelLoader& kernels) {
  const auto named = [&](const Error& error) {
    // "line 12: ..." -> "lesson.md:12: ..."
    std::string message = error.message;
    if (message.starts_with("line "))
      message.replace(0, 5, ":");
    else
      message.insert(0, ": ");
    return tl::unexpected(Error{error.kind, name + message});
  };
  const auto blocks = readMarkdown(text);
  if (!blocks) return named(blocks.error());
  auto lesson = LessonReader(kernels).read(*blocks);
  if (!lesson) return named(lesson.error());
  lesson->hash = XXH64(text.data(), text.size(), 0);
  return lesson;
}

Expected<Lesson> readLesson(const std::filesystem::path& path, const std::stop_token& stop) {
  const auto text = readFile(path, kMostLessonBytes);
  if (!text) return tl::unexpected(text.error());
  return lessonOf(*text, path.string(), kernelsBeside(path, stop));
}

bool hasOwnKernels(const std::filesystem::path& path) {
  const auto text = readFile(path, kMostLessonBytes);
  const auto blocks = text ? readMarkdown(*text) : Expected<std::vector<MarkdownBlock>>();
  if (!blocks) return false;
  return std::ranges::any_of(*blocks, [](const MarkdownBlock& block) {
    if (block.kind != Kind::kCode || block.info != "show") return false;
    const auto entries = readEntries(block);
    return entries && std::ranges::find(*entries, "kernel", &LessonEntry::key) != entries->end();
  });
}

std::vector<std::filesystem::path> bundledLessons(const std::string& language) {
  const std::filesystem::path root = assetsFolder() / "lessons";
  std::error_code error;
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(root / "en", error)) {
    if (entry.path().extension() != kLessonEnding) continue;
    const std::filesystem::path translated = root / language / entry.path().filename();
    files.push_back(std::filesystem::exists(translated, error) ? translated : entry.path());
  }
  std::ranges::sort(files, {}, [](const std::filesystem::path& file) { return file.filename(); });
  return files;
}

}  // namespace warpscope
