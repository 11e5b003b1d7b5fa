#include "app/gui/folder_listing.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cctype>
#include <system_error>
#include <utility>

namespace warpscope {
namespace {

// "a" before "B" before "c": the case only decides between equal names.
bool isBefore(const FolderEntry& first, const FolderEntry& second) {
  if (first.is_folder != second.is_folder) return first.is_folder;
  const auto lower = [](unsigned char c) { return std::tolower(c); };
  const auto compared = std::ranges::lexicographical_compare(first.name, second.name, {}, lower, lower);
  const bool other_way = std::ranges::lexicographical_compare(second.name, first.name, {}, lower, lower);
  return compared == other_way ? first.name < second.name : compared;
}

// An entry that cannot be examined, such as a broken link, is listed as a file without a size.
FolderEntry entryOf(const std::filesystem::directory_entry& found) {
  FolderEntry entry{.name = found.path().filename().string()};
  struct stat info {};
  if (stat(found.path().c_str(), &info) != 0) return entry;
  entry.is_folder = S_ISDIR(info.st_mode);
  if (S_ISREG(info.st_mode)) entry.bytes = static_cast<uint64_t>(info.st_size);
  entry.changed_s = info.st_mtime;
  return entry;
}

}  // namespace

FolderListing listFolder(const std::filesystem::path& folder, const std::stop_token& stop) {
  FolderListing listing{.folder = folder};
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    if (stop.stop_requested()) break;
    if (listing.entries.size() == kMostEntries) {
      listing.problem = fmt::format("only the first {} entries are shown", kMostEntries);
      break;
    }
    listing.entries.push_back(entryOf(*entry));
  }
  if (error) listing.problem = fmt::format("{} cannot be read: {}", folder.string(), error.message());
  std::ranges::sort(listing.entries, isBefore);
  return listing;
}

void FolderLister::want(const std::filesystem::path& folder) {
  if (folder == wanted_) return;
  wanted_ = folder;
  refresh();
}

void FolderLister::refresh() {
  listing_.reset();
  worker_.wish([this, folder = wanted_](const std::stop_token& stop) {
    auto listing =
        guarded("reading a folder", [&] { return Expected<FolderListing>(listFolder(folder, stop)); });
    if (!listing)
      listing = FolderListing{.folder = folder, .entries = {}, .problem = listing.error().message};
    done_.put(std::move(*listing));
  });
}

bool FolderLister::poll() {
  std::vector<FolderListing> done = done_.take();
  for (FolderListing& listing : done) {
    if (listing.folder == wanted_) listing_ = std::move(listing);
  }
  return !done.empty();
}

const FolderListing* FolderLister::listing() const {
  return listing_ && listing_->folder == wanted_ ? &*listing_ : nullptr;
}

PathFacts factsOf(const std::filesystem::path& path, const std::filesystem::path& written) {
  std::error_code error;
  return {.path = path,
          .written = written,
          .is_folder = std::filesystem::is_directory(path, error),
          .is_file = std::filesystem::is_regular_file(path, error),
          .folder_exists = std::filesystem::is_directory(written.parent_path(), error),
          .would_replace = std::filesystem::exists(written, error)};
}

void PathExaminer::want(const std::filesystem::path& path, const std::filesystem::path& written) {
  wanted_ = path;
  facts_.reset();
  worker_.wish([this, path, written](const std::stop_token&) {
    auto facts = guarded("looking up a path", [&] { return Expected<PathFacts>(factsOf(path, written)); });
    done_.put(facts.value_or(PathFacts{.path = path, .written = written}));
  });
}

bool PathExaminer::poll() {
  for (PathFacts& facts : done_.take()) {
    if (facts.path != wanted_) continue;
    facts_ = std::move(facts);
    wanted_.reset();
  }
  return facts_.has_value();
}

}  // namespace warpscope
