#include "starope/io/zip.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>
#if STAROPE_ARCHIVES
#include <zip.h>

#include <cerrno>
#include <cstdio>
#include <exception>
#include <new>
#endif

#include "starope/base/assert.hpp"
#include "starope/error.hpp"

namespace starope::io {

std::uint64_t most_unpacked(std::uint64_t file_bytes, const ZipLimits& limits) noexcept {
  const bool beyond = file_bytes > std::numeric_limits<std::uint64_t>::max() / limits.times_the_file;
  return beyond ? std::numeric_limits<std::uint64_t>::max()
                : std::max(limits.always, file_bytes * limits.times_the_file);
}

const ZipEntry* ZipArchive::find(std::string_view name) const noexcept {
  const auto found =
      std::find_if(entries_.begin(), entries_.end(), [name](const ZipEntry& entry) { return entry.name == name; });
  return found == entries_.end() ? nullptr : &*found;
}

#if !STAROPE_ARCHIVES

namespace {

[[noreturn]] void fail_without_libzip(const std::string& file) {
  throw FileError(
      fmt::format("{}: NumPy archives can be neither read nor written by this starope, which was built "
                  "without libzip. Convert it to .csv",
                  file));
}

}  // namespace

struct ZipWriter::Output {};

ZipArchive::ZipArchive(std::string_view /*bytes*/, std::string file, const ZipLimits& /*limits*/)
    : file_(std::move(file)) {
  fail_without_libzip(file_);
}
ZipEntryReader::ZipEntryReader(std::shared_ptr<zip> /*archive*/, std::string file, ZipEntry /*entry*/)
    : file_(std::move(file)) {
  fail_without_libzip(file_);
}
std::size_t ZipEntryReader::read(std::span<std::byte> /*out*/) {
  fail_without_libzip(file_);
}
ZipWriter::ZipWriter(std::string path) : path_(std::move(path)), archive_(nullptr, [](zip* /*none*/) {}) {
  fail_without_libzip(path_);
}
ZipWriter::~ZipWriter() = default;
void ZipWriter::add(const std::string& /*name*/, std::uint64_t /*size*/, Fill /*fill*/) {
  fail_without_libzip(path_);
}
void ZipWriter::finish() {
  fail_without_libzip(path_);
}

#else

namespace {

constexpr std::size_t smallest_archive = 22;       // bytes: an empty directory
constexpr std::uint64_t largest_expansion = 1040;  // deflate makes at most 1032 bytes of one
constexpr const char* make_anew = "Make the file anew, or copy it again from where it came";

[[noreturn]] void fail_at(const std::string& file, const std::string& member, const char* code, const std::string& rule,
                          const std::string& remedy = make_anew) {
  DataError::Problem problem;
  problem.code = code;
  problem.at.file = file;
  problem.at.column = member;
  problem.rule = rule;
  problem.remedy = remedy;
  throw DataError(std::move(problem));
}

// What libzip says, in our words.
[[noreturn]] void fail_with(int error, const std::string& file, const std::string& member = {}) {
  switch (error) {
    case ZIP_ER_MEMORY:
      throw std::bad_alloc();
    case ZIP_ER_NOZIP:
      fail_at(file, member, "not_a_zip", "is not a zip archive, or is cut short: its directory is missing");
    case ZIP_ER_MULTIDISK:
      fail_at(file, member, "split_zip", "is one part of an archive that was split into several files",
              "Join the parts into one zip file first");
    case ZIP_ER_EXISTS:
      fail_at(file, member, "bad_array_name", "has two members of the same name",
              "Write the file with numpy.savez or numpy.savez_compressed");
    case ZIP_ER_CRC:
      fail_at(file, member, "bad_checksum", "is damaged: its checksum is not the one in the archive");
    default:
      fail_at(file, member, "damaged_zip",
              "is cut short or damaged: what the archive says about itself contradicts its content");
  }
}

// libzip's own record of what went wrong.
class Error {
 public:
  Error() { zip_error_init(&error_); }
  Error(const Error&) = delete;
  Error& operator=(const Error&) = delete;
  ~Error() { zip_error_fini(&error_); }
  zip_error_t* get() noexcept { return &error_; }
  int code() const noexcept { return zip_error_code_zip(&error_); }

 private:
  zip_error_t error_{};
};

std::shared_ptr<zip_t> open_for_reading(std::string_view bytes, const std::string& file) {
  if (bytes.size() < smallest_archive) fail_with(ZIP_ER_NOZIP, file);  // libzip takes nothing for an empty archive
  Error error;
  zip_source_t* source = zip_source_buffer_create(bytes.data(), bytes.size(), 0, error.get());
  if (source == nullptr) throw std::bad_alloc();
  zip_t* opened = zip_open_from_source(source, ZIP_RDONLY | ZIP_CHECKCONS, error.get());
  if (opened == nullptr) {
    zip_source_free(source);
    fail_with(error.code(), file);
  }
  return {opened, zip_discard};
}

ZipEntry describe(zip_t* archive, std::uint64_t index, const std::string& file) {
  zip_stat_t stat;
  zip_stat_init(&stat);
  const char* name = zip_get_name(archive, index, ZIP_FL_ENC_RAW);
  constexpr zip_uint64_t needed = ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD;
  if (name == nullptr || zip_stat_index(archive, index, 0, &stat) != 0 || (stat.valid & needed) != needed) {
    fail_with(ZIP_ER_INCONS, file);
  }
  ZipEntry entry{.name = name, .size = stat.size, .packed_size = stat.comp_size, .index = index};
  if ((stat.valid & ZIP_STAT_ENCRYPTION_METHOD) != 0 && stat.encryption_method != ZIP_EM_NONE) {
    fail_at(file, entry.name, "encrypted_zip", "is encrypted", "Make the archive without a password");
  }
  if (stat.comp_method != ZIP_CM_STORE && stat.comp_method != ZIP_CM_DEFLATE) {
    fail_at(file, entry.name, "unsupported_zip",
            fmt::format("is packed by method {}; only stored and deflated members can be read", stat.comp_method),
            "Write the file with numpy.savez or numpy.savez_compressed");
  }
  const bool possible = stat.comp_method == ZIP_CM_DEFLATE ? entry.size / largest_expansion <= entry.packed_size
                                                           : entry.size == entry.packed_size;
  if (!possible) {
    fail_at(file, entry.name, "damaged_zip",
            fmt::format("declares a size of {} bytes, which its {} bytes in the archive cannot hold", entry.size,
                        entry.packed_size));
  }
  return entry;
}

}  // namespace

// ---- reading --------------------------------------------------------------------------------------------------------

ZipArchive::ZipArchive(std::string_view bytes, std::string file, const ZipLimits& limits)
    : file_(std::move(file)), archive_(open_for_reading(bytes, file_)) {
  const zip_int64_t count = zip_get_num_entries(archive_.get(), 0);
  const std::uint64_t most = most_unpacked(bytes.size(), limits);
  std::uint64_t left = most;
  for (zip_int64_t i = 0; i < count; ++i) {
    entries_.push_back(describe(archive_.get(), static_cast<std::uint64_t>(i), file_));
    if (entries_.back().size > left) {
      fail_at(file_, entries_.back().name, "too_large",
              fmt::format("would unpack to more than {} bytes, the most that is taken from a file of {} bytes", most,
                          bytes.size()),
              "Check that this is the file you meant. If it is: write it with numpy.savez, which does not pack");
    }
    left -= entries_.back().size;
  }
}

ZipEntryReader::ZipEntryReader(std::shared_ptr<zip> archive, std::string file, ZipEntry entry)
    : archive_(std::move(archive)), file_(std::move(file)), entry_(std::move(entry)) {
  zip_file_t* opened = zip_fopen_index(archive_.get(), entry_.index, 0);
  if (opened == nullptr) fail_with(zip_error_code_zip(zip_get_error(archive_.get())), file_, entry_.name);
  member_ = {opened, zip_fclose};
}

std::size_t ZipEntryReader::read_some(std::span<std::byte> out) {
  std::size_t filled = 0;
  while (filled < out.size()) {
    const zip_int64_t got = zip_fread(member_.get(), out.data() + filled, out.size() - filled);
    if (got < 0) fail_with(zip_error_code_zip(zip_file_get_error(member_.get())), file_, entry_.name);
    if (got == 0) break;
    filled += static_cast<std::size_t>(got);
  }
  return filled;
}

std::size_t ZipEntryReader::read(std::span<std::byte> out) {
  const std::uint64_t left = entry_.size - done_;
  if (out.size() > left) out = out.first(left);
  const std::size_t got = read_some(out);
  if (got < out.size()) {
    fail_at(file_, entry_.name, "damaged_zip", "is damaged: it ends before its declared size");
  }
  done_ += got;
  // The checksum is compared where the member ends, which only one more byte asked for tells.
  std::byte beyond{};
  if (done_ == entry_.size && read_some({&beyond, 1}) > 0) {
    fail_at(file_, entry_.name, "damaged_zip", "is damaged: it does not end at its declared size");
  }
  return got;
}

// ---- writing --------------------------------------------------------------------------------------------------------
// libzip asks for bytes and gives bytes through callbacks of C, which no exception may leave: it is kept and thrown
// later.

struct ZipWriter::Output {
  explicit Output(const std::string& path) : file(path) {}

  AtomicFile file;
  std::exception_ptr thrown{};

  template <class Do>
  zip_int64_t guarded(const Do& work) noexcept {
    try {
      return work();
    } catch (...) {
      thrown = std::current_exception();
      return -1;
    }
  }

  static zip_int64_t call(void* self, void* data, zip_uint64_t size, zip_source_cmd_t command) {
    return static_cast<Output*>(self)->answer(data, size, command);
  }

  zip_int64_t answer(void* data, zip_uint64_t size, zip_source_cmd_t command) noexcept {
    switch (command) {
      case ZIP_SOURCE_SUPPORTS:
        return ZIP_SOURCE_SUPPORTS_WRITABLE;
      case ZIP_SOURCE_STAT:  // there is no archive yet
      case ZIP_SOURCE_ERROR: {
        if (command == ZIP_SOURCE_STAT) return -1;
        const int codes[2] = {thrown ? ZIP_ER_WRITE : ZIP_ER_READ, thrown ? EIO : ENOENT};
        std::copy_n(codes, 2, static_cast<int*>(data));
        return sizeof(codes);
      }
      case ZIP_SOURCE_WRITE:
        return guarded([&] {
          file.write({static_cast<const char*>(data), static_cast<std::size_t>(size)});
          return static_cast<zip_int64_t>(size);
        });
      case ZIP_SOURCE_SEEK_WRITE:
        return guarded([&]() -> zip_int64_t {
          const auto* to = static_cast<const zip_source_args_seek_t*>(data);
          if (to->whence != SEEK_SET || to->offset < 0) return -1;
          file.seek(static_cast<std::uint64_t>(to->offset));
          return 0;
        });
      case ZIP_SOURCE_TELL_WRITE:
        return static_cast<zip_int64_t>(file.position());
      case ZIP_SOURCE_BEGIN_WRITE:
      case ZIP_SOURCE_COMMIT_WRITE:  // finish() commits the file
      case ZIP_SOURCE_ROLLBACK_WRITE:
      case ZIP_SOURCE_REMOVE:
      case ZIP_SOURCE_FREE:
        return 0;
      default:
        return -1;
    }
  }
};

// The bytes of one member.
struct ZipWriter::Member {
  Output* output = nullptr;
  std::uint64_t size = 0, given = 0;
  Fill fill{};

  static zip_int64_t call(void* self, void* data, zip_uint64_t size, zip_source_cmd_t command) {
    auto* member = static_cast<Member*>(self);
    switch (command) {
      case ZIP_SOURCE_SUPPORTS:
        return ZIP_SOURCE_SUPPORTS_READABLE;
      case ZIP_SOURCE_OPEN:
      case ZIP_SOURCE_CLOSE:
        return 0;
      case ZIP_SOURCE_READ:
        return member->output->guarded([&] {
          const auto part = static_cast<std::size_t>(std::min<std::uint64_t>(size, member->size - member->given));
          if (part > 0) member->fill({static_cast<std::byte*>(data), part});
          member->given += part;
          return static_cast<zip_int64_t>(part);
        });
      case ZIP_SOURCE_STAT: {
        auto* stat = static_cast<zip_stat_t*>(data);
        zip_stat_init(stat);
        stat->size = member->size;
        stat->valid = ZIP_STAT_SIZE;
        return sizeof(*stat);
      }
      case ZIP_SOURCE_ERROR: {
        const int codes[2] = {ZIP_ER_READ, EIO};
        std::copy_n(codes, 2, static_cast<int*>(data));
        return sizeof(codes);
      }
      case ZIP_SOURCE_FREE:
        delete member;
        return 0;
      default:
        return -1;
    }
  }
};

ZipWriter::ZipWriter(std::string path)
    : path_(std::move(path)), output_(std::make_unique<Output>(path_)), archive_(nullptr, zip_discard) {
  Error error;
  zip_source_t* source = zip_source_function_create(Output::call, output_.get(), error.get());
  if (source == nullptr) throw std::bad_alloc();
  zip_t* opened = zip_open_from_source(source, ZIP_CREATE | ZIP_TRUNCATE, error.get());
  if (opened == nullptr) {
    zip_source_free(source);
    throw FileError(fmt::format("{}: cannot be written ({})", path_, zip_error_strerror(error.get())));
  }
  archive_.reset(opened);
}

ZipWriter::~ZipWriter() = default;

void ZipWriter::add(const std::string& name, std::uint64_t size, Fill fill) {
  auto member = std::make_unique<Member>();
  member->output = output_.get();
  member->size = size;
  member->fill = std::move(fill);
  Error error;
  zip_source_t* source = zip_source_function_create(Member::call, member.get(), error.get());
  if (source == nullptr) throw std::bad_alloc();
  static_cast<void>(member.release());  // the source deletes it
  const zip_int64_t index = zip_file_add(archive_.get(), name.c_str(), source, ZIP_FL_ENC_UTF_8);
  if (index < 0) {
    zip_source_free(source);
    throw InvalidArgument(fmt::format("a second '{}' in the archive {}", name, path_));
  }
  const auto at = static_cast<zip_uint64_t>(index);
  constexpr zip_uint16_t first_day = 0x21;  // 1980-01-01: zip knows no "unknown"
  const bool set = zip_set_file_compression(archive_.get(), at, ZIP_CM_DEFLATE, 6) == 0 &&
                   zip_file_set_dostime(archive_.get(), at, 0, first_day, 0) == 0;
  STAROPE_ASSERT(set);
  static_cast<void>(set);
}

void ZipWriter::finish() {
  zip_t* archive = archive_.get();
  STAROPE_ASSERT(archive != nullptr && zip_get_num_entries(archive, 0) > 0);
  if (zip_close(archive) != 0) {
    if (output_->thrown) std::rethrow_exception(output_->thrown);
    throw FileError(fmt::format("{}: cannot be written ({})", path_, zip_strerror(archive)));
  }
  static_cast<void>(archive_.release());  // zip_close has freed it
  output_->file.commit();
}

#endif

}  // namespace starope::io
