#include "viz/text/translate.h"

#include <array>
#include <atomic>
#include <cstdlib>

#include "viz/text/catalogue.h"

// From embedded.S, which viz/text/CMakeLists.txt writes. Empty if the build found no msgfmt.
extern "C" const char warpscope_translation_zh_CN[], warpscope_translation_end_zh_CN[];

namespace warpscope {
namespace {

constexpr std::array<Language, 2> kLanguages{{{"en", "English"}, {"zh_CN", "简体中文"}}};

// Never changes and is never freed: layout threads may hold its texts while the window changes the language.
struct Choice {
  const Language* language = &kLanguages.front();
  const Catalogue* catalogue = nullptr;
};
constexpr Choice kEnglish{};
std::atomic<const Choice*> choice_of_now = &kEnglish;

std::string_view embedded() {
  const auto bytes = static_cast<size_t>(warpscope_translation_end_zh_CN - warpscope_translation_zh_CN);
  return {warpscope_translation_zh_CN, bytes};
}

Expected<const Choice*> chinese() {
  if (embedded().empty()) {
    return fail(ErrorKind::kWorkFailed,
                "this program was built without translations: install gettext and build again");
  }
  static const Expected<Catalogue> kCatalogue = Catalogue::read(embedded());
  if (!kCatalogue) return tl::unexpected(kCatalogue.error());
  static const Choice kChoice{&kLanguages[1], &*kCatalogue};
  return &kChoice;
}

}  // namespace

std::span<const Language> languages() {
  return kLanguages;
}

const Language& language() {
  return *choice_of_now.load()->language;
}

Expected<void> setLanguage(std::string_view code) {
  if (code == kLanguages[0].code) {
    choice_of_now = &kEnglish;
    return {};
  }
  if (code != kLanguages[1].code)
    return fail(ErrorKind::kBadRequest, "there is no language '{}': the languages are en and zh_CN", code);
  const auto choice = chinese();
  if (!choice) return tl::unexpected(choice.error());
  choice_of_now = *choice;
  return {};
}

const char* languageOfEnvironment() {
  for (const char* name : {"LC_ALL", "LC_MESSAGES", "LANG"}) {
    const char* value = std::getenv(name);
    if (value == nullptr || *value == '\0') continue;
    return std::string_view(value).starts_with("zh") ? kLanguages[1].code : kLanguages[0].code;
  }
  return kLanguages[0].code;
}

std::string textsOfLanguage() {
  const Catalogue* catalogue = choice_of_now.load()->catalogue;
  return catalogue == nullptr ? std::string() : catalogue->allTexts();
}

const char* tr(const char* english) {
  const Catalogue* catalogue = choice_of_now.load()->catalogue;
  const char* translated = catalogue == nullptr ? nullptr : catalogue->find(english);
  return translated == nullptr ? english : translated;
}

const char* trAs(const char* context, const char* english) {
  const Catalogue* catalogue = choice_of_now.load()->catalogue;
  const char* translated = catalogue == nullptr ? nullptr : catalogue->find(context, english);
  return translated == nullptr ? english : translated;
}

std::string trMessage(const std::string& english) {
  const Catalogue* catalogue = choice_of_now.load()->catalogue;
  if (catalogue == nullptr) return english;
  return catalogue->findMessage(english).value_or(english);
}

std::string tr(const std::string& english) {
  return tr(english.c_str());
}

}  // namespace warpscope
