#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "starope/io/input_file.hpp"
#include "starope/io/npy_header.hpp"
#include "starope/io/zip.hpp"

namespace starope::io {

// One array of an .npz file, read value by value in the order of the file and in constant memory.
class NpyReader {
 public:
  NpyReader(const ZipArchive& archive, const ZipEntry& entry, std::string array, NpyContent content = NpyContent::rows);

  const NpyHeader& header() const noexcept { return header_; }
  const std::vector<std::int64_t>& shape() const noexcept { return header_.shape; }

  // Fills `out` with the next values; less only at the end, where the checksum has been verified. Integers and truth
  // values become numbers; asking for integers where there are real numbers is a DataError.
  std::size_t read(std::span<double> out);
  std::size_t read(std::span<float> out);  // of an array of single precision; of another: DataError
  std::size_t read(std::span<std::int64_t> out);
  std::string read_word();  // the only value of an array of texts; of another: DataError

 private:
  template <class To>
  std::size_t read_as(std::span<To> out);
  [[noreturn]] void fail(const char* code, const std::string& rule, const std::string& remedy) const;

  std::string file_;
  std::string array_;
  ZipEntryReader bytes_;
  NpyHeader header_;
  std::int64_t left_ = 0;
  std::vector<std::byte> buffer_;
};

// An .npz file: a zip archive of NumPy arrays. Opening it reads the directory only. Wrong content is a DataError that
// names file and array. It must outlive the readers of its arrays.
class NpzReader {
 public:
  explicit NpzReader(std::string path);
  explicit NpzReader(InputFile file);
  NpzReader(std::string_view bytes, const std::string& name);  // in memory; the bytes must outlive the reader

  void expect_unchanged() const;           // FileError if somebody wrote to the file
  std::vector<std::string> names() const;  // of the arrays, in the order of the file
  bool contains(const std::string& array) const;
  // No such array: DataError that lists the others. NpyContent::columns: perhaps column by column, the header tells.
  NpyReader open(const std::string& array, NpyContent content = NpyContent::rows) const;

  // The whole array at once. Its shape must be `shape` where that is given.
  std::vector<double> read_numbers(const std::string& array,
                                   const std::optional<std::vector<std::int64_t>>& shape = {}) const;
  std::vector<std::int64_t> read_integers(const std::string& array) const;

  // Parameters, which others hold in more ways than logs: a matrix row by row, however it is stored (a vector has one
  // row), and a word such as "relu".
  struct Matrix {
    std::int64_t rows = 0, columns = 0;
    std::vector<double> values{};
  };
  Matrix read_matrix(const std::string& array) const;
  std::string read_word(const std::string& array) const;

 private:
  void check_names() const;

  std::optional<InputFile> file_;
  ZipArchive archive_;
};

// Writes arrays to an .npz file, deflated. The same arrays give the same bytes. The file appears with finish(), whole
// or not at all.
class NpzWriter {
 public:
  explicit NpzWriter(std::string path) : zip_(std::move(path)) {}

  // `values` has the product of the shape as its size, row by row; else InvalidArgument.
  void add(const std::string& array, const std::vector<std::int64_t>& shape, std::vector<double> values);
  void add(const std::string& array, const std::vector<std::int64_t>& shape, std::vector<float> values);
  void add(const std::string& array, const std::vector<std::int64_t>& shape, std::vector<std::int64_t> values);
  void add(const std::string& array, const std::vector<std::int64_t>& shape, std::vector<std::int32_t> values);
  void add(const std::string& array, const std::vector<std::int64_t>& shape, const std::vector<bool>& values);

  // Row by row, in constant memory: fill(i, row) is called in finish() for every row in order, and what it refers to
  // must live until then. The shape has one number (rows of one value) or two. T: double, float, std::int64_t,
  // std::int32_t or bool.
  template <class T>
  void add_rows(const std::string& array, const std::vector<std::int64_t>& shape,
                std::function<void(std::int64_t, std::span<T>)> fill);
  void finish() { zip_.finish(); }

 private:
  void add_bytes(const std::string& array, const NpyHeader& header, ZipWriter::Fill fill);
  template <class T>
  void add_values(const std::string& array, const std::vector<std::int64_t>& shape, std::vector<T> values);

  ZipWriter zip_;
};

}  // namespace starope::io
