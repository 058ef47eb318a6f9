#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace starope {

// The sentence with every placeholder replaced by put(name, format).
std::string fill(std::string_view sentence,
                 const std::function<std::string(std::string_view name, std::string_view format)>& put);

// Takes the first part, up to '|', off a list of phrases.
std::string_view next_part(std::string_view& phrases);

// The phrase of the word in "word -> phrase|word -> phrase", if it is there.
std::optional<std::string_view> phrase_of(std::string_view word, std::string_view phrases);

}  // namespace starope
