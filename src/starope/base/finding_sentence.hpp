#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace starope {

// The sentence with every placeholder replaced by put(name, format).
std::string fill(std::string_view sentence,
                 const std::function<std::string(std::string_view name, std::string_view format)>& put);

// The sentence as the documentation shows it: a placeholder as {name}, with its noun in the plural; a choice as
// [name=word: phrase / name=word: phrase].
std::string shown_to_readers(std::string_view sentence);

// Takes the first part, up to '|', off a list of phrases.
std::string_view next_part(std::string_view& phrases);

// The phrase of the word in "word -> phrase|word -> phrase", if it is there.
std::optional<std::string_view> phrase_of(std::string_view word, std::string_view phrases);

}  // namespace starope
