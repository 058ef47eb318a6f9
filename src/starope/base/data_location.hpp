#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "starope/error.hpp"

namespace starope {

// Places for a DataError. Functions, because GCC 12 destroys an aggregate inside an aggregate twice if a copy throws
// (and warns of that when it optimizes hard).
DataLocation in_file(std::string file, std::optional<std::int64_t> row = {});
DataLocation in_column(std::string column, std::string file = {}, std::optional<std::int64_t> row = {});

}  // namespace starope
