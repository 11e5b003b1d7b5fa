#include "kernels/device/service/wire.h"

#include <array>
#include <string_view>
#include <utility>

#include "kernels/core/json.h"
#include "kernels/recording/recording.h"
#include "kernels/recording/run_json.h"

namespace warpscope::wire {
namespace {

constexpr std::array<std::pair<ErrorKind, std::string_view>, 5> kKinds{{
    {ErrorKind::kBadRequest, "bad_request"},
    {ErrorKind::kNoDevice, "no_device"},
    {ErrorKind::kDamagedFile, "damaged_file"},
    {ErrorKind::kWorkFailed, "work_failed"},
    {ErrorKind::kCancelled, "cancelled"},
}};

Expected<Json> parse(const Frame& frame, const char* what) {
  const auto* begin = reinterpret_cast<const char*>(frame.payload.data());
  auto value = Json::parse({begin, frame.payload.size()});
  if (!value || !value->is_object()) {
    return fail(ErrorKind::kWorkFailed, "a message that should be {} is not a JSON object", what);
  }
  return value;
}

Expected<std::string> stringAt(const Json& value, const char* key, const char* what) {
  const Json* found = value.find(key);
  if (found == nullptr || !found->is_string()) {
    return fail(ErrorKind::kWorkFailed, "{} lacks the text '{}'", what, key);
  }
  return found->get<std::string>();
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
  Json list = Json::array();
  for (const DeviceDescription& device : listing.devices) list.push_back(toJson(device));
  return Json{{"devices", std::move(list)}, {"notes", listing.notes}}.dump();
}

Expected<DeviceListing> decodeDevices(const Frame& frame) {
  const auto value = parse(frame, "a list of devices");
  if (!value) return tl::unexpected(value.error());
  const Json& list = value->at("devices");
  const Json& notes = value->at("notes");
  if (!list.is_array() || !notes.is_array()) {
    return fail(ErrorKind::kWorkFailed, "a list of devices lacks 'devices' or 'notes'");
  }
  DeviceListing listing;
  for (const Json& entry : list) {
    auto device = deviceFromJson(entry);
    if (!device) return tl::unexpected(device.error());
    listing.devices.push_back(std::move(*device));
  }
  for (const Json& note : notes) {
    if (!note.is_string()) return fail(ErrorKind::kWorkFailed, "a note in a list of devices is not a text");
    listing.notes.push_back(note.get<std::string>());
  }
  return listing;
}

std::string openDevice(const std::string& id) {
  return Json{{"id", id}}.dump();
}

Expected<std::string> decodeOpenDevice(const Frame& frame) {
  const auto value = parse(frame, "a request for a device");
  if (!value) return tl::unexpected(value.error());
  return stringAt(*value, "id", "a request for a device");
}

std::string deviceOpened(const DeviceDescription& device) {
  return toJson(device).dump();
}

Expected<DeviceDescription> decodeDeviceOpened(const Frame& frame) {
  const auto value = parse(frame, "a device");
  if (!value) return tl::unexpected(value.error());
  return deviceFromJson(*value);
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
  return Json{
      {"fraction", progress.fraction}, {"step", progress.step}, {"seconds_left", progress.seconds_left}}
      .dump();
}

Expected<Progress> decodeProgress(const Frame& frame) {
  const auto value = parse(frame, "progress");
  if (!value) return tl::unexpected(value.error());
  auto step = stringAt(*value, "step", "progress");
  if (!step) return tl::unexpected(step.error());
  if (!value->at("fraction").is_number()) {
    return fail(ErrorKind::kWorkFailed, "progress lacks the number 'fraction'");
  }
  return Progress{value->at("fraction").get<double>(), std::move(*step), value->value("seconds_left", 0.0)};
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
  std::string_view kind = "work_failed";
  for (const auto& [value, name] : kKinds) {
    if (value == error.error.kind) kind = name;
  }
  Json message = {{"kind", kind}, {"message", error.error.message}, {"poisoned", error.poisoned}};
  if (!error.error.nearest.empty()) message["nearest"] = error.error.nearest;
  return message.dump();
}

Expected<ServerError> decodeError(const Frame& frame) {
  const auto value = parse(frame, "an error");
  if (!value) return tl::unexpected(value.error());
  const auto kind = stringAt(*value, "kind", "an error");
  if (!kind) return tl::unexpected(kind.error());
  auto message = stringAt(*value, "message", "an error");
  if (!message) return tl::unexpected(message.error());
  ServerError error{{ErrorKind::kWorkFailed, std::move(*message)}, false};
  for (const auto& [name, number] : value->at("nearest").items()) {
    if (number.is_number_integer()) error.error.nearest[name] = number.get<int64_t>();
  }
  for (const auto& [known, name] : kKinds) {
    if (name == *kind) error.error.kind = known;
  }
  error.poisoned = value->value("poisoned", false);
  return error;
}

}  // namespace warpscope::wire
