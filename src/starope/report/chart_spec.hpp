#pragma once

#include <cstddef>
#include <string>

#include "starope/evaluate/json.hpp"

namespace starope {

// The specification charts/NAME.vl.json with what all charts share (charts/base.json), described for readers who cannot
// see it, with these data. What else depends on the data, the caller sets.
Json chart_spec(const std::string& name, const std::string& description, Json values);

// The height of a chart with so many rows, by the step that its file has. (Left to Vega-Lite, a step is right but makes
// it warn where the width is that of the page.)
void set_rows(Json& spec, std::size_t rows);

// The colors of series, in the order of base.json.
Json chart_colors();

// One line. Bytes that are no UTF-8 (a column name may hold any) become the replacement character.
std::string dump(const Json& json);

}  // namespace starope
