#include "kernels/device/served_backend.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace warpscope {
namespace {

using calls::Call;
using calls::Reader;
using calls::Writer;

// The driver compiles PTX before it answers, which takes long for a large module.
constexpr ServerConnection::Seconds kCompileLimit{120};

uint64_t oneNumber(Reader& reply) {
  return reply.number();
}

std::vector<double> times(Reader& reply) {
  std::vector<double> values;
  for (uint64_t left = reply.number(); left > 0 && reply.good(); --left) values.push_back(reply.real());
  return values;
}

}  // namespace

Expected<std::unique_ptr<Backend>> ServedBackend::open(std::unique_ptr<ServerConnection> connection,
                                                       const std::string& id, const DeviceOptions& options) {
  auto description = connection->open(id);
  if (!description) return tl::unexpected(description.error());
  return std::unique_ptr<Backend>(
      new ServedBackend(std::move(connection), std::move(*description), Seconds(options.watchdog_s)));
}

Expected<std::vector<std::byte>> ServedBackend::ask(const ServerConnection::BackendCall& call) {
  if (poisoned()) {
    return fail(ErrorKind::kWorkFailed, "{}: the process that had the GPU has ended", description_.id);
  }
  return connection_->call(call);
}

template <class Read>
auto ServedBackend::call(const Writer& call, const std::string& doing, const Read& read)
    -> Expected<decltype(read(std::declval<Reader&>()))> {
  const auto payload = ask({.payload = call.payload(), .what = doing, .limit = watchdog_});
  if (!payload) return tl::unexpected(payload.error());
  Reader reply(*payload);
  auto result = read(reply);
  if (reply.complete()) return result;
  return fail(ErrorKind::kWorkFailed, "the CUDA process sent an incomplete answer after {}", doing);
}

Expected<void> ServedBackend::call(const Writer& call, const std::string& doing) {
  return ask({.payload = call.payload(), .what = doing, .limit = watchdog_})
      .map([](const std::vector<std::byte>&) {});
}

Expected<void> ServedBackend::callForBytes(const Writer& call, const std::string& doing,
                                           std::span<std::byte> to) {
  const auto whole = this->call(call, doing, [&](Reader& reply) {
    const auto content = reply.bytes();
    if (content.size() == to.size()) std::memcpy(to.data(), content.data(), to.size());
    return content.size() == to.size();
  });
  if (!whole) return tl::unexpected(whole.error());
  if (!*whole) return fail(ErrorKind::kWorkFailed, "the CUDA process sent fewer bytes than were asked for");
  return {};
}

Expected<void> ServedBackend::send(const ModuleImage& module) {
  std::string name(module.name);
  if (sent_modules_.contains(name)) return {};
  Writer call(Call::kModule);
  call.text(name).text(module.ptx).bytes(module.fatbin);
  auto sent = this->call(call, "taking module " + name);
  if (sent) sent_modules_.insert(std::move(name));
  return sent;
}

Expected<KernelHandle> ServedBackend::kernel(const ModuleImage& module, const std::string& entry) {
  if (auto sent = send(module); !sent) return tl::unexpected(sent.error());
  Writer call(Call::kKernel);
  call.text(module.name).text(entry);
  const auto payload = ask({.payload = call.payload(),
                            .what = fmt::format("compiling {}", entry),
                            .limit = std::max(kCompileLimit, watchdog_)});
  if (!payload) return tl::unexpected(payload.error());
  const KernelHandle handle{Reader(*payload).number()};
  names_.emplace(handle.value, entry);
  return handle;
}

std::string ServedBackend::nameOf(KernelHandle kernel) const {
  const auto found = names_.find(kernel.value);
  return found == names_.end() ? "a kernel" : found->second;
}

Expected<KernelResources> ServedBackend::resources(KernelHandle kernel, uint32_t dynamic_shared_bytes) {
  Writer call(Call::kResources);
  call.number(kernel.value).number(dynamic_shared_bytes);
  return this->call(call, "asking for the resources of " + nameOf(kernel), [](Reader& reply) {
    KernelResources needs;
    for (uint32_t* each :
         {&needs.registers_per_thread, &needs.static_shared_bytes, &needs.dynamic_shared_bytes,
          &needs.local_bytes_per_thread, &needs.barriers_per_block})
      *each = reply.small();
    return needs;
  });
}

Expected<uint32_t> ServedBackend::maxActiveBlocksPerSm(KernelHandle kernel, uint32_t block_threads,
                                                       uint32_t dynamic_shared_bytes) {
  Writer call(Call::kMaxActiveBlocks);
  call.number(kernel.value).number(block_threads).number(dynamic_shared_bytes);
  return this->call(call, "asking for the occupancy of " + nameOf(kernel),
                    [](Reader& reply) { return reply.small(); });
}

Expected<DeviceAddress> ServedBackend::symbol(const ModuleImage& module, const std::string& name,
                                              uint64_t bytes) {
  if (auto sent = send(module); !sent) return tl::unexpected(sent.error());
  Writer call(Call::kSymbol);
  call.text(module.name).text(name).number(bytes);
  return this->call(call, "finding " + name, oneNumber);
}

Expected<MemoryInfo> ServedBackend::memory() {
  return call(Writer(Call::kMemory), "asking for free memory", [](Reader& reply) {
    MemoryInfo memory;
    memory.free_bytes = reply.number();
    memory.total_bytes = reply.number();
    return memory;
  });
}

Expected<DeviceAddress> ServedBackend::allocate(uint64_t bytes) {
  return allocateOn(0, bytes);
}

Expected<DeviceAddress> ServedBackend::allocateOn(uint32_t gpu, uint64_t bytes) {
  Writer call(Call::kAllocate);
  call.number(gpu).number(bytes);
  return this->call(call, "allocating memory", oneNumber);
}

Expected<DeviceAddress> ServedBackend::allocateManaged(uint64_t bytes) {
  Writer call(Call::kAllocateManaged);
  call.number(bytes);
  return this->call(call, "allocating managed memory", oneNumber);
}

void ServedBackend::free(DeviceAddress address) {
  Writer call(Call::kFree);
  call.number(address);
  static_cast<void>(this->call(call, "freeing memory"));
}

Expected<void> ServedBackend::upload(DeviceAddress to, std::span<const std::byte> from) {
  while (!from.empty()) {
    const auto piece = from.first(std::min<uint64_t>(from.size(), calls::kPieceBytes));
    Writer call(Call::kUpload);
    call.number(to).bytes(piece);
    if (auto done = this->call(call, "uploading"); !done) return done;
    to += piece.size();
    from = from.subspan(piece.size());
  }
  return {};
}

Expected<void> ServedBackend::download(std::span<std::byte> to, DeviceAddress from) {
  while (!to.empty()) {
    const auto piece = to.first(std::min<uint64_t>(to.size(), calls::kPieceBytes));
    Writer call(Call::kDownload);
    call.number(from).number(piece.size());
    if (auto done = callForBytes(call, "downloading", piece); !done) return done;
    from += piece.size();
    to = to.subspan(piece.size());
  }
  return {};
}

Expected<std::span<const std::byte>> ServedBackend::downloadView(size_t slot, DeviceAddress from,
                                                                 uint64_t bytes) {
  if (slot >= views_.size()) views_.resize(slot + 1);
  views_[slot].resize(bytes);
  if (auto done = download(views_[slot], from); !done) return tl::unexpected(done.error());
  return std::span<const std::byte>(views_[slot]);
}

Expected<void> ServedBackend::copy(DeviceAddress to, DeviceAddress from, uint64_t bytes) {
  Writer call(Call::kCopy);
  call.number(to).number(from).number(bytes);
  return this->call(call, "copying on the device");
}

Expected<void> ServedBackend::fill(DeviceAddress to, uint8_t value, uint64_t bytes) {
  Writer call(Call::kFill);
  call.number(to).number(value).number(bytes);
  return this->call(call, "filling memory");
}

Expected<ImageHandle> ServedBackend::createImage(const ImageDescription& image, DeviceAddress texels) {
  Writer call(Call::kCreateImage);
  call.image(image).number(texels);
  return this->call(call, "making " + describeImage(image), oneNumber).map([&](uint64_t value) {
    return ImageHandle{value, image.use};
  });
}

void ServedBackend::freeImage(ImageHandle image) {
  Writer call(Call::kFreeImage);
  call.number(image.value).number(static_cast<uint64_t>(image.use));
  static_cast<void>(this->call(call, "freeing an image"));
}

Expected<std::vector<std::byte>> ServedBackend::encodeTensorMap(const TensorMapDescription& map,
                                                                DeviceAddress tensor) {
  Writer call(Call::kEncodeTensorMap);
  call.tensorMap(map).number(tensor);
  return this->call(call, "making the map of a " + describeTensorMap(map), [](Reader& reply) {
    const auto bytes = reply.bytes();
    return std::vector<std::byte>(bytes.begin(), bytes.end());
  });
}

ServerConnection::BackendCall ServedBackend::ofKernel(const Writer& call, const char* doing,
                                                      const LaunchSpec& spec) const {
  return {.payload = call.payload(),
          .what = fmt::format("{} {}", doing, nameOf(spec.kernel)),
          .limit = watchdog_,
          .advice = " The kernel may never end; if it only needs longer, allow it more with --watchdog."};
}

Expected<LaunchReport> ServedBackend::launch(const LaunchSpec& spec, const std::stop_token& stop,
                                             const LaunchListener& listener) {
  LaunchReport report;
  Writer writer(Call::kLaunch);
  writer.launch(spec);
  ServerConnection::BackendCall call = ofKernel(writer, "running", spec);
  call.stop = stop;
  call.listener = listener;
  if (!call.listener.printed) {
    call.listener.printed = [&report](std::string_view text) { report.printed.append(text); };
  }
  const auto done = ask(call);
  if (!done) return tl::unexpected(done.error());
  return report;
}

Expected<void> ServedBackend::sendHost(std::span<const calls::HostRegion> regions) {
  if (auto done = call(Writer(Call::kForgetHost), "sending the host's memory"); !done) return done;
  for (size_t i = 0; i < regions.size(); ++i) {
    for (std::span<const std::byte> rest = regions[i].bytes; !rest.empty();) {
      const auto piece = rest.first(std::min<uint64_t>(rest.size(), calls::kPieceBytes));
      Writer writer(Call::kAddHost);
      writer.number(i).number(regions[i].pinned ? 1 : 0).bytes(piece);
      if (auto done = call(writer, "sending the host's memory"); !done) return done;
      rest = rest.subspan(piece.size());
    }
  }
  return {};
}

Expected<void> ServedBackend::fetchHost(std::span<const calls::HostRegion> regions) {
  for (size_t i = 0; i < regions.size(); ++i) {
    for (std::span<std::byte> rest = regions[i].bytes; !rest.empty();) {
      const auto piece = rest.first(std::min<uint64_t>(rest.size(), calls::kPieceBytes));
      Writer writer(Call::kFetchHost);
      writer.number(i)
          .number(static_cast<uint64_t>(piece.data() - regions[i].bytes.data()))
          .number(piece.size());
      if (auto done = callForBytes(writer, "fetching the host's memory", piece); !done) return done;
      rest = rest.subspan(piece.size());
    }
  }
  return {};
}

Expected<StreamReport> ServedBackend::runStreams(const StreamWork& work, const std::stop_token& stop,
                                                 const LaunchListener& listener) {
  const std::vector<calls::HostRegion> regions = calls::hostRegions(work);
  if (auto sent = sendHost(regions); !sent) return tl::unexpected(sent.error());
  PrintedText printed;
  Writer writer(Call::kRunStreams);
  calls::writeWork(writer, work, regions);
  ServerConnection::BackendCall call{
      .payload = writer.payload(),
      .what = "running operations on streams",
      .limit = watchdog_,
      .advice = " One of them may never end; if they only need longer, allow them more with --watchdog.",
      .stop = stop,
      .listener = listener};
  if (!call.listener.printed)
    call.listener.printed = [&printed](std::string_view text) { printed.append(text); };
  const auto payload = ask(call);
  if (!payload) return tl::unexpected(payload.error());
  Reader reply(*payload);
  StreamReport report = calls::readReport(reply, work.operations.size(), work.graphs.size());
  if (!reply.complete())
    return fail(ErrorKind::kWorkFailed,
                "the CUDA process sent an incomplete report of operations on streams");
  report.printed = std::move(printed);
  if (auto fetched = fetchHost(regions); !fetched) return tl::unexpected(fetched.error());
  return report;
}

Expected<std::vector<double>> ServedBackend::time(const LaunchSpec& spec, uint32_t warm_ups, uint32_t repeats,
                                                  FillBefore reset) {
  Writer call(Call::kTime);
  call.launch(spec).number(warm_ups).number(repeats);
  call.number(reset.address).number(reset.value).number(reset.bytes);
  const auto payload = ask(ofKernel(call, "timing", spec));
  if (!payload) return tl::unexpected(payload.error());
  Reader reply(*payload);
  return times(reply);
}

Expected<std::vector<double>> ServedBackend::timeCopy(DeviceAddress to, DeviceAddress from, uint64_t bytes,
                                                      uint32_t warm_ups, uint32_t repeats) {
  Writer call(Call::kTimeCopy);
  call.number(to).number(from).number(bytes).number(warm_ups).number(repeats);
  return this->call(call, "timing a copy", times);
}

}  // namespace warpscope
