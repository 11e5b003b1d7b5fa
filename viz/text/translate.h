// Translation of everything that the user reads. The English texts in the code are the keys; other languages
// are gettext catalogues (assets/translations/*.po), compiled to .mo and embedded at build time. glibc's
// gettext is not used, because it needs an installed locale, and because the language must be changeable
// while the window is open. A text without a translation, or whose translation has other placeholders, stays
// English.
//
// assets/translations/update.sh finds the literals in calls of tr, trf and trMark: pass them literals, or
// texts that are marked elsewhere (as the families' are).
#pragma once

#include <fmt/format.h>

#include <span>
#include <string>
#include <string_view>

#include "kernels/core/error.h"

namespace warpscope {

struct Language {
  const char* code;  // "zh_CN"
  const char* name;  // in that language
};

std::span<const Language> languages();  // English first
const Language& language();             // the current one
// Takes effect from now on, in all threads. Errors: there is no such language; its catalogue is damaged or
// not in this build.
Expected<void> setLanguage(std::string_view code);
// "zh_CN" or "en", according to LC_ALL, LC_MESSAGES and LANG.
const char* languageOfEnvironment();
// All texts of the current catalogue, one per line: a font must have these characters.
std::string textsOfLanguage();

// The translation, or `english` itself. The result is valid as long as the program runs, or as `english` is.
const char* tr(const char* english);
std::string tr(const std::string& english);
// Translates a word that has another meaning elsewhere; `context` is gettext's msgctxt.
const char* trAs(const char* context, const char* english);
// Translates a sentence that the engine composed, with numbers and names in it: errors, verifications,
// reasons of predictions.
std::string trMessage(const std::string& english);
// Marks a literal that is passed to tr() later, where a table needs a constant.
constexpr const char* trMark(const char* english) {
  return english;
}

// Formats with placeholders that are checked at compile time; the translation may reorder them by number
// ("{1} of {0}"), and was checked when the catalogue was loaded.
template <class... Args>
std::string trf(fmt::format_string<Args...> english, Args&&... args) {
  const fmt::string_view format(english);
  const std::string key(format.data(), format.size());
  return fmt::vformat(tr(key.c_str()), fmt::make_format_args(args...));
}

}  // namespace warpscope
