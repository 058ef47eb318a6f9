#pragma once

#include <span>

#include "starope/data/dataset.hpp"

namespace starope {

// One behind the other. InvalidArgument unless all have the same columns, with states and actions of the same kind.
Dataset concat(std::span<const Dataset> parts);

// A copy of all columns: to change one of them and make another data set.
Columns columns_of(const Dataset& data);

}  // namespace starope
