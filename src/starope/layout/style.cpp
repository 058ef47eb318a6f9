#include "starope/layout/style.hpp"

namespace starope {
namespace {

const char* escape(Emphasis emphasis) {
  switch (emphasis) {
    case Emphasis::strong:
      return "\x1b[1m";
    case Emphasis::warning:
      return "\x1b[33m";
    case Emphasis::error:
      return "\x1b[31m";
    case Emphasis::quiet:
      break;
  }
  return "\x1b[2m";
}

}  // namespace

std::string paint_begin(const TextStyle& style, Emphasis emphasis) {
  return style.color ? escape(emphasis) : "";
}

std::string paint_end(const TextStyle& style) {
  return style.color ? "\x1b[0m" : "";
}

std::string paint(const TextStyle& style, Emphasis emphasis, std::string_view text) {
  return paint_begin(style, emphasis).append(text) + paint_end(style);
}

}  // namespace starope
