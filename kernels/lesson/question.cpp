#include "kernels/lesson/question.h"

#include <algorithm>
#include <cmath>

#include "kernels/experiments/experiment.h"

namespace warpscope {
namespace {

constexpr size_t kMostOptions = 6;

Expected<LessonOption> readOption(const LessonEntry& entry) {
  const size_t bar = entry.value.rfind('|');
  if (bar == std::string::npos)
    return failAtLine(entry.line,
                      "an option is 'text | claim', where the claim says when it is the right one");
  auto claim = Claim::parse(trimmed(std::string_view(entry.value).substr(bar + 1)));
  if (!claim) return failAtLine(entry.line, "{}", claim.error().message);
  return LessonOption{std::string(trimmed(std::string_view(entry.value).substr(0, bar))), std::move(*claim),
                      entry.line};
}

class QuestionReader {
 public:
  QuestionReader(const LessonScene& scene, uint32_t line) : scene_(scene) { question_.line = line; }

  Expected<LessonQuestion> read(const std::vector<LessonEntry>& entries) {
    question_.warp = scene_.warp.value_or(LessonWarp{});
    for (const LessonEntry& entry : entries) {
      if (const auto taken = take(entry); !taken) return tl::unexpected(taken.error());
    }
    if (const auto complete = check(); !complete) return tl::unexpected(complete.error());
    return std::move(question_);
  }

 private:
  Expected<void> take(const LessonEntry& entry) {
    if (entry.key == "question") return question_.text = entry.value, Expected<void>();
    if (entry.key == "unit") return question_.unit = entry.value, Expected<void>();
    if (entry.key == "option") return takeOption(entry);
    if (entry.key == "number") return takeNumber(entry);
    if (entry.key == "within") return takeConstant(entry, 0, 1, question_.within);
    if (entry.key == "paint") {
      question_.region = entry.value;
      return ofKind(entry, LessonQuestion::Kind::kPaint);
    }
    if (entry.key == "warp") {
      const auto warp = parseLessonWarp(entry.value);
      if (!warp) return failAtLine(entry.line, "warp: {}", warp.error().message);
      return question_.warp = *warp, Expected<void>();
    }
    if (entry.key == "visit") {
      double visit = 1;
      if (auto taken = takeConstant(entry, 1, 1e6, visit); !taken) return taken;
      return question_.visit = static_cast<uint32_t>(visit), Expected<void>();
    }
    if (entry.key == "drag") return takeDrag(entry);
    if (entry.key == "where") return takeWhere(entry);
    if (entry.key == "step") {
      double step = 1;
      if (auto taken = takeConstant(entry, 1, 1e9, step); !taken) return taken;
      if (step != std::floor(step))
        return failAtLine(entry.line, "step: '{}' is not a whole number", entry.value);
      return question_.step = static_cast<int64_t>(step), Expected<void>();
    }
    if (entry.key == "picture") {
      if (entry.value != "shown" && entry.value != "hidden")
        return failAtLine(entry.line, "picture: '{}' is neither 'hidden' nor 'shown'", entry.value);
      return question_.hides_picture = entry.value == "hidden", Expected<void>();
    }
    return failAtLine(entry.line,
                      "'{}' is not known here; a question has question, picture, and option, number (within, "
                      "unit), paint (warp, visit) or drag (where, step)",
                      entry.key);
  }

  Expected<void> ofKind(const LessonEntry& entry, LessonQuestion::Kind kind) {
    if (kind_ && (*kind_ != kind || kind != LessonQuestion::Kind::kChoice))
      return failAtLine(entry.line, "a question has only one of option, number, paint and drag");
    kind_ = question_.kind = kind;
    return {};
  }
  Expected<void> takeOption(const LessonEntry& entry) {
    auto option = readOption(entry);
    if (!option) return tl::unexpected(option.error());
    question_.options.push_back(std::move(*option));
    return ofKind(entry, LessonQuestion::Kind::kChoice);
  }
  Expected<void> takeNumber(const LessonEntry& entry) {
    auto number = Expression::parse(entry.value);
    if (!number) return failAtLine(entry.line, "{}", number.error().message);
    question_.number = std::move(*number);
    return ofKind(entry, LessonQuestion::Kind::kNumber);
  }
  static Expected<void> takeConstant(const LessonEntry& entry, double least, double most, double& to) {
    const auto parsed = Expression::parse(entry.value);
    const auto value = parsed ? parsed->constant() : std::nullopt;
    if (!value || *value < least || *value > most)
      return failAtLine(entry.line, "{}: '{}' is not a number from {} to {}", entry.key, entry.value, least,
                        most);
    return to = *value, Expected<void>();
  }
  Expected<void> takeDrag(const LessonEntry& entry) {
    const auto specs = parametersOf(familyOf(scene_), scene_.variant);
    if (std::ranges::find(specs, entry.value, &ParameterSpec::name) == specs.end())
      return failAtLine(entry.line, "{} {} has no setting '{}' that could be dragged", scene_.family,
                        scene_.variant, entry.value);
    question_.parameter = entry.value;
    return ofKind(entry, LessonQuestion::Kind::kDrag);
  }
  Expected<void> takeWhere(const LessonEntry& entry) {
    auto claim = Claim::parse(entry.value);
    if (!claim) return failAtLine(entry.line, "{}", claim.error().message);
    return question_.where = std::move(*claim), Expected<void>();
  }

  Expected<void> check() const {
    const uint32_t line = question_.line;
    if (question_.text.empty()) return failAtLine(line, "the question is missing: 'question: ...'");
    if (!kind_) return failAtLine(line, "a question has one of option, number, paint and drag");
    const size_t options = question_.options.size();
    if (*kind_ == LessonQuestion::Kind::kChoice && (options < 2 || options > kMostOptions))
      return failAtLine(line, "a choice has 2 to {} options, not {}", kMostOptions, options);
    if (*kind_ == LessonQuestion::Kind::kDrag && !question_.where)
      return failAtLine(line, "'drag' needs 'where: CLAIM', which says where the right value is");
    return {};
  }

  const LessonScene& scene_;
  LessonQuestion question_;
  std::optional<LessonQuestion::Kind> kind_;
};

}  // namespace

std::string numberWithUnit(const std::string& number, const std::string& unit) {
  const bool is_plural = unit.size() > 3 && unit.back() == 's' &&
                         std::ranges::all_of(unit, [](char c) { return c >= 'a' && c <= 'z'; });
  return unit.empty() || (number == "1" && is_plural) ? number : number + " " + unit;
}

Expected<LessonQuestion> readQuestion(const std::vector<LessonEntry>& entries, const LessonScene& scene,
                                      uint32_t line) {
  return QuestionReader(scene, line).read(entries);
}

}  // namespace warpscope
