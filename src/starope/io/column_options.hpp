#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "starope/io.hpp"

namespace starope::io {

// What can be said about where logs are and what their columns are called, each thing once: the flags of the program,
// the keys of a study and the arguments of Python are loops over this list.
struct ColumnOption {
  using Field = std::variant<std::optional<std::string> ReadOptions::*, std::vector<std::string> ReadOptions::*,
                             StateKind ReadOptions::*, ActionKind ReadOptions::*, bool ReadOptions::*,
                             std::string ReadOptions::*>;
  const char* name = "";  // of the key; the flag is --name with hyphens
  Field field{};
  const char* value = "NAME";  // what is given, for help
  const char* explanation = "";
};
std::span<const ColumnOption> column_options();
std::string flag_of(std::string_view name);  // "--behavior-prob" of "behavior_prob"

// Only what was said, by name.
struct SaidOption {
  std::string name{};
  std::vector<std::string> values{};  // one, but for lists
  friend bool operator==(const SaidOption&, const SaidOption&) = default;
};
std::vector<SaidOption> said_options(const ReadOptions& options);
// The inverse. InvalidArgument: there is no such option, or it does not take such a value.
void say_option(ReadOptions& options, const SaidOption& said);

}  // namespace starope::io
