// A gettext catalogue in memory: reads the .mo format (GNU gettext manual, "The Format of GNU MO Files"). It
// does not know the current language; translate.h does.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/core/error.h"
#include "viz/text/format.h"

namespace warpscope {

class Catalogue {
 public:
  // Copies `mo`. Errors (kDamagedFile): not a .mo file, an unknown version, truncated, or offsets that point
  // outside it.
  static Expected<Catalogue> read(std::string_view mo);

  // nullptr if there is no such text, or it is not translated.
  const char* find(std::string_view english) const;
  const char* find(std::string_view context, std::string_view english) const;
  // Translates a finished sentence, including its numbers, whose format is in the catalogue (with msgctxt
  // "message").
  std::optional<std::string> findMessage(std::string_view english) const;

  const std::map<std::string, std::string, std::less<>>& entries() const { return entries_; }
  // English texts whose translation has other placeholders; these translations are left out.
  const std::vector<std::string>& mismatched() const { return mismatched_; }
  // All translations, one per line.
  std::string allTexts() const;

 private:
  struct Message {
    TextFormat english, translated;
    size_t letters = 0;  // outside placeholders: the more, the less likely a wrong match is
  };
  void add(std::string_view english, std::string_view translated);
  std::optional<std::string> takenApart(std::string_view english) const;
  std::optional<std::string> partOfMessage(std::string_view part) const;
  void addMessage(std::string_view english, std::string_view translated);

  std::map<std::string, std::string, std::less<>> entries_;
  std::vector<Message> messages_;  // the least ambiguous first
  std::vector<std::string> mismatched_;
};

}  // namespace warpscope
