// Reads fields of untrusted JSON: each accessor checks presence, type and range, and the first problem is
// kept, with its path. For .cpp files that parse headers; includes the JSON library.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "kernels/core/error.h"
#include "kernels/core/json.h"

namespace warpscope {

class JsonReader {
 public:
  // `problem` must outlive this reader and those made from it; it is empty as long as there is no problem.
  JsonReader(const Json& json, std::string path, std::string& problem)
      : json_(&json), path_(std::move(path)), problem_(&problem) {
    if (!json.is_object()) complain("", "is not an object");
  }

  template <class Integer>
  Integer integer(const char* key) const {
    const Json* value = find(key);
    if (value == nullptr) return 0;
    if (!value->is_number_integer()) return complain(key, "is not a whole number"), Integer{0};
    return asInteger<Integer>(*value, key);
  }
  template <class Integer>
  Integer asInteger(const Json& value, const char* key) const {
    if (value.is_number_unsigned()) {
      const auto number = value.get<uint64_t>();
      if (number <= static_cast<uint64_t>(std::numeric_limits<Integer>::max()))
        return static_cast<Integer>(number);
    } else if (value.is_number_integer()) {
      const auto number = value.get<int64_t>();
      if (number >= 0
              ? static_cast<uint64_t>(number) <= static_cast<uint64_t>(std::numeric_limits<Integer>::max())
              : std::is_signed_v<Integer> &&
                    number >= static_cast<int64_t>(std::numeric_limits<Integer>::min())) {
        return static_cast<Integer>(number);
      }
    }
    complain(key, "is no whole number in range");
    return 0;
  }

  // Numbers as numberJson writes them: infinities and NaN, which JSON numbers cannot express, are strings.
  double number(const char* key) const {
    const Json* value = find(key);
    return value == nullptr ? 0 : asNumber(*value, key);
  }
  double asNumber(const Json& value, const char* key) const {
    if (value.is_number()) return value.get<double>();
    if (value == "inf") return std::numeric_limits<double>::infinity();
    if (value == "-inf") return -std::numeric_limits<double>::infinity();
    if (value == "nan") return std::numeric_limits<double>::quiet_NaN();
    complain(key, "is not a number");
    return 0;
  }
  std::optional<double> optionalNumber(const char* key) const {
    return has(key) ? std::optional(number(key)) : std::nullopt;
  }

  bool boolean(const char* key) const {
    const Json* value = find(key);
    if (value != nullptr && !value->is_boolean()) complain(key, "is neither true nor false");
    return value != nullptr && value->is_boolean() && value->get<bool>();
  }

  std::string text(const char* key) const {
    const Json* value = find(key);
    if (value == nullptr) return {};
    if (!value->is_string()) return complain(key, "is not a text"), std::string();
    return value->get<std::string>();
  }

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

  JsonReader object(const char* key) const {
    const Json* value = find(key);
    static const Json empty = Json::object();
    return {value == nullptr ? empty : *value, path_ + key + ".", *problem_};
  }
  // Calls visit(const Json& element) for each element.
  template <class Visit>
  void array(const char* key, Visit&& visit) const {
    const Json* value = find(key);
    if (value == nullptr) return;
    if (!value->is_array()) return complain(key, "is not a list");
    for (const auto& element : *value) visit(element);
  }
  // Calls visit(const std::string& name, const Json& value) for each member of an object.
  template <class Visit>
  void members(const char* key, Visit&& visit) const {
    const Json* value = find(key);
    if (value == nullptr) return;
    if (!value->is_object()) return complain(key, "is not an object");
    for (const auto& [name, member] : value->items()) visit(name, member);
  }

  bool has(const char* key) const { return json_->is_object() && json_->contains(key); }
  void complain(const std::string& key, const std::string& what) const {
    if (problem_->empty()) *problem_ = "'" + path_ + key + "' " + what;
  }
  const std::string& path() const { return path_; }
  std::string& problem() const { return *problem_; }

 private:
  const Json* find(const char* key) const {
    if (json_->is_object()) {
      const auto found = json_->find(key);
      if (found != json_->end()) return &*found;
    }
    complain(key, "is missing");
    return nullptr;
  }

  const Json* json_;
  std::string path_;
  std::string* problem_;
};

inline Json numberJson(double value) {
  if (std::isfinite(value)) return value;
  if (std::isnan(value)) return "nan";
  return value > 0 ? "inf" : "-inf";
}

}  // namespace warpscope
