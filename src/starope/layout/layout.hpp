#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace starope {

// How many columns the text takes on a terminal: UTF-8 code points, and no escape sequences.
std::size_t display_width(std::string_view text);

std::string pad_left(std::string_view text, std::size_t width);   // blanks before: flush right
std::string pad_right(std::string_view text, std::size_t width);  // blanks behind: flush left

// Lines of at most `width` columns, broken at blanks; a longer word stands alone on its line, never cut. Line breaks in
// the text are kept. Empty text gives one empty line.
std::vector<std::string> wrap(std::string_view text, std::size_t width);

// The same as one string: `first` before the first line, `rest` before the others, a line break behind each.
std::string wrap_indented(std::string_view text, std::size_t width, std::string_view first, std::string_view rest);

// "star(clusters=32,clip=2)" in lines of at most `width` columns, broken behind commas; continuation lines are indented
// by two blanks.
std::vector<std::string> wrap_at_commas(std::string_view text, std::size_t width);

// Adds blanks on both sides so that the decimal points of all numbers stand below each other and all texts have the
// same width. Texts that are no numbers stand flush right.
void align_decimals(std::vector<std::string>& numbers);

}  // namespace starope
