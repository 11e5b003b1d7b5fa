#include "viz/text/line_breaks.h"

#include <algorithm>
#include <array>

namespace warpscope {
namespace {

constexpr std::string_view kNeverFirst = "，。；：、？！）》」』”’…—·%,.;:?!)]";
constexpr std::string_view kNeverLast = "（《「『“‘([";

// The first character of valid UTF-8.
std::string_view firstCharacter(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  const size_t length = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  return text.substr(0, length);
}

// Ideographs, their punctuation and full-width forms: U+2E80 and above, three bytes from 0xE2 0xBA on.
bool isWide(std::string_view character) {
  return character.size() >= 3 && character >= std::string_view("\xE2\xBA\x80");
}

bool contains(std::string_view set, std::string_view character) {
  return set.find(character) != std::string_view::npos;
}

bool mayBreakBetween(std::string_view before, std::string_view after) {
  if (contains(kNeverFirst, after) || contains(kNeverLast, before)) return false;
  return before == " " || isWide(before) || isWide(after);
}

// Whether the text ends in a number and a space, and goes on with its unit.
bool isBeforeUnit(std::string_view before, std::string_view after) {
  constexpr std::array<std::string_view, 10> kUnits{"ns", "µs",  "ms",  "s",   "cycles",
                                                    "B",  "KiB", "MiB", "GiB", "TiB"};
  const size_t number = before.size();
  if (number < 2 || before[number - 1] != ' ' || before[number - 2] < '0' || before[number - 2] > '9')
    return false;
  const std::string_view word = after.substr(0, after.find_first_of(" ,.;:)\n"));
  return word.ends_with("/s") || std::ranges::find(kUnits, word) != kUnits.end();
}

// The piece that must stay in one line: a character, or a word with the punctuation at its ends; `units`: a
// number with its unit, too.
std::string_view firstPiece(std::string_view text, bool units) {
  std::string_view last = firstCharacter(text);
  size_t length = last.size();
  while (length < text.size() && last != "\n") {
    const std::string_view next = firstCharacter(text.substr(length));
    if (next == "\n") break;
    const bool joined = units && isBeforeUnit(text.substr(0, length), text.substr(length));
    if (!joined && mayBreakBetween(last, next)) break;
    length += next.size();
    last = next;
  }
  return text.substr(0, length);
}

}  // namespace

std::vector<std::string_view> unbrokenPieces(std::string_view text) {
  std::vector<std::string_view> pieces;
  while (!text.empty()) {
    pieces.push_back(firstPiece(text, true));
    text.remove_prefix(pieces.back().size());
  }
  return pieces;
}

std::string brokenLines(const std::string& text, float width, const TextMeasure& width_of) {
  std::string lines;
  float used = 0;
  for (std::string_view rest = text; !rest.empty();) {
    std::string_view piece = firstPiece(rest, true);
    if (width_of(piece) > width) piece = firstPiece(rest, false);
    rest.remove_prefix(piece.size());
    if (piece == "\n") {
      used = 0;
    } else {
      const bool space_follows = piece.back() == ' ';
      const float wide = width_of(space_follows ? piece.substr(0, piece.size() - 1) : piece);
      if (used > 0 && used + wide > width) {
        lines += '\n';
        used = 0;
      }
      used += width_of(piece);
    }
    lines += piece;
  }
  return lines;
}

}  // namespace warpscope
