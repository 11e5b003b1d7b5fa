// Recordings: everything that is written is read back; a damaged file is refused, naming the place; an
// existing file survives a write that fails.
#include "kernels/recording/recording.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <xxhash.h>

#include <csignal>
#include <cstring>
#include <fstream>
#include <functional>
#include <limits>
#include <random>

#include "kernels/recording/run_json.h"
#include "tests/support/parse_json.h"
#include "tests/support/synthetic_trace.h"

namespace warpscope {
namespace {

using testing::makeSyntheticRun;

void expectSameTrace(const Trace& a, const Trace& b) {
  ASSERT_EQ(a.warps.size(), b.warps.size());
  ASSERT_EQ(a.events.size(), b.events.size());
  for (size_t i = 0; i < a.warps.size(); ++i) {
    const TraceWarp &x = a.warps[i], &y = b.warps[i];
    EXPECT_TRUE(x.block == y.block && x.warp_in_block == y.warp_in_block && x.sm == y.sm &&
                x.hardware_slot == y.hardware_slot && x.live == y.live && x.begin_cycles == y.begin_cycles &&
                x.end_cycles == y.end_cycles && x.first_event == y.first_event &&
                x.event_count == y.event_count && x.dropped_events == y.dropped_events &&
                x.first_instruction == y.first_instruction && x.instruction_count == y.instruction_count)
        << "warp " << i;
  }
  for (size_t i = 0; i < a.events.size(); ++i) {
    EXPECT_TRUE(a.events[i].clock_cycles == b.events[i].clock_cycles &&
                a.events[i].mask == b.events[i].mask && a.events[i].region == b.events[i].region)
        << "event " << i;
  }
  ASSERT_EQ(a.instructions.size(), b.instructions.size());
  for (size_t i = 0; i < a.instructions.size(); ++i) {
    const TraceInstruction &x = a.instructions[i], &y = b.instructions[i];
    EXPECT_TRUE(x.issue_cycles == y.issue_cycles && x.listed == y.listed && x.mask == y.mask &&
                x.waited_for == y.waited_for && x.waited_cycles == y.waited_cycles)
        << "instruction " << i;
  }
}

void expectSameRun(const Run& a, const Run& b) {
  EXPECT_EQ(headerJson(a), headerJson(b));
  EXPECT_EQ(toJson(a.device), toJson(b.device));
  ASSERT_TRUE(b.source);
  EXPECT_EQ(*a.source, *b.source);
  expectSameTrace(a.trace, b.trace);
  ASSERT_EQ(a.listing == nullptr, b.listing == nullptr);
  if (a.listing) {
    EXPECT_EQ(*a.listing, *b.listing);
  }
}

std::vector<warpscope::Run> sampleRuns() {
  std::vector<warpscope::Run> runs{makeSyntheticRun("divergence", "even_odd", 80),
                                   makeSyntheticRun("reduction", "shared", 256),
                                   makeSyntheticRun("divergence", "even_odd", 1024)};
  runs[1].device.name = "Another GPU";
  runs[1].trace.problems = {{TraceProblem::Severity::kInfo, 3, "three things \"quoted\" ± µ"}};
  runs[1].trace.clocks.sms[1].uncertainty_ns.reset();
  runs[1].trace.clocks.uncertainty_ns.reset();
  runs[1].verification.max_error = std::numeric_limits<double>::infinity();
  runs[1].counters = {{"smsp__inst_executed.sum", 12345.0}};
  runs[1].hazards.emplace().push_back({.kind = HazardKind::kOutOfBounds,
                                       .kernel = "k",
                                       .access = {.action = "read", .source_file = "k.cu", .line = 7},
                                       .second = HazardAccess{.action = "write", .thread = {3, 2, 1}},
                                       .space = "global",
                                       .address = 0x7F0000001000,
                                       .allocation = "'in' (16 bytes)",
                                       .offset = -4,
                                       .message = "it reads before the start",
                                       .count = 3,
                                       .also_lines = {{7, 9}}});
  runs[1].hazards->push_back({.kind = HazardKind::kStreamRace,
                              .access = {.action = "read", .source_file = "k.cu", .line = 8},
                              .second = HazardAccess{.action = "write"},
                              .space = "host",
                              .message = "two at once",
                              .operations = {{3, "launch of chunk 1", "stream 2"}, {0, "fill", "stream 1"}}});
  runs[2].hazards.emplace();
  runs[2].request.checks = true;
  runs[2].bandwidth.copy_gb_per_s.reset();
  runs[2].request.sampling = {Sampling::Mode::kExplicit, 3, 2, 99, 7};
  return runs;
}

constexpr ResidencyEvidence kEvidence{400, 0.25, 0.125, 0.5, 3};

std::vector<warpscope::Run> runsWithInstructions() {
  std::vector<warpscope::Run> runs = sampleRuns();
  testing::addInstructions(runs[0]);
  testing::addInstructions(runs[2]);
  runs[2].trace.dropped_instructions = 17;
  runs[2].trace.residency_evidence = kEvidence;
  return runs;
}

// Small, so that every byte can be tried.
std::vector<std::byte> smallRecording(Compression compression, bool instructions = false) {
  warpscope::Run run = makeSyntheticRun();
  run.source = std::make_shared<const std::string>("x");
  run.trace.warps.resize(2);
  run.trace.events.resize(run.trace.warps[1].first_event + run.trace.warps[1].event_count);
  if (instructions) {
    testing::addInstructions(run);
    run.trace.warps[1].instruction_count = 4;
    run.trace.instructions.resize(run.trace.warps[1].first_instruction + 4);
  }
  return encodeRuns({&run, 1}, compression).value();
}

std::vector<std::vector<std::byte>> smallRecordings() {
  return {smallRecording(Compression::kNone), smallRecording(Compression::kZstd),
          smallRecording(Compression::kNone, true), smallRecording(Compression::kZstd, true)};
}

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "warpscope-XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  size_t files() const {
    return static_cast<size_t>(std::distance(std::filesystem::directory_iterator(path_), {}));
  }

 private:
  std::filesystem::path path_;
};

TEST(Recording, GivesBackEveryRunWhole) {
  const std::vector<warpscope::Run> runs = sampleRuns();
  for (const Compression compression : {Compression::kNone, Compression::kZstd}) {
    const auto bytes = encodeRuns(runs, compression);
    ASSERT_TRUE(bytes.has_value()) << bytes.error().message;
    const auto back = decodeRuns(*bytes, "memory");
    ASSERT_TRUE(back.has_value()) << back.error().message;
    ASSERT_EQ(back->size(), runs.size());
    for (size_t i = 0; i < runs.size(); ++i) expectSameRun(runs[i], (*back)[i]);
    // Runs with the same text share it.
    EXPECT_EQ((*back)[0].source.get(), (*back)[2].source.get());
  }
}

TEST(Recording, GivesBackInstructionsAndTheirListing) {
  const std::vector<warpscope::Run> runs = runsWithInstructions();
  for (const Compression compression : {Compression::kNone, Compression::kZstd}) {
    const auto bytes = encodeRuns(runs, compression);
    ASSERT_TRUE(bytes.has_value()) << bytes.error().message;
    EXPECT_EQ((*bytes)[8], std::byte{2});
    const auto back = decodeRuns(*bytes, "memory");
    ASSERT_TRUE(back.has_value()) << back.error().message;
    ASSERT_EQ(back->size(), runs.size());
    for (size_t i = 0; i < runs.size(); ++i) expectSameRun(runs[i], (*back)[i]);
    EXPECT_GT((*back)[0].trace.instructions.size(), 500U);
    EXPECT_EQ((*back)[2].trace.dropped_instructions, 17U);
    EXPECT_EQ((*back)[2].trace.residency_evidence, kEvidence);
    EXPECT_FALSE((*back)[0].trace.residency_evidence);
    EXPECT_EQ((*back)[1].listing, nullptr);
    // Runs of the same kernel share its listing, those of other kernels do not.
    EXPECT_EQ((*back)[0].listing.get(), (*back)[2].listing.get());
  }
}

TEST(Recording, GivesBackSamples) {
  std::vector<warpscope::Run> runs = sampleRuns();
  runs[0].request.samples = runs[1].request.samples = true;
  runs[0].listing = std::make_shared<const Listing>(
      Listing{{"ld.global.u32 %r1, [%rd1];", "k.cu", 3, "", 0}, {"ret;", "k.cu", 4, "", 0}});
  runs[0].wait_samples = {.interval_cycles = 256,
                          .launches = 32,
                          .taken = 1000,
                          .dropped = 7,
                          .elsewhere = 3,
                          .places = {{0, WarpState::kLongScoreboard, 900}, {1, WarpState::kCount, 90}}};
  runs[0].activity_samples = {.interval_ns = 1000,
                              .uncertainty_ns = 32,
                              .launches = 2,
                              .samples = {{-250.5, 749.5, {1.5, 2, 3, 4}}, {749.5, 1749.5, {100, 9, 8, 7}}}};
  runs[1].samples_problem = "fake device: no sampler";
  for (const Compression compression : {Compression::kNone, Compression::kZstd}) {
    const auto bytes = encodeRuns(runs, compression);
    ASSERT_TRUE(bytes.has_value()) << bytes.error().message;
    EXPECT_EQ((*bytes)[8], std::byte{1}) << "older readers pass over what they do not know";
    const auto back = decodeRuns(*bytes, "memory");
    ASSERT_TRUE(back.has_value()) << back.error().message;
    for (size_t i = 0; i < runs.size(); ++i) expectSameRun(runs[i], (*back)[i]);
    EXPECT_EQ((*back)[0].wait_samples, runs[0].wait_samples);
    EXPECT_EQ((*back)[0].activity_samples, runs[0].activity_samples);
    EXPECT_FALSE((*back)[1].wait_samples);
    EXPECT_EQ((*back)[1].samples_problem, "fake device: no sampler");
  }
  runs[0].wait_samples->places[1].listed = 2;
  EXPECT_FALSE(encodeRuns(runs, Compression::kNone).has_value()) << "it is not listed";
}

TEST(Recording, KeepsOperationsOnStreams) {
  std::vector<warpscope::Run> runs = sampleRuns();
  StreamLog log;
  log.streams = {{.name = "stream 1"},
                 {.name = "default", .kind = StreamKind::kLegacyDefault, .priority = -2}};
  log.operations = {{.kind = OperationKind::kCopyToDevice,
                     .name = "chunk 0",
                     .bytes = uint64_t{1} << 40,
                     .memory = HostMemory::kPageable,
                     .enqueued_ns = 2000.5,
                     .begin_ns = 2500.25,
                     .end_ns = 9000},
                    {.kind = OperationKind::kWait, .stream = 1, .name = "chunk 0", .after = {0}},
                    {.stream = 1,
                     .name = "chunk 0",
                     .kernel = "process",
                     .enqueue_ns = 1,
                     .after = {0, 1},
                     .waited_for = StreamWait::kSms,
                     .waited_on = 0,
                     .first_block = 3,
                     .blocks = 7},
                    {.name = "node 1",
                     .kernel = "step",
                     .after = {2},
                     .waited_for = StreamWait::kGraph,
                     .waited_on = 2,
                     .graph = 0,
                     .skipped = true},
                    {.stream = 1, .name = "chunk 1", .waited_for = StreamWait::kTrigger, .primary = 2},
                    {.kind = OperationKind::kPeerCopy, .stream = 1, .name = "half 2", .bytes = 64, .gpu = 1}};
  log.streams[1].gpu = 1;
  log.timing.gpu_uncertainty_ns = 250;
  log.graphs = {{.name = "graph", .making = GraphMaking::kExplicit, .stream = 1, .make_ns = 1234.5}};
  log.operations.push_back(
      {.kind = OperationKind::kPrefetchToHost, .name = "values", .bytes = 7, .memory = HostMemory::kManaged});
  log.operations.push_back({.kind = OperationKind::kFree, .name = "values", .bytes = 7});
  log.migrations = {{2, true, 3, 65'536, 10.5, 20}, {1, false, 1, 7, 30, 40.25}};
  runs[0].device.limits.concurrent_managed_access = true;
  runs[0].device.limits.memory_pools = true;
  runs[0].device.limits.conditional_nodes = runs[0].device.limits.device_runtime = true;
  runs[0].streams = log;
  for (const Compression compression : {Compression::kNone, Compression::kZstd}) {
    const auto bytes = encodeRuns(runs, compression);
    ASSERT_TRUE(bytes.has_value()) << bytes.error().message;
    EXPECT_EQ((*bytes)[8], std::byte{1}) << "older readers pass over what they do not know";
    const auto back = decodeRuns(*bytes, "memory");
    ASSERT_TRUE(back.has_value()) << back.error().message;
    EXPECT_EQ((*back)[0].streams, runs[0].streams);
    EXPECT_TRUE((*back)[0].device.limits.concurrent_managed_access);
    EXPECT_TRUE((*back)[0].device.limits.memory_pools);
    EXPECT_TRUE((*back)[0].device.limits.conditional_nodes && (*back)[0].device.limits.device_runtime);
    EXPECT_FALSE((*back)[1].device.limits.conditional_nodes || (*back)[1].device.limits.device_runtime);
    EXPECT_FALSE((*back)[1].device.limits.concurrent_managed_access);
    for (size_t i = 1; i < runs.size(); ++i) EXPECT_FALSE((*back)[i].streams) << "a single launch";
  }
  // What refers to what is not there is refused: others use these numbers without looking.
  for (const auto& spoil : std::vector<std::function<void(StreamLog&)>>{
           [](StreamLog& spoilt) { spoilt.operations[1].stream = 2; },
           [](StreamLog& spoilt) { spoilt.operations[1].after = {1}; },
           [](StreamLog& spoilt) { spoilt.operations[2].waited_on = 8; },
           [](StreamLog& spoilt) { spoilt.migrations[1].operation = 8; },
           [](StreamLog& spoilt) { spoilt.operations[3].graph = 1; },
           [](StreamLog& spoilt) { spoilt.operations[4].primary = 4; },
           [](StreamLog& spoilt) { spoilt.operations[5].gpu = 2; },
           [](StreamLog& spoilt) { spoilt.streams[1].gpu = 4'000'000'000; },
           [](StreamLog& spoilt) { spoilt.graphs[0].stream = 2; }}) {
    runs[0].streams = log;
    spoil(*runs[0].streams);
    const auto bytes = encodeRuns(runs, Compression::kNone);
    EXPECT_FALSE(bytes && decodeRuns(*bytes, "memory"));
  }
}

TEST(Recording, WithoutInstructionsStaysVersion1) {
  const auto bytes = smallRecording(Compression::kNone);
  EXPECT_EQ(bytes[8], std::byte{1});
}

TEST(Recording, AnInstructionThatIsNotListedIsNotWritten) {
  warpscope::Run run = makeSyntheticRun();
  testing::addInstructions(run);
  run.trace.instructions[3].listed = 99;
  EXPECT_FALSE(encodeRuns({&run, 1}, Compression::kNone).has_value());
  run.listing.reset();
  EXPECT_FALSE(encodeRuns({&run, 1}, Compression::kNone).has_value());
}

TEST(Recording, NoRunsIsARecordingToo) {
  const auto bytes = encodeRuns({}, Compression::kZstd);
  ASSERT_TRUE(bytes.has_value());
  EXPECT_TRUE(decodeRuns(*bytes, "memory").value().empty());
}

TEST(Recording, EveryTruncationIsRefusedWithNameAndOffset) {
  for (const auto& bytes : smallRecordings()) {
    for (size_t length = 0; length < bytes.size(); ++length) {
      const auto read = decodeRuns(std::span(bytes).first(length), "cut.wsrec");
      ASSERT_FALSE(read.has_value()) << length;
      EXPECT_EQ(read.error().kind, ErrorKind::kDamagedFile);
      EXPECT_TRUE(read.error().message.starts_with("cut.wsrec: ")) << read.error().message;
      EXPECT_NE(read.error().message.find("offset"), std::string::npos) << read.error().message;
    }
  }
}

TEST(Recording, EveryBitFlipIsRefused) {
  for (auto& bytes : smallRecordings()) {
    for (size_t i = 0; i < bytes.size() * 8; ++i) {
      const auto flip = static_cast<std::byte>(1U << (i % 8));
      bytes[i / 8] ^= flip;
      ASSERT_FALSE(decodeRuns(bytes, "flipped").has_value()) << "bit " << i;
      bytes[i / 8] ^= flip;
    }
    EXPECT_TRUE(decodeRuns(bytes, "whole").has_value());
  }
}

TEST(Recording, SomethingAppendedIsRefused) {
  auto bytes = smallRecording(Compression::kZstd);
  bytes.push_back(std::byte{0});
  EXPECT_FALSE(decodeRuns(bytes, "longer").has_value());
}

TEST(Recording, ANewerVersionIsNamed) {
  auto bytes = smallRecording(Compression::kZstd);
  bytes[8] = std::byte{3};
  const auto read = decodeRuns(bytes, "newer.wsrec");
  ASSERT_FALSE(read.has_value());
  EXPECT_NE(read.error().message.find("version 3"), std::string::npos) << read.error().message;
  EXPECT_NE(read.error().message.find("newer warpscope"), std::string::npos);
}

TEST(Recording, SomethingElseIsNotARecording) {
  const std::string text = R"({"this": "is JSON", "and": "longer than a preamble would have to be ......"})";
  const auto read = decodeRuns(std::as_bytes(std::span(text)), "a.json");
  ASSERT_FALSE(read.has_value());
  EXPECT_NE(read.error().message.find("not a warpscope recording"), std::string::npos);
}

TEST(RecordingFile, IsWrittenReadAndListed) {
  const TemporaryFolder folder;
  const auto path = folder / "runs.wsrec";
  const std::vector<warpscope::Run> runs = runsWithInstructions();
  ASSERT_TRUE(writeRecording(path, runs).has_value());
  EXPECT_EQ(folder.files(), 1U);
  const auto all = readRecording(path);
  ASSERT_TRUE(all.has_value()) << all.error().message;
  const auto index = RecordingIndex::open(path);
  ASSERT_TRUE(index.has_value()) << index.error().message;
  ASSERT_EQ(index->size(), runs.size());
  for (size_t i = 0; i < runs.size(); ++i) {
    expectSameRun(runs[i], (*all)[i]);
    EXPECT_TRUE(index->summary(i).trace.events.empty() && index->summary(i).trace.instructions.empty());
    EXPECT_EQ(headerJson(index->summary(i)), headerJson(runs[i]));
    const auto loaded = index->load(i);
    ASSERT_TRUE(loaded.has_value()) << loaded.error().message;
    expectSameRun(runs[i], *loaded);
  }
  EXPECT_FALSE(index->load(3).has_value());
}

TEST(RecordingFile, MissingAndOddPathsAreNamed) {
  const TemporaryFolder folder;
  for (const auto& path : {folder / "none.wsrec", folder / "", std::filesystem::path("/dev/full")}) {
    const auto read = readRecording(path);
    ASSERT_FALSE(read.has_value());
    EXPECT_NE(read.error().message.find(path.string()), std::string::npos) << read.error().message;
    EXPECT_FALSE(RecordingIndex::open(path).has_value());
  }
}

TEST(RecordingFile, ADamagedColumnIsFoundWhenItIsLoaded) {
  const TemporaryFolder folder;
  const auto path = folder / "runs.wsrec";
  ASSERT_TRUE(writeRecording(path, sampleRuns()).has_value());
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(-3, std::ios::end);
  file.put('\x55');
  file.close();
  const auto index = RecordingIndex::open(path);
  ASSERT_TRUE(index.has_value());
  EXPECT_TRUE(index->load(0).has_value());
  const auto last = index->load(2);
  ASSERT_FALSE(last.has_value());
  EXPECT_NE(last.error().message.find("run 2"), std::string::npos) << last.error().message;
  EXPECT_NE(last.error().message.find("offset"), std::string::npos);
}

TEST(RecordingFile, AFullDiskLeavesTheOldFileAndNoTemporary) {
  const TemporaryFolder folder;
  const auto path = folder / "runs.wsrec";
  const std::vector<warpscope::Run> old{makeSyntheticRun()};
  ASSERT_TRUE(writeRecording(path, old).has_value());
  // A file size limit fails writes like a full disk does.
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto signal_before = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{1024, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const auto written = writeRecording(path, sampleRuns());
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, signal_before);
  ASSERT_FALSE(written.has_value());
  EXPECT_EQ(written.error().kind, ErrorKind::kWorkFailed);
  EXPECT_NE(written.error().message.find(path.string()), std::string::npos) << written.error().message;
  EXPECT_EQ(folder.files(), 1U);
  const auto still = readRecording(path);
  ASSERT_TRUE(still.has_value());
  expectSameRun(old[0], still->at(0));
}

TEST(RecordingFile, AMissingFolderIsAnError) {
  const TemporaryFolder folder;
  const auto written = writeRecording(folder / "no/such/folder.wsrec", sampleRuns());
  ASSERT_FALSE(written.has_value());
  EXPECT_NE(written.error().message.find("no/such/folder.wsrec"), std::string::npos);
}

TEST(RecordingFile, ABundledSetStaysSmall) {
  // 800 runs must stay under 8 MiB, including the header.
  std::vector<warpscope::Run> runs;
  for (uint32_t i = 0; i < 40; ++i) {
    warpscope::Run run = makeSyntheticRun("divergence", "even_odd", 32 + 32 * (i % 32), 1 << (16 + i / 32));
    auto made = testing::makeSyntheticTrace(
        {.sms = 2, .blocks = 16, .block_threads = 256, .trips = 4, .seed = i + 1});
    run.trace = std::move(made.truth);
    EXPECT_GT(run.trace.events.size(), 1500U);
    runs.push_back(std::move(run));
  }
  const auto bytes = encodeRuns(runs, Compression::kZstd);
  ASSERT_TRUE(bytes.has_value());
  EXPECT_LT(bytes->size() / runs.size(), (size_t{8} << 20) / 800);
  RecordProperty("bytes_per_run", static_cast<int>(bytes->size() / runs.size()));
}

// Mutations with corrected checksums: random changes must never crash, hang or allocate without bound. Also
// runs under the sanitizers.
TEST(RecordingFuzz, RandomMutationsNeverCrash) {
  const auto originals = smallRecordings();
  std::mt19937 random(12345);
  int refused = 0;
  constexpr int kRounds = 6000;
  for (int round = 0; round < kRounds; ++round) {
    auto bytes = originals[static_cast<size_t>(round) % originals.size()];
    const int changes = 1 + static_cast<int>(random() % 8);
    for (int i = 0; i < changes; ++i) {
      switch (random() % 4) {
        case 0:
          bytes[random() % bytes.size()] = static_cast<std::byte>(random());
          break;
        case 1:
          bytes.resize(1 + random() % bytes.size());
          break;
        case 2:
          bytes.insert(bytes.begin() + static_cast<std::ptrdiff_t>(random() % bytes.size()), std::byte{0xFF});
          break;
        default:
          std::swap(bytes[random() % bytes.size()], bytes[random() % bytes.size()]);
          break;
      }
    }
    if (!decodeRuns(bytes, "mutated")) ++refused;
  }
  // A swap of equal bytes changes nothing; everything else is refused.
  EXPECT_GT(refused, kRounds * 9 / 10);
}

// A recording of one run made by hand: checksums and sizes are valid whatever the header and the columns say,
// so that the code after the checksums is reached, too.
std::vector<std::byte> sealed(Json header, const std::vector<std::vector<std::byte>>& columns) {
  for (size_t i = 0; i < columns.size(); ++i) {
    auto& entry = header["runs"][0]["columns"][i];
    entry["stored_bytes"] = columns[i].size();
    entry["raw_bytes"] = columns[i].size();
    entry["xxh64"] = fmt::format("{:016x}", XXH64(columns[i].data(), columns[i].size(), 0));
  }
  const std::string text = header.dump();
  std::vector<std::byte> bytes(56);
  const auto put = [&](size_t at, uint64_t value) { std::memcpy(bytes.data() + at, &value, sizeof(value)); };
  std::memcpy(bytes.data(), "WSREC\r\n\x1A\x01", 9);
  uint64_t total = bytes.size() + text.size();
  for (const auto& column : columns) total += column.size();
  put(16, text.size());
  put(24, text.size());
  put(32, total);
  put(40, XXH64(text.data(), text.size(), 0));
  put(48, XXH64(bytes.data(), 48, 0));
  const auto* begin = reinterpret_cast<const std::byte*>(text.data());
  bytes.insert(bytes.end(), begin, begin + text.size());
  for (const auto& column : columns) bytes.insert(bytes.end(), column.begin(), column.end());
  return bytes;
}

struct OpenedRecording {
  Json header;
  std::vector<std::vector<std::byte>> columns;
};

OpenedRecording opened(const std::vector<std::byte>& bytes) {
  uint64_t header_bytes = 0;
  std::memcpy(&header_bytes, bytes.data() + 16, sizeof(header_bytes));
  const auto* text = reinterpret_cast<const char*>(bytes.data()) + 56;
  OpenedRecording opened{testing::parseJson({text, header_bytes}), {}};
  size_t at = 56 + header_bytes;
  for (const auto& column : opened.header["runs"][0]["columns"]) {
    const auto size = column["stored_bytes"].get<size_t>();
    opened.columns.emplace_back(bytes.begin() + static_cast<std::ptrdiff_t>(at),
                                bytes.begin() + static_cast<std::ptrdiff_t>(at + size));
    at += size;
  }
  return opened;
}

TEST(RecordingFuzz, ColumnsThatLieBehindRightChecksumsNeverCrash) {
  const OpenedRecording original = opened(smallRecording(Compression::kNone, true));
  ASSERT_TRUE(decodeRuns(sealed(original.header, original.columns), "resealed").has_value());
  std::mt19937 random(54321);
  for (int round = 0; round < 6000; ++round) {
    auto columns = original.columns;
    auto& column = columns[random() % columns.size()];
    if (random() % 4 == 0) column.resize(random() % (2 * column.size() + 1));
    for (int i = 0; i < 3 && !column.empty(); ++i)
      column[random() % column.size()] = static_cast<std::byte>(random());
    const auto read = decodeRuns(sealed(original.header, columns), "mutated");
    if (!read) continue;
    // An accepted recording has the properties that views rely on.
    for (const TraceWarp& warp : read->at(0).trace.warps) {
      int64_t before = warp.begin_cycles;
      for (const TraceEvent& event : read->at(0).trace.eventsOf(warp)) {
        ASSERT_GE(event.clock_cycles, before);
        before = event.clock_cycles;
      }
      ASSERT_LE(before, warp.end_cycles);
      int64_t issued = INT64_MIN;
      for (const TraceInstruction& instruction : read->at(0).trace.instructionsOf(warp)) {
        ASSERT_GE(instruction.issue_cycles, issued);
        issued = instruction.issue_cycles;
        ASSERT_LT(instruction.listed, read->at(0).listing->size());
        ASSERT_LT(instruction.waited_for, WarpState::kCount);
      }
    }
  }
}

TEST(RecordingHeader, SaysWhatIsWrongWithAColumn) {
  const OpenedRecording original = opened(smallRecording(Compression::kNone, true));
  const auto problem = [&](const char* key, const char* value) {
    Json header = original.header;
    header["runs"][0]["columns"][1][key] = value;
    const auto read = decodeRuns(sealed(header, original.columns), "changed");
    return read ? "it is accepted" : read.error().message;
  };
  EXPECT_NE(problem("codec", "lz4").find("'columns.codec' has the unknown value 'lz4'"), std::string::npos);
  EXPECT_NE(problem("name", "warps").find("'columns.name' is not 'event_clocks'"), std::string::npos);
  EXPECT_EQ(problem("codec", "raw"), "it is accepted") << "it is that already";
}

// Calls visit(const std::string& path, Json& leaf) for each value that holds no others.
void forEachLeaf(Json& value, const std::string& path, const auto& visit) {
  size_t i = 0;
  for (Json& element : value) forEachLeaf(element, fmt::format("{}/{}", path, i++), visit);
  if (value.isObject()) {
    for (auto& [key, member] : value.items()) forEachLeaf(member, fmt::format("{}/{}", path, key), visit);
  } else if (!value.isArray()) {
    visit(path, value);
  }
}

TEST(RecordingFuzz, HeadersThatLieBehindRightChecksumsAreRefused) {
  const OpenedRecording original = opened(smallRecording(Compression::kNone, true));
  Json header = original.header;
  const std::vector<Json> replacements{
      nullptr, -1, 1.5, "text", true, 18446744073709551615ULL, Json::array(), Json::object()};
  int tried = 0;
  forEachLeaf(header, "", [&](const std::string& path, Json& leaf) {
    const Json value = leaf;
    for (const auto& replacement : replacements) {
      if (replacement == value) continue;
      leaf = replacement;
      const auto read = decodeRuns(sealed(header, original.columns), "mutated");
      ++tried;
      // A text may be replaced by another text and a number by another number; null is never accepted.
      if (replacement.isNull() && path.find("/columns/") == std::string::npos) {
        EXPECT_FALSE(read.has_value()) << path;
      }
    }
    leaf = value;
  });
  EXPECT_GT(tried, 500);
}

TEST(RecordingFuzz, CountsThatDoNotFitTheColumnsTakeNoMemory) {
  const OpenedRecording original = opened(smallRecording(Compression::kNone, true));
  for (const char* count : {"warps", "events", "instructions"}) {
    for (const uint64_t value : {uint64_t{0}, uint64_t{1}, uint64_t{0xFFFFFFFF}, UINT64_MAX}) {
      Json header = original.header;
      header["runs"][0][count] = value;
      const auto read = decodeRuns(sealed(header, original.columns), "counts");
      EXPECT_FALSE(read.has_value()) << count << " " << value;
    }
  }
}

}  // namespace
}  // namespace warpscope
