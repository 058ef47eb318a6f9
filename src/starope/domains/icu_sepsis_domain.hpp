#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "starope/domains.hpp"
#include "starope/domains/icu_sepsis.hpp"

namespace starope::domains {

// The published versions of ICU-Sepsis, told apart by their numbers of states.
enum class IcuSepsisVersion : std::int32_t {
  v0 = 747,  // of the paper's experiments
  v2 = 716,  // of the public package
};

// Where the tables of a version are published: the file, and the repository it is in.
std::string published_at(IcuSepsisVersion version);
std::string published_tables();  // both, in words

// "icu-sepsis", "icu-sepsis-v2-features", ...
std::string icu_sepsis_name(IcuSepsisVersion version, const IcuSepsisOptions& variant = {});

// Called when the domain is first used. An empty function: not available, and using the domain is a FileError that says
// which file is needed, and from where.
using ReadIcuSepsis = std::function<IcuSepsisTables()>;

// ICU-Sepsis by name, with the paper's policies and horizon. Several domains that are given the same function share no
// tables: each reads its own.
NamedDomain icu_sepsis_domain(ReadIcuSepsis read, IcuSepsisVersion version, const IcuSepsisOptions& variant = {},
                              ReadPolicyTable read_table = {});

}  // namespace starope::domains
