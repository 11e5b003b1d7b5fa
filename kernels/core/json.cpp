#include "kernels/core/json.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <ostream>

namespace warpscope {
namespace {

const Json kNothing;
const Json::Members kNoMembers;

}  // namespace

Json Json::array(std::initializer_list<Json> elements) {
  Json json;
  json.makeArray().reserve(elements.size());
  for (const Json& element : elements) {
    json.value_.array->emplace_back();
    std::swap(json.value_.array->back().type_, element.type_);
    std::swap(json.value_.array->back().value_, element.value_);
  }
  return json;
}

Json Json::object() {
  Json json;
  json.items();
  return json;
}

Json::Json(std::string text) : type_(Type::kString) {
  value_.text = new std::string(std::move(text));
}

Json::Json(std::initializer_list<Json> elements) {
  const auto is_member = [](const Json& element) {
    return element.isArray() && element.size() == 2 && element[0].isString();
  };
  if (!std::ranges::all_of(elements, is_member)) {
    *this = array(elements);
    return;
  }
  Members& members = items();
  for (const Json& element : elements) {
    std::vector<Json>& pair = *element.value_.array;
    members.emplace(std::move(*pair[0].value_.text), std::move(pair[1]));
  }
}

Json::Json(const Json& other) : type_(other.type_), value_(other.value_) {
  if (type_ == Type::kString) value_.text = new std::string(*other.value_.text);
  if (type_ == Type::kArray) value_.array = new std::vector<Json>(*other.value_.array);
  if (type_ == Type::kObject) value_.members = new Members(*other.value_.members);
}

void Json::destroy() {
  if (type_ == Type::kString) delete value_.text;
  if (type_ == Type::kArray) delete value_.array;
  if (type_ == Type::kObject) delete value_.members;
}

double Json::toDouble() const {
  if (type_ == Type::kFloat) return value_.number;
  if (type_ == Type::kInteger) return static_cast<double>(value_.integer);
  return type_ == Type::kUnsigned ? static_cast<double>(value_.whole) : 0;
}

int64_t Json::toInteger() const {
  if (type_ != Type::kFloat) return isNumber() ? value_.integer : 0;
  constexpr double kLimit = 9.2e18;
  return static_cast<int64_t>(std::isnan(value_.number) ? 0 : std::clamp(value_.number, -kLimit, kLimit));
}

uint64_t Json::toUnsigned() const {
  if (type_ != Type::kFloat) return isNumber() ? value_.whole : 0;
  constexpr double kLimit = 1.8e19;
  return static_cast<uint64_t>(value_.number > 0 ? std::min(value_.number, kLimit) : 0);
}

std::string_view Json::toText() const {
  return isString() ? std::string_view(*value_.text) : std::string_view();
}

std::vector<Json>& Json::makeArray() {
  if (!isArray()) {
    *this = Json();
    value_.array = new std::vector<Json>;
    type_ = Type::kArray;
  }
  return *value_.array;
}

size_t Json::size() const {
  if (isArray()) return value_.array->size();
  return isObject() ? value_.members->size() : 0;
}

const Json* Json::begin() const {
  return isArray() ? value_.array->data() : nullptr;
}

const Json* Json::end() const {
  return isArray() ? value_.array->data() + value_.array->size() : nullptr;
}

void Json::push_back(Json element) {
  makeArray().push_back(std::move(element));
}

const Json::Members& Json::items() const {
  return isObject() ? *value_.members : kNoMembers;
}

Json::Members& Json::items() {
  if (!isObject()) {
    *this = Json();
    value_.members = new Members;
    type_ = Type::kObject;
  }
  return *value_.members;
}

const Json* Json::find(std::string_view key) const {
  const auto found = items().find(key);
  return found == items().end() ? nullptr : &found->second;
}

void Json::erase(std::string_view key) {
  if (!isObject()) return;
  const auto found = value_.members->find(key);
  if (found != value_.members->end()) value_.members->erase(found);
}

const Json& Json::operator[](std::string_view key) const {
  const Json* found = find(key);
  return found == nullptr ? kNothing : *found;
}

const Json& Json::operator[](size_t index) const {
  return isArray() && index < value_.array->size() ? (*value_.array)[index] : kNothing;
}

Json& Json::operator[](std::string_view key) {
  Members& members = items();
  const auto found = members.find(key);
  return found == members.end() ? members[std::string(key)] : found->second;
}

Json& Json::operator[](size_t index) {
  return (*value_.array)[index];
}

bool operator==(const Json& a, const Json& b) {
  if (a.isNumber() && b.isNumber()) return (a <=> b) == std::partial_ordering::equivalent;
  if (a.type_ != b.type_) return false;
  switch (a.type_) {
    case Json::Type::kBoolean:
      return a.value_.boolean == b.value_.boolean;
    case Json::Type::kString:
      return *a.value_.text == *b.value_.text;
    case Json::Type::kArray:
      return *a.value_.array == *b.value_.array;
    case Json::Type::kObject:
      return *a.value_.members == *b.value_.members;
    default:
      return true;
  }
}

std::partial_ordering operator<=>(const Json& a, const Json& b) {
  if (a.isString() && b.isString()) return *a.value_.text <=> *b.value_.text;
  if (!a.isNumber() || !b.isNumber()) return std::partial_ordering::unordered;
  if (a.type_ == Json::Type::kFloat || b.type_ == Json::Type::kFloat) return a.toDouble() <=> b.toDouble();
  const bool a_negative = a.type_ == Json::Type::kInteger && a.value_.integer < 0;
  const bool b_negative = b.type_ == Json::Type::kInteger && b.value_.integer < 0;
  if (a_negative != b_negative)
    return a_negative ? std::partial_ordering::less : std::partial_ordering::greater;
  return a_negative ? a.value_.integer <=> b.value_.integer : a.value_.whole <=> b.value_.whole;
}

std::ostream& operator<<(std::ostream& out, const Json& value) {
  return out << value.dump();
}

}  // namespace warpscope
