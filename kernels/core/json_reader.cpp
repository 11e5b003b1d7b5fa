#include "kernels/core/json_reader.h"

#include <cmath>
#include <utility>

namespace warpscope {
namespace {

const Json kMissing;

}  // namespace

JsonReader::JsonReader(const Json& json, std::string path, std::string& problem)
    : json_(&json), path_(std::move(path)), problem_(&problem) {
  if (!json.isObject()) complain("", "is not an object");
}

uint64_t JsonReader::integerIn(const Json& value, const char* key, int64_t least, uint64_t most) const {
  if (!value.isInteger()) return complain(key, "is not a whole number"), 0;
  const auto bits = value.get<uint64_t>();
  const bool negative = !value.isUnsigned() && value.get<int64_t>() < 0;
  if (negative ? value.get<int64_t>() >= least : bits <= most) return bits;
  complain(key, "is not a whole number in range");
  return 0;
}

double JsonReader::number(const char* key) const {
  const Json* value = find(key);
  return value == nullptr ? 0 : asNumber(*value, key);
}

double JsonReader::asNumber(const Json& value, const char* key) const {
  if (value.isNumber()) return value.get<double>();
  const auto text = value.get<std::string_view>();
  if (text == "inf") return std::numeric_limits<double>::infinity();
  if (text == "-inf") return -std::numeric_limits<double>::infinity();
  if (text == "nan") return std::numeric_limits<double>::quiet_NaN();
  complain(key, "is not a number");
  return 0;
}

std::optional<double> JsonReader::optionalNumber(const char* key) const {
  return has(key) ? std::optional(number(key)) : std::nullopt;
}

bool JsonReader::boolean(const char* key) const {
  const Json* value = find(key);
  if (value != nullptr && !value->isBoolean()) complain(key, "is neither true nor false");
  return value != nullptr && value->get<bool>();
}

std::string JsonReader::text(const char* key) const {
  const Json* value = find(key);
  return value == nullptr ? std::string() : asText(*value, key);
}

std::string JsonReader::asText(const Json& value, const char* key) const {
  if (!value.isString()) complain(key, "is not a text");
  return value.get<std::string>();
}

JsonReader JsonReader::object(const char* key) const {
  const Json* value = find(key);
  static const Json kEmpty = Json::object();
  return {value == nullptr ? kEmpty : *value, path_ + key + ".", *problem_};
}

const Json& JsonReader::elements(const char* key) const {
  const Json* value = find(key);
  if (value != nullptr && !value->isArray()) complain(key, "is not a list");
  return value == nullptr ? kMissing : *value;
}

const Json::Members& JsonReader::membersOf(const char* key) const {
  const Json* value = find(key);
  if (value != nullptr && !value->isObject()) complain(key, "is not an object");
  return (value == nullptr ? kMissing : *value).items();
}

bool JsonReader::isListOf(const Json& value, const char* key, size_t count) const {
  if (value.isArray() && value.size() == count) return true;
  complain(key, "is not a list of " + std::to_string(count));
  return false;
}

void JsonReader::complain(const std::string& key, const std::string& what) const {
  if (problem_->empty()) *problem_ = "'" + path_ + key + "' " + what;
}

const Json* JsonReader::find(const char* key) const {
  const Json* found = json_->find(key);
  if (found == nullptr) complain(key, "is missing");
  return found;
}

Json numberJson(double value) {
  if (std::isfinite(value)) return value;
  if (std::isnan(value)) return "nan";
  return value > 0 ? "inf" : "-inf";
}

}  // namespace warpscope
