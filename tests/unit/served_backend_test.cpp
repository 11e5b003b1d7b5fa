// A GPU's backend in a child process, with the fake server in the GPU's place.
#include "kernels/device/served_backend.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <thread>

#include "kernels/execute/parameter_bytes.h"
#include "tests/support/fake_backend.h"

namespace warpscope {
namespace {

class ServedBackendTest : public ::testing::Test {
 protected:
  void open(double watchdog_s = 20) {
    auto connection = ServerConnection::start(WARPSCOPE_FAKE_SERVER_PROGRAM);
    ASSERT_TRUE(connection) << connection.error().message;
    auto backend = ServedBackend::open(std::move(*connection), "fake:0", {.watchdog_s = watchdog_s});
    ASSERT_TRUE(backend) << backend.error().message;
    backend_ = std::move(*backend);
  }
  // The fake device's kernels take (probe, in, out, count).
  LaunchSpec spec(const std::string& entry) {
    from_ = backend_->allocate(sizeof(uint32_t) * 4).value();
    to_ = backend_->allocate(sizeof(uint32_t) * 4).value();
    const std::vector<uint32_t> values{1, 2, 3, 4};
    EXPECT_TRUE(backend_->upload(from_, std::as_bytes(std::span(values))));
    EXPECT_TRUE(backend_->fill(to_, 0, sizeof(uint32_t) * 4));
    return {.kernel = backend_->kernel({"module", "text", {}}, entry).value(),
            .parameters = {std::vector<std::byte>(1), parameterBytes(from_), parameterBytes(to_),
                           parameterBytes(uint32_t{4})}};
  }
  std::vector<uint32_t> output() {
    std::vector<uint32_t> values(4);
    EXPECT_TRUE(backend_->download(std::as_writable_bytes(std::span(values)), to_));
    return values;
  }

  std::unique_ptr<Backend> backend_;
  DeviceAddress from_ = 0, to_ = 0;
};

TEST_F(ServedBackendTest, DoesWhatTheBackendInTheChildDoes) {
  open();
  EXPECT_EQ(backend_->description().name, "Fake GPU");
  const LaunchSpec launch = spec("copy");
  ASSERT_TRUE(backend_->launch(launch));
  EXPECT_EQ(output(), (std::vector<uint32_t>{1, 2, 3, 4}));
  ASSERT_TRUE(backend_->fill(from_, 0xFF, 4));
  ASSERT_TRUE(backend_->copy(to_, from_, 4));
  EXPECT_EQ(output(), (std::vector<uint32_t>{0xFFFFFFFF, 2, 3, 4}));
  const auto resources = backend_->resources(launch.kernel, 7);
  ASSERT_TRUE(resources);
  EXPECT_EQ(resources->registers_per_thread, 32U);
  EXPECT_EQ(resources->dynamic_shared_bytes, 7U);
  const auto times = backend_->time(launch, 1, 3, {});
  ASSERT_TRUE(times);
  EXPECT_EQ(*times, (std::vector<double>{10, 11, 12}));
  const auto view = backend_->downloadView(0, from_, 4);
  ASSERT_TRUE(view);
  EXPECT_EQ(view->front(), std::byte{0xFF});
  const auto memory = backend_->memory();
  ASSERT_TRUE(memory);
  EXPECT_LT(memory->free_bytes, memory->total_bytes);
  EXPECT_FALSE(backend_->poisoned());
}

TEST_F(ServedBackendTest, LargeContentsGoInPieces) {
  open();
  std::vector<uint32_t> values(calls::kPieceBytes / sizeof(uint32_t) + 1000);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<uint32_t>(i);
  const auto bytes = std::as_bytes(std::span(values));
  const auto address = backend_->allocate(bytes.size());
  ASSERT_TRUE(address);
  ASSERT_TRUE(backend_->upload(*address, bytes));
  std::vector<uint32_t> back(values.size());
  ASSERT_TRUE(backend_->download(std::as_writable_bytes(std::span(back)), *address));
  EXPECT_EQ(back, values);
}

TEST_F(ServedBackendTest, WhatAKernelPrintsIsInTheReport) {
  ::testing::internal::CaptureStderr();  // the child inherits it
  open();
  const LaunchSpec launch = spec("say");
  for (int times = 0; times < 2; ++times) {
    const auto report = backend_->launch(launch);
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_EQ(report->printed.text, "hello from the kernel\n");
  }
  ASSERT_TRUE(backend_->time(launch, 0, 2, {}));
  EXPECT_EQ(output(), (std::vector<uint32_t>{1, 2, 3, 4}))
      << "what is printed while timing is in nobody's way";
  backend_.reset();
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "") << "nor is it shown a second time";
}

TEST_F(ServedBackendTest, WhatAKernelPrintsGoesToWhoListens) {
  open();
  std::string heard;
  LaunchListener listener;
  listener.printed = [&](std::string_view text) { heard += text; };
  const auto report = backend_->launch(spec("say_much"), {}, listener);
  ASSERT_TRUE(report) << report.error().message;
  std::string expected(300'000, 'x');
  expected += '\n';
  EXPECT_EQ(heard, expected);
  EXPECT_TRUE(report->printed.empty());
}

TEST_F(ServedBackendTest, WhatIsPrintedWithoutEndIsNotAllKept) {
  PrintedText printed;
  printed.append(std::string(PrintedText::kMostBytes - 1, 'a'));
  printed.append("bc");
  printed.append("d");
  EXPECT_EQ(printed.text.size(), PrintedText::kMostBytes);
  EXPECT_EQ(printed.text.back(), 'b');
  EXPECT_EQ(printed.dropped_bytes, 2U);
}

TEST_F(ServedBackendTest, AnEndlessKernelIsEndedByTheWatchdog) {
  open(0.5);
  const auto report = backend_->launch(spec("hang"));
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().kind, ErrorKind::kWorkFailed);
  for (const char* part : {"gave no sign for 0.5 s and was killed", "running hang", "--watchdog"}) {
    EXPECT_NE(report.error().message.find(part), std::string::npos) << report.error().message;
  }
  EXPECT_TRUE(backend_->poisoned());
  const auto next = backend_->memory();
  ASSERT_FALSE(next);
  EXPECT_NE(next.error().message.find("has ended"), std::string::npos) << next.error().message;
}

TEST_F(ServedBackendTest, AnEndlessKernelCanBeStopped) {
  open();
  std::stop_source stop;
  const LaunchSpec launch = spec("hang");
  std::jthread stopper([&] { stop.request_stop(); });
  const auto report = backend_->launch(launch, stop.get_token());
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().kind, ErrorKind::kCancelled) << report.error().message;
}

TEST_F(ServedBackendTest, AProcessThatIsKilledIsReported) {
  open();
  const auto report = backend_->launch(spec("kill"));
  ASSERT_FALSE(report);
  EXPECT_NE(report.error().message.find("was killed (signal 9) while running kill"), std::string::npos)
      << report.error().message;
  EXPECT_TRUE(backend_->poisoned());
}

TEST_F(ServedBackendTest, ErrorsOfTheDeviceKeepTheirWords) {
  open();
  const auto wild = backend_->fill(DeviceAddress{12345}, 0, 4);
  ASSERT_FALSE(wild);
  EXPECT_NE(wild.error().message.find("a fill is out of bounds"), std::string::npos) << wild.error().message;
  EXPECT_FALSE(backend_->poisoned());
  const auto poison = backend_->launch(spec("poison"));
  ASSERT_FALSE(poison);
  EXPECT_NE(poison.error().message.find("CUDA_ERROR_ILLEGAL_ADDRESS"), std::string::npos);
  EXPECT_TRUE(backend_->poisoned());
}

// One of each operation; the host's words are 100, 101 ...
struct StreamScript {
  std::vector<uint32_t> in = std::vector<uint32_t>(4), out = std::vector<uint32_t>(8, 7);
  StreamWork work;

  StreamScript(const LaunchSpec& launch, DeviceAddress from, DeviceAddress to) {
    std::iota(in.begin(), in.end(), 100U);
    const auto host = [](std::vector<uint32_t>& words, size_t first) {
      return reinterpret_cast<std::byte*>(words.data() + first);
    };
    work.streams = {{.name = "stream 1", .kind = StreamKind::kNonBlocking, .priority = -2},
                    {.name = "stream 2"}};
    work.operations = {
        {.kind = OperationKind::kCopyToDevice, .device = from, .host = host(in, 0), .bytes = 16},
        {.kind = OperationKind::kLaunch, .stream = 1, .launch = launch},
        {.kind = OperationKind::kEvent, .stream = 1, .event = 3},
        {.kind = OperationKind::kWait, .event = 3},
        {.kind = OperationKind::kCopyToHost, .device = to, .host = host(out, 4), .bytes = 16},
        {.kind = OperationKind::kHostFunction, .host = host(out, 2), .bytes = 16, .work = {.add = 1000}},
        {.kind = OperationKind::kCopyOnDevice, .device = from, .from = to, .bytes = 8},
        {.kind = OperationKind::kFill, .device = to, .bytes = 8, .value = 2}};
    work.pinned = {std::as_writable_bytes(std::span(out))};
  }
};

TEST_F(ServedBackendTest, MakesTensorMapsInTheChild) {
  open();
  TensorMapDescription map{.element = TensorMapDescription::Element::kF16,
                           .swizzle = TensorMapDescription::Swizzle::k64Bytes,
                           .rank = 3,
                           .sizes = {50, 6, 7, 1, 1},
                           .box = {32, 2, 3, 1, 1},
                           .strides = {112, 672, 0, 0}};
  const auto made = backend_->encodeTensorMap(map, 0x7000'0000'0100);
  ASSERT_TRUE(made) << made.error().message;
  ASSERT_EQ(made->size(), 128U);
  DeviceAddress tensor = 0;
  std::memcpy(&tensor, made->data(), sizeof tensor);
  EXPECT_EQ(tensor, 0x7000'0000'0100U);
  const std::string text(reinterpret_cast<const char*>(made->data()) + sizeof tensor);
  EXPECT_EQ(text, "tensor 50x6x7 of f16, boxes of 32x2x3, 64-byte swizzle");
  map.strides[0] = 100;
  const auto refused = backend_->encodeTensorMap(map, 0x7000'0000'0100);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::kBadRequest);
  EXPECT_NE(refused.error().message.find("stride of dimension 1"), std::string::npos);
}

TEST_F(ServedBackendTest, RunsOperationsOnStreamsInTheChild) {
  open();
  const LaunchSpec launch = spec("copy");
  StreamScript script(launch, from_, to_);
  script.work.clocks = StreamWork::Clocks::kBoth;
  script.work.operations[1].launch.programmatic = true;
  const auto report = backend_->runStreams(script.work, {}, {});
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(script.out, (std::vector<uint32_t>{7, 7, 1007, 1007, 1100, 1101, 102, 103}));
  EXPECT_EQ(script.in, (std::vector<uint32_t>{100, 101, 102, 103}));
  EXPECT_EQ(output(), (std::vector<uint32_t>{0x02020202, 0x02020202, 102, 103}));
  ASSERT_EQ(report->operations.size(), 8U);
  EXPECT_EQ(report->operations[4].begin_ns, 4000);
  EXPECT_EQ(report->operations[4].after, std::vector<uint32_t>{3});
  EXPECT_EQ(report->operations[7].end_ns, 7500);
  EXPECT_EQ(report->operations[5].waited_for, StreamWait::kStream);
  EXPECT_EQ(report->operations[5].waited_on, 4U);
  EXPECT_EQ(report->by_events.size(), 8U);
  EXPECT_EQ(report->timing, (StreamTiming{StreamClock::kEvents, 1.5, 2.5, "a reason"}));
  EXPECT_EQ(report->globaltimer_ns, 2100U);
  ASSERT_EQ(report->placed.size(), 1U);
  EXPECT_EQ(report->placed[0].later_cycles, -3);
  EXPECT_EQ(report->placed[0].waits, (std::vector<uint64_t>{17, 0}));
  EXPECT_EQ(report->placed[0].held_until, 90);
  using Point = StreamReport::PlacedBlock::Point;
  EXPECT_EQ(report->placed[0].points, (std::vector<Point>{{0.5, -3}, {17, 90}}));
  EXPECT_EQ(report->operations[1].primary, 0U);
  EXPECT_EQ(report->operations[2].primary, std::nullopt);
  EXPECT_EQ(report->total_ns, 1234);
}

TEST_F(ServedBackendTest, RunsGraphsInTheChild) {
  open();
  StreamWork work{.streams = {{.name = "stream 1"}},
                  .graphs = {{.name = "graph", .making = GraphMaking::kExplicit}}};
  for (const auto& nodes : std::vector<std::vector<uint32_t>>{{}, {0}, {0, 1}})
    work.operations.push_back({.launch = spec("copy"), .graph = 0, .nodes = nodes});
  const auto report = backend_->runStreams(work, {}, {});
  ASSERT_TRUE(report) << report.error().message;
  ASSERT_EQ(report->operations.size(), 3U);
  EXPECT_EQ(report->operations[2].after, (std::vector<uint32_t>{0, 1}));
  EXPECT_EQ(report->operations[1].waited_for, StreamWait::kGraph);
  EXPECT_EQ(report->graph_make_ns, std::vector<double>{3000});
}

TEST(StreamWorkOnTheWire, KeepsWhichGpuIsMeant) {
  StreamWork work{.streams = {{.name = "stream 1"}, {.name = "stream 2", .gpu = 1}}};
  work.operations = {{.kind = OperationKind::kPeerCopy, .stream = 1, .to_gpu = 1, .bytes = 64},
                     {.stream = 1}};
  work.operations[1].launch.gpu = 1;
  const auto written = [](const StreamWork& of) {
    calls::Writer writer;
    calls::writeWork(writer, of, {});
    return writer.payload();
  };
  const auto bytes = written(work);
  calls::Reader reader(bytes);
  const StreamWork back = calls::readWork(reader, {});
  ASSERT_TRUE(reader.complete());
  EXPECT_EQ(back.streams, work.streams);
  EXPECT_EQ(back.operations[0].to_gpu, 1U);
  EXPECT_EQ(back.operations[0].from_gpu, 0U);
  EXPECT_EQ(back.operations[1].launch.gpu, 1U);
  work.streams[1].gpu = kMostGpus;
  const auto spoilt = written(work);
  calls::Reader refusing(spoilt);
  calls::readWork(refusing, {});
  EXPECT_FALSE(refusing.good()) << "so many GPUs take no part in a run";
}

TEST(StreamWorkOnTheWire, KeepsWhatUsesAndFreesAnAllocation) {
  StreamWork work{.streams = {{.name = "stream 1"}}};
  work.operations = {{.kind = OperationKind::kAllocate, .bytes = 64},
                     {.allocated = {{2, 0}, {3, 0}}},
                     {.kind = OperationKind::kFree, .allocation = 7}};
  calls::Writer writer;
  calls::writeWork(writer, work, {});
  const auto bytes = writer.payload();
  calls::Reader reader(bytes);
  const StreamWork back = calls::readWork(reader, {});
  ASSERT_TRUE(reader.complete());
  EXPECT_EQ(back.operations[0].kind, OperationKind::kAllocate);
  EXPECT_EQ(back.operations[1].allocated, work.operations[1].allocated);
  EXPECT_EQ(back.operations[2].allocation, 7U);
}

TEST(StreamWorkOnTheWire, KeepsGraphsAndRefusesWhatIsNotThere) {
  StreamWork work{.streams = {{.name = "stream 1"}, {.name = "stream 2"}}};
  work.graphs = {{.name = "first", .making = GraphMaking::kExplicit, .stream = 1}, {.name = "second"}};
  work.operations = {{.graph = 1}, {.graph = 0}, {.graph = 0, .nodes = {1}, .only_if = 1}, {}};
  const auto written = [](const StreamWork& of) {
    calls::Writer writer;
    calls::writeWork(writer, of, {});
    return writer.payload();
  };
  const auto bytes = written(work);
  calls::Reader reader(bytes);
  const StreamWork back = calls::readWork(reader, {});
  ASSERT_TRUE(reader.complete());
  EXPECT_EQ(back.graphs, work.graphs);
  ASSERT_EQ(back.operations.size(), 4U);
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(back.operations[i].graph, work.operations[i].graph) << i;
    EXPECT_EQ(back.operations[i].nodes, work.operations[i].nodes) << i;
    EXPECT_EQ(back.operations[i].only_if, work.operations[i].only_if) << i;
  }
  for (const auto& spoil : std::vector<std::function<void(StreamWork&)>>{
           [](StreamWork& spoilt) { spoilt.operations[0].graph = 2; },
           [](StreamWork& spoilt) { spoilt.operations[2].nodes = {2}; },
           [](StreamWork& spoilt) { spoilt.operations[2].only_if = 2; },
           [](StreamWork& spoilt) { spoilt.graphs[0].stream = 2; }}) {
    StreamWork spoilt = work;
    spoil(spoilt);
    const auto damaged = written(spoilt);
    calls::Reader other(damaged);
    static_cast<void>(calls::readWork(other, {}));
    EXPECT_FALSE(other.complete());
  }
}

TEST_F(ServedBackendTest, HasManagedMemoryInTheChild) {
  open();
  const DeviceAddress managed = backend_->allocateManaged(16).value();
  std::vector<uint32_t> words = {1, 2, 3, 4};
  StreamWork work{.streams = {{.name = "stream 1"}},
                  .operations = {{.kind = OperationKind::kPrefetchToDevice, .device = managed, .bytes = 16},
                                 {.kind = OperationKind::kFill, .device = managed, .bytes = 8, .value = 2}},
                  .managed = {{.address = managed,
                               .host = std::as_writable_bytes(std::span(words)),
                               .advice = {.preferred = MemoryPlace::kHost, .accessed_by_device = true}}}};
  const auto report = backend_->runStreams(work, {}, {});
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(words, (std::vector<uint32_t>{0x02020202, 0x02020202, 3, 4}));
  EXPECT_EQ(report->migrations,
            (std::vector<PageMigration>{
                {.to_device = false, .faults = 3, .bytes = 16, .begin_ns = 1.5, .end_ns = 2.5}}));
  backend_->free(managed);
}

TEST(StreamWorkOnTheWire, KeepsManagedMemory) {
  std::vector<std::byte> bytes(64);
  StreamWork work{.streams = {{.name = "stream 1"}}};
  work.operations = {{.kind = OperationKind::kHostFunction,
                      .host = bytes.data() + 8,
                      .memory = HostMemory::kManaged,
                      .bytes = 16,
                      .work = {.touches = true}}};
  work.managed = {{.address = 77, .host = std::span(bytes).subspan(4, 50)},
                  {.address = 99, .advice = {.preferred = MemoryPlace::kDevice}}};
  const auto regions = calls::hostRegions(work);
  ASSERT_EQ(regions.size(), 1U);
  EXPECT_FALSE(regions[0].pinned);
  calls::Writer writer;
  calls::writeWork(writer, work, regions);
  const auto payload = writer.payload();
  calls::Reader reader(payload);
  const StreamWork back = calls::readWork(reader, regions);
  ASSERT_TRUE(reader.complete());
  ASSERT_EQ(back.managed.size(), 2U);
  EXPECT_EQ(back.managed[0].host.data(), bytes.data() + 4);
  EXPECT_EQ(back.managed[0].host.size(), 50U);
  EXPECT_FALSE(back.managed[0].advice.any());
  EXPECT_EQ(back.managed[1].address, 99U);
  EXPECT_TRUE(back.managed[1].host.empty());
  EXPECT_EQ(back.managed[1].advice, work.managed[1].advice);
  EXPECT_EQ(back.operations[0].memory, HostMemory::kManaged);
  EXPECT_EQ(back.operations[0].work, work.operations[0].work);
  const std::vector<calls::HostRegion> shorter = {{std::span(bytes).first(40), false}};
  calls::Reader other(payload);
  static_cast<void>(calls::readWork(other, shorter));
  EXPECT_FALSE(other.good());
}

TEST_F(ServedBackendTest, SendsTheHostsMemoryInPieces) {
  open();
  std::vector<std::byte> in(calls::kPieceBytes + 12345), out(in.size());
  for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<std::byte>(i * 7);
  const DeviceAddress device = backend_->allocate(in.size()).value();
  StreamWork work{.streams = {{.name = "stream 1"}}};
  work.operations = {
      {.kind = OperationKind::kCopyToDevice, .device = device, .host = in.data(), .bytes = in.size()},
      {.kind = OperationKind::kCopyToHost, .device = device, .host = out.data(), .bytes = out.size()}};
  const auto report = backend_->runStreams(work, {}, {});
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(in, out);
}

TEST_F(ServedBackendTest, AnEndlessKernelOnAStreamIsEndedByTheWatchdog) {
  open(0.5);
  const LaunchSpec launch = spec("hang");
  StreamScript script(launch, from_, to_);
  const auto report = backend_->runStreams(script.work, {}, {});
  ASSERT_FALSE(report);
  EXPECT_NE(report.error().message.find(
                "gave no sign for 0.5 s and was killed while running operations on streams"),
            std::string::npos)
      << report.error().message;
}

TEST_F(ServedBackendTest, ErrorsOfOperationsKeepTheirWords) {
  open();
  const LaunchSpec launch = spec("copy");
  StreamScript script(launch, from_, DeviceAddress{1});
  const auto report = backend_->runStreams(script.work, {}, {});
  ASSERT_FALSE(report);
  EXPECT_NE(report.error().message.find("a download is out of bounds"), std::string::npos)
      << report.error().message;
  EXPECT_FALSE(backend_->poisoned());
}

TEST(HostRegions, HoldPinnedMemoryAndWhatOverlaps) {
  std::vector<std::byte> memory(100);
  StreamWork work;
  work.pinned = {std::span(memory).subspan(20, 30)};
  const auto add = [&](size_t from, uint64_t bytes) {
    work.operations.push_back(
        {.kind = OperationKind::kCopyToHost, .host = memory.data() + from, .bytes = bytes});
  };
  add(40, 20);
  add(0, 10);
  add(10, 10);
  add(70, 0);
  const auto regions = calls::hostRegions(work);
  ASSERT_EQ(regions.size(), 3U) << "neighbours stay apart: one may be pinned";
  EXPECT_EQ(regions[0].bytes.size(), 10U);
  EXPECT_FALSE(regions[1].pinned);
  EXPECT_EQ(regions[2].bytes.data(), memory.data() + 20);
  EXPECT_EQ(regions[2].bytes.size(), 40U);
  EXPECT_TRUE(regions[2].pinned);
}

// The server's side, with what no client of ours sends.
TEST(BackendCalls, DamagedOperationsAreAnErrorAndNoMore) {
  testing::FakeBackend backend;
  backend.runs_streams = true;
  const DeviceAddress device = backend.allocate(64).value();
  StreamScript script({.kernel = backend.kernel({"module", "text", {}}, "copy").value(),
                       .parameters = {std::vector<std::byte>(1), parameterBytes(device),
                                      parameterBytes(device), parameterBytes(uint32_t{4})}},
                      device, device);
  const auto regions = calls::hostRegions(script.work);
  calls::Writer run(calls::Call::kRunStreams);
  calls::writeWork(run, script.work, regions);
  const auto prepared = [&] {
    calls::Callee callee;
    for (size_t i = 0; i < regions.size(); ++i) {
      calls::Writer add(calls::Call::kAddHost);
      add.number(i).number(0).bytes(regions[i].bytes);
      EXPECT_TRUE(callee.answer(backend, add.payload(), {}, {}));
    }
    return callee;
  };
  calls::Callee whole = prepared();
  const auto reply = whole.answer(backend, run.payload(), {}, {});
  ASSERT_TRUE(reply) << reply.error().message;
  for (size_t length = 0; length < run.payload().size(); ++length) {
    calls::Callee callee = prepared();
    EXPECT_FALSE(callee.answer(backend, std::span(run.payload()).first(length), {}, {})) << length;
  }
  // Whatever one wrong byte says, it refers to nothing that is not there; sanitizers see it otherwise.
  for (size_t at = 8; at < run.payload().size(); ++at) {
    std::vector<std::byte> damaged = run.payload();
    damaged[at] ^= std::byte{0x41};
    calls::Callee callee = prepared();
    const auto arguments = std::span<const std::byte>(damaged).subspan(8);
    calls::Reader reader(arguments);
    const StreamWork work = calls::readWork(reader, regions);
    for (const EnqueuedOperation& operation : work.operations) {
      if (!reader.complete()) break;
      EXPECT_LT(operation.stream, work.streams.size());
      const bool inside = std::ranges::any_of(regions, [&](const calls::HostRegion& region) {
        return operation.host >= region.bytes.data() &&
               operation.host + operation.bytes <= region.bytes.data() + region.bytes.size();
      });
      EXPECT_TRUE(operation.host == nullptr || inside) << at;
    }
  }
  for (size_t length = 0; length < reply->size(); ++length) {
    const auto cut = std::span<const std::byte>(*reply).first(length);
    calls::Reader reader(cut);
    static_cast<void>(calls::readReport(reader, script.work.operations.size(), 0));
    EXPECT_FALSE(reader.complete()) << length;
  }
  calls::Reader other(*reply);
  static_cast<void>(calls::readReport(other, 3, 0));
  EXPECT_FALSE(other.complete()) << "a report of other operations";
  calls::Reader of_graphs(*reply);
  static_cast<void>(calls::readReport(of_graphs, script.work.operations.size(), 1));
  EXPECT_FALSE(of_graphs.complete()) << "a report without its graph";
  calls::Callee empty;
  EXPECT_FALSE(empty.answer(backend, run.payload(), {}, {})) << "its memory was never sent";
  calls::Writer far(calls::Call::kAddHost);
  far.number(5).number(0).text("x");
  EXPECT_FALSE(empty.answer(backend, far.payload(), {}, {}));
  calls::Writer beyond(calls::Call::kFetchHost);
  beyond.number(0).number(1).number(100);
  EXPECT_FALSE(whole.answer(backend, beyond.payload(), {}, {}));
}

TEST(BackendCalls, EveryCutOffCallIsAnErrorAndNoMore) {
  testing::FakeBackend backend;
  LaunchSpec spec{.parameters = {std::vector<std::byte>(8)}};
  spec.following.push_back(spec);
  std::vector<calls::Writer> all(4);
  all[0] = calls::Writer(calls::Call::kModule).text("m").text("ptx").bytes({});
  all[1] = calls::Writer(calls::Call::kUpload).number(1).text("bytes");
  all[2] = calls::Writer(calls::Call::kLaunch).launch(spec);
  all[3] = calls::Writer(calls::Call::kFill).number(1).number(2).number(3);
  for (const calls::Writer& call : all) {
    for (size_t length = 0; length < call.payload().size(); ++length) {
      calls::Callee callee;
      EXPECT_FALSE(callee.answer(backend, std::span(call.payload()).first(length), {}, {})) << length;
    }
  }
  calls::Callee callee;
  EXPECT_TRUE(callee.answer(backend, all[0].payload(), {}, {}));
  EXPECT_FALSE(callee.answer(backend, all[0].payload(), {}, {})) << "a name cannot change its meaning";
  EXPECT_FALSE(callee.answer(backend, calls::Writer(static_cast<calls::Call>(4711)).payload(), {}, {}));
}

TEST(BackendCalls, ALaunchArrivesAsItWasSent) {
  LaunchSpec spec{.kernel = {7}, .grid = {1, 2, 3}, .block = {4, 5, 6}, .dynamic_shared_bytes = 8};
  spec.parameters = {parameterBytes(uint32_t{9}), {}};
  spec.cooperative = true;
  spec.cluster = Dim3{1, 2, 1};
  spec.programmatic = true;
  spec.following.push_back({.kernel = {10}, .grid = {11}});
  calls::Writer writer;
  writer.launch(spec);
  calls::Reader reader(writer.payload());
  const LaunchSpec read = reader.launch();
  EXPECT_TRUE(reader.complete());
  EXPECT_EQ(read.kernel.value, 7U);
  EXPECT_EQ(read.grid, (Dim3{1, 2, 3}));
  EXPECT_EQ(read.block, (Dim3{4, 5, 6}));
  EXPECT_EQ(read.dynamic_shared_bytes, 8U);
  EXPECT_EQ(read.parameters, spec.parameters);
  EXPECT_TRUE(read.cooperative);
  EXPECT_EQ(read.cluster, (Dim3{1, 2, 1}));
  EXPECT_TRUE(read.programmatic);
  EXPECT_FALSE(read.following.at(0).programmatic);
  ASSERT_EQ(read.following.size(), 1U);
  EXPECT_EQ(read.following[0].kernel.value, 10U);
  EXPECT_EQ(read.following[0].grid, Dim3{11});
}

}  // namespace
}  // namespace warpscope
