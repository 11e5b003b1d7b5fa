// Reports are complete: well-formed, escaped, self-contained, with every number that the run has. So are
// rankings.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "kernels/core/units.h"
#include "kernels/export/html_report.h"
#include "kernels/export/svg_timeline.h"
#include "kernels/recording/recording.h"
#include "tests/support/awkward_run.h"
#include "tests/support/stream_run.h"

namespace warpscope {
namespace {

using testing::makeSyntheticRun;

std::string reportOf(const std::vector<warpscope::Run>& runs) {
  std::string text;
  const auto written = writeHtmlReport(RunsInMemory(runs), [&](std::string_view piece) { text += piece; });
  EXPECT_TRUE(written.has_value());
  return text;
}

size_t countOf(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++count;
  return count;
}

// The faults of the document as XML (without its style): tags that do not match, attributes without
// quotes, a stray < or &. Empty if there are none.
std::string whatIsMalformed(const std::string& document) {
  std::vector<std::string> open;
  std::set<std::string> ids;
  size_t at = std::string("<!DOCTYPE html>").size();
  const auto wrong = [&](const std::string& what) {
    return fmt::format("{} at {}: {}", what, at, document.substr(at, 80));
  };
  while (at < document.size()) {
    const char c = document[at];
    if (c == '&') {
      const size_t end = document.find(';', at);
      const std::string entity = document.substr(at, end - at + 1);
      if (!std::set<std::string>{"&amp;", "&lt;", "&gt;", "&quot;"}.contains(entity)) return wrong("stray &");
    }
    if (c == '>') return wrong("stray >");
    if (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t' && c != '\r')
      return wrong("control character");
    if (c != '<') {
      ++at;
      continue;
    }
    size_t end = at + 1;
    for (bool quoted = false; end < document.size() && (quoted || document[end] != '>'); ++end) {
      if (document[end] == '"') quoted = !quoted;
      if (document[end] == '<') return wrong("< in a tag");
    }
    const std::string tag = document.substr(at + 1, end - at - 1);
    if (tag.starts_with("/")) {
      if (open.empty() || open.back() != tag.substr(1)) return wrong("closes what is not open");
      open.pop_back();
    } else {
      const std::string name = tag.substr(0, tag.find_first_of(" /"));
      if (name.empty() || !std::ranges::all_of(name, [](char l) { return std::isalnum(l) != 0; }))
        return wrong("no tag");
      if (countOf(tag, "=\"") * 2 != countOf(tag, "\"")) return wrong("attribute without quotes");
      if (!tag.ends_with("/")) open.push_back(name);
      if (name == "style") {
        at = document.find("</style>", at);
        continue;
      }
    }
    at = end + 1;
  }
  return open.empty() ? "" : "not closed: " + open.back();
}

void expectOnItsOwn(const std::string& report) {
  for (const char* part : {"http:", "https:", "xmlns", "<script", "<link", "<img", "<iframe", "<object",
                           "src=", "@import", "onload="}) {
    EXPECT_EQ(report.find(part), std::string::npos) << part;
  }
  EXPECT_EQ(countOf(report, "url("), countOf(report, "url(#")) << "what is in the page itself";
}

TEST(HtmlReport, IsWellFormedAndOnItsOwn) {
  warpscope::Run modelled = makeSyntheticRun("divergence", "even_odd");
  modelled.device.provenance = Provenance::kModelled;
  for (const auto& runs : std::vector<std::vector<warpscope::Run>>{
           {makeSyntheticRun()},
           {makeSyntheticRun(), makeSyntheticRun("divergence", "warp_aligned")},
           {modelled, testing::makeAwkwardRun()}}) {
    const std::string report = reportOf(runs);
    EXPECT_TRUE(report.starts_with("<!DOCTYPE html>"));
    EXPECT_EQ(whatIsMalformed(report), "");
    expectOnItsOwn(report);
    EXPECT_EQ(countOf(report, "<section "), runs.size());
    EXPECT_EQ(countOf(report, "<svg "), runs.size());
  }
}

// The picture has a bar for each operation in each row that it has, and a title that tells why it waited.
TEST(HtmlReport, ShowsOperationsAsAPictureAndATable) {
  const warpscope::Run run = testing::makeStreamRun();
  const std::string report = reportOf({run});
  EXPECT_EQ(whatIsMalformed(report), "");
  expectOnItsOwn(report);
  EXPECT_EQ(countOf(report, "<svg class=\"operations modelled\""), 1U);
  EXPECT_EQ(countOf(report, "<rect class=\"operation s"), 8 + 9 + 7 + 1U) << "calls, streams, units, pages";
  EXPECT_EQ(countOf(report, "<path class=\"arrow\""), 1U) << "from the event to the wait for it";
  EXPECT_EQ(countOf(report, "<rect class=\"warp s"), run.trace.warps.size());
  EXPECT_NE(report.find("chunk 1: launch for 200 ns: waits for an event after the launch of chunk 0"),
            std::string::npos);
  EXPECT_NE(report.find("launch of scale: chunk"), std::string::npos) << "the legend";
  EXPECT_NE(report.find("graph, captured: one call launches 2 nodes on stream 1"), std::string::npos);
  EXPECT_NE(report.find("<th class=\"n\">whole, median</th>"), std::string::npos);
  EXPECT_NE(report.find("time since the host's first call (ns), modelled"), std::string::npos);
  const size_t table = report.find("<table class=\"operations\">");
  EXPECT_EQ(countOf(report.substr(table, report.find("</table>", table) - table), "<tr>"),
            run.streams->operations.size() + 1);
  const std::string other = reportOf({makeSyntheticRun()});
  EXPECT_EQ(other.find("Operations"), std::string::npos) << "a single launch has none";
  EXPECT_NE(other.find("<th class=\"n\">launch, median</th>"), std::string::npos);
}

TEST(HtmlReport, TheCheckSeesWhatIsMalformed) {
  EXPECT_NE(whatIsMalformed("<!DOCTYPE html><p>a<b></p></b>"), "");
  EXPECT_NE(whatIsMalformed("<!DOCTYPE html><p>a & b</p>"), "");
  EXPECT_NE(whatIsMalformed("<!DOCTYPE html><p>a > b</p>"), "");
  EXPECT_NE(whatIsMalformed("<!DOCTYPE html><p>"), "");
  EXPECT_NE(whatIsMalformed("<!DOCTYPE html><p class=a></p>\""), "<");
  EXPECT_EQ(whatIsMalformed("<!DOCTYPE html><p class=\"a>b\">&lt;</p>"), "");
}

TEST(HtmlReport, ShowsTheNumbersOfTheRun) {
  const warpscope::Run run = makeSyntheticRun();
  const std::string report = reportOf({run});
  for (const std::string& text :
       {formatUs(run.timing.median_us), formatUs(run.timing.min_us), formatUs(run.timing.max_us),
        formatGbPerS(883.25), std::string("1.04×"), std::string("✓ verified"), std::string("Synthetic H100"),
        std::string("75 %"), std::string("all 65536 values equal"), std::string(">measured<"),
        std::string("block 80, size 2^16")}) {
    EXPECT_NE(report.find(text), std::string::npos) << text;
  }
  EXPECT_EQ(report.find(">modelled<"), std::string::npos);
  EXPECT_EQ(report.find("Ranking"), std::string::npos);  // for a single run
  for (const Region& region : run.regions)
    EXPECT_GE(countOf(report, ">" + region.name + "<"), 2U) << region.name;
}

TEST(HtmlReport, MarksTheSourceByRegion) {
  const std::string report = reportOf({makeSyntheticRun()});
  EXPECT_NE(
      report.find(
          R"(<td class="n">8</td><td class="mark r3"></td><td>      value *= 3;</td><td class="name">odd path</td>)"),
      std::string::npos);
  EXPECT_NE(report.find(R"(<td class="n">7</td><td class="mark"></td><td>    } else {</td>)"),
            std::string::npos);
}

TEST(HtmlReport, SourceFarFromRegionsIsLeftOut) {
  warpscope::Run run = makeSyntheticRun();
  run.source = std::make_shared<const std::string>(std::string(100, '\n') + "last line\n");
  run.regions = {{testing::kLoad, "load", 50, 51}};
  const std::string report = reportOf({run});
  EXPECT_NE(report.find("… 41 lines left out"), std::string::npos);
  EXPECT_NE(report.find("… 47 lines left out"), std::string::npos);
  EXPECT_EQ(report.find("last line"), std::string::npos);
}

TEST(HtmlReport, ModelledRunsAreMarkedEverywhere) {
  warpscope::Run run = makeSyntheticRun();
  run.device.provenance = Provenance::kModelled;
  const std::string report = reportOf({run});
  EXPECT_EQ(report.find(">measured<"), std::string::npos);
  EXPECT_GE(countOf(report, ">modelled<"), 3U);
  EXPECT_NE(report.find(R"(<svg class="timeline modelled")"), std::string::npos);
  EXPECT_NE(report.find("(ns), modelled</text>"), std::string::npos);
}

TEST(HtmlReport, EscapesAwkwardNames) {
  const std::string report = reportOf({testing::makeAwkwardRun()});
  EXPECT_NE(report.find("&lt;b&gt;&amp;&quot;odd&quot;"), std::string::npos);
  EXPECT_EQ(report.find("<b>"), std::string::npos);
  EXPECT_NE(report.find("✗ WRONG"), std::string::npos);
  EXPECT_NE(report.find("1 hazard"), std::string::npos);
  EXPECT_NE(report.find("(cycles), measured</text>"), std::string::npos);  // the clock is not known
}

TEST(HtmlReport, IsWholeForABundledRecording) {
  const auto index =
      RecordingIndex::open(WARPSCOPE_SOURCE_FOLDER "/assets/recordings/transpose_shared.wsrec");
  ASSERT_TRUE(index.has_value()) << index.error().message;
  std::string report;
  const RunsOfRecording runs(*index, {0, index->size() - 1});
  ASSERT_TRUE(writeHtmlReport(runs, [&](std::string_view piece) { report += piece; }).has_value());
  EXPECT_EQ(whatIsMalformed(report), "");
  expectOnItsOwn(report);
}

TEST(SvgTimeline, DrawsEverySpanThatIsWideEnough) {
  const warpscope::Run run = makeSyntheticRun();
  size_t spans = 0;
  for (const TraceWarp& warp : run.trace.warps) forEachSpan(run.trace, warp, [&](const Span&) { ++spans; });
  const auto drawn = [&](const TimelineSize& size) {
    std::string text;
    const WriteText write = [&](std::string_view piece) { text += piece; };
    TextWriter out(write);
    writeTimelineSvg(run, out, size);
    out.flush();
    return text;
  };
  EXPECT_EQ(countOf(drawn({.width = 100'000}), "<rect class=\"span "), spans);
  const std::string folded = drawn({.width = 200, .fold = 4});
  EXPECT_LT(countOf(folded, "<rect class=\"span "), spans);
  EXPECT_GE(countOf(folded, "<rect class=\"span "), run.trace.warps.size());
  EXPECT_EQ(countOf(folded, "<rect class=\"resident\""), run.trace.warps.size());
  EXPECT_EQ(countOf(drawn({.most_rows = 5}), "<rect class=\"resident\""), 5U);
  EXPECT_NE(drawn({.most_rows = 5}).find("5 of 36 recorded warps"), std::string::npos);
}

warpscope::Run timed(const std::string& variant, double median, double min, double max) {
  warpscope::Run run = makeSyntheticRun("divergence", variant);
  run.timing = {median, min, max, 20, 1};
  return run;
}

TEST(Ranking, StandsInTheReport) {
  const std::string report =
      reportOf({timed("slow", 40, 39, 42), timed("fast", 10, 9.5, 10.4), timed("close", 10.2, 10, 11)});
  EXPECT_EQ(countOf(report, "<table class=\"ranking\""), 1U);
  EXPECT_NE(report.find("4.00×"), std::string::npos);
  EXPECT_EQ(countOf(report, "<small>within noise</small>"), 1U);
}

// By the rules of `compare`: ranges that lie apart by chance say nothing, and wrong results are not ranked.
// 850 ns and 12 ms beside each other would not compare at a glance.
TEST(HtmlReport, TimesOfATableAreInOneUnit) {
  warpscope::Run quick = makeSyntheticRun(), slow = quick;
  slow.request.variant += "_slow";
  quick.timing = {0.85, 0.84, 0.9, 20, 1};
  slow.timing = {12'340, 12'300, 12'400, 20, 1};
  const std::string text = reportOf({quick, slow});
  const std::string tables = text.substr(0, text.find("<section"));
  EXPECT_NE(tables.find("0.8500 µs"), std::string::npos);
  EXPECT_NE(tables.find("12,340 µs"), std::string::npos);
  EXPECT_EQ(tables.find("12.34 ms"), std::string::npos);
  EXPECT_EQ(tables.find("850.0 ns"), std::string::npos);
}

TEST(Ranking, JudgesAsCompareDoes) {
  auto few = timed("few", 10, 9.5, 10.4);
  few.timing.repeats = 1;
  auto wrong = timed("wrong", 1, 1, 1);
  wrong.verification.passed = false;
  const std::string report = reportOf({timed("slow", 40, 39, 42), few, wrong});
  EXPECT_EQ(countOf(report, "<small>too few repeats</small>"), 2U)
      << "speed-up over the slowest, and over the one before";
  const size_t ranking = report.find("<table class=\"ranking\"");
  ASSERT_NE(ranking, std::string::npos);
  EXPECT_EQ(report.substr(ranking, report.find("</table>", ranking) - ranking).find("wrong"),
            std::string::npos);
}

}  // namespace
}  // namespace warpscope
