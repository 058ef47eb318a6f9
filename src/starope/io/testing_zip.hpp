#pragma once

// Zip archives put together field by field, so that tests can make every field wrong. Independent of libzip.

#include <zlib.h>

#include <cstdint>
#include <string>
#include <vector>

namespace starope::testing {

struct ZipMember {
  std::string name{};
  std::string content{};
  bool deflated = false;
  bool zip64 = false;        // sizes and offset in the extra field, in both headers
  std::uint16_t method = 0;  // if not 0: said instead of the true one
  std::uint16_t flags = 0;
  std::string local_name{};      // if not empty: another name in the local header
  std::uint32_t crc_change = 0;  // added to the checksum
  std::int64_t size_change = 0;  // added to the declared size
};

inline std::string field(std::uint64_t value, int size) {
  std::string bytes;
  for (int i = 0; i < size; ++i) bytes += static_cast<char>(static_cast<unsigned char>(value >> (8 * i)));
  return bytes;
}

inline std::string deflate_raw(const std::string& content) {
  z_stream z{};
  deflateInit2(&z, 9, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  std::string packed(deflateBound(&z, static_cast<uLong>(content.size())), '\0');
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));
  z.avail_in = static_cast<uInt>(content.size());
  z.next_out = reinterpret_cast<Bytef*>(packed.data());
  z.avail_out = static_cast<uInt>(packed.size());
  deflate(&z, Z_FINISH);
  packed.resize(z.total_out);
  deflateEnd(&z);
  return packed;
}

inline std::string make_zip(const std::vector<ZipMember>& members, bool zip64_directory = false,
                            const std::string& comment = {}) {
  std::string file, directory;
  for (const ZipMember& m : members) {
    const std::string packed = m.deflated ? deflate_raw(m.content) : m.content;
    const auto* bytes = reinterpret_cast<const Bytef*>(m.content.data());
    const std::uint64_t crc = static_cast<std::uint32_t>(crc32_z(0, bytes, m.content.size())) + m.crc_change;
    const std::uint64_t size = static_cast<std::uint64_t>(static_cast<std::int64_t>(m.content.size()) + m.size_change);
    const std::uint64_t method = m.method != 0 ? m.method : (m.deflated ? 8 : 0);
    const std::uint64_t offset = file.size();
    const std::uint64_t hidden = 0xffffffff;
    const std::string sizes = m.zip64 ? field(hidden, 4) + field(hidden, 4) : field(packed.size(), 4) + field(size, 4);
    const std::string large = field(size, 8) + field(packed.size(), 8);
    const std::string padding = field(0x9999, 2) + field(3, 2) + "abc";  // a field nobody knows
    const std::string local_extra = padding + (m.zip64 ? field(1, 2) + field(16, 2) + large : "");
    const std::string central_extra = padding + (m.zip64 ? field(1, 2) + field(24, 2) + large + field(offset, 8) : "");
    const std::string common = field(m.flags, 2) + field(method, 2) + field(0, 4) + field(crc, 4) + sizes;
    const std::string local_name = m.local_name.empty() ? m.name : m.local_name;
    file += field(0x04034b50, 4) + field(20, 2) + common + field(local_name.size(), 2) + field(local_extra.size(), 2) +
            local_name + local_extra + packed;
    directory += field(0x02014b50, 4) + field(20, 2) + field(20, 2) + common + field(m.name.size(), 2) +
                 field(central_extra.size(), 2) + field(0, 2) + field(0, 2) + field(0, 2) + field(0, 4) +
                 field(m.zip64 ? hidden : offset, 4) + m.name + central_extra;
  }
  const std::uint64_t start = file.size(), count = members.size();
  file += directory;
  if (zip64_directory) {
    const std::uint64_t end64 = file.size();
    file += field(0x06064b50, 4) + field(44, 8) + field(45, 2) + field(45, 2) + field(0, 4) + field(0, 4) +
            field(count, 8) + field(count, 8) + field(directory.size(), 8) + field(start, 8);
    file += field(0x07064b50, 4) + field(0, 4) + field(end64, 8) + field(1, 4);
  }
  file += field(0x06054b50, 4) + field(0, 4);
  file += zip64_directory ? field(0xffff, 2) + field(0xffff, 2) + field(0xffffffff, 4) + field(0xffffffff, 4)
                          : field(count, 2) + field(count, 2) + field(directory.size(), 4) + field(start, 4);
  return file + field(comment.size(), 2) + comment;
}

}  // namespace starope::testing
