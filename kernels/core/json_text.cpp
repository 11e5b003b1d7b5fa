// JSON values from text and to text. The only file that includes the JSON library: its parser feeds our
// values, and it formats floating-point numbers.
#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "kernels/core/json.h"
#include "kernels/core/utf8.h"

namespace warpscope {
namespace {

// The memory that a member of an object takes besides its key's characters and its value: a node of the map.
constexpr size_t kMemberBytes = sizeof(Json::Members::value_type) + 5 * sizeof(void*);

// Builds a value from the parser's events. `memory_left` counts down what the value takes.
class Builder : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit Builder(size_t memory_left) : memory_left_(memory_left) {}

  bool null() override { return add(Json()); }
  bool boolean(bool value) override { return add(Json(value)); }
  bool number_integer(number_integer_t value) override { return add(Json(value)); }
  bool number_unsigned(number_unsigned_t value) override { return add(Json(value)); }
  bool number_float(number_float_t value, const string_t&) override { return add(Json(value)); }
  bool string(string_t& value) override {
    return take(sizeof(std::string) + value.size()) && add(Json(std::move(value)));
  }
  bool binary(binary_t&) override { return false; }
  bool start_array(size_t) override { return open(Json::array(), sizeof(std::vector<Json>)); }
  bool start_object(size_t) override { return open(Json::object(), sizeof(Json::Members)); }
  bool end_array() override { return close(); }
  bool end_object() override { return close(); }
  bool key(string_t& name) override {
    if (!take(kMemberBytes + name.size())) return false;
    // A member that comes twice counts as it comes last.
    member_ = &(*open_.back())[name];
    return true;
  }
  bool parse_error(size_t position, const std::string&, const nlohmann::detail::exception&) override {
    problem_ = fmt::format("it is not JSON from byte {} on", position);
    return false;
  }

  Expected<Json> result(bool complete) {
    if (complete) return std::move(root_);
    return tl::unexpected<Error>({ErrorKind::kDamagedFile, problem_.empty() ? "it is not JSON" : problem_});
  }

 private:
  bool take(size_t bytes) {
    if (bytes > memory_left_) {
      problem_ = "its JSON takes far more memory than its text";
      return false;
    }
    memory_left_ -= bytes;
    return true;
  }

  // The place of the next value.
  Json* place() {
    if (open_.empty()) return &root_;
    Json& parent = *open_.back();
    if (parent.isObject()) return member_;
    parent.push_back({});
    return &parent.back();
  }
  bool add(Json value) {
    // Vectors that grow hold up to twice what they need, and their old elements while they are moved.
    if (!take(2 * sizeof(Json))) return false;
    *place() = std::move(value);
    return true;
  }
  bool open(Json container, size_t bytes) {
    if (open_.size() == Json::kMaxDepth) {
      problem_ = fmt::format("its JSON is nested more than {} levels deep", Json::kMaxDepth);
      return false;
    }
    if (!take(2 * sizeof(Json) + bytes)) return false;
    Json* const at = place();
    *at = std::move(container);
    open_.push_back(at);
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }

  size_t memory_left_;
  Json root_;
  std::vector<Json*> open_;  // the containers that enclose what comes next
  Json* member_ = nullptr;   // of the innermost object, where its next value belongs
  std::string problem_;
};

void putEscaped(std::string& out, std::string_view valid) {
  for (const char c : valid) {
    switch (c) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '\b':
        out += "\\b";
        break;
      case '\f':
        out += "\\f";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\r':
        out += "\\r";
        break;
      case '\t':
        out += "\\t";
        break;
      default:
        if (static_cast<unsigned char>(c) < 0x20) {
          constexpr std::string_view kDigits = "0123456789abcdef";
          out += "\\u00";
          out += kDigits[static_cast<size_t>(c) >> 4U];
          out += kDigits[static_cast<size_t>(c) & 0xFU];
        } else {
          out += c;
        }
    }
  }
}

void putString(std::string& out, std::string_view text) {
  out += '"';
  if (validUtf8Bytes(text) == text.size()) {
    putEscaped(out, text);
  } else {
    putEscaped(out, repairedUtf8(text));
  }
  out += '"';
}

template <class Number>
void putNumber(std::string& out, Number value) {
  if constexpr (std::floating_point<Number>) {
    out += nlohmann::json(value).dump();
  } else {
    std::array<char, 24> digits{};
    out.append(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr);
  }
}

class Writer {
 public:
  Writer(std::string& out, int indent) : out_(out), indent_(indent) {}

  void put(const Json& value) {
    switch (value.type()) {
      case Json::Type::kNull:
        out_ += "null";
        break;
      case Json::Type::kBoolean:
        out_ += value.get<bool>() ? "true" : "false";
        break;
      case Json::Type::kInteger:
        putNumber(out_, value.get<int64_t>());
        break;
      case Json::Type::kUnsigned:
        putNumber(out_, value.get<uint64_t>());
        break;
      case Json::Type::kFloat:
        putNumber(out_, value.get<double>());
        break;
      case Json::Type::kString:
        putString(out_, value.get<std::string_view>());
        break;
      case Json::Type::kArray:
        putAll('[', value, ']', [this](const Json& element) { put(element); });
        break;
      case Json::Type::kObject:
        putAll('{', value.items(), '}', [this](const auto& member) {
          putString(out_, member.first);
          out_ += indent_ < 0 ? ":" : ": ";
          put(member.second);
        });
        break;
    }
  }

 private:
  template <class Elements, class Put>
  void putAll(char open, const Elements& elements, char close, Put&& put_one) {
    out_ += open;
    ++depth_;
    bool first = true;
    for (const auto& element : elements) {
      if (!first) out_ += ',';
      first = false;
      newLine();
      put_one(element);
    }
    --depth_;
    if (!first) newLine();
    out_ += close;
  }
  void newLine() {
    if (indent_ < 0) return;
    out_ += '\n';
    out_.append(depth_ * static_cast<size_t>(indent_), ' ');
  }

  std::string& out_;
  const int indent_;
  size_t depth_ = 0;
};

}  // namespace

Expected<Json> Json::parse(std::string_view text) {
  Builder builder(kFreeBytes + kMaxGrowth * text.size());
  const bool complete = nlohmann::json::sax_parse(text.begin(), text.end(), &builder);
  return builder.result(complete);
}

std::string Json::dump(int indent) const {
  std::string text;
  Writer(text, indent).put(*this);
  return text;
}

std::string jsonText(std::string_view text) {
  std::string json;
  putString(json, text);
  return json;
}

}  // namespace warpscope
