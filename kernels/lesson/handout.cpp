#include "kernels/lesson/handout.h"

#include <fmt/format.h>

#include "kernels/core/units.h"
#include "kernels/export/text_writer.h"

namespace warpscope {
namespace {

using BlockKind = MarkdownBlock::Kind;
using QuestionKind = LessonQuestion::Kind;

struct Words {
  const char *minutes, *numbers_of, *sources, *answer, *right, *setting;
};
constexpr Words kEnglish{"minutes", "Numbers", "Sources", "Answer", "Right", "Setting"};
constexpr Words kChinese{"分钟", "数值来自", "资料来源", "回答", "正确答案", "设置"};

constexpr const char* kStyle = R"(
body { font-family: Roboto, "Noto Sans", "WenQuanYi Micro Hei", sans-serif; max-width: 46em; margin: 2em auto; padding: 0 1em; line-height: 1.5; color: #111; }
h1 { margin-bottom: 0; } h2 { margin-top: 2em; border-bottom: 1px solid #999; }
section { break-inside: avoid; } img { max-width: 100%; border: 1px solid #bbb; }
code, pre { font-family: "JetBrains Mono", monospace; font-size: 0.92em; } pre { background: #f2f2f2; padding: 0.6em; overflow-x: auto; }
.question { border-left: 4px solid #1f5fbf; padding-left: 0.8em; } .option { margin: 0.3em 0; } .right { font-weight: bold; }
.line { border-bottom: 1px solid #666; height: 1.8em; } .answer { background: #f4f4ec; padding: 0.4em 0.8em; } .quiet { color: #555; }
.lanes { border-collapse: collapse; } .lanes td { border: 1px solid #666; width: 1.7em; text-align: center; font-size: 0.8em; } .lanes .on { background: #333; color: #fff; }
)";

// RFC 4648.
std::string base64(std::string_view bytes) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (size_t i = 0; i < bytes.size(); i += 3) {
    const auto byte = [&](size_t k) {
      return k < bytes.size() ? static_cast<uint32_t>(static_cast<unsigned char>(bytes[k])) : 0U;
    };
    const uint32_t group = byte(i) << 16 | byte(i + 1) << 8 | byte(i + 2);
    for (int digit = 0; digit < 4; ++digit)
      text +=
          i + static_cast<size_t>(digit) > bytes.size() ? '=' : kDigits[(group >> (18 - 6 * digit)) & 63U];
  }
  return text;
}

class HandoutWriter {
 public:
  HandoutWriter(const Lesson& lesson, const std::vector<HandoutStep>& steps, const HandoutOptions& options)
      : lesson_(lesson),
        steps_(steps),
        options_(options),
        words_(options.language == "zh_CN" ? kChinese : kEnglish) {}

  std::string write() {
    html_ = fmt::format(
        "<!DOCTYPE html>\n<html lang=\"{}\"><head><meta "
        "charset=\"utf-8\"><title>{}</title><style>{}</style></head><body>\n",
        options_.language == "zh_CN" ? "zh-CN" : "en", markupText(lesson_.title), kStyle);
    html_ += fmt::format("<h1>{}</h1>\n<p class=\"quiet\">{}", markupText(lesson_.title),
                         markupText(lesson_.summary));
    if (lesson_.minutes > 0) html_ += fmt::format(" · {} {}", lesson_.minutes, words_.minutes);
    html_ += fmt::format(" · {}: {}</p>\n", words_.numbers_of, markupText(options_.device));
    for (size_t i = 0; i < lesson_.steps.size(); ++i) writeStep(i);
    if (!lesson_.sources.empty()) {
      html_ += fmt::format("<h2>{}</h2>\n<ul>\n", words_.sources);
      for (const std::string& source : lesson_.sources) html_ += "<li>" + markupText(source) + "</li>\n";
      html_ += "</ul>\n";
    }
    return html_ + "</body></html>\n";
  }

 private:
  void writeStep(size_t index) {
    const LessonStep& step = lesson_.steps[index];
    const HandoutStep& shown = steps_[index];
    html_ += fmt::format("<section><h2>{}. {}</h2>\n", index + 1, markupText(step.title));
    writeTexts(step, shown, step.caption);
    const bool hidden = step.question && step.question->hides_picture && !options_.answers;
    if (!shown.svg.empty() && !hidden)
      html_ += fmt::format("<p><img alt=\"{}\" src=\"data:image/svg+xml;base64,{}\"></p>\n",
                           markupText(step.title), base64(shown.svg));
    if (step.question) {
      writeQuestion(*step.question, step.scene, shown);
      if (options_.answers) {
        html_ += "<div class=\"answer\">\n";
        writeTexts(step, shown, step.answer);
        html_ += "</div>\n";
      }
    }
    html_ += "</section>\n";
  }

  void writeTexts(const LessonStep& step, const HandoutStep& shown,
                  const std::vector<MarkdownBlock>& blocks) {
    for (const MarkdownBlock& block : withNumbers(blocks, step.scene, shown.runs, shown.recorded)) {
      if (block.kind == BlockKind::kCode) {
        html_ += "<pre>" + markupText(plainText(block)) + "</pre>\n";
        continue;
      }
      std::string text;
      for (const MarkdownSpan& span : block.spans) text += spanText(span);
      if (block.kind == BlockKind::kListItem) {
        html_ += fmt::format("<p style=\"margin:0 0 0 {}em\">{} {}</p>\n", block.level * 2 - 1,
                             markupText(block.marker), text);
      } else {
        html_ += "<p>" + text + "</p>\n";
      }
    }
  }
  static std::string spanText(const MarkdownSpan& span) {
    std::string text = markupText(span.text);
    if (span.code) text = "<code>" + text + "</code>";
    if (span.strong) text = "<strong>" + text + "</strong>";
    if (span.emphasis) text = "<em>" + text + "</em>";
    // Addresses of other kinds could run something.
    const bool web = span.link.starts_with("https://") || span.link.starts_with("http://");
    return web ? fmt::format("<a href=\"{}\">{}</a>", markupText(span.link), text) : text;
  }

  void writeQuestion(const LessonQuestion& question, const LessonScene& scene, const HandoutStep& shown) {
    html_ += "<div class=\"question\"><p><strong>" + markupText(question.text) + "</strong></p>\n";
    const auto right =
        options_.answers ? rightAnswer(question, scene, shown.runs) : Expected<LessonAnswer>(LessonAnswer{});
    for (size_t i = 0; i < question.options.size(); ++i) {
      const bool is_right = right && right->option == i;
      html_ += fmt::format("<p class=\"option{}\">{} {}</p>\n", is_right ? " right" : "",
                           is_right ? "☑" : "☐", markupText(question.options[i].text));
    }
    switch (question.kind) {
      case QuestionKind::kChoice:
        break;
      case QuestionKind::kNumber:
        if (options_.answers && right && right->number) {
          html_ += fmt::format("<p class=\"right\">{}: {}</p>\n", words_.right,
                               markupText(numberWithUnit(formatNumber(*right->number, 3), question.unit)));
        } else {
          html_ += fmt::format("<p class=\"line\">{}: <span style=\"float:right\">{}</span></p>\n",
                               words_.answer, markupText(question.unit));
        }
        break;
      case QuestionKind::kPaint:
        writeLanes(right && right->lanes ? *right->lanes : LaneMask{});
        break;
      case QuestionKind::kDrag:
        if (options_.answers && !shown.settings.empty()) {
          html_ +=
              fmt::format("<p class=\"right\">{}: {} {}</p>\n", words_.right, markupText(question.parameter),
                          markupText(fmt::format("{}", fmt::join(shown.settings, ", "))));
        } else {
          html_ +=
              fmt::format("<p class=\"line\">{} {}:</p>\n", words_.setting, markupText(question.parameter));
        }
        break;
    }
    html_ += "</div>\n";
  }
  void writeLanes(LaneMask painted) {
    html_ += "<table class=\"lanes\">";
    constexpr int kInRow = 16;
    for (int lane = 0; lane < kWarpSize; ++lane) {
      if (lane % kInRow == 0) html_ += "<tr>";
      html_ += fmt::format("<td{}>{}</td>", painted.has(lane) ? " class=\"on\"" : "", lane);
      if (lane % kInRow == kInRow - 1) html_ += "</tr>";
    }
    html_ += "</table>\n";
  }

  const Lesson& lesson_;
  const std::vector<HandoutStep>& steps_;
  const HandoutOptions& options_;
  const Words& words_;
  std::string html_;
};

}  // namespace

std::string handoutOf(const Lesson& lesson, const std::vector<HandoutStep>& steps,
                      const HandoutOptions& options) {
  return HandoutWriter(lesson, steps, options).write();
}

}  // namespace warpscope
