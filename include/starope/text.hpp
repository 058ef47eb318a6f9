#pragma once

// How a text for people may look.

#include <cstddef>

namespace starope {

// The default is that of files and pipes; a program that writes to a terminal knows its width.
struct TextStyle {
  std::size_t width = 80;  // columns
  bool color = false;      // escape sequences of terminals
};

}  // namespace starope
