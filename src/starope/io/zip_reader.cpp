#include "starope/io/zip_reader.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>

#include "starope/base/error.hpp"

namespace starope::io {
namespace {

constexpr std::uint32_t local_signature = 0x04034b50;
constexpr std::uint32_t central_signature = 0x02014b50;
constexpr std::uint32_t end_signature = 0x06054b50;
constexpr std::uint32_t end64_signature = 0x06064b50;
constexpr std::uint32_t locator64_signature = 0x07064b50;
constexpr std::size_t local_size = 30, central_size = 46, end_size = 22, end64_size = 56, locator64_size = 20;
constexpr std::uint32_t in_extra = 0xffffffff;     // a field that is too small: see the ZIP64 extra field
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

// Little-endian fields of a byte range; every access is checked.
class Fields {
 public:
  Fields(std::string_view bytes, const std::string& file) : bytes_(bytes), file_(file) {}

  std::string_view slice(std::uint64_t offset, std::uint64_t size) const {
    if (offset > bytes_.size() || size > bytes_.size() - offset) {
      fail_at(file_, {}, "damaged_zip", "is cut short or damaged: a part of the archive lies outside the file");
    }
    return bytes_.substr(offset, size);
  }
  std::uint16_t u16(std::uint64_t offset) const { return number<std::uint16_t>(offset); }
  std::uint32_t u32(std::uint64_t offset) const { return number<std::uint32_t>(offset); }
  std::uint64_t u64(std::uint64_t offset) const { return number<std::uint64_t>(offset); }

 private:
  template <class T>
  T number(std::uint64_t offset) const {
    const std::string_view part = slice(offset, sizeof(T));
    T value = 0;
    for (std::size_t i = sizeof(T); i-- > 0;)
      value = static_cast<T>((std::uint64_t{value} << 8) | static_cast<unsigned char>(part[i]));
    return value;
  }

  std::string_view bytes_;
  const std::string& file_;
};

struct Directory {
  std::uint64_t offset = 0, size = 0, entries = 0;
};

// The end record stands at the end of the file, followed by a comment of at most 65535 bytes.
std::uint64_t find_end_record(std::string_view bytes, const std::string& file) {
  if (bytes.size() >= end_size) {
    const std::size_t last = bytes.size() - end_size;
    const std::size_t first = last - std::min<std::size_t>(last, 0xffff);
    const Fields fields(bytes, file);
    for (std::size_t at = last + 1; at-- > first;) {
      if (fields.u32(at) == end_signature && fields.u16(at + 20) == last - at) return at;
    }
  }
  fail_at(file, {}, "not_a_zip", "is not a zip archive, or is cut short: its directory is missing");
}

Directory find_directory(std::string_view bytes, const std::string& file) {
  const Fields fields(bytes, file);
  const std::uint64_t end = find_end_record(bytes, file);
  Directory directory{fields.u32(end + 16), fields.u32(end + 12), fields.u16(end + 10)};
  bool one_part = fields.u16(end + 4) == 0 && fields.u16(end + 6) == 0;
  if (end >= locator64_size && fields.u32(end - locator64_size) == locator64_signature) {
    const std::uint64_t end64 = fields.u64(end - locator64_size + 8);
    fields.slice(end64, end64_size);
    if (fields.u32(end64) != end64_signature) fail_at(file, {}, "damaged_zip", "has a damaged ZIP64 directory");
    directory = {fields.u64(end64 + 48), fields.u64(end64 + 40), fields.u64(end64 + 32)};
    one_part = fields.u32(end64 + 16) == 0 && fields.u32(end64 + 20) == 0;
  }
  if (!one_part) {
    fail_at(file, {}, "split_zip", "is one part of an archive that was split into several files",
            "Join the parts into one zip file first");
  }
  return directory;
}

struct CentralRecord {
  ZipEntry entry;
  std::uint64_t packed_size = 0, offset = 0;
  std::uint64_t length = 0;  // of the record
  std::uint16_t method = 0;
};

// Sizes and the offset that do not fit 32 bits stand in an extra field, in this order, each only if it does not fit.
void read_zip64_extra(std::string_view extra, const std::string& file, CentralRecord& record) {
  const Fields fields(extra, file);
  for (std::uint64_t at = 0; at + 4 <= extra.size();) {
    const std::uint64_t size = fields.u16(at + 2);
    if (fields.u16(at) == 1) {
      const Fields field(fields.slice(at + 4, size), file);
      std::uint64_t next = 0;
      for (std::uint64_t* value : {&record.entry.size, &record.packed_size, &record.offset}) {
        if (*value != in_extra) continue;
        *value = field.u64(next);
        next += 8;
      }
      return;
    }
    at += 4 + size;
  }
}

CentralRecord read_central_record(const Fields& fields, std::uint64_t at, const std::string& file) {
  if (fields.u32(at) != central_signature) fail_at(file, {}, "damaged_zip", "has a damaged directory");
  CentralRecord record;
  const std::uint16_t flags = fields.u16(at + 8);
  record.method = fields.u16(at + 10);
  record.entry.crc = fields.u32(at + 16);
  record.packed_size = fields.u32(at + 20);
  record.entry.size = fields.u32(at + 24);
  record.offset = fields.u32(at + 42);
  const std::uint64_t name = fields.u16(at + 28), extra = fields.u16(at + 30), comment = fields.u16(at + 32);
  record.entry.name = std::string(fields.slice(at + central_size, name));
  read_zip64_extra(fields.slice(at + central_size + name, extra), file, record);
  record.length = central_size + name + extra + comment;
  if ((flags & 1U) != 0) {
    fail_at(file, record.entry.name, "encrypted_zip", "is encrypted", "Make the archive without a password");
  }
  return record;
}

// Where the bytes of a member begin is only known from its local header, whose extra field may be another.
void locate_packed_bytes(const Fields& fields, const std::string& file, CentralRecord& record) {
  ZipEntry& entry = record.entry;
  if (record.method != 0 && record.method != 8) {
    fail_at(file, entry.name, "unsupported_zip",
            fmt::format("is packed by method {}; only stored and deflated members can be read", record.method),
            "Write the file with numpy.savez or numpy.savez_compressed");
  }
  entry.deflated = record.method == 8;
  const std::uint64_t at = record.offset;
  fields.slice(at, local_size);
  if (fields.u32(at) != local_signature || fields.u16(at + 8) != record.method) {
    fail_at(file, entry.name, "damaged_zip", "is not where the directory of the archive says");
  }
  const std::uint64_t name = fields.u16(at + 26), extra = fields.u16(at + 28);
  if (fields.slice(at + local_size, name) != entry.name) {
    fail_at(file, entry.name, "damaged_zip", "has another name in the directory of the archive than at its place");
  }
  entry.packed = fields.slice(at + local_size + name + extra, record.packed_size);
  const bool possible =
      entry.deflated ? entry.size / largest_expansion <= record.packed_size : entry.size == record.packed_size;
  if (!possible) {
    fail_at(file, entry.name, "damaged_zip",
            fmt::format("declares a size of {} bytes, which its {} bytes in the archive cannot hold", entry.size,
                        record.packed_size));
  }
}

}  // namespace

ZipArchive::ZipArchive(std::string_view bytes, std::string file) : file_(std::move(file)) {
  const Directory directory = find_directory(bytes, file_);
  const Fields whole(bytes, file_);
  const Fields fields(whole.slice(directory.offset, directory.size), file_);
  std::uint64_t at = 0;
  // The count is not trusted: every record read takes at least 46 bytes of a directory that is inside the file.
  for (std::uint64_t i = 0; i < directory.entries; ++i) {
    CentralRecord record = read_central_record(fields, at, file_);
    at += record.length;
    locate_packed_bytes(whole, file_, record);
    entries_.push_back(std::move(record.entry));
  }
}

const ZipEntry* ZipArchive::find(std::string_view name) const noexcept {
  const auto found =
      std::find_if(entries_.begin(), entries_.end(), [name](const ZipEntry& entry) { return entry.name == name; });
  return found == entries_.end() ? nullptr : &*found;
}

struct ZipEntryReader::Inflater {
  z_stream stream{};
  std::string_view rest;
  bool ended = false;

  explicit Inflater(std::string_view packed) : rest(packed) {
    if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) throw std::bad_alloc();  // raw deflate, no zlib header
  }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  ~Inflater() { inflateEnd(&stream); }

  // Fills `out` as far as the packed bytes go; nullopt if they are no deflate stream.
  std::optional<std::size_t> read(std::span<std::byte> out) {
    std::size_t filled = 0;
    while (filled < out.size() && !ended) {
      if (stream.avail_in == 0) feed();
      const std::size_t room = std::min<std::size_t>(out.size() - filled, std::numeric_limits<uInt>::max());
      stream.next_out = reinterpret_cast<Bytef*>(out.data() + filled);
      stream.avail_out = static_cast<uInt>(room);
      const int result = inflate(&stream, Z_NO_FLUSH);
      const std::size_t made = room - stream.avail_out;
      filled += made;
      ended = result == Z_STREAM_END;
      if (result != Z_OK && result != Z_STREAM_END) return std::nullopt;  // also if the input runs out
    }
    return filled;
  }

 private:
  void feed() {
    const std::size_t size = std::min<std::size_t>(rest.size(), std::numeric_limits<uInt>::max());
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(rest.data()));  // zlib only reads it
    stream.avail_in = static_cast<uInt>(size);
    rest.remove_prefix(size);
  }
};

ZipEntryReader::ZipEntryReader(const ZipEntry& entry, std::string file)
    : entry_(entry),
      file_(std::move(file)),
      inflater_(entry.deflated ? std::make_unique<Inflater>(entry.packed) : nullptr) {}
ZipEntryReader::ZipEntryReader(ZipEntryReader&&) noexcept = default;
ZipEntryReader& ZipEntryReader::operator=(ZipEntryReader&&) noexcept = default;
ZipEntryReader::~ZipEntryReader() = default;

void ZipEntryReader::fail(const std::string& code, const std::string& rule) const {
  fail_at(file_, entry_.name, code.c_str(), rule);
}

std::size_t ZipEntryReader::read_stored(std::span<std::byte> out) const {
  std::memcpy(out.data(), entry_.packed.data() + done_, out.size());
  return out.size();
}

std::size_t ZipEntryReader::read(std::span<std::byte> out) {
  const std::uint64_t left = entry_.size - done_;
  if (out.size() > left) out = out.first(static_cast<std::size_t>(left));
  if (out.empty()) {
    if (left == 0) check_end();
    return 0;
  }
  const std::optional<std::size_t> got = inflater_ ? inflater_->read(out) : read_stored(out);
  if (!got) fail("damaged_zip", "is damaged: its packed bytes cannot be unpacked");
  if (*got < out.size()) fail("damaged_zip", "is damaged: it ends before its declared size");
  crc_ = static_cast<std::uint32_t>(crc32_z(crc_, reinterpret_cast<const Bytef*>(out.data()), *got));
  done_ += *got;
  if (done_ == entry_.size) check_end();
  return *got;
}

void ZipEntryReader::check_end() {
  if (inflater_ && !inflater_->ended) {
    std::byte beyond{};
    const auto more = inflater_->read({&beyond, 1});
    if (!more || *more != 0) fail("damaged_zip", "is damaged: it does not end at its declared size");
  }
  if (crc_ != entry_.crc) {
    fail("bad_checksum", fmt::format("is damaged: its checksum is {:08x}, the archive says {:08x}", crc_, entry_.crc));
  }
}

}  // namespace starope::io
