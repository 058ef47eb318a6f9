#include "remark.hpp"

#include <algorithm>
#include <cstdlib>

namespace starope::cli {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// One past the figure that starts at `at`: digits, with points, commas and an exponent only between digits.
std::size_t figure_end(const std::string& text, std::size_t at) {
  while (at < text.size()) {
    if (is_digit(text[at])) {
      ++at;
    } else if ((text[at] == '.' || text[at] == ',') && at + 1 < text.size() && is_digit(text[at + 1])) {
      ++at;
    } else if (text[at] == 'e' && at + 2 < text.size() && (text[at + 1] == '-' || text[at + 1] == '+') &&
               is_digit(text[at + 2])) {
      at += 2;
    } else {
      break;
    }
  }
  return at;
}

double value_of(std::string figure) {
  figure.erase(std::remove(figure.begin(), figure.end(), ','), figure.end());
  return std::strtod(figure.c_str(), nullptr);
}

}  // namespace

Remark::Remark(const std::string& sentence) {
  words_.emplace_back();
  for (std::size_t at = 0; at < sentence.size();) {
    if (!is_digit(sentence[at])) {
      words_.back() += sentence[at++];
      continue;
    }
    const std::size_t end = figure_end(sentence, at);
    const std::string figure = sentence.substr(at, end - at);
    figures_.push_back({.least = figure, .most = figure});
    words_.emplace_back();
    at = end;
  }
}

bool Remark::merge(const std::string& sentence) {
  const Remark other(sentence);
  if (words_ != other.words_) return false;
  for (std::size_t i = 0; i < figures_.size(); ++i) {
    const std::string& figure = other.figures_[i].least;
    if (value_of(figure) < value_of(figures_[i].least)) figures_[i].least = figure;
    if (value_of(figure) > value_of(figures_[i].most)) figures_[i].most = figure;
  }
  return true;
}

std::string Remark::text() const {
  std::string text;
  for (std::size_t i = 0; i < figures_.size(); ++i) {
    text += words_[i] + figures_[i].least;
    if (figures_[i].least != figures_[i].most) text += " to " + figures_[i].most;
  }
  return text + words_.back();
}

}  // namespace starope::cli
