#include "viz/text/fuzzy.h"

#include <algorithm>
#include <array>

namespace warpscope {
namespace {

constexpr int kWhole = 1000, kBegin = 700, kWordBegin = 500, kInside = 250, kAbbreviation = 300,
              kScattered = 100;
constexpr int kAlsoPercent = 75;  // of other names
constexpr int kMostLengthPenalty = 60;
constexpr int kMostSteps = 500, kMostSkipped = 3;        // of an abbreviation
constexpr size_t kLeastInside = 2, kLeastScattered = 3;  // letters: fewer occur in nearly every text

constexpr std::array<std::string_view, 12> kIdle{"what", "is",   "a",  "an", "the", "are",
                                                 "how",  "does", "go", "to", "of",  "in"};
constexpr std::array<std::string_view, 4> kIdleChinese{"什么是", "是什么", "什么叫", "？"};

bool isLetter(char c) {
  // Bytes above 127 belong to characters of other scripts, each of which counts as a part of a word.
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || static_cast<unsigned char>(c) >= 0x80;
}

bool beginsWord(std::string_view text, size_t at) {
  if (at == 0 || !isLetter(text[at - 1])) return true;
  // Each character of a script without spaces may begin a word; its first byte is not a continuation.
  const auto byte = static_cast<unsigned char>(text[at]);
  if (byte >= 0x80) return byte >= 0xC0;
  const bool digit = text[at] >= '0' && text[at] <= '9',
             digit_before = text[at - 1] >= '0' && text[at - 1] <= '9';
  return digit != digit_before;
}

uint64_t lettersOf(std::string_view text) {
  uint64_t letters = 0;
  for (const char c : text) letters |= uint64_t{1} << (static_cast<unsigned char>(c) & 63U);
  return letters;
}

// `word` is a sequence of beginnings of words of `text`, the first of them at `at` or later: "shpad" of
// "shared_padded". The number of words that were skipped; negative: it is not, or not within `steps`, without
// which a text of many equal words would take for ever.
int skippedWords(std::string_view text, std::string_view word, size_t at, int& steps) {
  int skipped = 0;
  for (; at < text.size() && skipped <= kMostSkipped && --steps > 0; ++at) {
    if (!beginsWord(text, at) || !isLetter(text[at])) continue;
    // As many letters as possible come from this word; if the rest is not found then, fewer.
    size_t most = 0;
    while (most < word.size() && at + most < text.size() && text[at + most] == word[most]) ++most;
    if (most == word.size()) return skipped;
    for (size_t taken = most; taken > 0; --taken) {
      const int rest = skippedWords(text, word.substr(taken), at + taken, steps);
      if (rest >= 0) return skipped + rest;
    }
    ++skipped;
  }
  return -1;
}

// The letters of `word` in order, from the beginning of a word on and not far apart: "wvfrnt" of "wavefront".
// The number of letters between them; negative: there are none such.
int gapsBetween(std::string_view text, std::string_view word) {
  for (size_t begin = 0; begin < text.size(); ++begin) {
    if (text[begin] != word.front() || !beginsWord(text, begin)) continue;
    size_t at = begin, matched = 0;
    const size_t end = std::min(text.size(), begin + 2 * word.size() + 2);
    for (; at < end && matched < word.size(); ++at) matched += text[at] == word[matched] ? 1 : 0;
    if (matched == word.size()) return static_cast<int>(at - begin - word.size());
  }
  return -1;
}

int scoreOfWord(std::string_view text, std::string_view word) {
  if (word.size() > text.size()) return 0;
  int best = 0;
  for (size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    if (at == 0) return word.size() == text.size() ? kWhole : kBegin;
    if (beginsWord(text, at)) return kWordBegin;
    if (word.size() >= kLeastInside) best = kInside;
  }
  if (best > 0) return best;
  if (word.size() >= kLeastInside) {
    int steps = kMostSteps;
    if (const int skipped = skippedWords(text, word, 0, steps); skipped >= 0 && skipped <= kMostSkipped)
      return std::max(kAbbreviation - 10 * skipped, kScattered);
  }
  if (word.size() < kLeastScattered) return 0;
  const int gaps = gapsBetween(text, word);
  return gaps < 0 ? 0 : kScattered - gaps;
}

}  // namespace

std::string folded(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

std::vector<std::string> soughtWords(std::string_view typed) {
  std::string text = folded(typed);
  for (const std::string_view idle : kIdleChinese) {
    if (const size_t at = text.find(idle); at != std::string::npos && text.size() > idle.size())
      text.replace(at, idle.size(), " ");
  }
  std::vector<std::string> words;
  for (size_t at = 0; at < text.size();) {
    const size_t begin = text.find_first_not_of(" \t?", at);
    if (begin == std::string::npos) break;
    at = std::min(text.find_first_of(" \t", begin), text.size());
    std::string word = text.substr(begin, at - begin);
    while (word.size() > 1 && word.back() == '?') word.pop_back();
    words.push_back(std::move(word));
  }
  const auto is_idle = [](const std::string& word) { return std::ranges::find(kIdle, word) != kIdle.end(); };
  if (!std::ranges::all_of(words, is_idle)) std::erase_if(words, is_idle);
  return words;
}

void FuzzyTexts::add(std::string_view text, std::string_view also, int bonus) {
  Text added{.begin = pool_.size(),
             .length = static_cast<uint32_t>(text.size()),
             .also_length = static_cast<uint32_t>(also.size()),
             .bonus = bonus};
  pool_ += folded(text);
  pool_ += folded(also);
  added.letters = lettersOf(std::string_view(pool_).substr(added.begin));
  texts_.push_back(added);
}

int FuzzyTexts::scoreOf(const Text& text, const std::vector<std::string>& words) const {
  const std::string_view name = std::string_view(pool_).substr(text.begin, text.length);
  const std::string_view also = std::string_view(pool_).substr(text.begin + text.length, text.also_length);
  int sum = 0;
  for (const std::string& word : words) {
    const int score = std::max(scoreOfWord(name, word), scoreOfWord(also, word) * kAlsoPercent / 100);
    if (score == 0) return 0;
    sum += score;
  }
  const int penalty = std::min(static_cast<int>(text.length), kMostLengthPenalty);
  return std::max(1, sum / static_cast<int>(words.size()) - penalty + text.bonus);
}

std::vector<FuzzyTexts::Hit> FuzzyTexts::search(std::string_view typed, size_t most) const {
  const std::vector<std::string> words = soughtWords(typed);
  std::vector<Hit> hits;
  if (words.empty() || most == 0) return hits;
  uint64_t letters = 0;
  for (const std::string& word : words) letters |= lettersOf(word);
  for (uint32_t index = 0; index < texts_.size(); ++index) {
    if ((texts_[index].letters & letters) != letters) continue;
    if (const int score = scoreOf(texts_[index], words); score > 0) hits.push_back({index, score});
  }
  const auto better = [](const Hit& a, const Hit& b) {
    return a.score != b.score ? a.score > b.score : a.index < b.index;
  };
  const size_t kept = std::min(most, hits.size());
  std::partial_sort(hits.begin(), hits.begin() + static_cast<std::ptrdiff_t>(kept), hits.end(), better);
  hits.resize(kept);
  return hits;
}

}  // namespace warpscope
