#include "kernels/backend/cuda/hold.h"

#include <array>
#include <atomic>

namespace warpscope::cuda {
namespace {

constexpr uint64_t kGiveUpNs = 5'000'000;

// hold(flag, ticket, give_up_ns): returns once *flag == ticket, or after give_up_ns.
constexpr std::string_view kHoldPtx = R"(.version 6.0
.target sm_60
.address_size 64
.visible .entry hold(.param .u64 flag, .param .u32 ticket, .param .u64 give_up_ns)
{
  .reg .u64 %address, %limit, %begin, %now;
  .reg .u32 %wanted, %seen;
  .reg .pred %open, %early;
  ld.param.u64 %address, [flag];
  ld.param.u32 %wanted, [ticket];
  ld.param.u64 %limit, [give_up_ns];
  mov.u64 %begin, %globaltimer;
again:
  ld.volatile.u32 %seen, [%address];
  setp.eq.u32 %open, %seen, %wanted;
  @%open bra done;
  mov.u64 %now, %globaltimer;
  sub.u64 %now, %now, %begin;
  setp.lt.u64 %early, %now, %limit;
  @%early bra again;
done:
  ret;
}
)";

}  // namespace

Expected<std::unique_ptr<Hold>> Hold::create(Session& session) {
  std::unique_ptr<Hold> hold(new Hold(session));
  const DriverApi& api = session.api();
  auto module = loadModule(session, ModuleImage{"hold", kHoldPtx, {}});
  if (!module) return tl::unexpected(module.error());
  hold->module_ = *module;
  void* memory = nullptr;
  auto done =
      session.check(api.moduleGetFunction(&hold->function_, hold->module_, "hold"), "finding kernel hold")
          .and_then([&] {
            return session.check(api.memHostAlloc(&memory, sizeof(uint32_t), kMemHostAllocDeviceMap),
                                 "allocating pinned memory");
          })
          .and_then([&] {
            hold->flag_ = static_cast<uint32_t*>(memory);
            *hold->flag_ = 0;
            return session.check(api.memHostGetDevicePointer(&hold->flag_on_device_, memory, 0),
                                 "mapping pinned memory");
          });
  if (!done) return tl::unexpected(done.error());
  // The first launch of a kernel may make the driver wait for the stream, so it is done here.
  done = hold->begin();
  hold->release();
  if (done) done = session.synchronize("running hold");
  if (!done) return tl::unexpected(done.error());
  return hold;
}

Hold::~Hold() {
  if (session_.poisoned()) return;
  if (flag_ != nullptr) session_.api().memFreeHost(flag_);
  if (module_ != nullptr) session_.api().moduleUnload(module_);
}

Expected<void> Hold::begin() {
  ++ticket_;
  uint64_t give_up_ns = kGiveUpNs;
  std::array<void*, 3> arguments{&flag_on_device_, &ticket_, &give_up_ns};
  return session_.check(session_.api().launchKernel(function_, 1, 1, 1, 1, 1, 1, 0, session_.stream(),
                                                    arguments.data(), nullptr),
                        "launching hold");
}

void Hold::release() {
  std::atomic_ref(*flag_).store(ticket_, std::memory_order_release);
}

}  // namespace warpscope::cuda
