// The list of a folder's entries in the file dialog, and the places beside it. It draws and answers; the
// dialog decides what follows.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/gui/folder_listing.h"
#include "app/gui/ui.h"

namespace warpscope {

struct FilePlace {
  std::string label;  // translated
  std::filesystem::path folder;
};

// Home, the working folder, the bundled recordings, and where recent files are.
std::vector<FilePlace> filePlaces(const std::vector<std::string>& recent);
// The folder of the column, if one was clicked.
std::optional<std::filesystem::path> drawPlaces(const Ui& ui, const std::vector<FilePlace>& places,
                                                const std::filesystem::path& present);

struct BrowserAnswer {
  std::optional<std::string> selected;  // by one click
  std::optional<std::string> chosen;    // by a double click
};
// `entries` are those that are shown; `listing` null: it is on its way.
BrowserAnswer drawEntries(const Ui& ui, const FolderListing* listing,
                          const std::vector<const FolderEntry*>& entries, const std::string& selected,
                          bool scroll_to_selected);

}  // namespace warpscope
