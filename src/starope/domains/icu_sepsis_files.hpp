#pragma once

#include <optional>
#include <string>
#include <vector>

#include "starope/domains/icu_sepsis_domain.hpp"
#include "starope/io/npz.hpp"

namespace starope::domains {

// The tables in a file: an .npz as it is published, or a wheel of the package `icu-sepsis` as pip downloads it (.whl),
// in which they are a member. FileError, or DataError where it is neither.
io::NpzReader open_icu_sepsis(const std::string& path);

// The version whose tables a file has. FileError, or DataError where it has neither's.
IcuSepsisVersion icu_sepsis_version(const std::string& path);

// Where the package `icu-sepsis` may be.
struct PackagePlaces {
  std::string file{};                  // that was named; nothing else is looked at then
  std::vector<std::string> folders{};  // into which packages of Python are installed
  std::vector<std::string> wheels{};   // folders into which a wheel may have been downloaded
};

// The variable STAROPE_ICU_SEPSIS; the folders of the active environment, of the user and of the system; wheels in the
// current folder.
PackagePlaces usual_places();

// The tables of the package (716 states) in the first of these places that has them; of several wheels the last by
// name. None: they are nowhere.
std::optional<std::string> find_icu_sepsis(const PackagePlaces& places);

// What brings the package, as one command.
inline constexpr const char* get_icu_sepsis = "pip download --no-deps icu-sepsis";

}  // namespace starope::domains
