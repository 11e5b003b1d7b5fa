#include "kernels/recording/listing_json.h"

#include <map>

namespace warpscope {
namespace {

constexpr size_t kFields = 5;  // text, file, line, inlined file, inlined line

}  // namespace

Json listingJson(const Listing& listing) {
  std::map<std::string, size_t> numbers;
  Json files = Json::array(), instructions = Json::array();
  const auto number = [&](const std::string& file) {
    const auto [at, is_new] = numbers.try_emplace(file, numbers.size());
    if (is_new) files.push_back(file);
    return at->second;
  };
  for (const ListedInstruction& instruction : listing) {
    instructions.push_back({instruction.text, number(instruction.file), instruction.line,
                            number(instruction.inlined_file), instruction.inlined_line});
  }
  return {{"files", std::move(files)}, {"instructions", std::move(instructions)}};
}

Listing readListing(const JsonReader& reader) {
  std::vector<std::string> files;
  reader.array("files", [&](const Json& file) {
    if (!file.is_string()) return reader.complain("files", "has an entry that is not a text");
    files.push_back(file.get<std::string>());
  });
  const auto file_of = [&](const Json& value) -> std::string {
    const auto number = reader.asInteger<size_t>(value, "instructions");
    if (number < files.size()) return files[number];
    reader.complain("instructions", "has an entry of an unknown file");
    return {};
  };
  Listing listing;
  reader.array("instructions", [&](const Json& entry) {
    if (!entry.is_array() || entry.size() != kFields || !entry[0].is_string()) {
      return reader.complain("instructions",
                             "has an entry that is not [text, file, line, inlined file, inlined line]");
    }
    listing.push_back({entry[0].get<std::string>(), file_of(entry[1]),
                       reader.asInteger<uint32_t>(entry[2], "instructions"), file_of(entry[3]),
                       reader.asInteger<uint32_t>(entry[4], "instructions")});
  });
  return listing;
}

}  // namespace warpscope
