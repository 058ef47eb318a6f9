// Logs as CSV, whole and in small parts: the data and the errors are the same.
#include <cstdlib>

#include "fuzz.hpp"
#include "starope/io.hpp"

namespace starope {

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string said[2];
  for (const bool small : {false, true}) {
    io::ReadOptions options{.need_state = false, .need_behavior = false, .need_target = false, .threads = Threads{1}};
    options.sort = size % 3 == 0;
    if (small) options.chunk_bytes = 7;
    try {
      const io::ReadResult read = io::read_bytes(fuzz::text_of(data, size), "a.csv", options);
      io::write_csv(read.data, [&](std::string_view text) { said[small] += text; });
    } catch (const Error& error) {
      said[small] = error.what();
    }
  }
  if (said[0] != said[1]) std::abort();
  return 0;
}

}  // namespace starope
