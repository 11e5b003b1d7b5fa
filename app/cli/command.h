// The command line as subcommands with options that are bound to variables, and as a description of itself.
// command.cpp alone includes CLI11, which reads the arguments, because each file that does takes 17 s to
// compile.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/exit_status.h"
#include "kernels/core/error.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace warpscope {

// An option, a flag or a positional argument. This is a handle: copies stand for the same option.
class Option {
 public:
  Option& required();
  // The help shows the variable's present value, so the variable must have its default by now.
  Option& showDefault();
  Option& inGroup(const std::string& heading);
  Option& excludes(const Option& other);

  // Constraints on the value. Not-a-number and infinity are refused everywhere, and so is a minus sign before
  // a count.
  Option& between(double least, double most);
  Option& positive();
  Option& notNegative();
  Option& oneOf(const std::vector<std::string>& choices);
  Option& existingFile();
  Option& sizeInBytes();  // also takes 8KB, where 1 KB is 1,024 bytes

  // The forms in which a list can be given.
  Option& splitAtCommas();
  Option& repeatable();  // one value each time that the option is given

 private:
  friend class Command;
  explicit Option(CLI::Option* option) : option_(option) {}
  CLI::Option* option_;
};

struct OptionDescription {
  std::string names;          // "--json", "-h,--help", or a positional argument's name
  std::string value;          // "TEXT", "UINT:UINT in [1 - 100]"; empty: a flag
  std::string default_value;  // empty: none is shown
  std::string help, group;
  bool positional = false, required = false, takes_list = false;
};

struct CommandDescription {
  std::string name, summary, examples;
  std::vector<OptionDescription> options;
  std::vector<CommandDescription> subcommands;  // without hidden ones
};

// The work of a subcommand, done once its options are read. An error is printed, and determines the exit
// status.
using CommandAction = std::function<Expected<ExitStatus>()>;

// The program or one of its subcommands. This is a handle too: it is valid as long as its CommandLine.
class Command {
 public:
  Command subcommand(const std::string& name, const std::string& summary);
  void hide();                             // from the help and from describe()
  void examples(const std::string& text);  // the end of the help
  void runs(CommandAction action);

  // `name` is "--name", or "name" for a positional argument. `target` must live until the action has run and
  // keeps its value where the option is not given. Value is one of the types that command.cpp lists.
  template <class Value>
  Option option(const std::string& name, Value& target, const std::string& help);
  Option optionTo(const std::string& name, const std::function<void(const std::string&)>& take,
                  const std::string& help);
  Option flag(const std::string& name, bool& target, const std::string& help);

  std::string help() const;
  std::optional<std::string> helpOf(
      const std::string& subcommand) const;  // empty: its own; nullopt: there is none
  CommandDescription describe() const;

 private:
  friend class CommandLine;
  Command(CLI::App* app, CommandAction* chosen) : app_(app), chosen_(chosen) {}
  CLI::App* app_;
  CommandAction* chosen_;  // set when the arguments name the subcommand
};

class CommandLine {
 public:
  CommandLine(const std::string& program, const std::string& summary, const std::string& version);
  ~CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  Command root();
  // The action of the subcommand that the arguments name: the root's where they name none, and one that
  // prints where they ask for --help or --version. Error kBadRequest: they cannot be understood.
  Expected<CommandAction> parse(int argc, const char* const* argv);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace warpscope
