#pragma once

#include <cstddef>
#include <optional>

#include "starope/evaluate.hpp"
#include "starope/report/page.hpp"

namespace starope {

// For whom: a forest plot of the groups' differences from the logged policy. None without groups.
std::optional<Figure> groups_figure(const Evaluation& evaluation);

// What single episodes return: every number that was asked about, by every method. None where nothing was asked.
std::optional<Figure> risk_figure(const Evaluation& evaluation);

// The ladder of abstractions behind an estimate of `auto`: what each level answers. None where there is no record of
// it.
std::optional<Figure> ladder_figure(const Answer& answer, std::size_t index);

// What could move the answer: a window of two ratios, half of the episodes, finer cells, other seeds. None where there
// is no record of it.
std::optional<Figure> doubts_figure(const Answer& answer, std::size_t index);

}  // namespace starope
