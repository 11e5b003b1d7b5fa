#include "kernels/lesson/lesson_kernels.h"

#include <algorithm>
#include <map>
#include <utility>

#include "kernels/core/files.h"
#include "kernels/program/launch_comment.h"
#include "kernels/program/program.h"

namespace warpscope {
namespace {

constexpr uint64_t kMostKernelBytes = uint64_t{1} << 20;
constexpr size_t kLongestName = 64;

// A lesson comes from somebody else, and its students read its text at most: what they start by opening it
// must stay on the device.
Expected<void> expectNothingOnTheHost(const std::string& source, const std::string& file) {
  const auto comments = readLaunchComments(source, file);
  if (!comments) return tl::unexpected(comments.error());
  for (const LaunchAssignment& each : *comments) {
    if (each.name == "reference" && each.value.starts_with("host"))
      return fail(ErrorKind::kBadRequest, "{}:{}: a kernel in a lesson has no reference on the host", file,
                  each.line);
    if (each.value.find('"') != std::string::npos)
      return fail(ErrorKind::kBadRequest, "{}:{}: a kernel in a lesson reads no files", file, each.line);
  }
  return {};
}

Expected<std::shared_ptr<const Program>> load(const std::filesystem::path& folder, const std::string& name,
                                              const std::stop_token& stop) {
  if (!isKernelFileName(name))
    return fail(ErrorKind::kBadRequest, "'{}' is not the name of a file of kernels (.cu, .ptx)", name);
  std::error_code ignored;
  std::filesystem::path file = folder / name;
  if (!std::filesystem::exists(file, ignored) && std::filesystem::exists(examplesFolder() / name, ignored))
    file = examplesFolder() / name;
  auto source = readFile(file, kMostKernelBytes);
  if (!source) return tl::unexpected(source.error());
  if (const auto safe = expectNothingOnTheHost(*source, file.string()); !safe)
    return tl::unexpected(safe.error());
  auto loaded = loadProgram(file, {}, stop, std::move(*source));
  if (!loaded) return tl::unexpected(loaded.error());
  if (const auto added = addProgram(loaded->program); !added) return tl::unexpected(added.error());
  return std::move(loaded->program);
}

}  // namespace

bool isKernelFileName(std::string_view name) {
  const bool plain = std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.';
  });
  return plain && !name.empty() && name.size() <= kLongestName && name.front() != '.' &&
         isProgramFile(std::filesystem::path(name));
}

KernelLoader kernelsBeside(const std::filesystem::path& lesson, std::stop_token stop) {
  auto loaded = std::make_shared<std::map<std::string, Expected<std::shared_ptr<const Program>>>>();
  return [folder = lesson.parent_path(), stop = std::move(stop), loaded](const std::string& name) {
    auto known = loaded->find(name);
    if (known == loaded->end()) known = loaded->emplace(name, load(folder, name, stop)).first;
    return known->second;
  };
}

}  // namespace warpscope
