#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "starope/study.hpp"

namespace starope {

// Of a case of the paper; the frozen variant of ICU-Sepsis has the readings of ICU-Sepsis.
std::optional<PaperReading> paper_reading(std::string_view domain, std::int64_t size);

}  // namespace starope
