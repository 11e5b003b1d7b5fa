// One description of a struct's fields serves its JSON both ways: a function describe(Fields&, T&) names each
// field once, and Fields decides whether that is for writing or for reading. A struct whose description is
// declared in its namespace can be a field of another one.
//
//   void describe(Fields& fields, Timing& timing) {
//     fields.field("median_us", timing.median_us);
//     fields.field("repeats", timing.repeats);
//   }
#pragma once

#include <concepts>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "kernels/core/json_reader.h"

namespace warpscope {

class Fields;

template <class T>
concept Described = requires(Fields& fields, T& value) {
  describe(fields, value);
};

class Fields {
 public:
  explicit Fields(Json& object) : object_(&object) { object.items(); }  // writes: an object is added to
  explicit Fields(const JsonReader& reader) : reader_(&reader) {}       // reads; it must outlive the Fields
  // For what has a form of its own: null while writing.
  const JsonReader* reader() const { return reader_; }
  void put(const char* key, Json value) { (*object_)[key] = std::move(value); }  // while writing

  // A field that is always there.
  template <class T>
  void field(const char* key, T& value) {
    if (reader_ == nullptr) {
      put(key, jsonOf(value));
    } else if (const Json* json = reader_->find(key); json != nullptr) {
      read(*json, key, value);
    }
  }
  // Absent: there is no value.
  template <class T>
  void field(const char* key, std::optional<T>& value) {
    if (has(key, value.has_value())) field(key, reader_ == nullptr ? *value : value.emplace(T{}));
  }
  // Left out while it has its usual value, which it then keeps.
  template <class T>
  void unusual(const char* key, T& value, const std::type_identity_t<T>& usual) {
    if (has(key, value != usual)) field(key, value);
  }
  // One of the names that name(e) gives for the enumerators up to `last`.
  template <class Enum, class Name>
  void choice(const char* key, Enum& value, Enum last, Name&& name) {
    if (reader_ == nullptr) {
      put(key, name(value));
    } else {
      value = reader_->choice(key, last, name);
    }
  }
  // Values that form a list: [x, y, z].
  template <class... Values>
  void tuple(const char* key, Values&... values) {
    auto list = std::tie(values...);
    field(key, list);
  }
  // While reading, whether there is such a field; while writing, whether there shall be one.
  bool has(const char* key, bool is_written) const {
    return reader_ == nullptr ? is_written : reader_->has(key);
  }

 private:
  template <class T>
  struct IsList : std::false_type {};
  template <class T>
  struct IsList<std::vector<T>> : std::true_type {};
  template <class T>
  struct IsTuple : std::false_type {};
  template <class... T>
  struct IsTuple<std::tuple<T...>> : std::true_type {};
  template <class First, class Second>
  struct IsTuple<std::pair<First, Second>> : std::true_type {};

  template <class T>
  static Json jsonOf(T& value) {
    if constexpr (std::floating_point<T>) {
      return numberJson(static_cast<double>(value));
    } else if constexpr (IsTuple<T>::value) {
      return std::apply([](auto&... elements) { return Json::array({jsonOf(elements)...}); }, value);
    } else if constexpr (IsList<T>::value) {
      Json list = Json::array();
      for (auto& element : value) list.push_back(jsonOf(element));
      return list;
    } else if constexpr (JsonMap<T>) {
      Json object = Json::object();
      for (auto& [name, member] : value) object[name] = jsonOf(member);
      return object;
    } else if constexpr (Described<T>) {
      Json object;
      Fields fields(object);
      describe(fields, value);
      return object;
    } else {
      return Json(value);
    }
  }

  template <class T>
  void read(const Json& json, const char* key, T& value) {
    if constexpr (std::same_as<T, bool>) {
      if (!json.isBoolean()) reader_->complain(key, "is neither true nor false");
      value = json.get<bool>();
    } else if constexpr (std::integral<T>) {
      value = reader_->asInteger<T>(json, key);
    } else if constexpr (std::floating_point<T>) {
      value = static_cast<T>(reader_->asNumber(json, key));
    } else if constexpr (std::same_as<T, std::string>) {
      value = reader_->asText(json, key);
    } else if constexpr (IsTuple<T>::value) {
      if (reader_->isListOf(json, key, std::tuple_size_v<T>)) readTuple(json, key, value);
    } else if constexpr (IsList<T>::value) {
      value.clear();
      if (!json.isArray()) reader_->complain(key, "is not a list");
      for (const Json& element : json) read(element, key, value.emplace_back());
    } else if constexpr (JsonMap<T>) {
      value.clear();
      if (!json.isObject()) reader_->complain(key, "is not an object");
      for (const auto& [name, member] : json.items()) read(member, key, value[name]);
    } else {
      const JsonReader inner(json, reader_->path() + key + ".", reader_->problem());
      Fields fields(inner);
      describe(fields, value);
    }
  }
  template <class T>
  void readTuple(const Json& json, const char* key, T& value) {
    std::apply(
        [&](auto&... elements) {
          int i = 0;
          (read(json[i++], key, elements), ...);
        },
        value);
  }

  Json* object_ = nullptr;
  const JsonReader* reader_ = nullptr;
};

template <class T>
Json describedJson(const T& value) {
  Json object;
  Fields fields(object);
  describe(fields, const_cast<T&>(value));  // which writing does not change
  return object;
}

// The first fault is stored in the reader's problem.
template <class T>
T readDescribed(const JsonReader& reader) {
  T value;
  Fields fields(reader);
  describe(fields, value);
  return value;
}

}  // namespace warpscope
