#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace starope::io {

// One member of a zip archive, as its central directory describes it. Nothing is unpacked yet.
struct ZipEntry {
  std::string name{};
  std::string_view packed{};  // its bytes in the archive
  std::uint64_t size = 0;     // unpacked, as declared
  std::uint32_t crc = 0;
  bool deflated = false;
};

// The directory of a zip archive that is in memory (or mapped): stored and deflated members, with or without ZIP64.
// Encrypted members, other methods, archives in several parts, and everything that contradicts itself are refused with
// a DataError that names `file`.
class ZipArchive {
 public:
  ZipArchive(std::string_view bytes, std::string file);  // the bytes must outlive the archive and its readers

  const std::string& file() const noexcept { return file_; }
  std::span<const ZipEntry> entries() const noexcept { return entries_; }
  const ZipEntry* find(std::string_view name) const noexcept;  // nullptr: there is none

 private:
  std::string file_;
  std::vector<ZipEntry> entries_;
};

// Unpacks one member piece by piece, in constant memory, and checks its length and checksum at the end.
class ZipEntryReader {
 public:
  ZipEntryReader(const ZipEntry& entry, std::string file);
  ZipEntryReader(ZipEntryReader&&) noexcept;
  ZipEntryReader& operator=(ZipEntryReader&&) noexcept;
  ~ZipEntryReader();

  // Fills `out`; less only at the end of the member. Damage: DataError.
  std::size_t read(std::span<std::byte> out);

 private:
  struct Inflater;
  std::size_t read_stored(std::span<std::byte> out) const;
  void check_end();
  [[noreturn]] void fail(const std::string& code, const std::string& rule) const;

  ZipEntry entry_;
  std::string file_;
  std::unique_ptr<Inflater> inflater_;  // null: stored
  std::uint64_t done_ = 0;
  std::uint32_t crc_ = 0;
};

}  // namespace starope::io
