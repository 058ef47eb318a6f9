#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>

#include "arguments.hpp"
#include "command.hpp"
#include "domain_text.hpp"
#include "domains.hpp"
#include "failure.hpp"
#include "inputs.hpp"
#include "starope/base/numbers.hpp"
#include "starope/base/text.hpp"
#include "starope/error.hpp"
#include "starope/io.hpp"
#include "starope/io/atomic_file.hpp"
#include "starope/io/file_kind.hpp"
#include "starope/io/npz_logs.hpp"

namespace starope::cli {
namespace {

struct SimulateRequest {
  DomainRequest domain{};
  bool list = false;
  std::optional<std::string> behavior{};
  std::optional<std::string> target{};
  std::optional<Horizon> horizon{};
  domains::SimulateOptions options{};
  std::string output = "-";
  bool final_states = false;
};

constexpr const char* simulate_description =
    "Write a log of simulated episodes whose true answer is known.\n"
    "The log has the probabilities of both policies, their full action distributions, terminated and truncated. What "
    "the policies really earn is printed on stderr.\n"
    "A policy is a name that --list shows, with its number in parentheses, such as greedy(0.1); or a table: FILE.csv "
    "with a column per action and a row per state holds probabilities; greedy(FILE.csv,eps) and softmax(FILE.csv,tau) "
    "read any numbers.";

constexpr const char* simulate_footer =
    "Example:\n"
    "  starope simulate --list\n"
    "  starope simulate cartpole --episodes 200 --seed 7 -o cartpole.csv\n"
    "  starope simulate asterix --episodes 100 -o asterix.npz\n"
    "  starope simulate \"random-mdp(states=50,actions=4)\" -o mdp.csv\n"
    "\n"
    "A domain of your own is one small C++ file: examples/own_domain.cpp is a\n"
    "complete one, and docs/own-domain.md explains it.";

bool is_npz(const std::string& path) {
  const std::string_view ending = ".npz";
  return path.size() > ending.size() && path.substr(path.size() - ending.size()) == ending;
}

// A CSV file is opened before the work: a folder that does not exist should not cost the time to simulate.
class Output {
 public:
  Output(const std::string& path, std::ostream& out) : path_(path), out_(out) {
    if (io::has_ending(path, ".tsv"))  // nor could it be read back
      throw FileError(path + ": its name says tabs, and logs are written with commas: call it .csv");
    if (path != "-" && !is_npz(path) && !io::needs_duckdb(path)) file_.emplace(path);
  }

  void write(const Dataset& data, const io::WriteOptions& how) {
    if (is_npz(path_)) return io::write_npz(data, path_, how);
    if (io::needs_duckdb(path_)) return io::write(data, path_, how);
    io::write_csv(
        data,
        [this](std::string_view text) {
          if (file_) {
            file_->write(text);
          } else {
            out_.write(text.data(), static_cast<std::streamsize>(text.size()));
          }
        },
        how);
    if (file_) {
      file_->commit();
    } else {
      finish_output(out_);
    }
  }

 private:
  std::string path_;
  std::optional<io::AtomicFile> file_{};
  std::ostream& out_;
};

void check_policy(const domains::NamedDomain& domain, const std::string& flag, const std::string& policy) {
  try {
    domains::parse_policy(policy, domain.policies, domain.read_table);
  } catch (const InvalidArgument& error) {
    throw UsageError(fmt::format("{}: {} of {}", flag, error.what(), domain.name), "starope simulate");
  }
}

int run(const SimulateRequest& request, Streams& streams) {
  if (request.list) {
    streams.out << list_text(listed_domains(), streams.out_terminal);
    return answered;
  }
  if (request.domain.text.empty()) {
    throw UsageError("DOMAIN is missing; 'starope simulate --list' shows the domains", "starope simulate");
  }
  Inputs inputs;
  const domains::NamedDomain domain = choose_domain(request.domain, inputs);
  const std::string behavior = request.behavior.value_or(domain.behavior);
  const std::string target = request.target.value_or(domain.target);
  check_policy(domain, "--behavior", behavior);
  check_policy(domain, "--target", target);
  inputs.expect_not(request.output, "starope simulate");
  domains::SimulateOptions options = request.options;
  options.horizon = request.horizon.value_or(domain.horizon);
  options.features_as_bits = domain.bits;

  Output output(request.output, streams.out);
  Progress progress(streams);
  progress.show(fmt::format("simulating {} of {}", counted(options.episodes, "episode"), domain.name));
  const Dataset data = domain.simulate(behavior, target, options);
  output.write(data, {.final_states = request.final_states});
  progress.show("computing the true values of both policies");
  const Truth earned = find_truth(domain, behavior, *options.horizon, options.threads);
  const Truth asked = find_truth(domain, target, *options.horizon, options.threads);
  progress.clear();
  say(streams, fmt::format("wrote {}: {}, {} of {} (horizon {}, seed {})",
                           request.output == "-" ? "standard output" : request.output,
                           counted(data.episodes(), "episode"), counted(data.steps(), "step"), domain.name,
                           with_thousands(options.horizon->steps()), options.seed.value));
  say(streams, truth_text("behavior policy", behavior, earned, domain.discount));
  say(streams, truth_text("target policy", target, asked, domain.discount));
  if (domain.discount.gamma() != 1.0) {
    say(streams, fmt::format("evaluate it with --gamma {}", format_number(domain.discount.gamma())));
  }
  return answered;
}

}  // namespace

Command add_simulate(CLI::App& app) {
  const auto request = std::make_shared<SimulateRequest>();
  CLI::App* page = app.add_subcommand("simulate", simulate_description);
  page->footer(simulate_footer);
  const auto text_option = [&](const char* flag, const char* type, const char* explanation, auto set) {
    page->add_option_function<std::string>(
            flag, [request, set](const std::string& text) { set(*request, text); }, explanation)
        ->type_name(type);
  };
  page->add_option("DOMAIN", request->domain.text, "What to simulate: a name that --list shows");
  page->add_flag("--list", request->list,
                 "List the domains with what they show, their actions, policies and true values, and stop");
  text_option("--dynamics", "FILE",
              "For icu-sepsis: its tables, with 747 states (the paper's) or 716 (the public package's); --list says "
              "where they are",
              [](SimulateRequest& r, const std::string& text) { r.domain.dynamics = text; });
  text_option("--observation", "KIND", "For icu-sepsis: id (default), or features: 47 measurements of the state",
              [](SimulateRequest& r, const std::string& text) {
                r.domain.features = parse_choice("--observation", text, {"id", "features"}) == 1;
              });
  page->add_flag("--frozen-row", request->domain.frozen_row,
                 "For icu-sepsis: reproduce a fault of the published simulator, which draws all transitions of an "
                 "episode from its first state");
  text_option("--behavior", "POLICY", "Policy that acts (default: the domain's)",
              [](SimulateRequest& r, const std::string& text) { r.behavior = text; });
  text_option("--target", "POLICY", "Policy whose value is asked for (default: the domain's)",
              [](SimulateRequest& r, const std::string& text) { r.target = text; });
  text_option("--episodes", "N", "Number of episodes (default 1000)", [](SimulateRequest& r, const std::string& text) {
    r.options.episodes = parse_count("--episodes", text);
  });
  text_option("--horizon", "H", "Steps after which an episode is cut (default: the domain's)",
              [](SimulateRequest& r, const std::string& text) { r.horizon = parse_horizon("--horizon", text); });
  text_option("--seed", "N", "Seed (default 0); the same seed gives the same log",
              [](SimulateRequest& r, const std::string& text) { r.options.seed = parse_seed("--seed", text); });
  text_option(
      "--threads", "N", "Number of threads (default: one per core); the log does not depend on it",
      [](SimulateRequest& r, const std::string& text) { r.options.threads = parse_threads("--threads", text); });
  page->add_option(
          "-o,--output", request->output,
          "CSV file to write, or NumPy archive if its name ends in .npz, or with DuckDB's library .parquet, .jsonl, "
          ".csv.gz; - is standard output (default)")
      ->type_name("FILE");
  page->add_flag("--final-states", request->final_states,
                 "Add a row without action and reward for the state in which a truncated episode was cut");
  return {.page = page, .run = [request](Streams& streams) { return run(*request, streams); }};
}

}  // namespace starope::cli
