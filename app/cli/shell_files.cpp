#include "app/cli/shell_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>

namespace warpscope {
namespace {

// "-h,--help" as words.
std::string words(std::string names) {
  std::ranges::replace(names, ',', ' ');
  return names;
}

std::string optionWords(const CommandDescription& command) {
  std::string list;
  for (const OptionDescription& option : command.options) {
    if (!option.positional) list += (list.empty() ? "" : " ") + words(option.names);
  }
  return list;
}

// "TEXT:{dark,light}" as "dark light"; empty: any value.
std::string choices(const OptionDescription& option) {
  const size_t begin = option.value.find('{');
  const size_t end = option.value.find('}');
  if (begin == std::string::npos || end == std::string::npos) return "";
  return words(option.value.substr(begin + 1, end - begin - 1));
}

bool takesFamily(const CommandDescription& command) {
  return std::ranges::any_of(command.options,
                             [](const OptionDescription& option) { return option.names == "family"; });
}

// A line of the case over subcommands: what its options are, and whether its arguments are families.
std::string caseOf(const CommandDescription& command) {
  return fmt::format("    {}) options='{}'; families={} ;;\n", command.name, optionWords(command),
                     takesFamily(command) ? "yes" : "");
}

std::string choiceCases(const CommandDescription& command) {
  std::string cases;
  for (const OptionDescription& option : command.options) {
    const std::string list = choices(option);
    if (!list.empty())
      cases += fmt::format("    '{} {}') choices='{}' ;;\n", command.name, option.names, list);
  }
  return cases;
}

}  // namespace

std::string bashCompletion(const CommandDescription& program) {
  std::string subcommands, cases, choice_cases;
  for (const CommandDescription& command : program.subcommands) {
    subcommands += (subcommands.empty() ? "" : " ") + command.name;
    cases += caseOf(command);
    choice_cases += choiceCases(command);
  }
  return fmt::format(
      R"bash(# Completion of warpscope's command line; made by 'warpscope help --completion bash'.
_warpscope() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}} command=${{COMP_WORDS[1]}}
  local options='' families='' choices=''
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W '{} {}' -- "$current"))
    return
  fi
  case $command in
{}  esac
  case "$command $previous" in
    *' --family') choices=$("${{COMP_WORDS[0]}}" list --names 2>/dev/null) ;;
{}  esac
  if [[ $choices ]]; then
    COMPREPLY=($(compgen -W "$choices" -- "$current"))
  elif [[ $current == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$current"))
  elif [[ $families && $COMP_CWORD == 2 ]]; then
    COMPREPLY=($(compgen -W "$("${{COMP_WORDS[0]}}" list --names 2>/dev/null)" -- "$current"))
  fi
}}
# Files where it has no answer.
complete -o bashdefault -o default -F _warpscope warpscope
)bash",
      subcommands, optionWords(program), cases, choice_cases);
}

namespace {

constexpr const char* kHelpNames = "-h,--help";    // every subcommand has it
constexpr const char* kParameters = "Parameters";  // the group that many subcommands share, described once

// A line that begins with a point or an apostrophe would be a request to groff.
std::string roff(const std::string& text) {
  std::string escaped;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool begins_line = i == 0 || text[i - 1] == '\n';
    if (begins_line && (text[i] == '.' || text[i] == '\'')) escaped += "\\&";
    if (text[i] == '\\') {
      escaped += "\\e";
    } else if (text[i] == '-') {
      escaped += "\\-";
    } else {
      escaped += text[i];
    }
  }
  return escaped;
}

// "FLOAT", without the limits that the type's name also states.
std::string valueName(const OptionDescription& option) {
  return option.value.substr(0, option.value.find(':'));
}

std::string limits(const OptionDescription& option) {
  const size_t colon = option.value.find(':');
  return colon == std::string::npos ? "" : option.value.substr(colon + 1);
}

std::string entry(const OptionDescription& option) {
  std::string text = fmt::format(".TP\n\\fB{}\\fR", roff(option.names));
  if (!option.positional && !option.value.empty())
    text += fmt::format(" \\fI{}\\fR", roff(valueName(option)));
  if (option.takes_list) text += " ...";
  text += "\n" + roff(option.help);
  if (const std::string range = limits(option); !range.empty()) text += roff(fmt::format(" ({})", range));
  if (!option.default_value.empty()) text += roff(fmt::format(" Default: {}.", option.default_value));
  return text + "\n";
}

std::string synopsis(const CommandDescription& command) {
  std::string text = fmt::format(R"(\fBwarpscope {}\fR [\fIOPTIONS\fR])", roff(command.name));
  for (const OptionDescription& option : command.options) {
    if (!option.positional) continue;
    const std::string name = fmt::format("\\fI{}\\fR{}", roff(option.names), option.takes_list ? " ..." : "");
    text += option.required ? " " + name : fmt::format(" [{}]", name);
  }
  return text + "\n";
}

std::string verbatim(const std::string& text) {
  return text.empty() ? "" : fmt::format(".PP\n.nf\n{}\n.fi\n", roff(text));
}

std::string section(const CommandDescription& command) {
  std::string text =
      fmt::format(".SS {}\n{}.PP\n{}.\n", roff(command.name), synopsis(command), roff(command.summary));
  bool has_parameters = false;
  for (const OptionDescription& option : command.options) {
    if (option.group == kParameters) {
      has_parameters = true;
    } else if (option.names != kHelpNames) {
      text += entry(option);
    }
  }
  if (has_parameters) text += ".PP\nIt also takes the options of the section PARAMETERS.\n";
  return text + verbatim(command.examples);
}

std::string parameters(const CommandDescription& program) {
  std::map<std::string, std::string> entries;  // by name
  for (const CommandDescription& command : program.subcommands) {
    for (const OptionDescription& option : command.options) {
      if (option.group == kParameters) entries.try_emplace(option.names, entry(option));
    }
  }
  std::string text;
  for (const auto& [name, one] : entries) text += one;
  return text;
}

}  // namespace

std::string manPage(const CommandDescription& program, const std::string& version) {
  std::string text = fmt::format(
      ".TH WARPSCOPE 1 \"\" \"warpscope {}\" \"User Commands\"\n"
      ".SH NAME\nwarpscope \\- see how the warps of CUDA kernels really execute\n"
      ".SH SYNOPSIS\n\\fBwarpscope\\fR [\\fISUBCOMMAND\\fR] [\\fIOPTIONS\\fR]\n"
      ".SH DESCRIPTION\n{}\nWithout a subcommand it opens its window.\n.SH OPTIONS\n",
      roff(version), roff(program.summary));
  for (const OptionDescription& option : program.options) text += entry(option);
  text += ".SH SUBCOMMANDS\n";
  for (const CommandDescription& command : program.subcommands) text += section(command);
  text +=
      ".SH PARAMETERS\nA family takes those after which it is named; 'warpscope list' shows their values.\n";
  text += parameters(program);
  text +=
      ".SH EXIT STATUS\n.TP\n0\nThe work is done.\n"
      ".TP\n1\nThe work failed: a result is wrong, a hazard was found, or a file could not be written.\n"
      ".TP\n2\nThe request was wrong.\n.TP\n3\nThere is no such device here.\n"
      ".SH EXAMPLES\n";
  return text + verbatim(program.examples);
}

}  // namespace warpscope
