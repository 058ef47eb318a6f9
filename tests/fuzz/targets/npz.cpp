// Logs and policies as NumPy archives: zip, headers, arrays.
#include "starope/io/npz.hpp"
#include "fuzz.hpp"
#include "starope/io.hpp"

namespace starope {

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes = fuzz::text_of(data, size);
  fuzz::tried([&] {
    io::read_bytes(bytes, "a.npz",
                   {.need_state = false, .need_behavior = false, .need_target = false, .threads = Threads{1}});
  });
  fuzz::tried([&] {
    const io::NpzReader archive(bytes, "a.npz");
    for (const std::string& name : archive.names()) {
      fuzz::tried([&] { archive.read_matrix(name); });
      fuzz::tried([&] { archive.read_word(name); });
    }
  });
  return 0;
}

}  // namespace starope
