// One description of what a window remembers serves writing and reading it: a function
// describe(LenientFields&, T&) names each field once. Unlike a recording's Fields (kernels/core/fields.h),
// what cannot be read keeps its default and is counted (lenient_reader.h).
#pragma once

#include <map>

#include "app/gui/lenient_reader.h"

namespace warpscope {

class LenientFields {
 public:
  explicit LenientFields(Json& object) : object_(&object) { object.items(); }  // writes
  explicit LenientFields(LenientReader& reader) : reader_(&reader) {}          // reads
  // For what has a form of its own: null while writing.
  LenientReader* reader() const { return reader_; }
  void put(const char* key, Json value) { (*object_)[key] = std::move(value); }  // while writing
  // While reading, always; while writing, whether there shall be such a field.
  bool has(bool is_written) const { return reader_ != nullptr || is_written; }

  void text(const char* key, std::string& value) {
    reader_ != nullptr ? reader_->text(key, value) : put(key, value);
  }
  void choice(const char* key, std::string& value, std::initializer_list<const char*> allowed) {
    reader_ != nullptr ? reader_->choice(key, value, allowed) : put(key, value);
  }
  void flag(const char* key, bool& value) {
    reader_ != nullptr ? reader_->flag(key, value) : put(key, value);
  }
  template <class Number>
  void number(const char* key, Number& value, double min, double max) {
    reader_ != nullptr ? reader_->number(key, value, min, max) : put(key, value);
  }
  // Null: there is no value.
  template <class Number>
  void optional(const char* key, std::optional<Number>& value, double min, double max) {
    reader_ != nullptr ? reader_->optional(key, value, min, max) : put(key, value ? Json(*value) : Json());
  }
  void texts(const char* key, std::vector<std::string>& value, size_t most) {
    reader_ != nullptr ? reader_->texts(key, value, most) : put(key, value);
  }
  void textsByName(const char* key, std::map<std::string, std::string>& values) {
    if (reader_ == nullptr) return put(key, values);
    const Json* object = reader_->object(key);
    if (object == nullptr) return;
    for (const auto& [name, value] : object->items()) {
      value.isString() ? void(values[name] = value.get<std::string>()) : reader_->wrong(name);
    }
  }
  void integers(const char* key, std::map<std::string, int64_t>& values) {
    if (reader_ == nullptr) return put(key, values);
    const Json* object = reader_->object(key);
    if (object == nullptr) return;
    for (const auto& [name, value] : object->items()) {
      value.isInteger() ? void(values[name] = value.get<int64_t>()) : reader_->wrong(name);
    }
  }

  // A described struct.
  template <class T>
  void object(const char* key, T& value) {
    if (reader_ == nullptr) return put(key, jsonOf(value));
    if (const Json* json = reader_->object(key); json != nullptr) read(*json, key, value);
  }
  template <class T>
  void object(const char* key, std::optional<T>& value) {
    if (reader_ == nullptr) {
      if (value) put(key, jsonOf(*value));
    } else if (const Json* json = reader_->object(key); json != nullptr) {
      read(*json, key, value.emplace());
    }
  }
  // A list of described structs, the first `most` of them.
  template <class T>
  void objects(const char* key, std::vector<T>& values, size_t most) {
    if (reader_ == nullptr) {
      Json list = Json::array();
      for (T& value : values) list.push_back(jsonOf(value));
      return put(key, std::move(list));
    }
    for (const Json& element : reader_->json()[key]) {
      if (!element.isObject() || values.size() == most) break;
      read(element, key, values.emplace_back());
    }
  }
  // Described structs by their names.
  template <class T>
  void objects(const std::string& key, std::map<std::string, T>& values) {
    if (reader_ == nullptr) {
      Json members = Json::object();
      for (auto& [name, value] : values) members[name] = jsonOf(value);
      return put(key.c_str(), std::move(members));
    }
    const Json* object = reader_->object(key.c_str());
    if (object == nullptr) return;
    for (const auto& [name, json] : object->items()) {
      const std::string place = fmt::format("{}.{}", key, name);
      json.isObject() ? read(json, place, values[name]) : reader_->wrong(place);
    }
  }

 private:
  template <class T>
  static Json jsonOf(T& value) {
    Json object;
    LenientFields fields(object);
    describe(fields, value);
    return object;
  }
  template <class T>
  void read(const Json& json, const std::string& key, T& value) {
    LenientReader reader(json);
    LenientFields fields(reader);
    describe(fields, value);
    if (!reader.wrongKeys().empty()) reader_->wrong(key);
  }

  Json* object_ = nullptr;
  LenientReader* reader_ = nullptr;
};

template <class T>
Json rememberedJson(const T& value) {
  Json object;
  LenientFields fields(object);
  describe(fields, const_cast<T&>(value));  // which writing does not change
  return object;
}

}  // namespace warpscope
