#include "app/cli/completion.h"

#include <fmt/format.h>

#include <algorithm>

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
      R"bash(# Completion of warpscope's command line; made by `warpscope help --completion bash`.
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

}  // namespace warpscope
