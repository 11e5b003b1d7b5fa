#include "kernels/backend/cuda/peer_gpu.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace warpscope::cuda {
namespace {

std::string nameOf(const DriverApi& api, int ordinal) {
  std::array<char, 256> name{};
  return api.deviceGetName(name.data(), static_cast<int>(name.size()) - 1, ordinal) == kSuccess ? name.data()
                                                                                                : "";
}

}  // namespace

std::optional<int> peerOrdinal(const DriverApi& api, int ordinal) {
  int count = 0;
  if (api.deviceGetCount(&count) != kSuccess) return std::nullopt;
  const std::string name = nameOf(api, ordinal);
  for (int i = 1; i < count; ++i) {
    const int other = (ordinal + i) % count;
    if (!name.empty() && nameOf(api, other) == name) return other;
  }
  return std::nullopt;
}

bool canAccessEachOther(const DriverApi& api, int one, int other) {
  int there = 0, back = 0;
  return api.deviceCanAccessPeer(&there, one, other) == kSuccess &&
         api.deviceCanAccessPeer(&back, other, one) == kSuccess && there != 0 && back != 0;
}

Expected<std::unique_ptr<PeerGpu>> PeerGpu::open(Session& first) {
  const std::optional<int> ordinal = peerOrdinal(first.api(), first.ordinal());
  if (!ordinal) {
    return fail(ErrorKind::kBadRequest,
                "{}: there is no second {} on this machine: choose a simulated GPU "
                "(sim:h100), which shows two",
                first.description().id, first.description().name);
  }
  auto session = Session::open(*ordinal);
  if (!session) return tl::unexpected(session.error());
  std::unique_ptr<PeerGpu> peer(new PeerGpu(first, std::move(*session)));
  auto hold = Hold::create(*peer->session_);
  if (!hold) return tl::unexpected(hold.error());
  peer->hold_ = std::move(*hold);
  auto ready = peer->letAccess().and_then([&] { return first.enter(); });
  if (!ready) return tl::unexpected(ready.error());
  return peer;
}

Expected<void> PeerGpu::letAccess() {
  if (!canAccessEachOther(session_->api(), first_.ordinal(), session_->ordinal())) return {};
  for (auto [of, to] : {std::pair(&first_, session_.get()), {session_.get(), &first_}}) {
    if (auto entered = of->enter(); !entered) return entered;
    const Result result = of->api().ctxEnablePeerAccess(to->context(), 0);
    if (result == kErrorPeerAccessAlreadyEnabled) continue;
    auto enabled = of->check(result, "letting it access the memory of {}", to->description().id);
    if (!enabled) return enabled;
  }
  return {};
}

PeerGpu::~PeerGpu() {
  if (session_->poisoned() || !session_->enter()) return;
  hold_.reset();
  for (const auto& [address, bytes] : allocations_) session_->api().memFree(address);
  for (const auto& [name, module] : modules_) session_->api().moduleUnload(module);
  session_.reset();
  static_cast<void>(first_.enter());
}

Expected<Module> PeerGpu::module(const ModuleImage& image) {
  if (auto entered = session_->enter(); !entered) return tl::unexpected(entered.error());
  const std::string name(image.name);
  if (const auto known = modules_.find(name); known != modules_.end()) return known->second;
  auto module = loadModule(*session_, image);
  if (module) modules_.emplace(name, *module);
  return module;
}

template <class Work>
Expected<void> PeerGpu::there(const char* doing, const Work& work) {
  auto done =
      first_.enter()
          .and_then([&] { return first_.synchronize("waiting for earlier work"); })
          .and_then([&] { return session_->enter(); })
          .and_then([&] { return session_->check(work(session_->api(), session_->stream()), "{}", doing); })
          .and_then([&] { return session_->synchronize(doing); });
  auto back = first_.enter();
  return done ? back : done;
}

Expected<Address> PeerGpu::allocate(uint64_t bytes) {
  Address address = 0;
  auto done = there("allocating memory", [&](const DriverApi& api, Stream /*stream*/) {
    return api.memAlloc(&address, std::max<uint64_t>(bytes, 1));
  });
  if (!done) return tl::unexpected(done.error());
  allocations_[address] = bytes;
  return address;
}

bool PeerGpu::owns(Address address) const {
  auto behind = allocations_.upper_bound(address);
  return behind != allocations_.begin() && address - std::prev(behind)->first < std::prev(behind)->second;
}

void PeerGpu::free(Address address) {
  if (allocations_.erase(address) == 0) return;
  static_cast<void>(
      there("freeing memory", [&](const DriverApi& api, Stream /*stream*/) { return api.memFree(address); }));
}

Expected<void> PeerGpu::upload(Address to, std::span<const std::byte> from) {
  return there("uploading", [&](const DriverApi& api, Stream stream) {
    return api.memcpyHtoDAsync(to, from.data(), from.size(), stream);
  });
}

Expected<void> PeerGpu::download(std::span<std::byte> to, Address from) {
  return there("downloading", [&](const DriverApi& api, Stream stream) {
    return api.memcpyDtoHAsync(to.data(), from, to.size(), stream);
  });
}

Expected<void> PeerGpu::fill(Address to, uint8_t value, uint64_t bytes) {
  return there("filling memory", [&](const DriverApi& api, Stream stream) {
    return api.memsetD8Async(to, value, bytes, stream);
  });
}

Expected<void> PeerGpu::copy(Address to, Address from, uint64_t bytes) {
  const auto context_of = [&](Address address) {
    return owns(address) ? session_->context() : first_.context();
  };
  return there("copying between GPUs", [&](const DriverApi& api, Stream stream) {
    return api.memcpyPeerAsync(to, context_of(to), from, context_of(from), bytes, stream);
  });
}

}  // namespace warpscope::cuda
