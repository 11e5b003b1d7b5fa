#include "kernels/device/service/backend_calls.h"

#include <bit>
#include <cstring>
#include <utility>

#include "kernels/device/service/stream_calls.h"

namespace warpscope::calls {

static_assert(std::endian::native == std::endian::little, "numbers are written as they lie");

void Writer::put(const void* from, size_t count) {
  const auto* begin = static_cast<const std::byte*>(from);
  payload_.insert(payload_.end(), begin, begin + count);
}

Writer& Writer::number(uint64_t value) {
  put(&value, sizeof value);
  return *this;
}

Writer& Writer::real(double value) {
  return number(std::bit_cast<uint64_t>(value));
}

Writer& Writer::bytes(std::span<const std::byte> value) {
  number(value.size());
  put(value.data(), value.size());
  return *this;
}

Writer& Writer::launch(const LaunchSpec& spec) {
  number(spec.kernel.value);
  for (const Dim3& shape : {spec.grid, spec.block}) number(shape.x).number(shape.y).number(shape.z);
  number(spec.dynamic_shared_bytes).number(spec.cooperative ? 1 : 0).number(spec.parameters.size());
  for (const auto& parameter : spec.parameters) bytes(parameter);
  const Dim3 cluster = spec.cluster.value_or(Dim3{0, 0, 0});
  number(cluster.x).number(cluster.y).number(cluster.z).number(spec.programmatic ? 1 : 0);
  number(spec.gpu);
  number(spec.following.size());
  for (const LaunchSpec& next : spec.following) launch(next);
  return *this;
}

Writer& Writer::image(const ImageDescription& image) {
  number(static_cast<uint64_t>(image.use)).number(image.dimensions);
  number(image.width).number(image.height).number(image.depth);
  number(static_cast<uint64_t>(image.texel.kind))
      .number(image.texel.channel_bytes)
      .number(image.texel.channels);
  for (const bool flag :
       {image.linear_memory, image.linear_filter, image.normalized_coordinates, image.normalized_float})
    number(flag ? 1 : 0);
  for (const AddressMode mode : image.address) number(static_cast<uint64_t>(mode));
  return *this;
}

Writer& Writer::tensorMap(const TensorMapDescription& map) {
  number(static_cast<uint64_t>(map.element)).number(static_cast<uint64_t>(map.swizzle)).number(map.rank);
  for (const uint64_t size : map.sizes) number(size);
  for (const uint32_t side : map.box) number(side);
  for (const uint64_t stride : map.strides) number(stride);
  return *this;
}

std::span<const std::byte> Reader::take(uint64_t count) {
  if (!good_ || count > rest_.size()) {
    good_ = false;
    return {};
  }
  const auto taken = rest_.first(count);
  rest_ = rest_.subspan(count);
  return taken;
}

uint64_t Reader::number() {
  uint64_t value = 0;
  if (const auto from = take(sizeof value); !from.empty()) std::memcpy(&value, from.data(), sizeof value);
  return value;
}

double Reader::real() {
  return std::bit_cast<double>(number());
}

std::span<const std::byte> Reader::bytes() {
  return take(number());
}

std::string Reader::text() {
  const auto from = bytes();
  return {reinterpret_cast<const char*>(from.data()), from.size()};
}

LaunchSpec Reader::oneLaunch() {
  LaunchSpec spec;
  spec.kernel.value = number();
  for (Dim3* shape : {&spec.grid, &spec.block}) {
    shape->x = small();
    shape->y = small();
    shape->z = small();
  }
  spec.dynamic_shared_bytes = small();
  spec.cooperative = number() != 0;
  for (uint64_t left = number(); left > 0 && good_; --left) {
    const auto parameter = bytes();
    spec.parameters.emplace_back(parameter.begin(), parameter.end());
  }
  Dim3 cluster{small(), small(), small()};
  if (cluster.count() > 0) spec.cluster = cluster;
  spec.programmatic = choice(2) == 1;
  spec.gpu = static_cast<uint32_t>(choice(kMostGpus));
  return spec;
}

LaunchSpec Reader::launch() {
  LaunchSpec spec = oneLaunch();
  for (uint64_t left = number(); left > 0 && good_; --left) {
    spec.following.push_back(oneLaunch());
    if (number() != 0) good_ = false;  // a launch that follows another has none of its own
  }
  return spec;
}

ImageDescription Reader::image() {
  ImageDescription image;
  image.use = static_cast<ImageDescription::Use>(choice(2));
  for (uint32_t* each : {&image.dimensions, &image.width, &image.height, &image.depth}) *each = small();
  image.texel.kind = static_cast<TexelFormat::Kind>(choice(3));
  image.texel.channel_bytes = small();
  image.texel.channels = small();
  for (bool* flag :
       {&image.linear_memory, &image.linear_filter, &image.normalized_coordinates, &image.normalized_float})
    *flag = number() != 0;
  for (AddressMode& mode : image.address) mode = static_cast<AddressMode>(choice(4));
  return image;
}

TensorMapDescription Reader::tensorMap() {
  TensorMapDescription map;
  map.element = static_cast<TensorMapDescription::Element>(choice(TensorMapDescription::kElements));
  map.swizzle = static_cast<TensorMapDescription::Swizzle>(choice(TensorMapDescription::kSwizzles));
  map.rank = small();
  for (uint64_t& size : map.sizes) size = number();
  for (uint32_t& side : map.box) side = small();
  for (uint64_t& stride : map.strides) stride = number();
  return map;
}

uint64_t Reader::choice(uint64_t count) {
  const uint64_t value = number();
  if (value < count) return value;
  good_ = false;
  return 0;
}

Call callOf(std::span<const std::byte> payload) {
  return static_cast<Call>(Reader(payload).number());
}

Expected<ModuleImage> Callee::module(const std::string& name) const {
  const auto found = modules_.find(name);
  if (found == modules_.end()) {
    return fail(ErrorKind::kBadRequest, "module {} is named before it was sent", name);
  }
  return ModuleImage{found->first, found->second.ptx, found->second.fatbin};
}

// A backend keeps what it has compiled by the module's name, so a name cannot change its meaning.
Expected<void> Callee::addModule(Reader& call) {
  std::string name = call.text();
  std::string ptx = call.text();
  const auto fatbin = call.bytes();
  if (!call.complete()) return {};
  if (modules_.contains(name)) return fail(ErrorKind::kBadRequest, "module {} was sent before", name);
  modules_.emplace(std::move(name), Module{std::move(ptx), {fatbin.begin(), fatbin.end()}});
  return {};
}

namespace {

Expected<void> addTimes(Expected<std::vector<double>>&& times, Writer& reply) {
  if (!times) return tl::unexpected(std::move(times.error()));
  reply.number(times->size());
  for (const double time_us : *times) reply.real(time_us);
  return {};
}

Expected<void> download(Backend& backend, DeviceAddress from, uint64_t bytes, Writer& reply) {
  if (bytes > kPieceBytes) return fail(ErrorKind::kBadRequest, "a download of {} bytes in one piece", bytes);
  std::vector<std::byte> content(bytes);
  auto done = backend.download(content, from);
  if (done) reply.bytes(content);
  return done;
}

}  // namespace

Expected<void> Callee::make(Call call, Backend& backend, Reader& in, Writer& reply,
                            const std::stop_token& stop, const LaunchListener& listener) {
  const auto incomplete = [] { return fail(ErrorKind::kBadRequest, "a call lacks arguments"); };
  const auto add = [&](auto&& number) { reply.number(number); };
  switch (call) {
    case Call::kModule:
      return addModule(in);
    case Call::kKernel: {
      const std::string name = in.text(), entry = in.text();
      return module(name)
          .and_then([&](const ModuleImage& image) { return backend.kernel(image, entry); })
          .map([&](KernelHandle handle) { reply.number(handle.value); });
    }
    case Call::kResources: {
      const KernelHandle kernel{in.number()};
      return backend.resources(kernel, in.small()).map([&](const KernelResources& needs) {
        for (const uint32_t each :
             {needs.registers_per_thread, needs.static_shared_bytes, needs.dynamic_shared_bytes,
              needs.local_bytes_per_thread, needs.barriers_per_block})
          reply.number(each);
      });
    }
    case Call::kMaxActiveBlocks: {
      const KernelHandle kernel{in.number()};
      const uint32_t threads = in.small();
      return backend.maxActiveBlocksPerSm(kernel, threads, in.small()).map(add);
    }
    case Call::kSymbol: {
      const std::string name = in.text(), symbol = in.text();
      return module(name)
          .and_then([&](const ModuleImage& image) { return backend.symbol(image, symbol, in.number()); })
          .map(add);
    }
    case Call::kMemory:
      return backend.memory().map(
          [&](const MemoryInfo& memory) { reply.number(memory.free_bytes).number(memory.total_bytes); });
    case Call::kAllocate: {
      const uint32_t gpu = in.small();
      const uint64_t bytes = in.number();
      if (!in.complete()) return incomplete();
      return backend.allocateOn(gpu, bytes).map(add);
    }
    case Call::kAllocateManaged: {
      const uint64_t bytes = in.number();
      if (!in.complete()) return incomplete();
      return backend.allocateManaged(bytes).map(add);
    }
    case Call::kFree:
      backend.free(in.number());
      return {};
    case Call::kUpload: {
      const DeviceAddress to = in.number();
      const auto from = in.bytes();
      return in.complete() ? backend.upload(to, from) : incomplete();
    }
    case Call::kDownload: {
      const DeviceAddress from = in.number();
      return download(backend, from, in.number(), reply);
    }
    case Call::kCopy: {
      const DeviceAddress to = in.number(), from = in.number();
      const uint64_t bytes = in.number();
      return in.complete() ? backend.copy(to, from, bytes) : incomplete();
    }
    case Call::kFill: {
      const DeviceAddress to = in.number();
      const auto value = static_cast<uint8_t>(in.number());
      const uint64_t bytes = in.number();
      return in.complete() ? backend.fill(to, value, bytes) : incomplete();
    }
    case Call::kLaunch: {
      const LaunchSpec spec = in.launch();
      if (!in.complete()) return incomplete();
      return backend.launch(spec, stop, listener).map([](const LaunchReport&) {});
    }
    case Call::kTime: {
      const LaunchSpec spec = in.launch();
      const uint32_t warm_ups = in.small(), repeats = in.small();
      FillBefore reset;
      reset.address = in.number();
      reset.value = static_cast<uint8_t>(in.number());
      reset.bytes = in.number();
      return in.complete() ? addTimes(backend.time(spec, warm_ups, repeats, reset), reply) : incomplete();
    }
    case Call::kCreateImage: {
      const ImageDescription image = in.image();
      const DeviceAddress texels = in.number();
      if (!in.complete()) return incomplete();
      return backend.createImage(image, texels).map([&](ImageHandle made) { reply.number(made.value); });
    }
    case Call::kFreeImage: {
      const uint64_t value = in.number();
      const auto use = static_cast<ImageDescription::Use>(in.choice(2));
      if (!in.complete()) return incomplete();
      backend.freeImage({value, use});
      return {};
    }
    case Call::kEncodeTensorMap: {
      const TensorMapDescription map = in.tensorMap();
      const DeviceAddress tensor = in.number();
      if (!in.complete()) return incomplete();
      return backend.encodeTensorMap(map, tensor).map([&](const std::vector<std::byte>& made) {
        reply.bytes(made);
      });
    }
    case Call::kForgetHost:
      host_.clear();
      return {};
    case Call::kAddHost:
      return addHost(in);
    case Call::kRunStreams:
      return runStreams(backend, in, reply, stop, listener);
    case Call::kFetchHost:
      return fetchHost(in, reply);
    case Call::kTimeCopy: {
      const DeviceAddress to = in.number(), from = in.number();
      const uint64_t bytes = in.number();
      const uint32_t warm_ups = in.small();
      return addTimes(backend.timeCopy(to, from, bytes, warm_ups, in.small()), reply);
    }
  }
  return fail(ErrorKind::kBadRequest, "there is no call {}", static_cast<uint64_t>(call));
}

// Memory grows only with the bytes that arrive.
Expected<void> Callee::addHost(Reader& call) {
  const uint64_t region = call.number();
  const bool pinned = call.choice(2) == 1;
  const auto bytes = call.bytes();
  if (!call.complete()) return fail(ErrorKind::kBadRequest, "a call lacks arguments");
  if (region > host_.size())
    return fail(ErrorKind::kBadRequest, "region {} of the host's memory has none before it", region);
  if (region == host_.size()) host_.push_back({.bytes = {}, .pinned = pinned});
  std::vector<std::byte>& all = host_[region].bytes;
  all.insert(all.end(), bytes.begin(), bytes.end());
  return {};
}

Expected<void> Callee::fetchHost(Reader& call, Writer& reply) const {
  const uint64_t region = call.choice(host_.size()), offset = call.number(), count = call.number();
  if (!call.complete()) return fail(ErrorKind::kBadRequest, "there is no such region of the host's memory");
  const std::span<const std::byte> all = host_[region].bytes;
  if (count > kPieceBytes || offset > all.size() || count > all.size() - offset)
    return fail(ErrorKind::kBadRequest, "{} bytes of the host's memory in one piece", count);
  reply.bytes(all.subspan(offset, count));
  return {};
}

Expected<void> Callee::runStreams(Backend& backend, Reader& call, Writer& reply, const std::stop_token& stop,
                                  const LaunchListener& listener) {
  std::vector<HostRegion> regions;
  for (Host& host : host_) regions.push_back({host.bytes, host.pinned});
  const StreamWork work = readWork(call, regions);
  if (!call.complete()) return fail(ErrorKind::kBadRequest, "operations on streams lack arguments");
  return backend.runStreams(work, stop, listener).map([&](const StreamReport& report) {
    writeReport(reply, report);
  });
}

Expected<std::vector<std::byte>> Callee::answer(Backend& backend, std::span<const std::byte> payload,
                                                const std::stop_token& stop, const LaunchListener& listener) {
  Reader arguments(payload);
  const auto call = static_cast<Call>(arguments.number());
  Writer reply;
  auto done = make(call, backend, arguments, reply, stop, listener);
  if (done && !arguments.complete()) {
    done = fail(ErrorKind::kBadRequest, "call {} has other arguments than it needs",
                static_cast<uint64_t>(call));
  }
  if (!done) return tl::unexpected(std::move(done.error()));
  return reply.payload();
}

}  // namespace warpscope::calls
