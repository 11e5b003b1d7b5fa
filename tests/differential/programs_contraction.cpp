// Sums of products, which ptxas computes with one rounding where the text allows it (simt/contraction.h).
#include <fmt/format.h>

#include <bit>
#include <cmath>

#include "tests/differential/program.h"

namespace warpscope::test {
namespace {

struct Sum {
  const char* label;
  const char* body;  // from a, b, c and d to the result e, as instructions on TYPE
  double (*value)(double a, double b, double c, double d, double (*fma)(double, double, double),
                  double (*rounded)(double));
};
using Fused = double (*)(double, double, double);
using Rounded = double (*)(double);

constexpr Sum kSums[] = {
    {"a * b + c", "mul.TYPE m, a, b; add.TYPE e, m, c;",
     [](double a, double b, double c, double, Fused fma, Rounded) { return fma(a, b, c); }},
    {"a * b - c", "mul.TYPE m, a, b; sub.TYPE e, m, c;",
     [](double a, double b, double c, double, Fused fma, Rounded) { return fma(a, b, -c); }},
    {"c - a * b", "mul.TYPE m, a, b; sub.TYPE e, c, m;",
     [](double a, double b, double c, double, Fused fma, Rounded) { return fma(-a, b, c); }},
    {"a * b + c * d", "mul.TYPE m, a, b; mul.TYPE n, c, d; add.TYPE e, m, n;",
     [](double a, double b, double c, double d, Fused fma, Rounded rounded) {
       return fma(a, b, rounded(c * d));
     }},
    {"c * d + a * b", "mul.TYPE m, a, b; mul.TYPE n, c, d; add.TYPE e, n, m;",
     [](double a, double b, double c, double d, Fused fma, Rounded rounded) {
       return fma(c, d, rounded(a * b));
     }},
    {"a * b - c * d", "mul.TYPE m, a, b; mul.TYPE n, c, d; sub.TYPE e, m, n;",
     [](double a, double b, double c, double d, Fused fma, Rounded rounded) {
       return fma(a, b, -rounded(c * d));
     }},
    {"(a * b).rn + c", "mul.rn.TYPE m, a, b; add.TYPE e, m, c;",
     [](double a, double b, double c, double, Fused, Rounded rounded) {
       return rounded(rounded(a * b) + c);
     }},
    {"(a * b + c) * d + a", "mul.TYPE m, a, b; add.TYPE n, m, c; mul.TYPE m, n, d; add.TYPE e, m, a;",
     [](double a, double b, double c, double d, Fused fma, Rounded) { return fma(fma(a, b, c), d, a); }},
};

double fmaOfFloats(double a, double b, double c) {
  return std::fma(static_cast<float>(a), static_cast<float>(b), static_cast<float>(c));
}
double fmaOfDoubles(double a, double b, double c) {
  return std::fma(a, b, c);
}

// The random bits as a number of 1 to 16 in size, where rounding is what differs.
template <class Float, class Bits>
Bits nearOne(uint64_t random) {
  const Float sign = (random & 1) != 0 ? -1 : 1;
  const auto exponent = static_cast<int>(random >> 1 & 3);
  const auto fraction = static_cast<Float>(static_cast<double>(random >> 11) * 0x1p-53);
  return std::bit_cast<Bits>(std::ldexp(sign * (1 + fraction / 2), exponent));
}

template <class Float, class Bits>
Program programOf(const Sum& sum, const char* type, Fused fma, Rounded rounded) {
  std::string body = "  {\n  .reg .$1 a, b, c, d, e, m, n;\n";
  for (const auto& [name, offset] : {std::pair{"a", "0"}, {"b", "8"}, {"c", "16"}, {"d", "24"}})
    body += filled("  ld.global.$1 $2, [%in+$3];\n", {"$1", name, offset});
  std::string sums = sum.body;
  for (size_t at = 0; (at = sums.find("TYPE", at)) != std::string::npos;) sums.replace(at, 4, type);
  body += "  " + sums + "\n  st.global.$1 [%out], e;\n  }\n";
  Program program{fmt::format("{} in {}", sum.label, type), filled(body, {type}),
                  [value = sum.value, fma, rounded](const BlockRecords& block) {
                    for (uint32_t i = 0; i < kProgramThreads; ++i) {
                      const auto cell = [&](size_t k) {
                        return static_cast<double>(std::bit_cast<Float>(static_cast<Bits>(block.in[i][k])));
                      };
                      const double result = value(cell(0), cell(1), cell(2), cell(3), fma, rounded);
                      block.out[i][0] = std::bit_cast<Bits>(static_cast<Float>(result));
                    }
                  }};
  program.prepare = [](Record& record, uint32_t) {
    for (size_t k = 0; k < 4; ++k) record[k] = nearOne<Float, Bits>(record[k]);
  };
  return program;
}

}  // namespace

void addContractionPrograms(std::vector<Program>& programs) {
  for (const Sum& sum : kSums) {
    programs.push_back(programOf<float, uint32_t>(
        sum, "f32", fmaOfFloats, [](double x) { return static_cast<double>(static_cast<float>(x)); }));
    programs.push_back(programOf<double, uint64_t>(sum, "f64", fmaOfDoubles, [](double x) { return x; }));
  }
}

}  // namespace warpscope::test
