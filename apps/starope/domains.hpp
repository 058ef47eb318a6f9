#pragma once

#include <optional>
#include <string>
#include <vector>

#include "inputs.hpp"
#include "starope/domains.hpp"

namespace starope::cli {

// Which domain the command line asks for.
struct DomainRequest {
  std::string text{};                     // "cartpole", "random-mdp(states=100)"
  std::optional<std::string> dynamics{};  // the file of ICU-Sepsis
  bool features = false;                  // of ICU-Sepsis instead of the number of the state
  bool frozen_row = false;                // the published simulator of ICU-Sepsis
};

// All that have a name, for a list; those that need a file cannot be used.
std::vector<domains::NamedDomain> listed_domains();

// UsageError for an unknown name, with the nearest one, and for options that the domain does not have. The version of
// ICU-Sepsis is seen from its file. Files that it reads are noted in `inputs`.
domains::NamedDomain choose_domain(const DomainRequest& request, const Inputs& inputs = {});

}  // namespace starope::cli
