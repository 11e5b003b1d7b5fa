#include "app/gui/editor/code_colours.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "app/gui/file_watch.h"

namespace warpscope {
namespace {

std::string kinds(std::string_view line, bool& in_comment) {
  static constexpr std::string_view kLetters = ".kcnsd#";  // by CodeKind; comments are 'd'
  std::string letters;
  size_t at = 0;
  for (const CodeSpan& span : colourLine(line, in_comment)) {
    EXPECT_EQ(span.begin, at);
    at = span.end;
    letters.append(span.end - span.begin, kLetters[static_cast<size_t>(span.kind)]);
  }
  EXPECT_EQ(at, line.size());
  return letters;
}

TEST(CodeColours, CoverTheWholeLine) {
  bool in_comment = false;
  EXPECT_EQ(kinds("int i = 0x1F; // x", in_comment), "kkk.....nnnn..dddd");
  EXPECT_EQ(kinds("__global__ f(\"a\\\"b\");", in_comment), "cccccccccc...ssssss..");
  EXPECT_EQ(kinds("#include <a>", in_comment), "########....");
  EXPECT_EQ(kinds("1'000 'c'", in_comment), "nnnnn.sss");
  EXPECT_EQ(kinds("a /* b", in_comment), "..dddd");
  EXPECT_TRUE(in_comment);
  EXPECT_EQ(kinds("c */ d", in_comment), "dddd..");
  EXPECT_FALSE(in_comment);
  EXPECT_EQ(kinds("", in_comment), "");
}

// Waits for what comes within a second or two; a machine may be busy.
bool changes(FileWatch& watch) {
  for (int i = 0; i < 200; ++i) {
    if (watch.takeChange()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(25));
  }
  return false;
}

TEST(FileWatch, SeesAFileThatIsWrittenOrReplaced) {
  const auto folder = std::filesystem::temp_directory_path() / ("watch-" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  const auto file = folder / "a.cu";
  std::ofstream(file) << "one";
  FileWatch watch([] {});
  watch.watch(file);
  std::this_thread::sleep_for(std::chrono::milliseconds(150));
  EXPECT_FALSE(watch.takeChange());
  std::ofstream(file) << "two and more";
  EXPECT_TRUE(changes(watch));
  std::ofstream(folder / "b.cu") << "three and more";
  std::filesystem::rename(folder / "b.cu", file);
  EXPECT_TRUE(changes(watch));
  EXPECT_FALSE(watch.takeChange());
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace warpscope
