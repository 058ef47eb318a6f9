#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "starope/domains/icu_sepsis.hpp"
#include "starope/domains/named_domain.hpp"

namespace starope::envs {

// The published versions of ICU-Sepsis, told apart by their numbers of states.
enum class IcuSepsisVersion : std::int32_t {
  v0 = 747,  // of the paper's experiments
  v2 = 716,  // of the public package
};

// Where the tables of a version are published: the file, and the repository it is in.
std::string published_at(IcuSepsisVersion version);

// Called when the domain is first used. An empty function: not available, and using the domain is a FileError that says
// which file is needed, and from where.
using ReadIcuSepsis = std::function<IcuSepsisTables()>;

// ICU-Sepsis by name, with the paper's policies and horizon. Several domains that are given the same function share no
// tables: each reads its own.
NamedDomain icu_sepsis_domain(ReadIcuSepsis read, IcuSepsisVersion version, const IcuSepsisOptions& variant = {},
                              ReadPolicyTable read_table = {});

}  // namespace starope::envs
