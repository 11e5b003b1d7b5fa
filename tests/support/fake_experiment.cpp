// The family "fake" and the server of tests; fake_backend.h says what its variants do.
#include <cstring>
#include <numeric>

#include "tests/support/fake_backend.h"

namespace warpscope::testing {
namespace {

std::vector<uint32_t> inputValues(int64_t size) {
  std::vector<uint32_t> values(static_cast<size_t>(size));
  std::iota(values.begin(), values.end(), 7U);
  return values;
}

std::shared_ptr<const Bytes> inputBytes(int64_t size) {
  const auto values = inputValues(size);
  auto bytes = std::make_shared<Bytes>(values.size() * 4);
  std::memcpy(bytes->data(), values.data(), bytes->size());
  return bytes;
}

Verification verifyAgainst(int64_t size, uint32_t added,
                           std::span<const std::span<const std::byte>> outputs) {
  Verification verification;
  std::vector<uint32_t> out(static_cast<size_t>(size));
  std::memcpy(out.data(), outputs[0].data(), out.size() * 4);
  const auto in = inputValues(size);
  for (size_t i = 0; i < in.size(); ++i) {
    ++verification.checked;
    if (out[i] != in[i] + added) ++verification.mismatches;
  }
  verification.passed = verification.mismatches == 0 && outputs.size() == 1;
  return verification;
}

// Of the variant "copy", whose store is on line 1 of fake.cu.
constexpr const char* kPtx = R"(.version 7.8
.target sm_75
.address_size 64
.file 1 "fake.cu"
.visible .entry copy(.param .u64 in, .param .u64 out, .param .u32 n) {
.reg .b32 %r<4>;
.reg .b64 %rd<4>;
mov.u32 %r1, %tid.x;
.loc 1 1 3
ld.param.u64 %rd1, [in];
ld.global.u32 %r2, [%rd1];
ld.param.u64 %rd2, [out];
st.global.u32 [%rd2], %r2;
ret;
}
)";

class FakeExperiment final : public Experiment {
 public:
  FakeExperiment() {
    info_.name = "fake";
    for (const char* name : {"copy", "increment", "wrong", "poison", "hang", "kill", "segfault", "exit",
                             "exit_later", "garbage", "truncated", "slow", "print", "streamed"}) {
      info_.variants.push_back({name, name, ""});
    }
    info_.parameters = {{"size", "Size", ParameterKind::kLog2, 1, int64_t{1} << 40, 1, 256},
                        {"block", "Block", ParameterKind::kInteger, 1, 4096, 1, 128},
                        {"shared", "Shared", ParameterKind::kInteger, 0, 1 << 20, 1, 0}};
    info_.parameters[0].role = ParameterRole::kElements;
    info_.parameters[1].role = ParameterRole::kBlock;
    info_.parameters[2].role = ParameterRole::kSharedBytes;
  }

  const FamilyInfo& info() const override { return info_; }

  std::vector<Prediction> predictions(const RunRequest& /*request*/,
                                      const DeviceLimits& /*limits*/) const override {
    return {};
  }

  Expected<LaunchPlan> plan(const RunRequest& request, const DeviceLimits& /*limits*/) const override {
    const int64_t size = request.parameters.at("size");
    const bool in_place = request.variant == "increment";
    const uint64_t bytes = static_cast<uint64_t>(size) * 4;
    LaunchPlan plan;
    plan.module = "fake";
    plan.kernel = request.variant;
    plan.block = {static_cast<uint32_t>(request.parameters.at("block")), 1, 1};
    plan.grid = {static_cast<uint32_t>((size + plan.block.x - 1) / plan.block.x), 1, 1};
    plan.dynamic_shared_bytes = static_cast<uint32_t>(request.parameters.at("shared"));
    const auto generate = [size] { return inputBytes(size); };
    using Role = BufferSpec::Role;
    plan.buffers.push_back(
        {in_place ? Role::kInOut : Role::kInput, "in", bytes, fmt::format("iota {}", size), generate});
    if (!in_place) plan.buffers.push_back({Role::kOutput, "out", bytes, "", {}});
    for (size_t i = 0; i < plan.buffers.size(); ++i) plan.arguments.emplace_back(BufferArgument{i});
    plan.arguments.emplace_back(static_cast<uint32_t>(size));
    plan.bytes_moved = 2 * bytes;
    if (request.variant == "streamed") addOperations(bytes, plan);
    plan.verify = [size, in_place](std::span<const std::span<const std::byte>> outputs) {
      return verifyAgainst(size, in_place ? 1 : 0, outputs);
    };
    return plan;
  }

  Expected<std::vector<Region>> regions(const std::string& /*variant*/) const override {
    return std::vector<Region>{{RegionId{0}, "body", 1, 1}};
  }
  std::string sourceFile(const std::string& /*variant*/) const override { return "fake.cu"; }
  std::shared_ptr<const std::string> source(const std::string& /*variant*/) const override {
    return std::make_shared<const std::string>("out[i] = in[i];\n");
  }

 private:
  // There, the kernel, and back.
  static void addOperations(uint64_t bytes, LaunchPlan& plan) {
    for (BufferSpec& buffer : plan.buffers) buffer.host = HostMemory::kPinned;
    plan.streams = {{.name = "stream 1"}};
    plan.operations = {{.kind = OperationKind::kCopyToDevice, .name = "all", .buffer = 0, .bytes = bytes},
                       {.kind = OperationKind::kLaunch, .name = "all"},
                       {.kind = OperationKind::kCopyToHost, .name = "all", .buffer = 1, .bytes = bytes}};
  }

  FamilyInfo info_;
};

}  // namespace

KernelLibrary fakeKernels() {
  static const FakeExperiment kExperiment;
  return {
      [](const RunRequest& request) -> Expected<const Experiment*> {
        if (request.family == "fake") return &kExperiment;
        return fail(ErrorKind::kBadRequest, "there is no family '{}'", request.family);
      },
      [](const std::string& module) -> Expected<ModuleImage> {
        // The views must outlive the call.
        const bool is_pack = module == "probe_pack";
        return ModuleImage{is_pack ? "probe_pack" : "fake", is_pack ? "" : kPtx, {}};
      },
      [](const ModuleImage& /*module*/, const std::string& kernel, ProbeKind probe) -> Expected<std::string> {
        return kernel + (probe == ProbeKind::kBare     ? ""
                         : probe == ProbeKind::kProbed ? "_probed"
                                                       : "_residency");
      }};
}

ServerParts fakeServerParts(const std::function<void(FakeBackend&)>& prepare) {
  return {[] {
            DeviceListing listing;
            listing.devices.push_back(FakeBackend().description());
            listing.notes.emplace_back("a note");
            return listing;
          },
          [prepare](const std::string& id) -> Expected<std::unique_ptr<Backend>> {
            if (id != "fake:0") return fail(ErrorKind::kNoDevice, "there is no {}", id);
            auto backend = std::make_unique<FakeBackend>();
            if (prepare) prepare(*backend);
            return backend;
          },
          fakeKernels(), false};
}

RunRequest fakeRequest(const std::string& variant, int64_t size) {
  RunRequest request;
  request.family = "fake";
  request.variant = variant;
  request.parameters = {{"size", size}};
  return request;
}

}  // namespace warpscope::testing
