// How a kernel of a user's file is launched: its block, grid and arguments as functions of sizes that a user
// can change. From the file's launch comments, and where they are silent, guessed from the signature.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "kernels/experiments/experiment.h"
#include "kernels/program/content.h"
#include "kernels/program/expression.h"
#include "kernels/program/launch_comment.h"
#include "kernels/program/signature.h"

namespace warpscope {

// A whole number that the user sets.
struct SizeRule {
  std::string name;  // "n"
  int64_t default_value = 0, least = 1, most = 1;
};

// The texels of an array as a texture or surface: `sides` give those that `description` leaves open.
struct ImageRule {
  ImageDescription description;
  std::array<Expression, 3> sides;
};

// An array in global memory, whose address is passed, or an object of the image that it is.
struct ArrayRule {
  std::string name;  // the parameter's
  ElementType element;
  Expression count;  // of elements
  InitialContent content;
  bool untouched = false;  // the content was not named, and the kernel only writes it
  // Its content is what this kernel of the file leaves in this parameter of its own; empty: `content`.
  std::string from_kernel, from_parameter;
  std::optional<ImageRule> image = std::nullopt;
};
struct SizeArgument {
  std::string name;  // of a SizeRule, or of a value in LaunchRules::derived
};
struct ValueArgument {
  Bytes bytes;
};
using ArgumentRule = std::variant<ArrayRule, SizeArgument, ValueArgument>;

// What a result is compared with.
struct ReferenceRule {
  enum class Kind { kNone, kKernel, kHostFunction } kind = Kind::kNone;
  std::string name;  // of the kernel, or of the function
  // By parameter: a file of the bytes that it must have.
  std::map<std::string, std::filesystem::path> expected_files;
  double tolerance = 0;             // relative, for floats; 0: all bits are equal
  std::set<std::string> unordered;  // arrays whose elements may stand in any order
};

struct LaunchRules {
  std::vector<SizeRule> sizes;                              // in the order in which they are shown
  std::vector<std::pair<std::string, Expression>> derived;  // sizes that follow from others
  uint32_t block_dimensions = 1;                            // of which the user sets the size
  std::array<int64_t, 3> block{256, 1, 1};                  // defaults
  bool block_is_fixed = false;
  std::array<Expression, 3> grid;
  Expression shared_bytes;
  bool cooperative = false;
  std::optional<std::array<Expression, 3>> cluster;  // absent: there are none
  std::vector<ArgumentRule> arguments;               // by parameter
  ReferenceRule reference;
  std::vector<std::string> guesses;  // what was guessed, for people: "n = 2^16"
  // Where each assignment stands, by its name: "saxpy.cu:7". Without an entry, it was guessed.
  std::map<std::string, std::string> places;
};

// The rules for `kernel` of `all` kernels of the file. Error kBadRequest: an assignment is not possible; the
// message names `file` and the line.
Expected<LaunchRules> makeLaunchRules(const KernelSignature& kernel, const std::vector<KernelSignature>& all,
                                      const std::vector<LaunchAssignment>& comments, const std::string& file);

// The parameters that a user can set for a kernel with such rules.
std::vector<ParameterSpec> launchParametersOf(const LaunchRules& rules);
// The names of the parameters that set a block's sides: "block", or "block_x" and so on.
std::string blockParameterName(const LaunchRules& rules, uint32_t dimension);

// One launch: the rules with the values that a request sets.
struct ResolvedLaunch {
  Dim3 grid, block;
  std::optional<Dim3> cluster = std::nullopt;
  uint32_t shared_bytes = 0;
  std::vector<uint64_t> counts;  // elements of each parameter's array; 0 for values
  NamedValues values;
  std::vector<std::optional<ImageDescription>> images = {};  // of each parameter
};
// Error kBadRequest: an expression has no possible value; the message names the place that says so.
Expected<ResolvedLaunch> resolveLaunch(const LaunchRules& rules, const ParameterValues& parameters);

// The rules as a launch comment's list, with these values as defaults: "block = 128, n = 2^20, ...".
std::string formatLaunchRules(const KernelSignature& kernel, const LaunchRules& rules,
                              const ParameterValues& parameters);

}  // namespace warpscope
