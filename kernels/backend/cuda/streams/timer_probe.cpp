#include "kernels/backend/cuda/streams/timer_probe.h"

#include <atomic>
#include <chrono>
#include <new>

namespace warpscope::cuda {
namespace {

constexpr uint64_t kGiveUpNs = 20'000'000;  // of a kernel that nobody asks

// answer(mailbox, first, count, give_up_ns): once the mailbox's first word is `first`, writes %globaltimer to
// its first answer (128 bytes further), and so on for `count` questions. stamp(place): writes %globaltimer
// twice.
constexpr std::string_view kProbePtx = R"(.version 6.0
.target sm_60
.address_size 64
.visible .entry answer(.param .u64 mailbox, .param .u32 first, .param .u32 count, .param .u64 give_up_ns)
{
  .reg .u64 %mailbox, %place, %limit, %begin, %now;
  .reg .u32 %wanted, %last, %seen;
  .reg .pred %asked, %early, %more;
  ld.param.u64 %mailbox, [mailbox];
  ld.param.u32 %wanted, [first];
  ld.param.u32 %last, [count];
  ld.param.u64 %limit, [give_up_ns];
  add.u32 %last, %last, %wanted;
  add.u64 %place, %mailbox, 128;
  mov.u64 %begin, %globaltimer;
again:
  ld.volatile.u32 %seen, [%mailbox];
  mov.u64 %now, %globaltimer;
  setp.eq.u32 %asked, %seen, %wanted;
  @%asked bra reply;
  sub.u64 %now, %now, %begin;
  setp.lt.u64 %early, %now, %limit;
  @%early bra again;
  ret;
reply:
  mov.u64 %now, %globaltimer;
  st.volatile.u64 [%place], %now;
  membar.sys;
  add.u64 %place, %place, 8;
  add.u32 %wanted, %wanted, 1;
  setp.ne.u32 %more, %wanted, %last;
  @%more bra again;
  ret;
}
.visible .entry stamp(.param .u64 place)
{
  .reg .u64 %place, %now;
  mov.u64 %now, %globaltimer;
  ld.param.u64 %place, [place];
  st.volatile.u64 [%place], %now;
  mov.u64 %now, %globaltimer;
  st.volatile.u64 [%place+8], %now;
  ret;
}
)";

}  // namespace

int64_t hostNowNs() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

Expected<std::unique_ptr<TimerProbe>> TimerProbe::create(Session& session) {
  std::unique_ptr<TimerProbe> probe(new TimerProbe(session));
  const DriverApi& api = session.api();
  auto module = loadModule(session, ModuleImage{"timer_probe", kProbePtx, {}});
  if (!module) return tl::unexpected(module.error());
  probe->module_ = *module;
  void* memory = nullptr;
  auto done =
      session.check(api.moduleGetFunction(&probe->answer_, *module, "answer"), "finding kernel answer")
          .and_then([&] {
            return session.check(api.moduleGetFunction(&probe->stamp_, *module, "stamp"),
                                 "finding kernel stamp");
          })
          .and_then([&] {
            return session.check(api.memHostAlloc(&memory, sizeof(Mailbox), kMemHostAllocDeviceMap),
                                 "allocating pinned memory");
          })
          .and_then([&] {
            probe->mailbox_ = new (memory) Mailbox;
            return session.check(api.memHostGetDevicePointer(&probe->mailbox_on_device_, memory, 0),
                                 "mapping pinned memory");
          })
          .and_then([&] {
            return session.check(api.memAlloc(&probe->stamps_, kMostStamps * 2 * sizeof(uint64_t)),
                                 "allocating memory for times");
          });
  // The first launch of a kernel may make the driver wait for the stream, so it is done here.
  if (done) done = probe->enqueueStamp(0, session.stream());
  if (done) done = session.synchronize("running stamp");
  if (done) done = probe->askFromHost().map([](const std::vector<ClockSample>&) {});
  if (!done) return tl::unexpected(done.error());
  return probe;
}

TimerProbe::~TimerProbe() {
  if (session_.poisoned() || !session_.enter()) return;
  if (stamps_ != 0) session_.api().memFree(stamps_);
  if (mailbox_ != nullptr) session_.api().memFreeHost(mailbox_);
  if (module_ != nullptr) session_.api().moduleUnload(module_);
}

Expected<void> TimerProbe::enqueueAnswers() {
  uint32_t first = asked_ + 1, count = kQuestions;
  uint64_t give_up_ns = kGiveUpNs;
  std::array<void*, 4> arguments{&mailbox_on_device_, &first, &count, &give_up_ns};
  return session_.check(
      session_.api().launchKernel(answer_, 1, 1, 1, 1, 1, 1, 0, session_.stream(), arguments.data(), nullptr),
      "launching answer");
}

Expected<std::vector<ClockSample>> TimerProbe::askFromHost() {
  if (auto idle = session_.synchronize("waiting for earlier work"); !idle)
    return tl::unexpected(idle.error());
  mailbox_->answers.fill(0);
  if (auto queued = enqueueAnswers(); !queued) return tl::unexpected(queued.error());
  std::vector<ClockSample> samples;
  const int64_t give_up = hostNowNs() + 2 * static_cast<int64_t>(kGiveUpNs);
  for (uint32_t i = 0; i < kQuestions; ++i) {
    ClockSample sample{.outer_begin_ns = hostNowNs()};
    std::atomic_ref(mailbox_->asked).store(++asked_, std::memory_order_release);
    uint64_t answer = 0;
    do {
      answer = std::atomic_ref(mailbox_->answers[i]).load(std::memory_order_acquire);
      sample.outer_end_ns = hostNowNs();
    } while (answer == 0 && sample.outer_end_ns < give_up);
    if (answer == 0) break;
    sample.inner_begin_ns = sample.inner_end_ns = static_cast<int64_t>(answer);
    // The first one waits for the kernel to begin.
    if (i > 0) samples.push_back(sample);
  }
  if (auto done = session_.synchronize("asking for the GPU's time"); !done)
    return tl::unexpected(done.error());
  return samples.empty() ? stampFromHost() : samples;
}

Expected<std::vector<ClockSample>> TimerProbe::stampFromHost() {
  std::array<ClockSample, kStamps> outer;
  for (uint32_t i = 0; i < kStamps; ++i) {
    outer[i].outer_begin_ns = hostNowNs();
    auto done = enqueueStamp(i, session_.stream()).and_then([&] {
      return session_.synchronize("asking for the GPU's time");
    });
    if (!done) return tl::unexpected(done.error());
    outer[i].outer_end_ns = hostNowNs();
  }
  auto samples = stamps();
  for (uint32_t i = 0; i < kStamps && samples; ++i) {
    (*samples)[i].outer_begin_ns = outer[i].outer_begin_ns;
    (*samples)[i].outer_end_ns = outer[i].outer_end_ns;
  }
  return samples;
}

Expected<void> TimerProbe::enqueueStamp(uint32_t i, Stream stream) {
  Address place = stamps_ + i * 2 * sizeof(uint64_t);
  std::array<void*, 1> arguments{&place};
  return session_.check(
      session_.api().launchKernel(stamp_, 1, 1, 1, 1, 1, 1, 0, stream, arguments.data(), nullptr),
      "launching stamp");
}

Expected<void> TimerProbe::enqueueCopies(Stream stream) {
  uint32_t& word = mailbox_->padding[0];
  const DriverApi& api = session_.api();
  return session_
      .check(api.memcpyHtoDAsync(stamps_, &word, sizeof word, stream),
             "copying to the device on a new stream")
      .and_then([&] {
        return session_.check(api.memcpyDtoHAsync(&word, stamps_, sizeof word, stream),
                              "copying to the host on a new stream");
      });
}

Expected<std::vector<ClockSample>> TimerProbe::stamps(uint32_t count) {
  std::vector<uint64_t> words(size_t{2} * count);
  auto done = session_
                  .check(session_.api().memcpyDtoHAsync(words.data(), stamps_,
                                                        words.size() * sizeof(uint64_t), session_.stream()),
                         "downloading times")
                  .and_then([&] { return session_.synchronize("reading the GPU's timer"); });
  if (!done) return tl::unexpected(done.error());
  std::vector<ClockSample> samples(count);
  for (size_t i = 0; i < count; ++i) {
    samples[i].inner_begin_ns = static_cast<int64_t>(words[2 * i]);
    samples[i].inner_end_ns = static_cast<int64_t>(words[2 * i + 1]);
  }
  return samples;
}

}  // namespace warpscope::cuda
