// Our JSON values against those of nlohmann/json: what is written must be the same bytes, what is read the
// same values.
#include "kernels/core/json.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>

#include "kernels/core/utf8.h"

namespace warpscope {
namespace {

using Reference = nlohmann::json;

std::string referenceText(const Reference& value, int indent = -1) {
  return value.dump(indent, ' ', false, Reference::error_handler_t::replace);
}

Json converted(const Reference& value) {
  switch (value.type()) {
    case Reference::value_t::boolean:
      return value.get<bool>();
    case Reference::value_t::number_integer:
      return value.get<int64_t>();
    case Reference::value_t::number_unsigned:
      return value.get<uint64_t>();
    case Reference::value_t::number_float:
      return value.get<double>();
    case Reference::value_t::string:
      return value.get<std::string>();
    case Reference::value_t::array: {
      Json list = Json::array();
      for (const auto& element : value) list.push_back(converted(element));
      return list;
    }
    case Reference::value_t::object: {
      Json object = Json::object();
      for (const auto& [key, member] : value.items()) object[key] = converted(member);
      return object;
    }
    default:
      return {};
  }
}

// Makes values of all kinds, with bytes and numbers that are likely to be written wrongly.
class RandomValues {
 public:
  Reference value(int depth = 0) {
    switch (below(depth > 6 ? 6 : 9)) {
      case 0:
        return nullptr;
      case 1:
        return below(2) == 0;
      case 2:
        return static_cast<int64_t>(bits());
      case 3:
        return bits();
      case 4:
        return number();
      case 5:
        return text();
      case 6:
      case 7: {
        Reference list = Reference::array();
        for (size_t i = below(5); i > 0; --i) list.push_back(value(depth + 1));
        return list;
      }
      default: {
        Reference object = Reference::object();
        for (size_t i = below(5); i > 0; --i) object[text()] = value(depth + 1);
        return object;
      }
    }
  }

  double number() {
    switch (below(4)) {
      case 0:
        return std::bit_cast<double>(random_());  // any bits: subnormal, infinite and NaN too
      case 1:
        return static_cast<double>(static_cast<int64_t>(random_()) >> below(64));
      case 2:
        return static_cast<double>(static_cast<int64_t>(random_()) >> below(64)) / 1000;
      default:
        return static_cast<float>(static_cast<int64_t>(random_()) >> below(64)) * 1e-9F;
    }
  }

  std::string text() {
    static const std::array<std::string, 14> kPieces{
        "a",    "\"",   "\\",       "\n",       "\x01",         "\x1f",         "\x7f",
        "\xc3", "\xa9", "\xe2\x82", "\xed\xa0", "\xf0\x9f\x98", "\xf4\x90\x80", "\u00e9\u4e2d\U0001F600"};
    std::string text;
    for (size_t i = below(8); i > 0; --i)
      text += below(4) == 0 ? std::string(1, static_cast<char>(random_())) : kPieces[below(kPieces.size())];
    return text;
  }

 private:
  size_t below(size_t end) { return random_() % end; }
  uint64_t bits() { return random_() >> below(64); }

  std::mt19937_64 random_{20261122};
};

TEST(Json, WritesTheBytesThatTheReferenceWrites) {
  RandomValues random;
  for (int i = 0; i < 20'000; ++i) {
    const Reference value = random.value();
    const Json ours = converted(value);
    for (const int indent : {-1, 0, 1, 2}) {
      ASSERT_EQ(ours.dump(indent), referenceText(value, indent));
    }
  }
}

TEST(Json, WritesNumbersAsTheReferenceDoes) {
  RandomValues random;
  for (int i = 0; i < 200'000; ++i) {
    const double number = random.number();
    ASSERT_EQ(Json(number).dump(), referenceText(number));
  }
  const double huge = std::numeric_limits<double>::max(), tiny = std::numeric_limits<double>::denorm_min();
  for (const double number :
       {0.0, -0.0, 1.0, 0.1, 1e15, 1e16, 1e17, 1e-4, 1e-5, 1.0 / 3, huge, tiny, -huge}) {
    EXPECT_EQ(Json(number).dump(), referenceText(number));
  }
  EXPECT_EQ(Json(1.1F).dump(), referenceText(1.1F));
  EXPECT_EQ(Json(INT64_MIN).dump(), "-9223372036854775808");
  EXPECT_EQ(Json(UINT64_MAX).dump(), "18446744073709551615");
  EXPECT_EQ(Json(HUGE_VAL).dump(), "null");
}

TEST(Json, RepairsTextsAsTheReferenceDoes) {
  RandomValues random;
  for (int i = 0; i < 50'000; ++i) {
    const std::string text = random.text();
    ASSERT_EQ(jsonText(text), referenceText(text));
    const std::string repaired = repairedUtf8(text);
    ASSERT_EQ(validUtf8Bytes(repaired), repaired.size());
    ASSERT_EQ(repaired, Reference::parse(referenceText(text)).get<std::string>());
  }
  // Each byte after each beginning of a character.
  for (const std::string begin :
       {"", "\xc3", "\xe0", "\xe2\x82", "\xed", "\xf0", "\xf0\x9f", "\xf4", "\xff"}) {
    for (int byte = 0; byte < 256; ++byte) {
      const std::string text = begin + static_cast<char>(byte) + "x";
      ASSERT_EQ(jsonText(text), referenceText(text));
    }
  }
}

TEST(Json, ReadsWhatTheReferenceReads) {
  RandomValues random;
  std::mt19937_64 bytes(7);
  int refused = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string text = referenceText(random.value(), i % 3 - 1);
    if (i % 2 == 1) text[bytes() % text.size()] = static_cast<char>(bytes());
    const auto ours = Json::parse(text);
    const Reference reference = Reference::parse(text, nullptr, /*allow_exceptions=*/false);
    ASSERT_EQ(ours.has_value(), !reference.is_discarded()) << text;
    if (ours) {
      ASSERT_EQ(ours->dump(), referenceText(reference));
      ASSERT_EQ(*ours, converted(reference));
    } else {
      ++refused;
    }
  }
  EXPECT_GT(refused, 1000);
}

TEST(Json, ReadsTheLastOfMembersOfOneName) {
  const auto value = Json::parse(R"({"a": {"b": 1}, "c": [1, {}], "a": 2})");
  ASSERT_TRUE(value.has_value());
  EXPECT_EQ(value->dump(), R"({"a":2,"c":[1,{}]})");
}

TEST(Json, SaysWhereATextCeasesToBeJson) {
  const auto value = Json::parse(R"({"a": 1, oops})");
  ASSERT_FALSE(value.has_value());
  EXPECT_EQ(value.error().message, "it is not JSON from byte 10 on");
  EXPECT_FALSE(Json::parse("").has_value());
  EXPECT_FALSE(Json::parse("1 2").has_value());
}

TEST(Json, RefusesNestingThatNoFileNeeds) {
  const auto nested = [](size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  const auto deepest = Json::parse(nested(Json::kMaxDepth));
  ASSERT_TRUE(deepest.has_value());
  EXPECT_EQ(deepest->dump(), nested(Json::kMaxDepth));
  const auto deeper = Json::parse(nested(Json::kMaxDepth + 1));
  ASSERT_FALSE(deeper.has_value());
  EXPECT_NE(deeper.error().message.find("nested"), std::string::npos);
  EXPECT_FALSE(Json::parse(std::string().append(100'000'000, '[')).has_value());
}

TEST(Json, RefusesTextsOfFarMoreMemoryThanBytes) {
  std::string lists = "[[0]";
  while (lists.size() < 4 * Json::kFreeBytes) lists += ",[0]";
  const auto value = Json::parse(lists + "]");
  ASSERT_FALSE(value.has_value());
  EXPECT_NE(value.error().message.find("memory"), std::string::npos);
  // The values of which files hold many stay well below that.
  std::string runs = "[0";
  while (runs.size() < 4 * Json::kFreeBytes)
    runs += R"(,{"codec":"raw","name":"a","bytes":0,"xxh64":"0123456789abcdef","sms":[[0,12345],[1,12346]]})";
  EXPECT_TRUE(Json::parse(runs + "]").has_value());
}

TEST(Json, ListsOfPairsWithTextsAreObjects) {
  EXPECT_EQ((Json{{"b", 1}, {"a", {1, 2, 3}}, {"c", {{"d", nullptr}}}}).dump(),
            R"({"a":[1,2,3],"b":1,"c":{"d":null}})");
  EXPECT_EQ((Json{1, "two", 3.5}).dump(), R"([1,"two",3.5])");
  EXPECT_EQ(Json::array({Json::array({"a", 1})}).dump(), R"([["a",1]])");
  EXPECT_EQ(Json(std::map<std::string, std::vector<int>>{{"x", {1, 2}}}).dump(), R"({"x":[1,2]})");
  EXPECT_EQ(Json(std::pair(1, "a")).dump(), R"([1,"a"])");
}

TEST(Json, ReadingWhatIsNotThereGivesNothing) {
  const Json value{{"number", 1.5}, {"text", "t"}, {"list", {1, 2}}, {"yes", true}};
  EXPECT_TRUE(value["none"]["of"][7]["these"].isNull());
  EXPECT_EQ(value["text"].get<int>(), 0);
  EXPECT_EQ(value["number"].get<std::string>(), "");
  EXPECT_EQ(value["number"].get<int>(), 1);
  EXPECT_EQ(value["list"].get<std::vector<int>>(), (std::vector{1, 2}));
  EXPECT_FALSE(value["list"].get<bool>());
  EXPECT_TRUE(value["yes"].get<bool>());
  EXPECT_EQ(value.value("none", 7), 7);
  EXPECT_EQ(value.value("text", ""), "t");
  EXPECT_EQ(value["list"].at(2), nullptr);
  EXPECT_EQ(Json(1e300).get<int64_t>(), 9'200'000'000'000'000'000);
  EXPECT_EQ(Json(std::nan("")).get<uint64_t>(), 0U);
}

TEST(Json, NumbersAreComparedByValue) {
  EXPECT_EQ(Json(1), Json(1U));
  EXPECT_EQ(Json(1), Json(1.0));
  EXPECT_NE(Json(-1), Json(UINT64_MAX));
  EXPECT_LT(Json(-1), Json(UINT64_MAX));
  EXPECT_GT(Json(2.5), 2);
  EXPECT_NE(Json("1"), Json(1));
  EXPECT_FALSE(Json("1") < Json(2));
  EXPECT_FALSE(Json() < Json(2));
}

TEST(Json, MembersAreAddedReplacedAndErased) {
  Json value;
  value["a"]["b"] = 1;
  value["c"].push_back("x");
  Json copy = value;
  copy["a"] = std::move(copy["c"]);
  copy.erase("c");
  copy.erase("none");
  EXPECT_EQ(copy.dump(), R"({"a":["x"]})");
  EXPECT_EQ(value.dump(), R"({"a":{"b":1},"c":["x"]})");
  value = value["a"];  // a part of itself
  EXPECT_EQ(value.dump(), R"({"b":1})");
}

}  // namespace
}  // namespace warpscope
