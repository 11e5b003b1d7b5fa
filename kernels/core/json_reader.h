// Reads fields of untrusted JSON: each accessor checks presence, type and range, and the first problem is
// kept, with its path.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "kernels/core/json.h"

namespace warpscope {

class JsonReader {
 public:
  // `problem` must outlive this reader and those made from it; it is empty as long as there is no problem.
  JsonReader(const Json& json, std::string path, std::string& problem);

  template <std::integral Integer>
  Integer integer(const char* key) const {
    const Json* value = find(key);
    return value == nullptr ? Integer{0} : asInteger<Integer>(*value, key);
  }
  template <std::integral Integer>
  Integer asInteger(const Json& value, const char* key) const {
    using Limits = std::numeric_limits<Integer>;
    return static_cast<Integer>(integerIn(value, key, static_cast<int64_t>(Limits::min()), Limits::max()));
  }

  // Numbers as numberJson writes them: infinities and NaN, which JSON numbers cannot express, are strings.
  double number(const char* key) const;
  double asNumber(const Json& value, const char* key) const;
  std::optional<double> optionalNumber(const char* key) const;
  bool boolean(const char* key) const;
  std::string text(const char* key) const;
  std::string asText(const Json& value, const char* key) const;

  // One of the names that name(e) gives for the enumerators up to `last`.
  template <class Enum, class Name>
  Enum choice(const char* key, Enum last, Name&& name) const {
    const std::string given = text(key);
    for (int i = 0; i <= static_cast<int>(last); ++i) {
      if (given == name(static_cast<Enum>(i))) return static_cast<Enum>(i);
    }
    complain(key, "has the unknown value '" + given + "'");
    return Enum{};
  }

  JsonReader object(const char* key) const;
  // Calls visit(const Json& element) for each.
  template <class Visit>
  void array(const char* key, Visit&& visit) const {
    for (const Json& element : elements(key)) visit(element);
  }
  // Calls visit(const std::string& name, const Json& value) for each member of an object.
  template <class Visit>
  void members(const char* key, Visit&& visit) const {
    for (const auto& [name, member] : membersOf(key)) visit(name, member);
  }

  bool has(const char* key) const { return json_->contains(key); }
  const Json* find(const char* key) const;  // nullptr: it is missing, which is a problem
  bool isListOf(const Json& value, const char* key, size_t count) const;  // it is a problem if not
  void complain(const std::string& key, const std::string& what) const;
  const std::string& path() const { return path_; }
  std::string& problem() const { return *problem_; }

 private:
  const Json& elements(const char* key) const;
  const Json::Members& membersOf(const char* key) const;
  // The bits of a whole number in this range, or 0.
  uint64_t integerIn(const Json& value, const char* key, int64_t least, uint64_t most) const;

  const Json* json_;
  std::string path_;
  std::string* problem_;
};

Json numberJson(double value);

}  // namespace warpscope
