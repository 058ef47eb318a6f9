#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "starope/io/atomic_file.hpp"

struct zip;       // of libzip
struct zip_file;  // of libzip

namespace starope::io {

// One member of a zip archive, as its directory describes it. Nothing is unpacked yet.
struct ZipEntry {
  std::string name{};
  std::uint64_t size = 0;         // unpacked, as declared
  std::uint64_t packed_size = 0;  // in the archive
  std::uint64_t index = 0;
};

struct ZipLimits {
  // All members together, unpacked: so many times the size of the file, but small files may always unpack to so much.
  // Deflate packs a thousand zeros into one byte; logs hold more than zeros (boards of bits: 80 to one).
  std::uint64_t times_the_file = 300;
  std::uint64_t always = std::uint64_t{1} << 28;
};

// What a file of this size may unpack to.
std::uint64_t most_unpacked(std::uint64_t file_bytes, const ZipLimits& limits = {}) noexcept;

// Unpacks one member piece by piece, in constant memory, and checks its length and checksum at the end.
class ZipEntryReader {
 public:
  // Fills `out`; less only at the end of the member. Damage: DataError.
  std::size_t read(std::span<std::byte> out);

 private:
  friend class ZipArchive;
  ZipEntryReader(std::shared_ptr<zip> archive, std::string file, ZipEntry entry);
  std::size_t read_some(std::span<std::byte> out);

  std::shared_ptr<zip> archive_;
  std::string file_;
  ZipEntry entry_;
  std::shared_ptr<zip_file> member_;
  std::uint64_t done_ = 0;
};

// A zip archive that is in memory (or mapped): stored and deflated members, with or without ZIP64. Encrypted members,
// other methods, archives in several parts, and everything that contradicts itself are refused with a DataError that
// names `file`. Not for several threads at once.
class ZipArchive {
 public:
  // The bytes must outlive the archive and its readers.
  ZipArchive(std::string_view bytes, std::string file, const ZipLimits& limits = {});

  const std::string& file() const noexcept { return file_; }
  std::span<const ZipEntry> entries() const noexcept { return entries_; }
  const ZipEntry* find(std::string_view name) const noexcept;  // nullptr: there is none
  ZipEntryReader open(const ZipEntry& entry) const { return {archive_, file_, entry}; }

 private:
  std::string file_;
  std::shared_ptr<zip> archive_;
  std::vector<ZipEntry> entries_;
};

// Writes a zip archive of deflated members. The same content gives the same bytes: members carry no time of writing.
// The file appears when everything is written, or not at all.
class ZipWriter {
 public:
  // Puts the next bytes of a member into `out`.
  using Fill = std::function<void(std::span<std::byte> out)>;

  explicit ZipWriter(std::string path);  // FileError if it cannot be written there
  ZipWriter(const ZipWriter&) = delete;
  ZipWriter& operator=(const ZipWriter&) = delete;
  ~ZipWriter();

  // `fill` is called in finish(), piece by piece until it has given `size` bytes.
  void add(const std::string& name, std::uint64_t size, Fill fill);
  void finish();

 private:
  struct Output;
  struct Member;
  std::string path_;
  std::unique_ptr<Output> output_;
  std::unique_ptr<zip, void (*)(zip*)> archive_;
};

}  // namespace starope::io
