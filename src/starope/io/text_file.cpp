#include "starope/io/text_file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "starope/error.hpp"

namespace starope::io {

#if !STAROPE_FILES

std::string read_text(const std::string& path, std::size_t /*none is read*/) {
  throw FileError(fmt::format("{}: this starope was built without files and reads none", path));
}

#else

std::string read_text(const std::string& path, std::size_t most_bytes) {
  const auto fail = [&](int error) {
    throw FileError(error == ENOENT || error == ENOTDIR
                        ? fmt::format("{}: there is no such file or folder, or it cannot be read", path)
                        : fmt::format("{}: cannot be read ({})", path, std::strerror(error)));
  };
  const auto close = [](std::FILE* file) { std::fclose(file); };
  const std::unique_ptr<std::FILE, decltype(close)> file(std::fopen(path.c_str(), "rbe"), close);
  if (!file) fail(errno);
  constexpr std::size_t piece = std::size_t{1} << 16;
  std::string text;
  for (;;) {
    const std::size_t filled = text.size();
    text.resize(filled + piece);
    const std::size_t got = std::fread(text.data() + filled, 1, piece, file.get());
    const int error = errno;
    text.resize(filled + got);
    if (text.size() > most_bytes) {
      throw FileError(
          fmt::format("{}: is larger than {} bytes, or never ends. Is it the right file?", path, most_bytes));
    }
    if (got == piece) continue;
    if (std::ferror(file.get()) != 0) fail(error);
    return text;
  }
}

#endif

}  // namespace starope::io
