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
#include "domains.hpp"
#include "failure.hpp"
#include "layout.hpp"
#include "numbers.hpp"
#include "starope/base/text.hpp"
#include "starope/io/atomic_file.hpp"
#include "starope/io/csv_writer.hpp"

namespace starope::cli {
namespace {

struct SimulateRequest {
  std::string domain{};
  bool list = false;
  std::optional<std::string> behavior{};
  std::optional<std::string> target{};
  std::optional<Horizon> horizon{};
  envs::SimulateOptions options{};
  std::string output = "-";
  bool final_states = false;
};

constexpr const char* description =
    "Write a log of simulated episodes whose true answer is known.\n"
    "The log has the probabilities of both policies, their full action distributions, terminated and truncated. What "
    "the "
    "policies really earn is said on stderr.";

constexpr const char* footer =
    "Example:\n"
    "  starope simulate --list\n"
    "  starope simulate cartpole --episodes 200 --seed 7 -o cartpole.csv";

std::string list_text(const std::vector<SimulatedDomain>& domains, const Terminal& terminal) {
  std::string text;
  for (const SimulatedDomain& domain : domains) {
    if (!text.empty()) text += '\n';
    text += wrap_indented(
        fmt::format("{}: {}; horizon {}", paint(terminal, Style::strong, domain.name), domain.summary, domain.horizon),
        terminal.width, "", "  ");
    for (const SimulatedPolicy& policy : domain.policies) {
      std::string role;
      if (policy.name == domain.behavior) role = " (default behaviour)";
      if (policy.name == domain.target) role = " (default target)";
      text +=
          wrap_indented(policy.meaning + role, terminal.width, "  " + pad_right(policy.name, 12), std::string(14, ' '));
    }
  }
  return text;
}

std::string value_line(const char* who, const std::string& name, const TrueValue& truth) {
  if (truth.std_error == 0.0) {
    return fmt::format("{} {}: true value {} (exact, discount 1)", who, name, format_number(truth.value, 8));
  }
  const int decimals = decimals_of(truth.std_error);
  return fmt::format("{} {}: true value {} +- {} ({}, discount 1)", who, name, format_fixed(truth.value, decimals),
                     format_fixed(truth.std_error, decimals), counted(truth.episodes, "fresh episode"));
}

// Opened before the work: a folder that does not exist should not cost the time to simulate.
class Output {
 public:
  Output(const std::string& path, std::ostream& out) : out_(out) {
    if (path != "-") file_.emplace(path);
  }

  void write(const Dataset& data, const io::WriteOptions& how) {
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
  std::optional<io::AtomicFile> file_{};
  std::ostream& out_;
};

int run(const SimulateRequest& request, Streams& streams) {
  const std::vector<SimulatedDomain> domains = simulated_domains();
  if (request.list) {
    streams.out << list_text(domains, streams.out_terminal);
    return answered;
  }
  if (request.domain.empty()) {
    throw UsageError("DOMAIN is missing; 'starope simulate --list' shows the domains", "starope simulate");
  }
  const SimulatedDomain& domain = find_domain(domains, request.domain);
  const std::string behavior = request.behavior.value_or(domain.behavior);
  const std::string target = request.target.value_or(domain.target);
  check_policy(domain, "--behavior", behavior);
  check_policy(domain, "--target", target);
  envs::SimulateOptions options = request.options;
  options.horizon = request.horizon.value_or(Horizon{domain.horizon});

  Output output(request.output, streams.out);
  Progress progress(streams);
  progress.show(fmt::format("simulating {} of {}", counted(options.episodes, "episode"), domain.name));
  const Dataset data = domain.simulate(behavior, target, options);
  output.write(data, {.final_states = request.final_states});
  progress.show("computing the true values of both policies");
  const TrueValue earned = domain.value(behavior, *options.horizon, options.threads);
  const TrueValue asked = domain.value(target, *options.horizon, options.threads);
  progress.clear();
  say(streams, fmt::format("wrote {}: {}, {} of {} (horizon {}, seed {})",
                           request.output == "-" ? "standard output" : request.output,
                           counted(data.episodes(), "episode"), counted(data.steps(), "step"), domain.name,
                           with_thousands(options.horizon->steps()), options.seed.value));
  say(streams, value_line("behaviour policy", behavior, earned));
  say(streams, value_line("target policy", target, asked));
  return answered;
}

}  // namespace

Command add_simulate(CLI::App& app) {
  const auto request = std::make_shared<SimulateRequest>();
  CLI::App* page = app.add_subcommand("simulate", description);
  page->footer(footer);
  const auto text_option = [&](const char* flag, const char* type, const char* explanation, auto set) {
    page->add_option_function<std::string>(
            flag, [request, set](const std::string& text) { set(*request, text); }, explanation)
        ->type_name(type);
  };
  page->add_option("DOMAIN", request->domain, "What to simulate: a name that --list shows");
  page->add_flag("--list", request->list, "List the domains and their policies, and stop");
  text_option("--behavior", "NAME", "Policy that acts (default: the paper's)",
              [](SimulateRequest& r, const std::string& text) { r.behavior = text; });
  text_option("--target", "NAME", "Policy whose value is asked for (default: the paper's)",
              [](SimulateRequest& r, const std::string& text) { r.target = text; });
  text_option("--episodes", "N", "Number of episodes (default 1000)", [](SimulateRequest& r, const std::string& text) {
    r.options.episodes = parse_count("--episodes", text);
  });
  text_option("--horizon", "H", "Steps after which an episode is cut (default: the paper's)",
              [](SimulateRequest& r, const std::string& text) { r.horizon = parse_horizon("--horizon", text); });
  text_option("--seed", "N", "Seed (default 0); the same seed gives the same log",
              [](SimulateRequest& r, const std::string& text) { r.options.seed = parse_seed("--seed", text); });
  text_option(
      "--threads", "N", "Number of threads (default: one per core); the log does not depend on it",
      [](SimulateRequest& r, const std::string& text) { r.options.threads = parse_threads("--threads", text); });
  page->add_option("-o,--output", request->output, "CSV file to write; - is standard output (default)")
      ->type_name("FILE");
  page->add_flag("--final-states", request->final_states,
                 "Add a row without action and reward for the state in which a truncated episode was cut");
  return {.page = page, .run = [request](Streams& streams) { return run(*request, streams); }};
}

}  // namespace starope::cli
