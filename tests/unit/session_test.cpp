// Session files: every part is read back, and no damaged file is accepted as a session.
#include "app/gui/session.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>

#include "app/gui/folder_listing.h"
#include "app/gui/path_text.h"
#include "kernels/recording/recording.h"
#include "kernels/recording/session_file.h"
#include "tests/support/synthetic_trace.h"
#include "viz/layout/trace_layout.h"

namespace warpscope {
namespace {

using testing::makeSyntheticRun;

RunPointer syntheticRun(const std::string& variant, int64_t block) {
  return std::make_shared<const Run>(makeSyntheticRun("divergence", variant, block));
}

Session fullSession() {
  Session session;
  session.settings.device = "cuda:0";
  session.settings.family = "divergence";
  session.settings.families["divergence"] = {"even_odd", {{"block", 96}}, "banks"};
  session.settings.families["reduction"] = {"shuffle", {{"block", 512}}, ""};
  session.settings.live = false;
  session.settings.checks = true;
  session.settings.instructions = true;
  session.settings.rows = {.kind = RowKind::kBlocks, .sort = RowSort::kBegin};
  session.settings.upper_tab = "states";
  session.settings.lower_tab = "counters";
  session.settings.page = "occupancy";
  session.settings.panels.lanes_share = 0.25F;
  session.device_name = "NVIDIA H100";
  session.run = syntheticRun("even_odd", 96);
  session.bars = {syntheticRun("warp_aligned", 96)};
  session.kept = {syntheticRun("even_odd", 64), syntheticRun("even_odd", 128)};
  ViewState& view = session.view;
  view.rows = {.kind = RowKind::kSlots,
               .sort = RowSort::kLostLanes,
               .reversed = true,
               .filter = {.sms = NumberRange{0, 3},
                          .blocks = NumberRange{5},
                          .region = RegionId{2},
                          .least_cycles = 2000,
                          .most_cycles = 90000}};
  view.fitted = false;
  view.begin_cycles = 123.5;
  view.end_cycles = 4567.25;
  view.first_row = 3.5;
  view.row_height = 17;
  view.instructions = true;
  view.selected_warp = WarpKey{BlockId{7}, 2};
  view.selected_region = session.run->regions.front().id;
  view.selected_line = 12;
  view.selection = parseSelection("b0-b3 w1 @100..900; b7").value();
  view.pins = {parseSelection("b2").value(), parseSelection("all @5..6").value()};
  view.pinned_items = {{"Bank 5", {{"words", "3"}, {"lanes", ""}}, "banks stride", "", selectAll()}, {}};
  view.annotations.markers = {120, -7};
  view.annotations.notes = {{4321, WarpKey{BlockId{1}, 2}, "tail \"starts\" 尾"}, {7, std::nullopt, ""}};
  view.selected_steps = {std::nullopt, 4, 0};
  view.zoom_history = {{true, 0, 1, 0, 0}, {false, 5, 50, 1, 12}};
  session.lab.typed = true;
  session.lab.block = 320;
  session.lab.registers_instead = 64;
  session.lab.carve_out_bytes = 65536;
  session.lab.cached_loads = true;
  session.lab.second_device = "cc:8.0";
  session.notes = "第一行\nsecond \"line\"\n";
  session.notes_open = true;
  session.pages["compare"] = R"({"baseline": 1})";
  return session;
}

Session throughBytes(const Session& session) {
  const auto parts = partsOf(session);
  EXPECT_TRUE(parts.has_value());
  const auto bytes = encodeSession(*parts);
  EXPECT_TRUE(bytes.has_value());
  const auto read_parts = decodeSession(*bytes, "test");
  EXPECT_TRUE(read_parts.has_value()) << read_parts.error().message;
  auto read = sessionOf(*read_parts, "test");
  EXPECT_TRUE(read.has_value());
  EXPECT_TRUE(read->remarks.empty()) << (read->remarks.empty() ? "" : read->remarks.front());
  return std::move(read->session);
}

std::vector<std::byte> encoded(const Run& run) {
  return encodeRuns({&run, 1}, Compression::kNone).value();
}

TEST(Session, EveryPartComesBack) {
  const Session session = fullSession();
  const Session read = throughBytes(session);
  EXPECT_EQ(read.settings, session.settings);
  EXPECT_EQ(read.device_name, session.device_name);
  EXPECT_EQ(read.lab, session.lab);
  EXPECT_EQ(read.notes, session.notes);
  EXPECT_TRUE(read.notes_open);
  EXPECT_EQ(read.pages, session.pages);
  const ViewState &was = session.view, &is = read.view;
  EXPECT_EQ(is.rows, was.rows);
  EXPECT_EQ(is.fitted, was.fitted);
  EXPECT_EQ(is.begin_cycles, was.begin_cycles);
  EXPECT_EQ(is.end_cycles, was.end_cycles);
  EXPECT_EQ(is.first_row, was.first_row);
  EXPECT_EQ(is.row_height, was.row_height);
  EXPECT_EQ(is.instructions, was.instructions);
  EXPECT_EQ(is.selected_warp, was.selected_warp);
  EXPECT_EQ(is.selected_region, was.selected_region);
  EXPECT_EQ(is.selected_line, was.selected_line);
  EXPECT_EQ(is.selection, was.selection);
  EXPECT_EQ(is.pins, was.pins);
  EXPECT_EQ(is.pinned_items, was.pinned_items);
  EXPECT_EQ(is.annotations, was.annotations);
  EXPECT_EQ(is.selected_steps, was.selected_steps);
  EXPECT_EQ(is.zoom_history, was.zoom_history);
  ASSERT_NE(read.run, nullptr);
  EXPECT_EQ(encoded(*read.run), encoded(*session.run));
  ASSERT_EQ(read.kept.size(), 2U);
  EXPECT_EQ(encoded(*read.kept[1]), encoded(*session.kept[1]));
  ASSERT_EQ(read.bars.size(), 1U);
  EXPECT_EQ(read.bars[0]->request.variant, "warp_aligned");
  EXPECT_EQ(read.bars[0]->bandwidth.gb_per_s, session.bars[0]->bandwidth.gb_per_s);
  EXPECT_TRUE(read.bars[0]->trace.warps.empty());
}

TEST(Session, TheReadersLookIsNotOfTheSession) {
  Session session;
  session.settings.theme = "light";
  session.settings.language = "zh_CN";
  session.settings.scale = 2;
  session.settings.recent = {"/home/someone/secret.wsrec"};
  session.settings.notes = "remembered";
  const auto parts = partsOf(session);
  ASSERT_TRUE(parts);
  for (const SessionPart& part : *parts) {
    EXPECT_EQ(textOf(part).find("secret"), std::string_view::npos);
    EXPECT_EQ(textOf(part).find("light"), std::string_view::npos);
  }
  EXPECT_EQ(throughBytes(session).settings, Settings{});
}

TEST(Session, MissingPartsKeepTheirDefaults) {
  const auto read = sessionOf({}, "test");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->session.run, nullptr);
  EXPECT_TRUE(read->session.notes.empty());
  EXPECT_TRUE(read->session.view.fitted);
  const auto parts = partsOf(Session{});
  ASSERT_TRUE(parts);
  for (const SessionPart& part : *parts) EXPECT_NE(part.kind, SessionPartKind::kRecording) << part.name;
}

TEST(Session, UnknownPartsAreLeftOutWithANote) {
  auto parts = partsOf(fullSession()).value();
  parts.push_back({"hologram", SessionPartKind::kOther, {std::byte{1}}, "hologram/3"});
  const auto bytes = encodeSession(parts);
  ASSERT_TRUE(bytes);
  const auto read_parts = decodeSession(*bytes, "test");
  ASSERT_TRUE(read_parts);
  EXPECT_EQ(read_parts->back().kind_name, "hologram/3");
  const auto read = sessionOf(*read_parts, "test");
  ASSERT_TRUE(read);
  ASSERT_EQ(read->remarks.size(), 1U);
  EXPECT_NE(read->remarks.front().find("hologram"), std::string::npos);
  EXPECT_EQ(read->session.notes, fullSession().notes);
}

TEST(Session, NonsenseInAPartIsANoteAndADefault) {
  const std::vector<SessionPart> parts{
      textPart("view", SessionPartKind::kJson,
               R"({"begin_cycles": 9, "end_cycles": 3, "first_row": -4, "selected_region": 900,
                   "selected_steps": [-1, 1e300, 3], "grouping": "colour", "fitted": "no",
                   "row_sort": 7, "row_filter": {"sms": "9-3", "blocks": "many", "least_cycles": -1}})"),
      textPart("lab", SessionPartKind::kJson, R"({"block": 100000})"),
      textPart("settings", SessionPartKind::kJson, "[]")};
  const auto read = sessionOf(parts, "test");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->remarks.size(), 3U);
  const ViewState& view = read->session.view;
  EXPECT_LT(view.begin_cycles, view.end_cycles);
  EXPECT_GE(view.first_row, 0);
  EXPECT_FALSE(view.selected_region);
  EXPECT_EQ(view.rows, RowChoice());
  EXPECT_EQ(view.selected_steps[2], 3U);
  EXPECT_FALSE(view.selected_steps[0] || view.selected_steps[1]);
  EXPECT_EQ(read->session.lab, LabNumbers{});
}

class SessionBytes : public ::testing::Test {
 protected:
  void SetUp() override {
    Session session;
    session.notes = "small";
    session.run = syntheticRun("even_odd", 64);
    const auto parts = partsOf(session);
    ASSERT_TRUE(parts);
    // The run's own text and columns make it large: notes and view are enough here.
    small_ = encodeSession(std::span(*parts).first(4)).value();
    whole_ = encodeSession(*parts).value();
  }
  static std::string refusal(std::span<const std::byte> bytes) {
    const auto read = decodeSession(bytes, "lesson.wssession");
    return read ? "" : read.error().message;
  }
  std::vector<std::byte> small_, whole_;
};

TEST_F(SessionBytes, EveryTruncationIsRefused) {
  for (size_t size = 0; size < small_.size(); ++size) {
    const std::string refused = refusal(std::span(small_).first(size));
    ASSERT_FALSE(refused.empty()) << size;
    ASSERT_NE(refused.find("lesson.wssession"), std::string::npos) << refused;
  }
  std::vector<std::byte> longer = small_;
  longer.push_back(std::byte{0});
  EXPECT_NE(refusal(longer).find("appended"), std::string::npos);
}

TEST_F(SessionBytes, EverySingleBitFlipIsRefused) {
  for (std::vector<std::byte>* bytes : {&small_, &whole_}) {
    // For the small one every bit, for the large one one bit of every byte.
    const size_t step = bytes == &small_ ? 1 : 7;
    for (size_t bit = 0; bit < bytes->size() * 8; bit += step) {
      const auto mask = static_cast<std::byte>(1U << (bit % 8));
      (*bytes)[bit / 8] ^= mask;
      ASSERT_FALSE(refusal(*bytes).empty()) << "bit " << bit;
      (*bytes)[bit / 8] ^= mask;
    }
    EXPECT_EQ(refusal(*bytes), "");
  }
}

TEST_F(SessionBytes, ANewerVersionIsRefusedByName) {
  small_[8] = std::byte{9};
  const std::string refused = refusal(small_);
  EXPECT_NE(refused.find("session of format version 9"), std::string::npos) << refused;
  EXPECT_NE(refused.find("newer warpscope"), std::string::npos) << refused;
  small_[0] = std::byte{'X'};
  EXPECT_NE(refusal(small_).find("not a warpscope session"), std::string::npos);
}

class SessionFile : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / fmt::format("warpscope-session-{}", getpid());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::filesystem::path folder_;
};

TEST_F(SessionFile, IsARecordingOfItsRuns) {
  const auto path = folder_ / "a.wssession";
  const Session session = fullSession();
  ASSERT_TRUE(saveSession(path, session));
  EXPECT_TRUE(isSessionFile(path));
  const auto index = RecordingIndex::open(path);
  ASSERT_TRUE(index) << index.error().message;
  ASSERT_EQ(index->size(), 3U);  // bars have no trace
  EXPECT_EQ(index->summary(0).request.parameters.at("block"), 96);
  EXPECT_EQ(index->summary(2).request.parameters.at("block"), 128);
  for (const auto& [number, run] :
       {std::pair{size_t{0}, session.run}, std::pair{size_t{2}, session.kept[1]}}) {
    const auto loaded = index->load(number);
    ASSERT_TRUE(loaded) << loaded.error().message;
    EXPECT_EQ(encoded(*loaded), encoded(*run));
  }
  const auto opened = openSession(path);
  ASSERT_TRUE(opened);
  ASSERT_NE(opened->layout, nullptr);
  EXPECT_EQ(opened->layout->warpCount(), session.run->trace.warps.size());
  EXPECT_TRUE(opened->path.is_absolute());
}

TEST_F(SessionFile, SavingElsewhereFailsAndKeepsWhatWasThere) {
  const auto path = folder_ / "a.wssession";
  ASSERT_TRUE(saveSession(path, Session{}));
  const auto nowhere = saveSession(folder_ / "none" / "a.wssession", Session{});
  ASSERT_FALSE(nowhere);
  EXPECT_NE(nowhere.error().message.find("none/a.wssession"), std::string::npos);
  if (std::filesystem::exists("/dev/full")) {
    const auto full = saveSession("/dev/full", Session{});
    ASSERT_FALSE(full);
    EXPECT_NE(full.error().message.find("No space left"), std::string::npos) << full.error().message;
  }
  EXPECT_TRUE(openSession(path));
  const auto missing = openSession(folder_ / "b.wssession");
  ASSERT_FALSE(missing);
  EXPECT_NE(missing.error().message.find("b.wssession"), std::string::npos);
  EXPECT_FALSE(openSession(folder_));
}

TEST_F(SessionFile, PathsAreCompleted) {
  std::filesystem::create_directories(folder_ / "lessons");
  for (const char* name : {"warps-1.wsrec", "warps-2.wsrec", "中文.wsrec", ".hidden"})
    std::ofstream(folder_ / name) << "x";
  std::vector<std::string> names;
  const FolderListing listing = listFolder(folder_, {});
  for (const FolderEntry& entry : listing.entries) names.push_back(entry.name + (entry.is_folder ? "/" : ""));
  EXPECT_EQ(names, (std::vector<std::string>{"lessons/", ".hidden", "warps-1.wsrec", "warps-2.wsrec",
                                             "中文.wsrec"}));
  EXPECT_EQ(listing.entries[2].bytes, 1U);
  EXPECT_EQ(listing.problem, "");
  const std::string in = folder_.string() + "/";
  EXPECT_EQ(completedPath(in + "w", names), in + "warps-");
  EXPECT_EQ(completedPath(in + "l", names), in + "lessons/");
  EXPECT_EQ(completedPath("中", names), "中文.wsrec");
  EXPECT_EQ(completedPath(in + "none", names), in + "none");
  EXPECT_EQ(folderOf(in + "w", "/"), folder_);
  EXPECT_EQ(folderOf("w", folder_), folder_);
  EXPECT_EQ(folderOf("lessons/", folder_), folder_ / "lessons");
  EXPECT_EQ(folderOf("/w", folder_), "/");
  EXPECT_EQ(pathOf("x", folder_), folder_ / "x");
  EXPECT_EQ(pathOf("../x", folder_ / "lessons"), folder_ / "x");
  EXPECT_TRUE(hasEnding("A.WSREC", std::vector<std::string>{".wssession", ".wsrec"}));
  EXPECT_FALSE(hasEnding("a.txt", std::vector<std::string>{".wsrec"}));
  EXPECT_TRUE(hasEnding("a.txt", {}));
  EXPECT_EQ(withEnding("t.json", ".trace.json"), "t.json") << "not t.json.trace.json";
  EXPECT_EQ(withEnding("t", ".trace.json"), "t.trace.json");
  EXPECT_EQ(withEnding("a", ".csv"), "a.csv");
  EXPECT_EQ(withEnding("a.CSV", ".csv"), "a.CSV");
  EXPECT_EQ(withEnding("a.b", ".trace.json"), "a.b.trace.json");
  for (const char* name : {"a.trace.json.gz", "a.json.gz", "a.trace.json", "a.json"})
    EXPECT_EQ(withEnding(name, ".trace.json.gz"), name);
  EXPECT_EQ(withEnding("a.trace", ".trace.json.gz"), "a.trace.trace.json.gz");
  const std::vector<std::string> taken{"warps-1.wsrec", "warps-1-2.wsrec"};
  EXPECT_EQ(freeName("warps-1", ".wsrec", taken), "warps-1-3.wsrec");
  EXPECT_EQ(freeName("warps-2", ".wsrec", taken), "warps-2.wsrec");
  EXPECT_TRUE(pathOf(" ").empty());
  EXPECT_TRUE(pathOf("x.csv").is_absolute());
  EXPECT_EQ(pathOf("~/x").string().find('~'), std::string::npos);
}

TEST_F(SessionFile, AFolderThatCannotBeReadSaysSo) {
  const FolderListing missing = listFolder(folder_ / "none", {});
  EXPECT_TRUE(missing.entries.empty());
  EXPECT_NE(missing.problem.find("none"), std::string::npos) << missing.problem;
}

TEST_F(SessionFile, TheListerListsWhatIsWantedLast) {
  std::filesystem::create_directories(folder_ / "a");
  std::ofstream(folder_ / "b") << "xy";
  std::atomic<int> woken = 0;
  FolderLister lister([&woken] { ++woken; });
  lister.want(folder_ / "a");
  lister.want(folder_);
  while (lister.listing() == nullptr) {
    while (woken.exchange(0) == 0) std::this_thread::yield();
    lister.poll();
  }
  EXPECT_EQ(lister.listing()->folder, folder_);
  ASSERT_EQ(lister.listing()->entries.size(), 2U);
  EXPECT_TRUE(lister.listing()->entries[0].is_folder);
  EXPECT_EQ(lister.listing()->entries[1].bytes, 2U);
  lister.want(folder_ / "a");
  EXPECT_EQ(lister.listing(), nullptr) << "what is shown is never another folder's";
}

}  // namespace
}  // namespace warpscope
