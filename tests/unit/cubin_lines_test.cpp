// The line table of a module's code: which line of the PTX an instruction came from.
#include "kernels/backend/cuda/counters/cubin_lines.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

namespace warpscope::cuda {
namespace {

// An ELF file as the driver's compiler makes it, of two functions: "first" at byte 0 of section 1, "second"
// at byte 48 of it. The line program has special opcodes, advances, an unknown opcode and two sequences.
class Cubin {
 public:
  Cubin() {
    const auto names =
        text({"", ".text", ".symtab", ".strtab", ".nv_debug_line_sass", ".rela.nv_debug_line_sass"});
    std::string symbols(24, '\0');
    symbols += symbol(nameAt("first"), 2, 0) + symbol(nameAt("second"), 2, 48) + symbol(0, 3, 0);
    const std::string lines = unit();
    std::string relocations =
        number<uint64_t>(sequence_at_[0]) + number(uint64_t{1} << 32U | 2U) + number<uint64_t>(0);
    relocations += number<uint64_t>(sequence_at_[1]) + number(uint64_t{3} << 32U | 2U) + number<uint64_t>(48);
    content_ = {"", std::string(80, 'x'), symbols, strings_, lines, relocations, names};
    links_ = {0, 0, 3, 0, 0, 2, 0};
    names_at_ = {0, 1, 7, 15, 23, 43, 0};
  }

  std::string bytes() const {
    std::string file(
        "\x7F"
        "ELF",
        4);
    file.resize(40);
    std::string table;
    uint64_t at = 64;
    for (size_t i = 0; i < content_.size(); ++i) {
      table +=
          number<uint32_t>(names_at_[i]) + number<uint32_t>(1) + number<uint64_t>(0) + number<uint64_t>(0);
      table += number<uint64_t>(at) + number<uint64_t>(content_[i].size()) + number<uint32_t>(links_[i]);
      table.resize(64 * (i + 1));
      at += content_[i].size();
    }
    file += number<uint64_t>(at);
    file.resize(58);
    file += number<uint16_t>(64) + number(static_cast<uint16_t>(content_.size())) +
            number(static_cast<uint16_t>(content_.size() - 1));
    for (const std::string& content : content_) file += content;
    return file + table;
  }

 private:
  template <class T>
  static std::string number(T value) {
    return {reinterpret_cast<const char*>(&value), sizeof value};
  }
  static std::string text(const std::vector<std::string>& words) {
    std::string all;
    for (const std::string& word : words) all += word + '\0';
    return all;
  }
  uint32_t nameAt(const std::string& name) {
    const auto at = static_cast<uint32_t>(strings_.size());
    strings_ += name + '\0';
    return at;
  }
  static std::string symbol(uint32_t name, char kind, uint64_t value) {
    return number(name) + kind + '\0' + number<uint16_t>(1) + number(value) + number<uint64_t>(32);
  }
  std::string sequence(size_t which, size_t before, const std::string& rows) {
    std::string program("\0\x09\x02", 3);
    sequence_at_[which] = before + program.size();
    return program + std::string(8, '\0') + rows + std::string("\0\x01\x01", 3);
  }
  std::string unit() {
    // Line base -5, range 14, first special opcode 10, operands of the opcodes before it.
    const std::string rest("\x01\x01\xFB\x0E\x0A\0\1\1\1\1\0\0\0\1\0\0", 16);
    std::string bytes = number<uint16_t>(2) + number(static_cast<uint32_t>(rest.size())) + rest;
    // Line 20 at 0; 16 bytes on, line 25 (special); 16 bytes on, line 21 (set by advances); ends at 48.
    bytes += sequence(0, 4 + bytes.size(), std::string("\x03\x13\x01\xF4\x02\x10\x03\x7C\x01\x02\x10", 11));
    // A column that does not matter, line 40 at 0 of its section's byte 48.
    bytes += sequence(1, 4 + bytes.size(), std::string("\x05\x07\x03\x27\x01\x02\x20", 7));
    return number(static_cast<uint32_t>(bytes.size())) + bytes;
  }

  std::string strings_ = std::string(1, '\0');
  size_t sequence_at_[2] = {};
  std::vector<std::string> content_;
  std::vector<uint32_t> links_, names_at_;
};

CubinLines linesOf(const std::string& bytes) {
  return CubinLines(std::as_bytes(std::span(bytes)));
}

TEST(CubinLines, AreThoseOfTheInstructionsOfEachFunction) {
  const CubinLines lines = linesOf(Cubin().bytes());
  EXPECT_EQ(lines.lineAt("first", 0), 20U);
  EXPECT_EQ(lines.lineAt("first", 8), 20U) << "a row holds until the next";
  EXPECT_EQ(lines.lineAt("first", 16), 25U);
  EXPECT_EQ(lines.lineAt("first", 32), 21U);
  EXPECT_EQ(lines.lineAt("second", 0), 40U);
  EXPECT_EQ(lines.lineAt("second", 16), 40U);
  EXPECT_EQ(lines.lineAt("second", 32), 0U) << "behind the end";
  EXPECT_EQ(lines.lineAt("third", 0), 0U);
}

TEST(CubinLines, OfDamagedBytesAreWhatCanBeRead) {
  const std::string whole = Cubin().bytes();
  EXPECT_TRUE(linesOf("").empty());
  EXPECT_TRUE(linesOf(std::string(4096, 'x')).empty());
  for (size_t length = 0; length < whole.size(); ++length)
    EXPECT_LE(linesOf(whole.substr(0, length)).lineAt("first", 16), 25U) << length;
  for (size_t at = 0; at < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x5A);
    linesOf(damaged).lineAt("second", 16);  // anything, but it comes back
  }
}

}  // namespace
}  // namespace warpscope::cuda
