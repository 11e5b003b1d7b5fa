#include "kernels/backend/cuda/linked_module.h"

#include <array>
#include <cstdlib>
#include <filesystem>
#include <vector>

namespace warpscope::cuda {
namespace {

constexpr const char* kLibrary = "libcudadevrt.a";
constexpr std::string_view kSetsCondition = "cudaGraphSetConditional";

// The driver's linker at work, with what it says.
class Linker {
 public:
  Linker(Session& session, const ModuleImage& image) : session_(session), image_(image) {}
  ~Linker() {
    if (state_ != nullptr) session_.api().linkDestroy(state_);
  }
  Linker(const Linker&) = delete;
  Linker& operator=(const Linker&) = delete;

  Expected<Module> load(const std::string& library) {
    const DriverApi& api = session_.api();
    std::array options{JitOption::kErrorLogBuffer, JitOption::kErrorLogBufferSizeBytes,
                       JitOption::kLineInformation};
    // The driver takes numbers as the values of pointers (CUjit_option, "option type: unsigned int").
    std::array<void*, 3> values{log_.data(), reinterpret_cast<void*>(log_.size() - 1),
                                reinterpret_cast<void*>(uintptr_t{1})};
    void* cubin = nullptr;  // the linker's
    Module module = nullptr;
    // It reads the PTX, which ends with a NUL, and does not write it.
    auto* ptx = const_cast<char*>(image_.ptx.data());
    auto done = check(api.linkCreate(options.size(), options.data(), values.data(), &state_), "its linker");
    if (done) {
      const std::string name(image_.name);
      done = check(api.linkAddData(state_, LinkInput::kPtx, ptx, image_.ptx.size() + 1, name.c_str(), 0,
                                   nullptr, nullptr),
                   "its PTX");
    }
    if (done) {
      done = check(api.linkAddFile(state_, LinkInput::kLibrary, library.c_str(), 0, nullptr, nullptr),
                   library.c_str());
    }
    if (done) done = check(api.linkComplete(state_, &cubin, nullptr), library.c_str());
    if (done) done = check(api.moduleLoadDataEx(&module, cubin, 0, nullptr, nullptr), "the linked code");
    if (!done) return tl::unexpected(done.error());
    return module;
  }

 private:
  Expected<void> check(Result result, const char* with) {
    auto done =
        session_.check(result, "linking module {} with the CUDA device runtime ({})", image_.name, with);
    if (!done && log_[0] != '\0') done.error().message += fmt::format("\nlinker log:\n{}", log_.data());
    return done;
  }

  Session& session_;
  const ModuleImage& image_;
  LinkState state_ = nullptr;
  std::array<char, 8192> log_{};  // until the linker is destroyed
};

}  // namespace

std::optional<std::string> deviceRuntimeLibrary() {
  std::vector<std::string> toolkits;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const char* toolkit = std::getenv(variable)) toolkits.emplace_back(toolkit);
  }
  for (const char* toolkit : {"/usr/local/cuda", "/usr/local/cuda-13", "/usr/local/cuda-12", "/opt/cuda"})
    toolkits.emplace_back(toolkit);
  std::vector<std::string> folders;
  for (const std::string& toolkit : toolkits) {
    for (const char* part : {"/lib64/", "/lib/", "/targets/x86_64-linux/lib/"})
      folders.push_back(toolkit + part);
  }
  folders.emplace_back("/usr/lib/x86_64-linux-gnu/");  // Debian's package nvidia-cuda-dev
  for (const std::string& folder : folders) {
    std::error_code ignored;
    if (std::filesystem::is_regular_file(folder + kLibrary, ignored)) return folder + kLibrary;
  }
  return std::nullopt;
}

bool callsDeviceRuntime(const ModuleImage& image) {
  return std::string_view(image.ptx).find(kSetsCondition) != std::string_view::npos;
}

Expected<Module> loadLinkedModule(Session& session, const ModuleImage& image) {
  if (const char* missing = session.api().missing_for_conditions) {
    return fail(
        ErrorKind::kBadRequest,
        "loading module {}: it sets conditions of graphs, for which the CUDA driver is too old (it has "
        "no {}): install a driver of CUDA 12.4 or later",
        image.name, missing);
  }
  const auto library = deviceRuntimeLibrary();
  if (!library) {
    return fail(ErrorKind::kBadRequest,
                "loading module {}: it calls {}, which is in {} of the CUDA toolkit, and that was not found: "
                "install the toolkit, or set CUDA_HOME to its folder",
                image.name, kSetsCondition, kLibrary);
  }
  return Linker(session, image).load(*library);
}

}  // namespace warpscope::cuda
