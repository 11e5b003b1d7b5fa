// Files are replaced as a whole or not at all.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <iterator>

#include "kernels/core/files.h"

namespace warpscope {
namespace {

class AtomicFileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "warpscope-test-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  static std::string contentOf(const std::filesystem::path& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  size_t files() const {
    return static_cast<size_t>(std::distance(std::filesystem::directory_iterator(folder_), {}));
  }

  std::filesystem::path folder_;
};

TEST_F(AtomicFileTest, TakesItsNameWhenItIsWhole) {
  const auto path = folder_ / "file";
  ASSERT_TRUE(replaceFile(path, "old").has_value());
  auto file = AtomicFile::open(path);
  ASSERT_TRUE(file.has_value());
  file->write("ne");
  EXPECT_EQ(contentOf(path), "old");
  file->write("w");
  file->sync();
  EXPECT_EQ(file->bytes(), 3U);
  ASSERT_TRUE(file->commit().has_value());
  EXPECT_EQ(contentOf(path), "new");
  EXPECT_EQ(files(), 1U);
}

TEST_F(AtomicFileTest, ALinkIsFollowedOrReplacedAsAsked) {
  const auto target = folder_ / "target", link = folder_ / "link";
  ASSERT_TRUE(replaceFile(target, "old").has_value());
  std::filesystem::create_symlink(target, link);
  ASSERT_TRUE(replaceFile(link, "followed").has_value());
  EXPECT_EQ(contentOf(target), "followed");
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  ASSERT_TRUE(replaceFile(link, "replaced", Links::kReplace).has_value());
  EXPECT_EQ(contentOf(target), "followed");
  EXPECT_EQ(contentOf(link), "replaced");
  EXPECT_FALSE(std::filesystem::is_symlink(link));
  // A link that leads nowhere yet must not make a file elsewhere.
  std::filesystem::create_symlink(folder_ / "elsewhere", folder_ / "dangling");
  ASSERT_TRUE(replaceFile(folder_ / "dangling", "new", Links::kReplace).has_value());
  EXPECT_FALSE(std::filesystem::exists(folder_ / "elsewhere"));
  EXPECT_EQ(files(), 3U);
}

TEST_F(AtomicFileTest, AFolderIsNeverReplaced) {
  for (const Links links : {Links::kFollow, Links::kReplace}) {
    const auto written = replaceFile(folder_, "x", links);
    ASSERT_FALSE(written.has_value());
    EXPECT_NE(written.error().message.find("it is a folder"), std::string::npos) << written.error().message;
  }
}

TEST_F(AtomicFileTest, WithoutCommitNothingStays) {
  const auto path = folder_ / "file";
  ASSERT_TRUE(replaceFile(path, "old").has_value());
  {
    auto file = AtomicFile::open(path);
    ASSERT_TRUE(file.has_value());
    file->write("new");
  }
  EXPECT_EQ(contentOf(path), "old");
  EXPECT_EQ(files(), 1U);
}

TEST_F(AtomicFileTest, AFullDiskLeavesTheOldFile) {
  const auto path = folder_ / "file";
  ASSERT_TRUE(replaceFile(path, "old").has_value());
  // A file size limit fails writes like a full disk does.
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto signal_before = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{1024, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const auto written = replaceFile(path, std::string(5000, 'x'));
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, signal_before);
  ASSERT_FALSE(written.has_value());
  EXPECT_NE(written.error().message.find(path.string()), std::string::npos) << written.error().message;
  EXPECT_NE(written.error().message.find("unchanged"), std::string::npos) << written.error().message;
  EXPECT_EQ(contentOf(path), "old");
  EXPECT_EQ(files(), 1U);
}

TEST_F(AtomicFileTest, FollowsLinks) {
  const auto path = folder_ / "file", link = folder_ / "link";
  ASSERT_TRUE(replaceFile(path, "old").has_value());
  std::filesystem::create_symlink(path, link);
  ASSERT_TRUE(replaceFile(link, "new").has_value());
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_EQ(contentOf(path), "new");
  EXPECT_EQ(files(), 2U);
}

TEST_F(AtomicFileTest, WritesToDevicesAndToNoFolder) {
  EXPECT_TRUE(replaceFile("/dev/null", "gone").has_value());
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
  const auto full = replaceFile("/dev/full", "no room");
  ASSERT_FALSE(full.has_value());
  EXPECT_NE(full.error().message.find("No space left"), std::string::npos) << full.error().message;
  const auto folder = replaceFile(folder_, "x");
  ASSERT_FALSE(folder.has_value());
  EXPECT_NE(folder.error().message.find("it is a folder"), std::string::npos);
  EXPECT_FALSE(AtomicFile::open(folder_ / "no" / "file").has_value());
  EXPECT_TRUE(replaceFile(folder_ / "yes" / "file", "x").has_value());
}

}  // namespace
}  // namespace warpscope
