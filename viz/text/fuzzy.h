// Finding texts by a few typed letters: "sp" finds shared_padded, "block s" the block size, and Chinese texts
// are found by any of their characters. Letters' case does not matter, nor the order of words.
//
// Texts are folded once, when they are added; a search looks at each at most once and allocates nothing per
// text, so that a hundred thousand can be searched at every change of what is typed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warpscope {

// Lower case for ASCII; everything else stays.
std::string folded(std::string_view text);
// The words that are looked for, folded: "what is a wavefront" -> "wavefront". Words that say nothing are
// left out if others remain.
std::vector<std::string> soughtWords(std::string_view typed);

class FuzzyTexts {
 public:
  struct Hit {
    uint32_t index = 0;  // in the order of add()
    int score = 0;       // the more the better
  };

  // `also`: other names for the same thing, for which it is found, too, with less weight. `bonus`: for kinds
  // of things that are to come before others that match as well; a whole word more matched is about 200.
  void add(std::string_view text, std::string_view also = {}, int bonus = 0);
  size_t size() const { return texts_.size(); }

  // The best `most`, best first; equally good ones in the order in which they were added. Nothing if there is
  // no word in `typed`.
  std::vector<Hit> search(std::string_view typed, size_t most) const;

 private:
  struct Text {
    size_t begin = 0;  // in pool_
    uint32_t length = 0, also_length = 0;
    uint64_t letters = 0;  // which occur: rules most texts out
    int bonus = 0;
  };
  int scoreOf(const Text& text, const std::vector<std::string>& words) const;

  std::string pool_;  // of all texts, each followed by its other names
  std::vector<Text> texts_;
};

}  // namespace warpscope
