#include "starope/io/packed_file.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "starope/error.hpp"
#include "starope/io/input_file.hpp"

#if STAROPE_FILES
#include <dlfcn.h>
#endif

namespace starope::io {
namespace {

[[noreturn]] void fail(const std::string& path, const char* rule) {
  DataError::Problem problem;
  problem.code = "bad_packing";
  problem.at.file = path;
  problem.rule = rule;
  problem.remedy = "Copy or write it again";
  throw DataError(std::move(problem));
}

constexpr const char* cut = "ends too early: it was cut, and what is left is not all";
constexpr const char* damaged = "is damaged: what it unpacks to is not what was packed";

// The bytes of a file one behind the other, some of them at a time.
class Bytes {
 public:
  explicit Bytes(const std::string& path) : stream_(path) {}

  // At least so many, unless the file ends before.
  std::string_view at_least(std::size_t count) {
    while (bytes_.size() - at_ < count && !ended_) {
      bytes_.erase(bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(at_));
      at_ = 0;
      ended_ = stream_.append(bytes_, piece) < piece;
    }
    return {bytes_.data() + at_, bytes_.size() - at_};
  }
  // False: the file ends before.
  bool skip(std::uint64_t count) {
    while (count > 0) {
      const std::size_t there = at_least(1).size();
      if (there == 0) return false;
      const std::size_t step = count < there ? static_cast<std::size_t>(count) : there;
      at_ += step;
      count -= step;
    }
    return true;
  }

 private:
  static constexpr std::size_t piece = std::size_t{1} << 20;
  InputStream stream_;
  std::vector<char> bytes_{};
  std::size_t at_ = 0;
  bool ended_ = false;
};

std::uint64_t little_endian(std::string_view bytes, std::size_t count) {
  std::uint64_t number = 0;
  for (std::size_t i = count; i-- > 0;) number = number << 8 | static_cast<unsigned char>(bytes[i]);
  return number;
}

// ---- zstd: frames of a header and blocks, each with its size (RFC 8878) ---------------------------------------------

constexpr std::uint32_t zstd_magic = 0xFD2FB528, skippable_magic = 0x184D2A50;

// The sizes of what follows the descriptor: window, dictionary and content.
std::uint64_t zstd_header_bytes(unsigned descriptor) {
  constexpr std::uint64_t of_dictionary[] = {0, 1, 2, 4}, of_content[] = {0, 2, 4, 8};
  const bool single = (descriptor >> 5 & 1U) != 0;
  std::uint64_t content = of_content[descriptor >> 6];
  if (single && content == 0) content = 1;
  return (single ? 0 : 1) + of_dictionary[descriptor & 3U] + content;
}

// False: cut. A block says whether it is the last one, and how long it is.
bool skip_zstd_frame(Bytes& bytes) {
  const std::string_view begin = bytes.at_least(5);
  if (begin.size() < 5) return false;
  const auto descriptor = static_cast<unsigned char>(begin[4]);
  if (!bytes.skip(5 + zstd_header_bytes(descriptor))) return false;
  for (bool last = false; !last;) {
    const std::string_view header = bytes.at_least(3);
    if (header.size() < 3) return false;
    const std::uint64_t block = little_endian(header, 3);
    last = (block & 1U) != 0;
    const bool repeated = (block >> 1 & 3U) == 1;  // one byte, so many times
    if (!bytes.skip(3 + (repeated ? 1 : block >> 3))) return false;
  }
  const bool checksum = (descriptor >> 2 & 1U) != 0;
  return bytes.skip(checksum ? 4 : 0);
}

void expect_whole_zstd(const std::string& path) {
  Bytes bytes(path);
  while (true) {
    const std::string_view begin = bytes.at_least(8);
    if (begin.empty()) return;
    if (begin.size() < 4) fail(path, cut);
    const std::uint64_t magic = little_endian(begin, 4);
    const bool skippable = (magic & 0xFFFFFFF0) == skippable_magic;
    if (magic != zstd_magic && !skippable) fail(path, damaged);
    const bool whole =
        skippable ? begin.size() >= 8 && bytes.skip(8 + little_endian(begin.substr(4), 4)) : skip_zstd_frame(bytes);
    if (!whole) fail(path, cut);
  }
}

// ---- gzip: only who unpacks it knows where it ends
// -------------------------------------------------------------------

#if STAROPE_FILES

// As zlib has it since 1995.
struct ZStream {
  const unsigned char* next_in = nullptr;
  unsigned avail_in = 0;
  unsigned long total_in = 0;
  unsigned char* next_out = nullptr;
  unsigned avail_out = 0;
  unsigned long total_out = 0;
  const char* message = nullptr;
  void* state = nullptr;
  void* allocate = nullptr;
  void* release = nullptr;
  void* opaque = nullptr;
  int data_type = 0;
  unsigned long adler = 0, reserved = 0;
};

struct Zlib {
  int (*init)(ZStream*, int, const char*, int) = nullptr;
  int (*inflate)(ZStream*, int) = nullptr;
  int (*reset)(ZStream*) = nullptr;
  int (*end)(ZStream*) = nullptr;
  const char* (*version)() = nullptr;

  // libzip brings it along nearly everywhere. Where it is not, nothing is said about gzip.
  static const Zlib* find() {
    static const Zlib found = [] {
      Zlib zlib;
      void* const library = ::dlopen("libz.so.1", RTLD_NOW | RTLD_LOCAL);
      if (library == nullptr) return zlib;
      const auto get = [&](auto& function, const char* name) {
        function = reinterpret_cast<std::decay_t<decltype(function)>>(::dlsym(library, name));
      };
      get(zlib.init, "inflateInit2_");
      get(zlib.inflate, "inflate");
      get(zlib.reset, "inflateReset");
      get(zlib.end, "inflateEnd");
      get(zlib.version, "zlibVersion");
      return zlib;
    }();
    const bool all = found.init != nullptr && found.inflate != nullptr && found.reset != nullptr &&
                     found.end != nullptr && found.version != nullptr;
    return all ? &found : nullptr;
  }
};

void expect_whole_gzip(const std::string& path) {
  const Zlib* const zlib = Zlib::find();
  ZStream stream;
  constexpr int gzip_window = 15 + 16, done = 0, stream_end = 1, no_progress = -5;
  if (zlib == nullptr || zlib->init(&stream, gzip_window, zlib->version(), static_cast<int>(sizeof(stream))) != 0)
    return;
  const struct Ending {
    const Zlib* zlib;
    ZStream* stream;
    ~Ending() { zlib->end(stream); }
  } ending{zlib, &stream};
  Bytes bytes(path);
  std::vector<unsigned char> nowhere(std::size_t{1} << 18);
  bool inside = true;  // of a member, of which there may be several
  for (std::string_view part = bytes.at_least(2); !part.empty(); part = bytes.at_least(2)) {
    if (!inside) {
      if (part.substr(0, 2) != "\x1f\x8b") return;  // what stands behind the last member is nobody's
      zlib->reset(&stream);
      inside = true;
    }
    stream.next_in = reinterpret_cast<const unsigned char*>(part.data());
    stream.avail_in = static_cast<unsigned>(part.size());
    int state = done;
    do {
      stream.next_out = nowhere.data();
      stream.avail_out = static_cast<unsigned>(nowhere.size());
      state = zlib->inflate(&stream, 0);
      if (state != done && state != stream_end && state != no_progress) fail(path, damaged);
    } while (state == done && (stream.avail_in > 0 || stream.avail_out == 0));
    if (state == stream_end) inside = false;
    bytes.skip(part.size() - stream.avail_in);
  }
  if (inside) fail(path, cut);
}

#else

void expect_whole_gzip(const std::string& /*path*/) {}

#endif

}  // namespace

void expect_whole(const std::string& path) {
  const std::string first = first_bytes(path, 4);
  if (first.size() >= 2 && first.substr(0, 2) == "\x1f\x8b") expect_whole_gzip(path);
  if (first.size() == 4 && little_endian(first, 4) == zstd_magic) expect_whole_zstd(path);
}

}  // namespace starope::io
