#include "kernels/compile/host_part.h"

#include <algorithm>
#include <cctype>
#include <initializer_list>
#include <iterator>
#include <sstream>

#include "kernels/compile/source_text.h"

namespace warpscope {
namespace {

// "template <class T> T sum(" without its parameters in angle brackets: "T sum(".
std::string_view withoutTemplate(std::string_view head) {
  const std::string_view rest = trimmed(head);
  const size_t open = rest.starts_with("template") ? rest.find('<') : std::string_view::npos;
  const size_t close = open == std::string_view::npos ? open : closingBracket(rest, open);
  return close == std::string_view::npos ? head : rest.substr(close + 1);
}

bool hasAny(std::string_view text, std::initializer_list<const char*> words) {
  return std::ranges::any_of(words, [&](const char* word) { return hasWord(text, word); });
}

bool isHostFunction(std::string_view whole) {
  const std::string_view head = withoutTemplate(whole);
  if (hasAny(head, {"__device__", "__global__", "__constant__", "constexpr"})) return false;
  const size_t open = head.find('(');
  // "struct tm* now()" is a function, "struct alignas(16) Body" and "enum class Side" are not.
  if (hasAny(head, {"class", "union", "enum", "namespace", "alignas", "__align__"})) return false;
  return open != std::string_view::npos && head.find('=') == std::string_view::npos;
}

// A declaration or a variable of types of the standard library, which kernels do not have.
bool isHostStatement(std::string_view statement) {
  return hasAny(statement, {"std", "FILE"}) &&
         !hasAny(statement,
                 {"using", "typedef", "template", "constexpr", "__device__", "__global__", "__constant__"});
}

size_t codeFrom(std::string_view code, size_t begin) {
  return std::min(code.find_first_not_of(" \n\t\r", begin), code.size());
}

// Spaces from `begin` to `end`, both included.
void blank(std::string& text, size_t begin, size_t end) {
  for (size_t i = begin; i <= end && i < text.size(); ++i) {
    if (text[i] != '\n') text[i] = ' ';
  }
}

// Adds "scan<float>" for each "scan<float><<<".
void addLaunched(std::string_view function, std::string_view code, std::vector<std::string>& launched) {
  for (size_t at = function.find("<<<"); at != std::string_view::npos; at = function.find("<<<", at + 3)) {
    size_t end = at;
    while (end > 0 && std::isspace(static_cast<unsigned char>(function[end - 1])) != 0) --end;
    if (end == 0 || function[end - 1] != '>') continue;
    size_t begin = end, depth = 0;
    do {
      --begin;
      if (function[begin] == '>') ++depth;
      if (function[begin] == '<') --depth;
    } while (begin > 0 && depth > 0);
    const size_t arguments = begin;
    while (begin > 0 && (isWordCharacter(function[begin - 1]) || function[begin - 1] == ':')) --begin;
    const std::string plain(function.substr(begin, arguments - begin));
    const std::string name(function.substr(begin, end - begin));
    const bool is_explicit = code.find("template __global__ void " + plain + "<") != std::string_view::npos;
    if (!plain.empty() && !is_explicit && std::ranges::find(launched, name) == launched.end())
      launched.push_back(name);
  }
}

}  // namespace

DevicePart withoutHostPart(std::string_view source) {
  DevicePart part{std::string(source), {}};
  const std::string code = codeOnly(source);
  size_t begin = 0;  // of the definition that is read
  for (size_t at = 0; at < code.size(); ++at) {
    if (code[at] == ';') {
      if (isHostStatement(std::string_view(code).substr(begin, at - begin)))
        blank(part.text, codeFrom(code, begin), at);
      begin = at + 1;
    }
    if (code[at] == '}') begin = at + 1;
    if (code[at] != '{') continue;
    const std::string_view head = std::string_view(code).substr(begin, at - begin);
    const bool is_scope =
        hasWord(head, "namespace") || (hasWord(head, "extern") && head.find('(') == std::string_view::npos);
    if (is_scope) {
      begin = at + 1;
      continue;
    }
    size_t end = std::min(closingBracket(code, at), code.size());
    // "std::vector<int> list = {1, 2};", and structures with members of such types and nothing for kernels.
    const bool is_list = head.find('=') != std::string_view::npos && isHostStatement(head);
    const bool is_structure = hasAny(head, {"struct", "class"}) && head.find('(') == std::string_view::npos;
    if (is_list || (is_structure && isHostStatement(std::string_view(code).substr(begin, end - begin)))) {
      end = std::min(code.find(';', end), code.size());
      blank(part.text, codeFrom(code, begin), end);
    } else if (isHostFunction(head)) {
      const std::string_view function = std::string_view(code).substr(begin, end - begin);
      if (!hasWord(head, "template")) addLaunched(function, code, part.launched);
      blank(part.text, codeFrom(code, begin), end);
    }
    at = end;
    begin = end + 1;
  }
  return part;
}

namespace {

// What kernels use of the host's headers.
constexpr const char* kPrelude = R"(#pragma once
typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long long uint64_t;
typedef long long intptr_t;
typedef unsigned long long uintptr_t;
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
typedef struct WsFile FILE;
namespace std {
using ::int8_t; using ::int16_t; using ::int32_t; using ::int64_t;
using ::uint8_t; using ::uint16_t; using ::uint32_t; using ::uint64_t;
using ::size_t;
}
#define CHAR_BIT 8
#define INT_MAX 0x7fffffff
#define INT_MIN (-0x7fffffff - 1)
#define UINT_MAX 0xffffffffu
#define LONG_MAX 0x7fffffffffffffffl
#define LLONG_MAX 0x7fffffffffffffffll
#define LLONG_MIN (-LLONG_MAX - 1)
#define ULLONG_MAX 0xffffffffffffffffull
#define FLT_MAX 3.402823466e+38f
#define FLT_MIN 1.175494351e-38f
#define FLT_EPSILON 1.192092896e-07f
#define DBL_MAX 1.7976931348623157e+308
#define DBL_MIN 2.2250738585072014e-308
#define DBL_EPSILON 2.2204460492503131e-16
#define INFINITY __int_as_float(0x7f800000)
#define NAN __int_as_float(0x7fffffff)
#define M_PI 3.14159265358979323846
#define M_E 2.7182818284590452354
#define M_SQRT2 1.41421356237309504880
)";

// The toolkit has these for kernels, by other names.
constexpr const char* kTypeTraits =
    "#pragma once\n#include <cuda/std/type_traits>\nnamespace std { using namespace ::cuda::std; }\n";
constexpr const char* kArray =
    "#pragma once\n#include <cuda/std/array>\nnamespace std { using namespace ::cuda::std; }\n";
constexpr const char* kNumericLimits =
    "#pragma once\n#include <cuda/std/limits>\nnamespace std { using namespace ::cuda::std; }\n";

// Headers that have nothing more for kernels.
constexpr const char* kEmpty =
    "cstdint stdint.h inttypes.h climits limits.h cfloat float.h cmath math.h algorithm atomic "
    "cassert cctype chrono cstdio cstdlib cstring ctime deque exception fstream functional iomanip "
    "iostream iterator list map memory numeric optional ostream queue random set sstream stack "
    "stdexcept string string_view thread unordered_map unordered_set vector assert.h stdio.h "
    "stdlib.h string.h time.h utility initializer_list tuple sys/time.h unistd.h getopt.h cstddef "
    "stddef.h new typeinfo bitset complex mutex condition_variable future ratio system_error errno.h "
    "memory.h signal.h sys/types.h sys/stat.h sys/resource.h stdbool.h strings.h locale regex any variant "
    "omp.h cuda.h cuda_runtime.h cuda_runtime_api.h cuda_profiler_api.h device_launch_parameters.h "
    "builtin_types.h ";

}  // namespace

const std::vector<StandInHeader>& standInHeaders() {
  static const std::vector<std::string> kNames = [] {
    std::istringstream words(kEmpty);
    return std::vector<std::string>(std::istream_iterator<std::string>(words), {});
  }();
  static const std::vector<StandInHeader> kHeaders = [] {
    std::vector<StandInHeader> all{{kPreludeName, kPrelude},
                                   {"type_traits", kTypeTraits},
                                   {"array", kArray},
                                   {"limits", kNumericLimits}};
    for (const std::string& name : kNames) all.push_back({name.c_str(), "#pragma once\n"});
    return all;
  }();
  return kHeaders;
}

}  // namespace warpscope
