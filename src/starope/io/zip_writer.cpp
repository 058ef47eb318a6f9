#include "starope/io/zip_writer.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <limits>
#include <new>
#include <utility>

#include "starope/base/assert.hpp"
#include "starope/base/error.hpp"

namespace starope::io {
namespace {

constexpr std::uint64_t largest_32 = 0xffffffff;
constexpr std::uint16_t version_zip64 = 45;
constexpr std::uint16_t first_date = 0x21;  // 1980-01-01: zip knows no "unknown"
constexpr std::uint16_t utf8_names = 0x800;

// Little-endian fields, one behind the other.
class Record {
 public:
  Record& u16(std::uint64_t value) { return number(value, 2); }
  Record& u32(std::uint64_t value) { return number(value, 4); }
  Record& u64(std::uint64_t value) { return number(value, 8); }
  Record& text(const std::string& value) {
    bytes_ += value;
    return *this;
  }
  const std::string& bytes() const noexcept { return bytes_; }

 private:
  Record& number(std::uint64_t value, int size) {
    for (int i = 0; i < size; ++i) bytes_ += static_cast<char>(static_cast<unsigned char>(value >> (8 * i)));
    return *this;
  }
  std::string bytes_;
};

std::uint64_t or_in_extra(std::uint64_t value) {
  return std::min(value, largest_32);
}

}  // namespace

struct ZipWriter::Deflater {
  z_stream stream{};
  std::array<unsigned char, 1 << 16> packed{};

  Deflater() {
    // Raw deflate; level 6 and memory level 8 are zlib's defaults.
    if (deflateInit2(&stream, 6, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) != Z_OK) throw std::bad_alloc();
  }
  Deflater(const Deflater&) = delete;
  Deflater& operator=(const Deflater&) = delete;
  ~Deflater() { deflateEnd(&stream); }
};

ZipWriter::ZipWriter(std::string path)
    : path_(std::move(path)), stream_(path_, std::ios::binary | std::ios::in | std::ios::out | std::ios::trunc) {
  check();
}
ZipWriter::ZipWriter(ZipWriter&&) noexcept = default;
ZipWriter& ZipWriter::operator=(ZipWriter&&) noexcept = default;
ZipWriter::~ZipWriter() = default;

void ZipWriter::check() const {
  if (!stream_) {
    throw FileError(
        fmt::format("{}: cannot be written. Check that the folder exists, may be written to, and is not full", path_));
  }
}

void ZipWriter::put(const std::string& bytes) {
  stream_.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  position_ += bytes.size();
}

void ZipWriter::begin(const std::string& name) {
  STAROPE_ASSERT(!deflater_);
  deflater_ = std::make_unique<Deflater>();
  members_.push_back({.name = name, .offset = position_});
  // Checksum and sizes are known at the end only and filled in then; the ZIP64 field leaves room for large ones.
  put(Record()
          .u32(0x04034b50)
          .u16(version_zip64)
          .u16(utf8_names)
          .u16(8)
          .u16(0)
          .u16(first_date)
          .u32(0)
          .u32(0)
          .u32(0)
          .u16(name.size())
          .u16(20)
          .text(name)
          .u16(1)
          .u16(16)
          .u64(0)
          .u64(0)
          .bytes());
}

void ZipWriter::deflate_pending(int flush) {
  z_stream& z = deflater_->stream;
  int result = Z_OK;
  do {
    z.next_out = deflater_->packed.data();
    z.avail_out = static_cast<uInt>(deflater_->packed.size());
    result = deflate(&z, flush);
    STAROPE_ASSERT(result != Z_STREAM_ERROR);
    const std::size_t made = deflater_->packed.size() - z.avail_out;
    stream_.write(reinterpret_cast<const char*>(deflater_->packed.data()), static_cast<std::streamsize>(made));
    position_ += made;
    members_.back().packed_size += made;
  } while (z.avail_out == 0 || (flush == Z_FINISH && result != Z_STREAM_END));
}

void ZipWriter::write(std::span<const std::byte> bytes) {
  STAROPE_ASSERT(deflater_ != nullptr);
  Member& member = members_.back();
  while (!bytes.empty()) {
    const auto part = bytes.first(std::min<std::size_t>(bytes.size(), std::numeric_limits<uInt>::max()));
    const auto* data = reinterpret_cast<const Bytef*>(part.data());
    member.crc = static_cast<std::uint32_t>(crc32_z(member.crc, data, part.size()));
    member.size += part.size();
    deflater_->stream.next_in = const_cast<Bytef*>(data);  // zlib only reads it
    deflater_->stream.avail_in = static_cast<uInt>(part.size());
    deflate_pending(Z_NO_FLUSH);
    bytes = bytes.subspan(part.size());
  }
}

void ZipWriter::end() {
  STAROPE_ASSERT(deflater_ != nullptr);
  deflate_pending(Z_FINISH);
  deflater_.reset();
  const Member& member = members_.back();
  const auto patch = [this](std::uint64_t offset, const Record& record) {
    stream_.seekp(static_cast<std::streamoff>(offset));
    stream_.write(record.bytes().data(), static_cast<std::streamsize>(record.bytes().size()));
  };
  patch(member.offset + 14,
        Record().u32(member.crc).u32(or_in_extra(member.packed_size)).u32(or_in_extra(member.size)));
  patch(member.offset + 30 + member.name.size() + 4, Record().u64(member.size).u64(member.packed_size));
  stream_.seekp(static_cast<std::streamoff>(position_));
  check();
}

void ZipWriter::write_directory() {
  for (const Member& member : members_) {
    Record extra;
    for (const std::uint64_t value : {member.size, member.packed_size, member.offset})
      if (value >= largest_32) extra.u64(value);
    Record field;
    if (!extra.bytes().empty()) field.u16(1).u16(extra.bytes().size()).text(extra.bytes());
    put(Record()
            .u32(0x02014b50)
            .u16(version_zip64)
            .u16(version_zip64)
            .u16(utf8_names)
            .u16(8)
            .u16(0)
            .u16(first_date)
            .u32(member.crc)
            .u32(or_in_extra(member.packed_size))
            .u32(or_in_extra(member.size))
            .u16(member.name.size())
            .u16(field.bytes().size())
            .u16(0)
            .u16(0)
            .u16(0)
            .u32(0)
            .u32(or_in_extra(member.offset))
            .text(member.name)
            .text(field.bytes())
            .bytes());
  }
}

void ZipWriter::finish() {
  STAROPE_ASSERT(!deflater_);
  const std::uint64_t directory = position_;
  write_directory();
  const std::uint64_t size = position_ - directory, count = members_.size();
  if (directory >= largest_32 || size >= largest_32 || count >= 0xffff) {
    const std::uint64_t end64 = position_;
    put(Record()
            .u32(0x06064b50)
            .u64(44)
            .u16(version_zip64)
            .u16(version_zip64)
            .u32(0)
            .u32(0)
            .u64(count)
            .u64(count)
            .u64(size)
            .u64(directory)
            .bytes());
    put(Record().u32(0x07064b50).u32(0).u64(end64).u32(1).bytes());
  }
  const std::uint64_t shown = std::min<std::uint64_t>(count, 0xffff);
  put(Record()
          .u32(0x06054b50)
          .u16(0)
          .u16(0)
          .u16(shown)
          .u16(shown)
          .u32(or_in_extra(size))
          .u32(or_in_extra(directory))
          .u16(0)
          .bytes());
  stream_.close();
  check();
}

}  // namespace starope::io
