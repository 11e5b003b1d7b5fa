// A gettext catalogue in memory: reads the .mo format (GNU gettext manual, "The Format of GNU MO Files").
// It knows nothing of the language of now; translate.h does.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/core/error.h"

namespace warpscope {

class Catalogue {
 public:
  // `mo` is copied. Errors: not a .mo file, of another version, truncated, offsets that lead out of it.
  static Expected<Catalogue> read(std::string_view mo);

  // Nullptr: no such text, or not translated.
  const char* find(std::string_view english) const;
  const std::map<std::string, std::string, std::less<>>& entries() const { return entries_; }
  // English texts whose translation has other placeholders; left out of entries().
  const std::vector<std::string>& mismatched() const { return mismatched_; }

 private:
  std::map<std::string, std::string, std::less<>> entries_;
  std::vector<std::string> mismatched_;
};

// The placeholders of an {fmt} format, each with its number and specification ("0:.1f"), sorted. Nullopt: no
// format ("{" alone, or numbered and unnumbered ones mixed).
std::optional<std::vector<std::string>> placeholders(std::string_view format);

}  // namespace warpscope
