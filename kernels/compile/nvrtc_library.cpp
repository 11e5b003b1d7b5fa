#include "kernels/compile/nvrtc_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdio>

#include "kernels/compile/host_part.h"
#include "kernels/compile/local_headers.h"
#include "kernels/core/files.h"

namespace warpscope {
namespace {

// The functions and types of NVRTC's documentation, chapter 3.
struct NvrtcProgram;
using Result = int;
struct Nvrtc {
  // NOLINTBEGIN(readability-identifier-naming): functions, which are called by these names
  Result (*version)(int*, int*);
  Result (*create)(NvrtcProgram**, const char*, const char*, int, const char* const*, const char* const*);
  Result (*compile)(NvrtcProgram*, int, const char* const*);
  Result (*logSize)(NvrtcProgram*, size_t*);
  Result (*log)(NvrtcProgram*, char*);
  Result (*ptxSize)(NvrtcProgram*, size_t*);
  Result (*ptx)(NvrtcProgram*, char*);
  Result (*addName)(NvrtcProgram*, const char*);
  // NOLINTEND(readability-identifier-naming)
};

struct Loaded {
  Nvrtc functions{};
  std::filesystem::path headers;  // the toolkit's, beside the library; empty: there are none
};

template <class Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

bool load(Loaded& loaded) {
  std::vector<std::string> names;
  for (const char* folder : {"", "/usr/local/cuda/lib64/", "/usr/local/cuda/lib/"}) {
    for (const char* ending : {"", ".13", ".12", ".11.2"})
      names.push_back(fmt::format("{}libnvrtc.so{}", folder, ending));
  }
  for (const std::string& name : names) {
    void* library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) continue;
    Nvrtc& f = loaded.functions;
    if (!find(library, "nvrtcVersion", f.version) || !find(library, "nvrtcCreateProgram", f.create) ||
        !find(library, "nvrtcCompileProgram", f.compile) ||
        !find(library, "nvrtcGetProgramLogSize", f.logSize) || !find(library, "nvrtcGetProgramLog", f.log) ||
        !find(library, "nvrtcGetPTXSize", f.ptxSize) || !find(library, "nvrtcGetPTX", f.ptx) ||
        !find(library, "nvrtcAddNameExpression", f.addName)) {
      continue;
    }
    Dl_info info{};
    if (dladdr(reinterpret_cast<void*>(f.version), &info) != 0 && info.dli_fname != nullptr) {
      std::error_code error;
      const auto path = std::filesystem::weakly_canonical(info.dli_fname, error);
      for (auto folder = path.parent_path(); folder.has_relative_path(); folder = folder.parent_path()) {
        if (std::filesystem::exists(folder / "include" / "cuda_runtime.h", error)) {
          loaded.headers = folder / "include";
          break;
        }
      }
    }
    return true;
  }
  return false;
}

}  // namespace

int compileInThisProcess(const std::filesystem::path& input, const std::filesystem::path& output,
                         const std::vector<std::string>& options) {
  Loaded loaded;
  if (!load(loaded)) return kNvrtcNotHere;
  const Nvrtc& nvrtc = loaded.functions;
  int major = 0, minor = 0;
  nvrtc.version(&major, &minor);
  const auto say = [](std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); };
  say(fmt::format("NVRTC {}.{}\n", major, minor));
  const auto source = readFile(input);
  if (!source) {
    say(fmt::format("error: {}\n", source.error().message));
    return 1;
  }
  std::vector<std::string> all = options;
  if (!loaded.headers.empty()) all.push_back("-I" + loaded.headers.string());
  if (std::error_code error; std::filesystem::exists(loaded.headers / "cccl", error))
    all.push_back("-I" + (loaded.headers / "cccl").string());
  std::vector<const char*> arguments;
  arguments.reserve(all.size());
  for (const std::string& option : all) arguments.push_back(option.c_str());

  const DevicePart kernels = withoutHostPart(*source);
  std::vector<std::filesystem::path> folders;
  for (const std::string& option : options) {
    if (option.starts_with("-I")) folders.emplace_back(option.substr(2));
  }
  const std::vector<LocalHeader> local = localHeaders(*source, input.parent_path(), folders);
  std::vector<const char*> contents, names;
  for (const StandInHeader& header : standInHeaders()) {
    contents.push_back(header.content);
    names.push_back(header.name);
  }
  for (const LocalHeader& header : local) {
    contents.push_back(header.text.c_str());
    names.push_back(header.name.c_str());
  }
  NvrtcProgram* program = nullptr;
  if (nvrtc.create(&program, kernels.text.c_str(), input.c_str(), static_cast<int>(names.size()),
                   contents.data(), names.data()) != 0) {
    return 1;
  }
  for (const std::string& name : kernels.launched) nvrtc.addName(program, name.c_str());
  const Result result = nvrtc.compile(program, static_cast<int>(arguments.size()), arguments.data());
  size_t bytes = 0;
  if (nvrtc.logSize(program, &bytes) == 0 && bytes > 1) {
    std::string log(bytes, '\0');
    nvrtc.log(program, log.data());
    say(std::string_view(log).substr(0, bytes - 1));
    say("\n");
  }
  if (result != 0 || nvrtc.ptxSize(program, &bytes) != 0 || bytes == 0) return 1;
  std::string ptx(bytes, '\0');
  nvrtc.ptx(program, ptx.data());
  ptx.resize(bytes - 1);
  if (const auto written = replaceFile(output, ptx); !written) {
    say(fmt::format("error: {}\n", written.error().message));
    return 1;
  }
  return 0;
}

}  // namespace warpscope
