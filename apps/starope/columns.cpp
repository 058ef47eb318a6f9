#include "columns.hpp"

#include <CLI/CLI.hpp>
#include <functional>
#include <string>

#include "arguments.hpp"
#include "failure.hpp"

namespace starope::cli {
namespace {

constexpr const char* columns_group = "Columns (only where names differ from the canonical ones)";

class Flags {
 public:
  Flags(CLI::App& page, io::ReadOptions& options) : page_(page), options_(options) {}

  void single(const char* flag, std::optional<std::string> io::ReadOptions::*name, const char* explanation,
              const char* type = "NAME") {
    io::ReadOptions& options = options_;
    add(flag, type, explanation, [&options, name](const std::string& text) { options.*name = text; });
  }

  void list(const char* flag, std::vector<std::string> io::ReadOptions::*names, const char* explanation) {
    io::ReadOptions& options = options_;
    add(flag, "A,B,...", explanation,
        [&options, names, flag](const std::string& text) { options.*names = parse_names(flag, text); });
  }

  template <class Kind>
  void kind(const char* flag, Kind io::ReadOptions::*kind, const char* explanation) {
    io::ReadOptions& options = options_;
    add(flag, "KIND", explanation, [&options, kind, flag](const std::string& text) {
      const std::vector<std::string> names{"discrete", "continuous", "auto"};
      const std::array<Kind, 3> kinds{Kind::discrete, Kind::continuous, Kind::automatic};
      options.*kind = kinds[parse_choice(flag, text, names)];
    });
  }

 private:
  void add(const char* flag, const char* type, const char* explanation,
           const std::function<void(const std::string&)>& set) {
    page_.add_option_function<std::string>(flag, set, explanation)->type_name(type)->group(columns_group);
  }

  CLI::App& page_;
  io::ReadOptions& options_;
};

}  // namespace

void add_column_flags(CLI::App& page, io::ReadOptions& options) {
  using O = io::ReadOptions;
  Flags flags(page, options);
  flags.single("--episode", &O::episode, "Episode id, a number or a text (canonical name: episode)");
  flags.single("--t", &O::t, "Time step within the episode (t; may be absent)");
  flags.list("--state", &O::state, "State: one column, or several with commas (state, or state_0, state_1, ...)");
  flags.list("--action", &O::action, "Action: an id from 0, or numbers (action)");
  flags.single("--reward", &O::reward, "Reward (reward)");
  flags.single("--behavior-prob", &O::behavior_prob,
               "Probability with which the logged action was chosen (behavior_prob)");
  flags.single("--behavior-logp", &O::behavior_logp, "The same as a natural logarithm (behavior_logp)");
  flags.single("--target-prob", &O::target_prob,
               "Probability of the logged action under the target policy (target_prob)");
  flags.single("--target-logp", &O::target_logp, "The same as a natural logarithm (target_logp)");
  flags.single("--behavior-probs", &O::behavior_probs,
               "All action probabilities of the behavior policy, in columns PREFIX_0, PREFIX_1, ... (behavior_probs)",
               "PREFIX");
  flags.single("--target-probs", &O::target_probs, "The same of the target policy (target_probs)", "PREFIX");
  flags.single("--terminated", &O::terminated, "0 or 1: the process ended with this row (terminated)");
  flags.single("--truncated", &O::truncated, "0 or 1: only the recording ended with this row (truncated)");
  flags.kind("--state-kind", &O::state_kind,
             "discrete: states are ids; continuous: they are numbers; auto: as the values look (default)");
  flags.kind("--action-kind", &O::action_kind, "The same for actions");
  const auto place = [&](const char* flag, std::string O::*text, const char* type, const char* explanation) {
    page.add_option_function<std::string>(
            flag, [&options, text](const std::string& given) { options.*text = given; }, explanation)
        ->type_name(type)
        ->group("Logs that DuckDB reads (Parquet, JSON lines, .csv.gz, .zst, databases)");
  };
  place("--table", &O::table, "NAME", "The table of a DuckDB database that holds the logs");
  place("--sql", &O::sql, "QUERY", "A query whose result are the logs, instead of DATA or in the database DATA");
  place("--duckdb-library", &O::duckdb_library, "FILE",
        "DuckDB's library, libduckdb.so (default: $STAROPE_DUCKDB, or else the usual places)");
  page.add_flag("--sort", options.sort, "Rows of an episode may stand anywhere in the file; they are ordered by t")
      ->group(columns_group);
}

void check_data(const std::string& data, const io::ReadOptions& options, const char* command) {
  if (data.empty() && options.sql.empty()) throw UsageError("DATA is missing: which file holds the logs?", command);
}

}  // namespace starope::cli
