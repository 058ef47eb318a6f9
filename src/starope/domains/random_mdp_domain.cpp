#include "starope/domains/random_mdp_domain.hpp"

#include <fmt/format.h>

#include <charconv>
#include <string>
#include <utility>
#include <vector>

#include "starope/base/text.hpp"
#include "starope/error.hpp"

namespace starope::domains {
namespace {

template <class Number>
Number number_of(std::string_view name, std::string_view text) {
  Number number{};
  const char* last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, number);
  if (text.empty() || error != std::errc{} || end != last) {
    throw InvalidArgument(fmt::format("random-mdp: {}={} must be a {}", name, text,
                                      std::is_floating_point_v<Number> ? "number" : "whole number"));
  }
  return number;
}

void set(RandomMdpDomainOptions& options, const std::string& name, std::string_view value) {
  static const std::vector<std::string> known{"states",       "actions", "successors", "exit", "symbols",
                                              "reward-scale", "noise",   "sharpness",  "seed"};
  RandomMdpOptions& mdp = options.mdp;
  if (name == "states") {
    mdp.states = number_of<std::int32_t>(name, value);
  } else if (name == "actions") {
    mdp.actions = number_of<std::int32_t>(name, value);
  } else if (name == "successors") {
    mdp.successors = number_of<std::int32_t>(name, value);
  } else if (name == "exit") {
    mdp.exit_probability = number_of<double>(name, value);
  } else if (name == "symbols") {
    mdp.symbols = number_of<std::int32_t>(name, value);
  } else if (name == "reward-scale") {
    mdp.reward_scale = number_of<double>(name, value);
  } else if (name == "noise") {
    mdp.reward_noise = number_of<double>(name, value);
  } else if (name == "sharpness") {
    options.sharpness = number_of<double>(name, value);
  } else if (name == "seed") {
    mdp.seed = Seed{number_of<std::uint64_t>(name, value)};
  } else {
    throw InvalidArgument("random-mdp: " + unknown_name("parameter", name, known));
  }
}

}  // namespace

RandomMdpDomainOptions parse_random_mdp(std::string_view text) {
  RandomMdpDomainOptions options;
  const std::size_t open = text.find('(');
  if (open == std::string_view::npos) return options;
  if (text.back() != ')') throw InvalidArgument(fmt::format("'{}': a closing parenthesis is missing", text));
  std::string_view rest = text.substr(open + 1, text.size() - open - 2);
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(','), rest.size());
    const std::string_view part = rest.substr(0, end);
    const std::size_t equals = part.find('=');
    if (equals == std::string_view::npos) {
      throw InvalidArgument(fmt::format("random-mdp: '{}' must be written name=number, such as states=100", part));
    }
    set(options, std::string(part.substr(0, equals)), part.substr(equals + 1));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return options;
}

NamedDomain random_mdp_domain(const RandomMdpDomainOptions& options, ReadPolicyTable read_table) {
  const RandomMdpOptions& o = options.mdp;
  const TabularMdp mdp = random_mdp(o);
  NamedDomain d;
  d.name = "random-mdp";
  d.summary = fmt::format(
      "{} states with {} successors per action, drawn at random by a seed; all of it can be chosen: "
      "random-mdp(states=,actions=,successors=,exit=,symbols=,reward-scale=,noise=,sharpness=,seed=)",
      o.states, o.successors);
  d.observation = o.symbols ? fmt::format("one of {} symbols, which several states share", *o.symbols)
                            : std::string("the number of the state");
  for (std::int32_t a = 0; a < o.actions; ++a) d.actions.push_back(fmt::format("a{}", a));
  d.horizon = Horizon{50};
  d.policies = {{"random", "softmax of normal numbers; policies of different numbers have nothing in common",
                 PolicyParameter{.name = "number", .value = 0.0, .low = 0.0, .high = 1e6}},
                {"uniform", "takes all actions with the same probability"}};
  d.behavior = "random(0)";
  d.target = "random(1)";
  d.read_table = std::move(read_table);
  add_exact_simulation(
      d, mdp,
      [symbols = mdp.symbols(), actions = o.actions, sharpness = options.sharpness,
       seed = o.seed](const PolicyChoice& choice) {
        if (choice.name == "uniform") return TabularPolicy::uniform(symbols, actions);
        return random_policy(
            symbols, actions,
            {.sharpness = sharpness, .seed = seed, .index = static_cast<std::uint32_t>(choice.parameter)});
      });
  for (const std::string& policy : {d.behavior, d.target})
    d.known_values.push_back({policy, d.value(policy, {}).value});
  return d;
}

}  // namespace starope::domains
