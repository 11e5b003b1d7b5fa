// What is in a folder and at a path, looked up on threads of their own: a disk that does not answer must not
// stop the window.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "kernels/device/service/worker.h"

namespace warpscope {

struct FolderEntry {
  std::string name;  // in UTF-8, as far as the file system is
  bool is_folder = false;
  uint64_t bytes = 0;     // of a file
  int64_t changed_s = 0;  // seconds since 1970
  bool operator==(const FolderEntry&) const = default;
};

struct FolderListing {
  std::filesystem::path folder;
  std::vector<FolderEntry> entries;  // folders first, each by name; those that begin with a dot, too
  std::string problem;               // why there are none, or not all; empty: these are all
};

inline constexpr size_t kMostEntries = 20'000;

FolderListing listFolder(const std::filesystem::path& folder, const std::stop_token& stop);

// Lists the folder that is wanted now. One thread owns it; see worker.h.
class FolderLister {
 public:
  explicit FolderLister(std::function<void()> wake) : done_(std::move(wake)) {}

  void want(const std::filesystem::path& folder);  // lists it unless that is the folder wanted last
  void refresh();                                  // lists the wanted folder again
  bool poll();                                     // true: there is a new listing
  bool busy() const { return worker_.busy(); }
  const FolderListing* listing() const;  // of the wanted folder; nullptr: not read yet

 private:
  std::filesystem::path wanted_;
  std::optional<FolderListing> listing_;
  Mailbox<FolderListing> done_;
  Worker worker_;  // last: it uses the others
};

// What is at a path that was typed.
struct PathFacts {
  std::filesystem::path path;
  std::filesystem::path written;                      // the file that would be written: with its ending
  bool is_folder = false, is_file = false;            // the path
  bool folder_exists = false, would_replace = false;  // of the file
};
PathFacts factsOf(const std::filesystem::path& path, const std::filesystem::path& written);

// Looks up the path that was asked for last. One thread owns it; see worker.h.
class PathExaminer {
 public:
  explicit PathExaminer(std::function<void()> wake) : done_(std::move(wake)) {}

  void want(const std::filesystem::path& path, const std::filesystem::path& written);
  void forget() { wanted_.reset(); }  // its answer is not needed any more
  bool poll();                        // true: facts() has them now
  bool busy() const { return worker_.busy(); }
  bool waits() const { return wanted_.has_value(); }
  // Once for each path that was asked for.
  std::optional<PathFacts> facts() { return std::exchange(facts_, std::nullopt); }

 private:
  std::optional<std::filesystem::path> wanted_;
  std::optional<PathFacts> facts_;
  Mailbox<PathFacts> done_;
  Worker worker_;  // last: it uses the others
};

}  // namespace warpscope
