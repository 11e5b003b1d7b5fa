// A JSON value. Objects are sorted by key, so that equal values are written as equal bytes. Reading a value
// as another type gives an empty result (0, "", an empty list) and never throws: code that reads untrusted
// text asks for the type first (json_reader.h does). Members are named as in nlohmann/json, which only
// json_text.cpp includes.
#pragma once

#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "kernels/core/error.h"

namespace warpscope {

class Json;

template <class T>
concept JsonMap = requires {
  typename T::mapped_type;
};
// Containers other than texts and paths.
template <class T>
concept JsonList = !std::same_as<T, Json> && !JsonMap<T> && requires(const T& list) {
  typename T::value_type;
  list.begin();
  list.end();
}
&&!std::same_as<typename T::value_type, char>;

class Json {
 public:
  enum class Type : uint8_t { kNull, kBoolean, kInteger, kUnsigned, kFloat, kString, kArray, kObject };
  using Members = std::map<std::string, Json, std::less<>>;

  // Deeper nesting is refused, because values are copied, compared and written recursively.
  static constexpr int kMaxDepth = 100;
  // A parsed value may take this many times the bytes of its text in memory, plus kFreeBytes.
  static constexpr size_t kMaxGrowth = 20, kFreeBytes = size_t{1} << 20;

  // The error says at which byte the text ceases to be JSON, or which limit it exceeds.
  static Expected<Json> parse(std::string_view text);
  static Json array(std::initializer_list<Json> elements = {});
  static Json object();

  Json(std::nullptr_t = nullptr) {}
  template <std::same_as<bool> Boolean>
  Json(Boolean value) : type_(Type::kBoolean) {
    value_.boolean = value;
  }
  template <std::integral Integer>
  requires(!std::same_as<Integer, bool>) Json(Integer value)
      : type_(std::is_signed_v<Integer> ? Type::kInteger : Type::kUnsigned) {
    if constexpr (std::is_signed_v<Integer>) {
      value_.integer = value;
    } else {
      value_.whole = value;
    }
  }
  template <std::floating_point Float>
  Json(Float value) : type_(Type::kFloat) {
    value_.number = static_cast<double>(value);
  }
  Json(std::string text);
  Json(std::string_view text) : Json(std::string(text)) {}
  Json(const char* text) : Json(std::string(text)) {}
  template <JsonList List>
  Json(const List& list) : Json(array()) {
    for (const auto& element : list) push_back(Json(element));
  }
  template <JsonMap Map>
  Json(const Map& map) : Json(object()) {
    for (const auto& [key, value] : map) (*this)[key] = Json(value);
  }
  template <class First, class Second>
  Json(const std::pair<First, Second>& pair) : Json(array({Json(pair.first), Json(pair.second)})) {}
  // An object where each element is a list of a text and a value, else an array. The elements are moved out.
  Json(std::initializer_list<Json> elements);

  Json(const Json& other);
  Json(Json&& other) noexcept : type_(std::exchange(other.type_, Type::kNull)), value_(other.value_) {}
  Json& operator=(Json other) noexcept {
    std::swap(type_, other.type_);
    std::swap(value_, other.value_);
    return *this;
  }
  ~Json() {
    if (type_ >= Type::kString) destroy();
  }

  Type type() const { return type_; }
  bool isNull() const { return type_ == Type::kNull; }
  bool isBoolean() const { return type_ == Type::kBoolean; }
  bool isNumber() const { return isInteger() || type_ == Type::kFloat; }
  bool isInteger() const { return type_ == Type::kInteger || type_ == Type::kUnsigned; }
  bool isUnsigned() const { return type_ == Type::kUnsigned; }
  bool isString() const { return type_ == Type::kString; }
  bool isArray() const { return type_ == Type::kArray; }
  bool isObject() const { return type_ == Type::kObject; }

  // A number is converted to the type that is asked for, as far as that holds it. A std::string_view is valid
  // as long as this value is.
  template <class T>
  T get() const {
    if constexpr (std::same_as<T, Json>) {
      return *this;
    } else if constexpr (std::same_as<T, bool>) {
      return isBoolean() && value_.boolean;
    } else if constexpr (std::floating_point<T>) {
      return static_cast<T>(toDouble());
    } else if constexpr (std::unsigned_integral<T>) {
      return static_cast<T>(toUnsigned());
    } else if constexpr (std::signed_integral<T>) {
      return static_cast<T>(toInteger());
    } else if constexpr (std::constructible_from<T, std::string_view>) {
      return T(toText());
    } else {
      T list;
      for (const Json& element : *this) list.push_back(element.get<typename T::value_type>());
      return list;
    }
  }
  // The member of an object with this key, or `otherwise`.
  template <class T>
  T value(std::string_view key, T otherwise) const {
    const Json* found = find(key);
    return found == nullptr ? otherwise : found->get<T>();
  }
  std::string value(std::string_view key, const char* otherwise) const {
    return value(key, std::string(otherwise));
  }

  // Elements of an array, or members of an object.
  size_t size() const;
  bool empty() const { return size() == 0; }
  // The elements of an array; other values have none.
  const Json* begin() const;
  const Json* end() const;
  Json* begin() { return const_cast<Json*>(std::as_const(*this).begin()); }
  Json* end() { return const_cast<Json*>(std::as_const(*this).end()); }
  const Json& front() const { return (*this)[size_t{0}]; }
  Json& back() { return *(end() - 1); }  // of an array that is not empty
  // A value of another type becomes an empty array first.
  void push_back(Json element);

  // The members of an object; other values have none.
  const Members& items() const;
  Members& items();                              // a value of another type becomes an empty object first
  const Json* find(std::string_view key) const;  // nullptr: there is no such member
  bool contains(std::string_view key) const { return find(key) != nullptr; }
  void erase(std::string_view key);

  // Null where there is no such member or element.
  const Json& operator[](std::string_view key) const;
  const Json& operator[](size_t index) const;
  const Json& operator[](int index) const { return (*this)[static_cast<size_t>(index)]; }
  const Json& at(std::string_view key) const { return (*this)[key]; }
  const Json& at(size_t index) const { return (*this)[index]; }
  const Json& at(int index) const { return (*this)[index]; }
  // Adds the member if there is none; a value of another type becomes an empty object first.
  Json& operator[](std::string_view key);
  Json& operator[](size_t index);  // of an array that is longer
  Json& operator[](int index) { return (*this)[static_cast<size_t>(index)]; }

  // As text: on one line, or with each level indented by that many spaces. Bytes that are not UTF-8 are
  // replaced by U+FFFD; numbers that JSON does not know (infinities, NaN) become null.
  std::string dump(int indent = -1) const;

  // Numbers are compared by value, whatever their types.
  friend bool operator==(const Json& a, const Json& b);
  // Orders two numbers or two texts; other values are unordered.
  friend std::partial_ordering operator<=>(const Json& a, const Json& b);
  friend std::ostream& operator<<(std::ostream& out, const Json& value);

 private:
  union Value {
    int64_t integer = 0;
    uint64_t whole;
    double number;
    bool boolean;
    std::string* text;
    std::vector<Json>* array;
    Members* members;
  };

  double toDouble() const;
  int64_t toInteger() const;
  uint64_t toUnsigned() const;
  std::string_view toText() const;
  std::vector<Json>& makeArray();
  void destroy();

  // Mutable, because a std::initializer_list shows the elements that it owns as constants only.
  mutable Type type_ = Type::kNull;
  mutable Value value_;
};

// A JSON string, quotes included.
std::string jsonText(std::string_view text);

}  // namespace warpscope
