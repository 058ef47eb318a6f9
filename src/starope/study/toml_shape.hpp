#pragma once

#include <string>
#include <string_view>

namespace starope {

// Checks that a text has the shape of TOML: headers, keys, values, brackets that match, strings that end. The parser
// behind it (toml++ 3.3) takes some shapes for impossible and aborts on them; what passes here does not come to them.
// Numbers, escapes and keys that are given twice are left to it. DataError with the row.
void check_toml_shape(std::string_view text, const std::string& file);

}  // namespace starope
