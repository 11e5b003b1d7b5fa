#include "kernels/program/host_reference.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>

#include "kernels/compile/compile.h"
#include "kernels/compile/limited_process.h"
#include "kernels/compile/scratch_folder.h"
#include "kernels/compile/source_text.h"
#include "kernels/core/files.h"

namespace warpscope {
namespace {

constexpr double kCallLimit_s = 10;

// Around the user's file: reads the arguments from a file, calls the function, and writes what pointers point
// to into another. The types are the function's own.
constexpr const char* kCaller = R"(
#include <cstddef>
#include <cstdio>
#include <type_traits>
#include <utility>
#include <vector>
namespace warpscope_caller {
struct Argument {
  unsigned long long bytes = 0, is_pointer = 0;
  std::vector<char> content;
  void* address = nullptr;
};
inline bool read(const char* file, std::vector<Argument>& arguments) {
  std::FILE* in = std::fopen(file, "rb");
  unsigned long long head[2];
  while (in != nullptr && std::fread(head, sizeof head, 1, in) == 1) {
    Argument argument;
    argument.bytes = head[0], argument.is_pointer = head[1];
    argument.content.resize(argument.bytes);
    if (std::fread(argument.content.data(), 1, argument.bytes, in) != argument.bytes) return false;
    arguments.push_back(std::move(argument));
  }
  return in != nullptr && std::fclose(in) == 0;
}
template <class R, class... T, std::size_t... I>
int call(R (*function)(T...), std::vector<Argument>& all, std::index_sequence<I...>) {
  const std::size_t sizes[] = {sizeof(std::decay_t<T>)..., 0};
  const bool pointers[] = {std::is_pointer<std::decay_t<T>>::value..., false};
  if (all.size() != sizeof...(T)) return std::printf("it takes %zu arguments, but the kernel %zu\n", sizeof...(T), all.size()), 3;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (pointers[i] != (all[i].is_pointer != 0) || (!pointers[i] && sizes[i] != all[i].bytes))
      return std::printf("its argument %zu has another type than the kernel's\n", i), 3;
    all[i].address = all[i].content.data();
  }
  function(*static_cast<std::decay_t<T>*>(pointers[I] ? static_cast<void*>(&all[I].address) : all[I].content.data())...);
  return 0;
}
template <class R, class... T>
int call(R (*function)(T...), std::vector<Argument>& all) {
  return call(function, all, std::index_sequence_for<T...>{});
}
inline int write(const char* file, const std::vector<Argument>& all) {
  std::FILE* out = std::fopen(file, "wb");
  for (const Argument& each : all) {
    if (out != nullptr && each.is_pointer != 0) std::fwrite(each.content.data(), 1, each.bytes, out);
  }
  return out != nullptr && std::fclose(out) == 0 ? 0 : 4;
}
}  // namespace warpscope_caller
int main(int, char** argv) {
  std::vector<warpscope_caller::Argument> all;
  if (!warpscope_caller::read(argv[1], all)) return 4;
  if (const int wrong = warpscope_caller::call(&WARPSCOPE_FUNCTION, all)) return wrong;
  return warpscope_caller::write(argv[2], all);
}
)";

std::string firstLines(const std::string& text) {
  constexpr size_t kMost = 600;
  return text.size() <= kMost ? text : text.substr(0, text.rfind('\n', kMost));
}

Expected<std::filesystem::path> compileCaller(const Program& program, const std::string& function,
                                              const std::filesystem::path& made) {
  const auto is_of_a_name = [](char c) { return isWordCharacter(c) || c == ':' || c == '<' || c == '>'; };
  if (function.empty() || !std::ranges::all_of(function, is_of_a_name)) {
    return fail(ErrorKind::kBadRequest, "'{}' is not a function's name", function);
  }
  // Messages name the user's file and its lines.
  const std::string text = fmt::format(
      "#define main warpscope_main_of_the_program\n#define WARPSCOPE_FUNCTION {}\n{}{}\n#undef main\n{}",
      function, lineDirective(program.file), program.source, kCaller);
  std::error_code ignored;
  const auto folder = std::filesystem::absolute(program.file, ignored).parent_path();
  return compileForHost(text, folder, made).map([&] { return made; });
}

// Compiled callers by program and function, for as long as this process lives.
Expected<std::filesystem::path> callerOf(const Program& program, const std::string& function) {
  static std::mutex mutex;
  static const ScratchFolder kScratch;
  static std::map<std::pair<std::string, std::string>, Expected<std::filesystem::path>> known;
  const std::lock_guard lock(mutex);
  const std::pair key{program.source, function};
  if (const auto found = known.find(key); found != known.end()) return found->second;
  if (kScratch.path().empty()) {
    return fail(ErrorKind::kWorkFailed, "no folder can be made for temporary files");
  }
  const auto made = kScratch.path() / fmt::to_string(known.size());
  return known.emplace(key, compileCaller(program, function, made)).first->second;
}

void append(std::string& to, const void* from, size_t bytes) {
  to.append(static_cast<const char*>(from), bytes);
}

std::string argumentsFile(const LaunchPlan& plan) {
  std::string file;
  for (const KernelArgument& argument : plan.arguments) {
    Bytes content;
    const auto* buffer = std::get_if<BufferArgument>(&argument);
    if (buffer != nullptr) {
      const BufferSpec& spec = plan.buffers[buffer->index];
      content = spec.generate ? *spec.generate() : Bytes(spec.bytes, static_cast<std::byte>(spec.fill));
    } else if (const auto* bytes = std::get_if<Bytes>(&argument)) {
      content = *bytes;
    }
    const uint64_t head[2] = {content.size(), buffer != nullptr ? 1U : 0U};
    append(file, head, sizeof head);
    append(file, content.data(), content.size());
  }
  return file;
}

}  // namespace

Expected<std::vector<Bytes>> callHostFunction(const Program& program, const std::string& function,
                                              const LaunchPlan& plan) {
  const auto caller = callerOf(program, function);
  if (!caller) return tl::unexpected(caller.error());
  const ScratchFolder scratch;
  const auto in = scratch.path() / "arguments", out = scratch.path() / "results";
  if (auto written = replaceFile(in, argumentsFile(plan)); !written) return tl::unexpected(written.error());
  const auto end =
      runLimited({caller->string(), in.string(), out.string()}, {.time_s = kCallLimit_s}, scratch.path(), {});
  if (!end) return tl::unexpected(end.error());
  if (end->timed_out) return fail(ErrorKind::kWorkFailed, "it takes longer than {} s", kCallLimit_s);
  if (end->exit_status != 0) {
    return fail(
        ErrorKind::kWorkFailed, "{}",
        end->signal != 0 ? fmt::format("it crashed ({})", strsignal(end->signal)) : firstLines(end->output));
  }
  auto results = readFile(out, UINT64_MAX);
  if (!results) return tl::unexpected(results.error());
  std::vector<Bytes> outputs;
  size_t at = 0;
  for (const BufferSpec& spec : plan.buffers) {
    if (at + spec.bytes > results->size()) return fail(ErrorKind::kWorkFailed, "its results end too early");
    const auto* from = reinterpret_cast<const std::byte*>(results->data() + at);
    if (spec.role != BufferSpec::Role::kInput) outputs.emplace_back(from, from + spec.bytes);
    at += spec.bytes;
  }
  return outputs;
}

}  // namespace warpscope
