#include "kernels/device/service/wire.h"

#include "kernels/core/fields.h"
#include "kernels/recording/recording.h"
#include "kernels/recording/run_json.h"

namespace warpscope {

static const char* errorKindName(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kBadRequest:
      return "bad_request";
    case ErrorKind::kNoDevice:
      return "no_device";
    case ErrorKind::kDamagedFile:
      return "damaged_file";
    case ErrorKind::kWorkFailed:
      return "work_failed";
    case ErrorKind::kCancelled:
      return "cancelled";
  }
  return "unknown";
}

static void describe(Fields& fields, DeviceListing& listing) {
  fields.field("devices", listing.devices);
  fields.field("notes", listing.notes);
}

static void describe(Fields& fields, Progress& progress) {
  fields.field("fraction", progress.fraction);
  fields.field("step", progress.step);
  fields.field("seconds_left", progress.seconds_left);
}

namespace wire {

static void describe(Fields& fields, ServerError& error) {
  fields.choice("kind", error.error.kind, ErrorKind::kCancelled, errorKindName);
  fields.field("message", error.error.message);
  fields.unusual("nearest", error.error.nearest, {});
  fields.field("poisoned", error.poisoned);
}

namespace {

struct DeviceRequest {
  std::string id;
};

void describe(Fields& fields, DeviceRequest& request) {
  fields.field("id", request.id);
}

Expected<Json> parse(const Frame& frame, const char* what) {
  const auto* begin = reinterpret_cast<const char*>(frame.payload.data());
  auto value = Json::parse({begin, frame.payload.size()});
  if (!value || !value->isObject()) {
    return fail(ErrorKind::kWorkFailed, "a message that should be {} is not a JSON object", what);
  }
  return value;
}

template <class T>
Expected<T> decode(const Frame& frame, const char* what) {
  const auto value = parse(frame, what);
  if (!value) return tl::unexpected(value.error());
  std::string problem;
  auto decoded = readDescribed<T>({*value, "", problem});
  if (!problem.empty()) return fail(ErrorKind::kWorkFailed, "{} is not valid: {}", what, problem);
  return decoded;
}

}  // namespace

std::string hello() {
  return Json{{"program", "warpscope"}, {"protocol", kProtocolVersion}}.dump();
}

Expected<void> checkHello(const Frame& frame) {
  if (frame.type != FrameType::kHello) {
    return fail(ErrorKind::kWorkFailed, "the first message (type {}) is not a hello",
                static_cast<uint32_t>(frame.type));
  }
  const auto value = parse(frame, "a hello");
  if (!value) return tl::unexpected(value.error());
  const Json* protocol = value->find("protocol");
  if (protocol == nullptr || *protocol != kProtocolVersion) {
    return fail(ErrorKind::kWorkFailed,
                "the other side speaks protocol {}, this program {}: use the same version",
                protocol == nullptr ? "?" : protocol->dump(), kProtocolVersion);
  }
  return {};
}

std::string devices(const DeviceListing& listing) {
  return describedJson(listing).dump();
}

Expected<DeviceListing> decodeDevices(const Frame& frame) {
  return decode<DeviceListing>(frame, "a list of devices");
}

std::string openDevice(const std::string& id) {
  return describedJson(DeviceRequest{id}).dump();
}

Expected<std::string> decodeOpenDevice(const Frame& frame) {
  return decode<DeviceRequest>(frame, "a request for a device").map([](DeviceRequest&& request) {
    return std::move(request.id);
  });
}

std::string deviceOpened(const DeviceDescription& device) {
  return toJson(device).dump();
}

Expected<DeviceDescription> decodeDeviceOpened(const Frame& frame) {
  return decode<DeviceDescription>(frame, "a device");
}

std::string runRequest(const RunRequest& request) {
  return toJson(request).dump();
}

Expected<RunRequest> decodeRunRequest(const Frame& frame) {
  const auto value = parse(frame, "a run request");
  if (!value) return tl::unexpected(value.error());
  return requestFromJson(*value);
}

std::string progress(const Progress& progress) {
  return describedJson(progress).dump();
}

Expected<Progress> decodeProgress(const Frame& frame) {
  return decode<Progress>(frame, "progress");
}

Expected<std::vector<std::byte>> run(const Run& run) {
  return encodeRuns(std::span(&run, 1), Compression::kNone);
}

Expected<Run> decodeRun(const Frame& frame) {
  auto runs = decodeRuns(frame.payload, "the answer");
  if (!runs) return tl::unexpected(runs.error());
  if (runs->size() != 1)
    return fail(ErrorKind::kWorkFailed, "an answer holds {} runs, not one", runs->size());
  return std::move(runs->front());
}

std::string error(const ServerError& error) {
  return describedJson(error).dump();
}

Expected<ServerError> decodeError(const Frame& frame) {
  return decode<ServerError>(frame, "an error");
}

}  // namespace wire
}  // namespace warpscope
