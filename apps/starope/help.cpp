#include "help.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "starope/layout/layout.hpp"

namespace starope::cli {
namespace {

constexpr std::size_t name_width = 26;

struct Entry {
  std::string name{};
  std::string explanation{};
};

std::string entries(const std::string& heading, const std::vector<Entry>& list, std::size_t width) {
  if (list.empty()) return {};
  std::string text = fmt::format("\n{}:\n", heading);
  const std::string indent(name_width, ' ');
  for (const Entry& entry : list) {
    std::string first = "  " + entry.name;
    if (display_width(first) + 2 > name_width) {
      text += first + '\n';
      first.clear();
    }
    text += wrap_indented(entry.explanation, width, pad_right(first, name_width), indent);
  }
  return text;
}

std::string option_name(const CLI::Option& option) {
  if (option.get_positional()) return option.get_name(true, false);
  std::string name = option.get_name(false, true);  // "-o,--output"
  for (std::size_t at = name.find(','); at != std::string::npos; at = name.find(',', at + 2)) name.insert(at + 1, " ");
  if (option.get_type_size() != 0 && !option.get_type_name().empty()) name += " " + option.get_type_name();
  return name;
}

std::vector<Entry> options_of(const CLI::App& app, const std::string& group, bool positional) {
  std::vector<Entry> list;
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_positional() != positional || (!positional && option->get_group() != group)) continue;
    list.push_back({option_name(*option), option->get_description()});
  }
  return list;
}

}  // namespace

std::string HelpFormatter::make_help(const CLI::App* app, std::string /*name*/, CLI::AppFormatMode /*mode*/) const {
  const bool root = app->get_parent() == nullptr;
  std::string text = wrap_indented(app->get_description(), width_, "", "") + '\n';
  std::string usage = "Usage: starope ";
  if (root) {
    usage += "COMMAND [options]";
  } else {
    usage += app->get_name();
    for (const Entry& entry : options_of(*app, "", true)) usage += " " + entry.name;
    usage += " [options]";
  }
  text += usage + '\n';
  text += entries("Arguments", options_of(*app, "", true), width_);
  std::vector<Entry> commands;
  for (const CLI::App* command : app->get_subcommands({})) {
    // The first sentence says what it is for; the rest is on its own page.
    const std::string& all = command->get_description();
    commands.push_back({command->get_name(), all.substr(0, all.find('\n'))});
  }
  text += entries("Commands", commands, width_);
  for (const std::string& group : app->get_groups()) text += entries(group, options_of(*app, group, false), width_);
  const std::string footer = app->get_footer();
  return footer.empty() ? text : text + '\n' + footer + '\n';
}

}  // namespace starope::cli
