// The several_gpus family: what theory predicts, and what a device lacks.
#include <optional>

#include "kernels/experiments/family_parts.h"
#include "kernels/experiments/several_gpus/support.h"

namespace warpscope::several_gpus {
namespace {

// By kind of operation and the GPU whose unit executes it.
Measure bytesOf(OperationKind kind, uint32_t gpu) {
  return [=](const Run& run) -> std::optional<double> {
    if (!run.streams) return std::nullopt;
    double bytes = 0;
    for (const StreamOperation& operation : run.streams->operations) {
      if (operation.kind == kind && operation.gpu == gpu) bytes += static_cast<double>(operation.bytes);
    }
    return bytes;
  };
}

}  // namespace

std::string possibleVariant(const std::string& variant, const DeviceLimits& limits) {
  if (variant == "one_gpu" || limits.gpus < 2) return "one_gpu";
  return variant == "peer_loads" && !limits.peer_access ? "peer_copies" : variant;
}

std::string insteadOf(const std::string& variant, const DeviceLimits& limits) {
  if (variant == "one_gpu") return "";
  if (limits.gpus < 2) {
    return "there is no second GPU like this one here, so one does all: a simulated GPU (sim:h100) shows "
           "two, "
           "with a link whose figures are stated in its profile";
  }
  if (limits.peer_access || variant == "two_gpus") return "";
  if (variant == "peer_loads") {
    return "these GPUs cannot access each other's memory, so a kernel cannot load from it: the half is "
           "copied "
           "before, through the host";
  }
  return "these GPUs cannot access each other's memory: the driver takes copies between them through the "
         "host";
}

std::vector<Prediction> theory(const RunRequest& request, const DeviceLimits& limits) {
  const std::string variant = possibleVariant(request.variant, limits);
  const int64_t size = request.parameters.at("size");
  const bool halves = variant != "one_gpu" && size > 1;
  const double all = 4.0 * static_cast<double>(size);
  const int64_t on_second = halves ? size / 2 : 0;
  const double second = 4.0 * static_cast<double>(on_second);
  const bool from_host = variant == "two_gpus", copied = halves && variant == "peer_copies";
  std::vector<Prediction> predictions = {
      {.label = "Bytes from the host to GPU 0",
       .unit = "bytes",
       .reason = from_host ? "each GPU gets its half from the host" : "GPU 0 gets the whole vector",
       .predicted = from_host ? all - second : all,
       .measure = bytesOf(OperationKind::kCopyToDevice, 0)}};
  if (!halves) return predictions;
  predictions.push_back({.label = "Bytes copied from GPU 0 to GPU 1",
                         .unit = "bytes",
                         .reason = copied      ? "the second half goes on to GPU 1"
                                   : from_host ? "no half is needed on the other GPU"
                                               : "the kernel on GPU 1 loads the second half where it is",
                         .predicted = copied ? second : 0,
                         .measure = bytesOf(OperationKind::kPeerCopy, 1)});
  predictions.push_back({.label = "Bytes from GPU 1 to the host",
                         .unit = "bytes",
                         .reason = "each GPU's results go to the host over its own link",
                         .predicted = second,
                         .measure = bytesOf(OperationKind::kCopyToHost, 1)});
  return predictions;
}

}  // namespace warpscope::several_gpus
