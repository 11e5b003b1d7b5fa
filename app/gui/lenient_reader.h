// Reads files that a window wrote: a member that cannot be understood keeps its default and is counted, so
// that files of other versions are still useful. Only for the .cpp files that parse them: it includes the
// JSON library.
#pragma once

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "kernels/core/json.h"

namespace warpscope {

// Reads members of a JSON object; a wrong value is reported, a missing one keeps its default.
class LenientReader {
 public:
  explicit LenientReader(const Json& object) : object_(object) {}

  void text(const char* key, std::string& to) {
    if (const Json* value = find(key); value != nullptr) {
      value->isString() ? void(to = value->get<std::string>()) : wrong(key);
    }
  }
  void choice(const char* key, std::string& to, std::initializer_list<const char*> allowed) {
    std::string value = to;
    text(key, value);
    std::find(allowed.begin(), allowed.end(), value) != allowed.end() ? void(to = value) : wrong(key);
  }
  void flag(const char* key, bool& to) {
    if (const Json* value = find(key); value != nullptr) {
      value->isBoolean() ? void(to = value->get<bool>()) : wrong(key);
    }
  }
  template <class Number>
  void number(const char* key, Number& to, double min, double max) {
    const Json* value = find(key);
    if (value == nullptr) return;
    const double read = value->isNumber() ? value->get<double>() : std::nan("");
    read >= min&& read <= max ? void(to = static_cast<Number>(read)) : wrong(key);
  }
  // Absent or null: nothing.
  template <class Number>
  void optional(const char* key, std::optional<Number>& to, double min, double max) {
    const Json* value = find(key);
    if (value == nullptr || value->isNull()) return;
    Number read{};
    number(key, read, min, max);
    if (wrong_.empty()) to = read;
  }
  void texts(const char* key, std::vector<std::string>& to, size_t most) {
    const Json* value = find(key);
    if (value == nullptr) return;
    if (!value->isArray()) return wrong(key);
    for (const Json& element : *value) {
      if (element.isString() && to.size() < most) to.push_back(element.get<std::string>());
    }
  }
  const Json* object(const char* key) {
    const Json* value = find(key);
    if (value != nullptr && !value->isObject()) {
      wrong(key);
      return nullptr;
    }
    return value;
  }
  void wrong(const std::string& key) { wrong_ += (wrong_.empty() ? "" : ", ") + key; }
  const std::string& wrongKeys() const { return wrong_; }
  const Json& json() const { return object_; }

 private:
  const Json* find(const char* key) const { return object_.find(key); }
  const Json& object_;
  std::string wrong_;
};

}  // namespace warpscope
