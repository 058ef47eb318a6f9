// The door for Arrow streams as one C function, for check_arrow.py.

#include <cstdio>
#include <cstring>
#include <exception>
#include <string>

#include "starope/io.hpp"

// Writes the canonical table of the logs in a stream, or "error: ...", to `out`; how long that text is.
extern "C" __attribute__((visibility("default"))) long starope_arrow_csv(ArrowArrayStream* stream, int blocks,
                                                                         const char* state, char* out, long room) {
  std::string text;
  try {
    starope::io::ReadOptions options{.need_state = false};
    if (*state != '\0') options.state = {state};
    const starope::Dataset data =
        blocks != 0 ? starope::read_all(starope::io::open(stream, "frame", options, {.steps = 7, .memory = 500}).source)
                    : starope::io::read(stream, "frame", options).data;
    starope::io::write_csv(data, [&](std::string_view more) { text += more; });
  } catch (const std::exception& error) {
    text = std::string("error: ") + error.what();
  }
  if (static_cast<long>(text.size()) < room) std::memcpy(out, text.c_str(), text.size() + 1);
  return static_cast<long>(text.size());
}

// Reads the logs in a file, and says how many steps they have; -1 if that fails.
extern "C" __attribute__((visibility("default"))) long starope_read(const char* path, const char* library) {
  try {
    const starope::io::ReadOptions options{.duckdb_library = library, .threads = starope::Threads{1}};
    return static_cast<long>(starope::io::read(path, options).data.steps());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return -1;
  }
}

// The same in blocks, of which memory may hold so many bytes.
extern "C" __attribute__((visibility("default"))) long starope_open(const char* path, const char* library,
                                                                    long memory) {
  try {
    const starope::io::ReadOptions options{.duckdb_library = library, .threads = starope::Threads{1}};
    return static_cast<long>(starope::io::open(path, options, {.memory = memory}).summary.rows);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return -1;
  }
}
