#include "app/cli/command.h"

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <type_traits>

#include "app/cli/output.h"

namespace warpscope {
namespace {

std::optional<double> finiteNumber(const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0' || !std::isfinite(value)) return std::nullopt;
  return value;
}

// CLI11 wraps a negative number around, and takes one of too many digits for the largest that there is.
std::string whyNoCount(std::string& text) {
  if (text.find('-') != std::string::npos) return fmt::format("{} is negative", text);
  errno = 0;
  std::strtoull(text.c_str(), nullptr, 0);
  return errno == ERANGE ? fmt::format("{} is too large", text) : std::string();
}

std::string whyNotFinite(std::string& text) {
  return finiteNumber(text) ? std::string() : fmt::format("'{}' is not a number", text);
}

template <class Value>
struct ElementOf {
  using Type = Value;
};
template <class Value>
struct ElementOf<std::vector<Value>> {
  using Type = Value;
};
template <class Value>
struct ElementOf<std::optional<Value>> {
  using Type = Value;
};

CLI::Validator check(std::string (*why_not)(std::string&)) {
  return CLI::Validator(why_not, "");
}

std::string withoutLineEnd(std::string text) {
  text.erase(text.find_last_not_of('\n') + 1);
  return text;
}

OptionDescription described(const CLI::Option& option) {
  OptionDescription description{.names = option.get_name(false, true),
                                .help = option.get_description(),
                                .group = option.get_group(),
                                .positional = option.get_positional(),
                                .required = option.get_required()};
  if (option.get_type_size() != 0) {
    description.value = option.get_type_name();
    description.default_value = option.get_default_str();
    description.takes_list = option.get_expected_max() == CLI::detail::expected_max_vector_size;
  }
  return description;
}

CommandDescription described(const CLI::App& app) {
  CommandDescription description{
      .name = app.get_name(), .summary = app.get_description(), .examples = app.get_footer()};
  for (const CLI::Option* option : app.get_options()) description.options.push_back(described(*option));
  const auto is_shown = [](const CLI::App* command) { return !command->get_group().empty(); };
  for (const CLI::App* command : app.get_subcommands(is_shown)) {
    description.subcommands.push_back(described(*command));
  }
  return description;
}

}  // namespace

Option& Option::required() {
  option_->required();
  return *this;
}

Option& Option::showDefault() {
  option_->capture_default_str();
  return *this;
}

Option& Option::inGroup(const std::string& heading) {
  option_->group(heading);
  return *this;
}

Option& Option::excludes(const Option& other) {
  option_->excludes(other.option_);
  return *this;
}

Option& Option::between(double least, double most) {
  const auto why_not = [least, most](const std::string& text) {
    const auto value = finiteNumber(text);
    if (value && *value >= least && *value <= most) return std::string();
    return fmt::format("{} is not between {} and {}", text, least, most);
  };
  option_->check(why_not, fmt::format("{} in [{} - {}]", option_->get_type_name(), least, most));
  return *this;
}

Option& Option::positive() {
  const auto why_not = [](const std::string& text) {
    const auto value = finiteNumber(text);
    return value && *value > 0 ? std::string() : fmt::format("{} is not a number greater than 0", text);
  };
  option_->check(why_not, "POSITIVE");
  return *this;
}

Option& Option::notNegative() {
  const auto why_not = [](const std::string& text) {
    const auto value = finiteNumber(text);
    return value && *value >= 0 ? std::string() : fmt::format("{} is not a number from 0 on", text);
  };
  option_->check(why_not, "NONNEGATIVE");
  return *this;
}

Option& Option::oneOf(const std::vector<std::string>& choices) {
  option_->check(CLI::IsMember(choices));
  return *this;
}

Option& Option::existingFile() {
  option_->check(CLI::ExistingFile);
  return *this;
}

Option& Option::sizeInBytes() {
  // The transformation that is added last is done first.
  option_->transform(CLI::AsSizeValue(false));
  option_->transform(check(whyNoCount));
  return *this;
}

Option& Option::splitAtCommas() {
  option_->delimiter(',');
  return *this;
}

Option& Option::repeatable() {
  option_->allow_extra_args(false)->take_all();
  return *this;
}

Command Command::subcommand(const std::string& name, const std::string& summary) {
  return {app_->add_subcommand(name, summary), chosen_};
}

void Command::hide() {
  app_->group("");
}

void Command::examples(const std::string& text) {
  app_->footer(text);
}

void Command::runs(CommandAction action) {
  app_->callback([chosen = chosen_, action = std::move(action)] {
    // The program's own action comes last, and is only allowed where no subcommand was named.
    if (!*chosen) *chosen = action;
  });
}

template <class Value>
Option Command::option(const std::string& name, Value& target, const std::string& help) {
  CLI::Option* option = app_->add_option(name, target, help);
  using Element = typename ElementOf<Value>::Type;
  if constexpr (std::is_unsigned_v<Element>) option->check(check(whyNoCount));
  if constexpr (std::is_floating_point_v<Element>) option->check(check(whyNotFinite));
  return Option(option);
}

template Option Command::option(const std::string&, std::string&, const std::string&);
template Option Command::option(const std::string&, std::filesystem::path&, const std::string&);
template Option Command::option(const std::string&, uint32_t&, const std::string&);
template Option Command::option(const std::string&, uint64_t&, const std::string&);
template Option Command::option(const std::string&, int64_t&, const std::string&);
template Option Command::option(const std::string&, float&, const std::string&);
template Option Command::option(const std::string&, double&, const std::string&);
template Option Command::option(const std::string&, std::optional<uint32_t>&, const std::string&);
template Option Command::option(const std::string&, std::vector<std::string>&, const std::string&);
template Option Command::option(const std::string&, std::vector<std::filesystem::path>&, const std::string&);
template Option Command::option(const std::string&, std::vector<uint64_t>&, const std::string&);

Option Command::optionTo(const std::string& name, const std::function<void(const std::string&)>& take,
                         const std::string& help) {
  return Option(app_->add_option_function<std::string>(name, take, help));
}

Option Command::flag(const std::string& name, bool& target, const std::string& help) {
  return Option(app_->add_flag(name, target, help));
}

std::string Command::help() const {
  return app_->help();
}

std::optional<std::string> Command::helpOf(const std::string& subcommand) const {
  // help() of an application whose subcommand was given is that subcommand's.
  if (subcommand.empty()) {
    return app_->get_formatter()->make_help(app_, app_->get_name(), CLI::AppFormatMode::Normal);
  }
  const auto found =
      app_->get_subcommands([&](const CLI::App* command) { return command->get_name() == subcommand; });
  return found.empty() ? std::nullopt : std::optional(found.front()->help(app_->get_name()));
}

CommandDescription Command::describe() const {
  return described(*app_);
}

struct CommandLine::State {
  CLI::App app;
  CommandAction chosen;
};

CommandLine::CommandLine(const std::string& program, const std::string& summary, const std::string& version)
    : state_(new State{CLI::App(summary, program), {}}) {
  state_->app.set_version_flag("--version", version);
  state_->app.require_subcommand(0, 1);
}

CommandLine::~CommandLine() = default;

Command CommandLine::root() {
  return {&state_->app, &state_->chosen};
}

Expected<CommandAction> CommandLine::parse(int argc, const char* const* argv) {
  state_->chosen = {};
  try {
    state_->app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    std::ostringstream text, refusal;
    if (state_->app.exit(error, text, refusal) != 0) {
      return fail(ErrorKind::kBadRequest, "{}", withoutLineEnd(refusal.str()));
    }
    return CommandAction([text = text.str()]() -> Expected<ExitStatus> {
      print("{}", text);
      return kExitDone;
    });
  }
  return state_->chosen;
}

}  // namespace warpscope
