#include "kernels/lesson/claim.h"

#include <charconv>
#include <cmath>
#include <optional>

#include "kernels/lesson/entries.h"

namespace warpscope {
namespace {

struct Sign {
  std::string_view text;
  Claim::Relation relation;
};
// Longer ones first.
constexpr Sign kSigns[] = {
    {"!=", Claim::Relation::kNotEqual}, {"<=", Claim::Relation::kAtMost}, {">=", Claim::Relation::kAtLeast},
    {"=", Claim::Relation::kEqual},     {"<", Claim::Relation::kLess},    {">", Claim::Relation::kGreater},
};
constexpr double kRounding = 1e-9;  // of what is computed in two ways
constexpr std::string_view kWithin = " within ";

// The first relation in the text; << and >> are shifts.
std::optional<std::pair<size_t, Sign>> findSign(std::string_view text) {
  for (size_t at = 0; at < text.size(); ++at) {
    if (text.substr(at).starts_with("<<") || text.substr(at).starts_with(">>")) {
      ++at;
      continue;
    }
    for (const Sign& sign : kSigns) {
      if (text.substr(at).starts_with(sign.text)) return std::pair{at, sign};
    }
  }
  return std::nullopt;
}

}  // namespace

bool isWithin(double value, double expected, double within) {
  return std::abs(value - expected) <= std::max(within, kRounding) * std::abs(expected) ||
         std::abs(value - expected) <= kRounding;
}

Expected<Claim> Claim::parse(std::string_view text) {
  Claim claim;
  claim.text = trimmed(text);
  const auto sign = findSign(text);
  if (!sign)
    return fail(ErrorKind::kBadRequest, "'{}' compares nothing: one of =, !=, <, <=, > and >= is missing",
                text);
  const auto& [at, found] = *sign;
  claim.relation = found.relation;
  std::string_view right = text.substr(at + found.text.size());
  if (const size_t within = right.find(kWithin); within != std::string_view::npos) {
    const std::string_view number = trimmed(right.substr(within + kWithin.size()));
    const auto parsed = std::from_chars(number.data(), number.data() + number.size(), claim.within);
    if (parsed.ec != std::errc{} || parsed.ptr != number.data() + number.size() || !(claim.within >= 0) ||
        !(claim.within < 1) || claim.relation != Relation::kEqual)
      return fail(ErrorKind::kBadRequest,
                  "'{}': 'within' follows an equation and is a share below 1, such as 'within 0.05'", text);
    right = right.substr(0, within);
  }
  auto first = Expression::parse(trimmed(text.substr(0, at)));
  if (!first) return tl::unexpected(first.error());
  auto second = Expression::parse(trimmed(right));
  if (!second) return tl::unexpected(second.error());
  claim.left = std::move(*first);
  claim.right = std::move(*second);
  return claim;
}

std::set<std::string, std::less<>> Claim::names() const {
  auto names = left.names();
  names.insert(right.names().begin(), right.names().end());
  return names;
}

Expected<bool> Claim::holds(const NamedValues& values) const {
  const auto a = left.evaluate(values);
  if (!a) return tl::unexpected(a.error());
  const auto b = right.evaluate(values);
  if (!b) return tl::unexpected(b.error());
  const bool equal = isWithin(*a, *b, within);
  switch (relation) {
    case Relation::kEqual:
      return equal;
    case Relation::kNotEqual:
      return !equal;
    case Relation::kLess:
      return *a < *b && !equal;
    case Relation::kAtMost:
      return *a < *b || equal;
    case Relation::kGreater:
      return *a > *b && !equal;
    case Relation::kAtLeast:
      return *a > *b || equal;
  }
  return false;
}

}  // namespace warpscope
