// The path of a file may name anything: a folder, a pipe, a device.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "kernels/core/files.h"

namespace warpscope {
namespace {

class ReadFileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "warpscope-test-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void expectRefused(const std::filesystem::path& path, const std::string& why) {
    const auto content = readFile(path, 8);
    ASSERT_FALSE(content.has_value()) << path;
    EXPECT_EQ(content.error().kind, ErrorKind::kBadRequest);
    EXPECT_NE(content.error().message.find(path.string()), std::string::npos) << content.error().message;
    EXPECT_NE(content.error().message.find(why), std::string::npos) << content.error().message;
  }

  std::filesystem::path folder_;
};

TEST_F(ReadFileTest, GivesTheWholeContent) {
  const std::string content("a\0b\r\n\xFF", 6);
  std::ofstream(folder_ / "file", std::ios::binary) << content;
  EXPECT_EQ(readFile(folder_ / "file").value(), content);
  std::ofstream(folder_ / "empty").flush();
  EXPECT_EQ(readFile(folder_ / "empty").value(), "");
}

TEST_F(ReadFileTest, RefusesWhatIsNoFileAndSaysWhy) {
  expectRefused(folder_, "it is a folder");
  expectRefused(folder_ / "nothing", "No such file");
  expectRefused("/dev/zero", "not a regular file");
  const auto pipe = folder_ / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  expectRefused(pipe, "not a regular file");
}

TEST_F(ReadFileTest, ReadsNoMoreThanWasAskedFor) {
  std::ofstream(folder_ / "long") << "123456789";
  expectRefused(folder_ / "long", "it has 9 bytes, and at most 8");
}

TEST_F(ReadFileTest, PartsBeyondTheEndAreErrors) {
  std::ofstream(folder_ / "file") << "abcdef";
  const auto file = ReadableFile::open(folder_ / "file");
  ASSERT_TRUE(file.has_value());
  EXPECT_EQ(file->bytes(), 6U);
  EXPECT_EQ(file->readAt(2, 3).value().front(), std::byte{'c'});
  EXPECT_TRUE(file->readAt(6, 0).has_value());
  EXPECT_FALSE(file->readAt(7, 0).has_value());
  EXPECT_FALSE(file->readAt(2, 5).has_value());
  EXPECT_FALSE(file->readAt(1, UINT64_MAX).has_value());
  std::filesystem::resize_file(folder_ / "file", 3);
  const auto cut = file->readAt(0, 6);
  ASSERT_FALSE(cut.has_value());
  EXPECT_EQ(cut.error().message, "it ends at offset 3");
}

}  // namespace
}  // namespace warpscope
