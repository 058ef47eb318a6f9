#include "app.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <memory>
#include <ostream>

#include "command.hpp"
#include "failure.hpp"
#include "help.hpp"
#include "starope/base/text.hpp"
#include "starope/version.hpp"

namespace starope::cli {
namespace {

constexpr const char* program_description =
    "What would another policy have earned, how sure are we, and can we trust that answer? starope evaluates policies "
    "from logged decisions.";

constexpr const char* program_footer =
    "Example:\n"
    "  starope simulate cartpole --episodes 200 -o cartpole.csv\n"
    "  starope evaluate cartpole.csv\n"
    "\n"
    "'starope COMMAND --help' shows the options of a command and an example.";

std::vector<std::string> flag_names(const CLI::App& page) {
  std::vector<std::string> names;
  for (const CLI::Option* option : page.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    for (const std::string& name : option->get_snames()) names.push_back("-" + name);
  }
  return names;
}

std::string full_name(const CLI::App& page) {
  return page.get_parent() == nullptr ? "starope" : "starope " + page.get_name();
}

// The word at which the command line stops making sense, in our words.
[[noreturn]] void complain(const CLI::App& page, const CLI::ParseError& error) {
  const std::string command = full_name(page);
  const std::vector<std::string> unread = page.remaining();
  for (const std::string& word : unread) {
    if (word.size() < 2 || word.front() != '-') continue;
    const std::string flag = word.substr(0, word.find('='));
    const auto near = nearest_name(flag, flag_names(page));
    throw UsageError(fmt::format("{} has no option '{}'{}", command, flag,
                                 near ? fmt::format("; did you mean '{}'?", *near) : std::string(".")),
                     command);
  }
  if (!unread.empty()) {
    throw UsageError(
        fmt::format("'{}' is one argument too many. Texts with blanks or parentheses need quotes.", unread.front()),
        command);
  }
  const std::string said = error.what();
  const std::string name = said.substr(0, said.find_first_of(": "));
  if (error.get_name() == "RequiredError") throw UsageError(fmt::format("{} is missing", name), command);
  if (error.get_name() == "ArgumentMismatch") {
    const bool missing = said.find("missing") != std::string::npos;
    throw UsageError(fmt::format("{} {}", name, missing ? "needs a value" : "was given more than once"), command);
  }
  throw UsageError(said, command);
}

void check_command(const std::vector<std::string>& arguments, const CLI::App& app) {
  std::vector<std::string> known;
  for (const CLI::App* command : app.get_subcommands({})) known.push_back(command->get_name());
  if (arguments.empty()) {
    throw UsageError(fmt::format("a command is missing. Known: {}", fmt::join(known, ", ")));
  }
  const std::string& word = arguments.front();
  if (word.rfind('-', 0) == 0 || std::find(known.begin(), known.end(), word) != known.end()) return;
  throw UsageError(unknown_name("command", word, known));
}

int parse_and_run(std::vector<std::string> arguments, Streams& streams) {
  CLI::App app(program_description, "starope");
  app.formatter(std::make_shared<HelpFormatter>(streams.out_terminal.width));
  app.set_help_flag("-h,--help", "Show this page and stop");
  bool version = false;
  app.add_flag("--version", version, "Show the version and stop");
  app.footer(program_footer);
  const std::vector<Command> commands = {add_evaluate(app), add_compare(app), add_inspect(app), add_simulate(app),
                                         add_convert(app),  add_study(app),   add_report(app),  add_merge(app)};
  check_command(arguments, app);

  const CLI::App* page = &app;
  for (const Command& command : commands) {
    if (command.page->get_name() == arguments.front()) page = command.page;
  }
  std::reverse(arguments.begin(), arguments.end());  // CLI11 takes them from the back
  try {
    app.parse(std::move(arguments));
  } catch (const CLI::CallForHelp&) {
    streams.out << page->help();
    return answered;
  } catch (const CLI::ParseError& error) {
    complain(*page, error);
  } catch (const UsageError& error) {
    throw UsageError(error.what(), full_name(*page));
  }
  if (version) {
    streams.out << "starope " << STAROPE_VERSION << '\n';
    return answered;
  }
  for (const Command& command : commands) {
    if (command.page->parsed()) return command.run(streams);
  }
  throw UsageError("a command is missing");
}

}  // namespace

int run_app(const std::vector<std::string>& arguments, Streams& streams) {
  try {
    const int code = parse_and_run(arguments, streams);
    finish_output(streams.out);
    return code;
  } catch (...) {
    try {
      return report_failure(std::current_exception(), streams);
    } catch (...) {  // no memory left even to say so with words of our own
      std::fputs("starope: out of memory\n", stderr);
      return wrong_data;
    }
  }
}

}  // namespace starope::cli
