// A gettext catalogue in memory: reads the .mo format (GNU gettext manual, "The Format of GNU MO Files").
// It knows nothing of the language of now; translate.h does.
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
  // `mo` is copied. Errors: not a .mo file, of another version, truncated, offsets that lead out of it.
  static Expected<Catalogue> read(std::string_view mo);

  // Nullptr: no such text, or not translated.
  const char* find(std::string_view english) const;
  const char* find(std::string_view context, std::string_view english) const;
  // Of a finished sentence, with its numbers in it, whose format is translated (with msgctxt "message").
  std::optional<std::string> findMessage(std::string_view english) const;

  const std::map<std::string, std::string, std::less<>>& entries() const { return entries_; }
  // English texts whose translation has other placeholders; they are left out.
  const std::vector<std::string>& mismatched() const { return mismatched_; }
  // All translations, one a line.
  std::string allTexts() const;

 private:
  struct Message {
    TextFormat english, translated;
    size_t letters = 0;  // outside of placeholders: the more, the less it is taken for another
  };
  void add(std::string_view english, std::string_view translated);
  std::optional<std::string> takenApart(std::string_view english) const;
  void addMessage(std::string_view english, std::string_view translated);

  std::map<std::string, std::string, std::less<>> entries_;
  std::vector<Message> messages_;  // the least ambiguous first
  std::vector<std::string> mismatched_;
};

}  // namespace warpscope
