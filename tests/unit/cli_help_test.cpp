// The command line's description of itself: help, man page, completion; and what its options refuse.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "app/cli/command.h"
#include "app/cli/shell_files.h"
#include "tests/support/built_program.h"

namespace warpscope {
namespace {

// A program with one subcommand that has an option of each kind.
class Commands : public ::testing::Test {
 protected:
  Commands() {
    Command command = line_.root().subcommand("weigh", "Weigh fruit");
    command.examples("Examples:\n  .dots 'and' \\ slashes");
    command.option("fruit", fruit_, "What to weigh").required();
    command.option("--count", count_, "How many").showDefault().between(1, 9);
    command.option("--offset", offset_, "Any count from 0 on");
    command.option("--scale", scale_, "Factor").positive();
    command.option("--memory", memory_, "Bytes").sizeInBytes();
    command.option("--unit", unit_, "Unit").oneOf({"gram", "ounce"});
    command.option("--skip", skipped_, "Numbers to leave out").splitAtCommas();
    Option quiet = command.flag("--quiet", quiet_, "Say nothing");
    command.flag("--loud", loud_, "Shout").excludes(quiet);
    command.runs([]() -> Expected<ExitStatus> { return kExitDone; });
    Command hidden = line_.root().subcommand("secret", "Not shown");
    hidden.hide();
  }

  Expected<CommandAction> parse(std::vector<const char*> arguments) {
    arguments.insert(arguments.begin(), "scales");
    return line_.parse(static_cast<int>(arguments.size()), arguments.data());
  }
  void expectRefused(std::vector<const char*> options, const std::string& why) {
    options.insert(options.begin(), {"weigh", "apple"});
    const auto parsed = parse(options);
    ASSERT_FALSE(parsed.has_value()) << why;
    EXPECT_EQ(parsed.error().kind, ErrorKind::kBadRequest);
    EXPECT_NE(parsed.error().message.find(why), std::string::npos) << parsed.error().message;
    EXPECT_LT(parsed.error().message.size(), 200U) << parsed.error().message;
  }

  CommandLine line_{"scales", "scales weighs things.", "scales 1"};
  std::string fruit_, unit_;
  uint32_t count_ = 3, memory_ = 0;
  uint64_t offset_ = 0;
  double scale_ = 1;
  std::vector<uint64_t> skipped_;
  bool quiet_ = false, loud_ = false;
};

TEST_F(Commands, BindsOptionsToVariables) {
  const auto action = parse({"weigh", "pear", "--count", "4", "--scale", "0.5", "--memory", "8KB", "--unit",
                             "ounce", "--skip", "1,2", "--skip", "3", "--quiet"});
  ASSERT_TRUE(action.has_value()) << action.error().message;
  EXPECT_EQ((*action)().value(), kExitDone);
  EXPECT_EQ(fruit_, "pear");
  EXPECT_EQ(count_, 4U);
  EXPECT_EQ(scale_, 0.5);
  EXPECT_EQ(memory_, 8192U);
  EXPECT_EQ(unit_, "ounce");
  EXPECT_EQ(skipped_, (std::vector<uint64_t>{1, 2, 3}));
  EXPECT_TRUE(quiet_);
  EXPECT_EQ(offset_, 0U);
}

TEST_F(Commands, RefusesWhatAnOptionCannotBe) {
  expectRefused({"--count", "0"}, "0 is not between 1 and 9");
  expectRefused({"--count", "-1"}, "-1 is negative");
  expectRefused({"--offset", "-1"}, "-1 is negative");
  expectRefused({"--offset", "99999999999999999999999"}, "is too large");
  expectRefused({"--memory", "-1"}, "-1 is negative");
  expectRefused({"--memory", "8GB"}, "--memory");
  for (const char* scale : {"0", "-5", "nan", "inf", "-nan", "1e999", "x"}) {
    expectRefused({"--scale", scale}, "--scale");
  }
  expectRefused({"--unit", "stone"}, "gram");
  expectRefused({"--skip", "1,x"}, "--skip");
  expectRefused({"--quiet", "--loud"}, "--quiet");
  expectRefused({"--colour", "red"}, "--colour");
}

TEST_F(Commands, DescribeThemselves) {
  const CommandDescription program = line_.root().describe();
  ASSERT_EQ(program.subcommands.size(), 1U);
  const CommandDescription& weigh = program.subcommands.front();
  EXPECT_EQ(weigh.name, "weigh");
  EXPECT_EQ(weigh.summary, "Weigh fruit");
  const auto option = [&](const std::string& name) {
    return *std::ranges::find(weigh.options, name, &OptionDescription::names);
  };
  EXPECT_TRUE(option("fruit").positional);
  EXPECT_TRUE(option("fruit").required);
  EXPECT_EQ(option("--count").default_value, "3");
  EXPECT_EQ(option("--count").help, "How many");
  EXPECT_EQ(option("--quiet").value, "");
  EXPECT_TRUE(option("--skip").takes_list);
}

TEST_F(Commands, BecomeAManPage) {
  const std::string page = manPage(line_.root().describe(), "1");
  EXPECT_NE(page.find(".SS weigh\n"), std::string::npos) << page;
  EXPECT_NE(page.find("\\fB\\-\\-count\\fR \\fIUINT\\fR\nHow many (UINT in [1 \\- 9]) Default: 3.\n"),
            std::string::npos)
      << page;
  EXPECT_NE(page.find("  .dots 'and' \\e slashes"), std::string::npos) << page;
  EXPECT_EQ(page.find("secret"), std::string::npos);
  // groff takes a line that begins with a point for a request: each must be one that the page means.
  std::istringstream lines(page);
  for (std::string text; std::getline(lines, text);) {
    if (!text.starts_with('.')) continue;
    const std::string request = text.substr(0, text.find(' '));
    EXPECT_TRUE(std::ranges::count(std::vector<std::string>{".TH", ".SH", ".SS", ".TP", ".PP", ".nf", ".fi"},
                                   request) == 1)
        << text;
  }
}

TEST_F(Commands, BecomeACompletion) {
  const std::string script = bashCompletion(line_.root().describe());
  EXPECT_NE(script.find("weigh) options='-h --help --count "), std::string::npos) << script;
  EXPECT_NE(script.find("'weigh --unit') choices='gram ounce'"), std::string::npos) << script;
  EXPECT_EQ(script.find("secret"), std::string::npos);
}

class Help : public ::testing::Test {
 protected:
  void SetUp() override { folder_ = testing::makeScratchFolder(); }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  testing::Outcome run(const std::string& arguments) const {
    return testing::runProgram(arguments, folder_, folder_);
  }
  std::filesystem::path folder_;
};

TEST_F(Help, OfASubcommandIsTheSameByEitherName) {
  EXPECT_EQ(run("help run").out, run("run --help").out);
  EXPECT_EQ(run("help").out, run("--help").out);
  EXPECT_EQ(run("help").out.find("\n  help "), std::string::npos);
  EXPECT_EQ(run("help nothing").status, 2);
}

TEST_F(Help, TheManPageHasEverySubcommandAndOption) {
  const testing::Outcome outcome = run("help --man");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  for (const char* text : {".SS run\n", ".SS occupancy\n", R"(\fB\-\-watchdog\fR)", R"(\fB\-\-block\fR)"}) {
    EXPECT_NE(outcome.out.find(text), std::string::npos) << text;
  }
}

TEST_F(Help, BashCompletesSubcommandsOptionsAndFamilies) {
  const auto completed = [&](const std::string& words, int at) {
    const auto script = folder_ / "complete.sh";
    std::ofstream(script) << "source <('" << testing::builtProgram().string() << "' help --completion bash)\n"
                          << "COMP_WORDS=('" << testing::builtProgram().string() << "' " << words
                          << ") COMP_CWORD=" << at << "\n_warpscope\necho \"${COMPREPLY[*]}\" >'"
                          << (folder_ / "words").string() << "'\n";
    const std::string command = fmt::format("bash '{}'", script.string());
    EXPECT_EQ(std::system(command.c_str()), 0);
    return testing::contentOf(folder_ / "words");
  };
  EXPECT_EQ(completed("oc", 1), "occupancy\n");
  EXPECT_EQ(completed("run --wat", 2), "--watchdog\n");
  EXPECT_EQ(completed("run trans", 2), "transpose\n");
  EXPECT_EQ(completed("gui --theme li", 3), "light\n");
}

}  // namespace
}  // namespace warpscope
