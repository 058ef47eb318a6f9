#pragma once

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace starope::io {

// Writes a zip archive member by member, each piece by piece. The same content gives the same bytes: members carry no
// time of writing. An archive that was not finished is not readable.
class ZipWriter {
 public:
  explicit ZipWriter(std::string path);  // an existing file is replaced; FileError if it cannot be written
  ZipWriter(ZipWriter&&) noexcept;
  ZipWriter& operator=(ZipWriter&&) noexcept;
  ~ZipWriter();

  void begin(const std::string& name);           // a member, deflated
  void write(std::span<const std::byte> bytes);  // to the member that was begun last
  void end();
  void finish();  // the directory; FileError if not everything could be written

 private:
  struct Deflater;
  struct Member {
    std::string name{};
    std::uint64_t offset = 0, packed_size = 0, size = 0;
    std::uint32_t crc = 0;
  };
  void put(const std::string& bytes);
  void deflate_pending(int flush);
  void write_directory();
  void check() const;

  std::string path_;
  std::ofstream stream_;
  std::unique_ptr<Deflater> deflater_;  // of the open member
  std::vector<Member> members_;
  std::uint64_t position_ = 0;
};

}  // namespace starope::io
