// What the user reads, in the language of choice. English texts stand in the code and are the keys; other
// languages are gettext catalogues (assets/translations/*.po), compiled to .mo and embedded at build time.
// glibc's gettext is not used: it needs an installed locale, and the language must change while the window is
// open. A text without a translation, or whose translation has other placeholders, stays English.
//
// assets/translations/update.sh finds the literals behind tr, trf and trMark: pass them literals, or texts
// that are marked elsewhere (the families' are).
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
const Language& language();             // of now
// From now on, in all threads. Errors: no such language, its catalogue is damaged or not in this build.
Expected<void> setLanguage(std::string_view code);
// "zh_CN" or "en", as LC_ALL, LC_MESSAGES and LANG say.
const char* languageOfEnvironment();
// All that the catalogue of now can say, one text a line: a font must have these characters.
std::string textsOfLanguage();

// The translation, or `english` itself. What it points to lives as long as the program, or as `english`.
const char* tr(const char* english);
std::string tr(const std::string& english);
// Of a word that means something else in another place; `context` is gettext's msgctxt.
const char* trAs(const char* context, const char* english);
// Of a sentence that the engine made, numbers and names in it: errors, what was verified, why theory says so.
std::string trMessage(const std::string& english);
// Marks a literal that is given to tr() later, where a table needs a constant.
constexpr const char* trMark(const char* english) {
  return english;
}

// A format with placeholders, checked at compile time; its translation may put them in another order by
// number
// ("{1} of {0}"), and was checked when the catalogue was loaded.
template <class... Args>
std::string trf(fmt::format_string<Args...> english, Args&&... args) {
  const fmt::string_view format(english);
  const std::string key(format.data(), format.size());
  return fmt::vformat(tr(key.c_str()), fmt::make_format_args(args...));
}

}  // namespace warpscope
