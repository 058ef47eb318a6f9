#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "starope/base/offences.hpp"
#include "starope/data.hpp"
#include "starope/error.hpp"

namespace starope::io {

// What an empty cell of a column means.
enum class Blank {
  never,     // an error
  together,  // empty in all columns of this kind or in none; a row with all of them empty is a partial row
  excused,   // empty in partial rows only
  free,      // empty in any row, which stores NaN
};

// Where the cells of a column go: row r to first[r * stride].
struct NumberCells {
  double* first = nullptr;
  std::int64_t stride = 1;
};
struct FloatCells {  // of columns of single precision
  float* first = nullptr;
  std::int64_t stride = 1;
};
struct IntegerCells {
  std::int64_t* first = nullptr;
};
struct FlagCells {
  std::uint8_t* first = nullptr;
};
struct BitCells {  // of columns of truth values: bit `bit` of the words of row r, which were 0
  std::uint64_t* first = nullptr;
  std::int64_t words_per_row = 1;
  std::int64_t bit = 0;
};
struct TextCells {};  // to TableReading::text; at most one column

// What is wrong with a cell that cannot be read.
struct CellRule {
  std::string code = "bad_number";
  std::string rule = "is not a number";
  std::string remedy = "Write a decimal number with a point, such as 0.25";
  std::string blank_remedy{};  // for an empty cell, where the column has one of its own
};

struct WantedColumn {
  std::int64_t field = 0;
  std::variant<NumberCells, IntegerCells, FlagCells, TextCells, FloatCells, BitCells> cells{};
  Blank blank = Blank::never;
  CellRule rule{};
  bool lent = false;  // it was lent: only cells that are missing are looked for
};

// A text column in which neighboring rows mostly repeat: only the changes are kept. Views point into the table.
struct TextRuns {
  std::vector<std::int64_t> first_row{};
  std::vector<std::string_view> text{};
  std::vector<std::unique_ptr<std::string>> unescaped{};  // texts that do not stand in the table as they are
  std::size_t owned = 0;                                  // so many of the first texts do not depend on the table

  void own();  // none of them does any more
  // The runs of rows that follow `rows` others. A text that goes on is one run.
  void append(TextRuns later, std::int64_t rows);
};

struct TableReading {
  TextRuns text{};
  // Ascending. None: the format has no empty cells, and numbers that are NaN have to say it.
  std::optional<std::vector<std::int64_t>> partial_rows{};
  Offences offences{};  // rows that could not be read; what was stored of them means nothing
  bool lost = false;    // where rows end behind the last of them is unknown: there is no use in reading on
};

// Where a table comes from, for messages.
struct TableSource {
  std::string file{};
  std::int64_t first_row = 2;  // the number of row 0 of the table in the file

  DataLocation at(std::int64_t row, std::string column) const;
};

struct TableColumn {
  // What the format declares, or what the first row of a text looks like.
  enum class Type { text, integer, real, single, boolean };
  std::string name{};
  Type type = Type::text;

  bool holds_integers() const noexcept { return type == Type::integer || type == Type::boolean; }
};

// A table with named columns, of whatever format, whose rows come in batches: one after the other, so that a table may
// be larger than memory. Every complaint is a DataError that names file, row and column.
class TableReader {
 public:
  TableReader() = default;
  TableReader(const TableReader&) = delete;
  TableReader& operator=(const TableReader&) = delete;
  virtual ~TableReader() = default;

  virtual const std::vector<TableColumn>& columns() const = 0;
  virtual TableSource source() const = 0;  // of the rows of the batch

  // Goes on to the next batch: its number of rows, or none after the last. `key` is the column whose length counts
  // where those of the others might differ.
  virtual std::optional<std::int64_t> next(std::int64_t key) = 0;

  // The cells of the batch, straight to where they belong. Texts live as long as the reader stays at this batch. Cells
  // that are wrong are noted in the reading, so that all of them can be told at once.
  virtual TableReading read(std::vector<WantedColumn> wanted) = 0;

  // The numbers of these columns of the batch where they lie, if they lie there as logs want them: row after row, side
  // by side in a row, as doubles or floats, and none of them missing but for NaNs. They outlive the reader.
  virtual std::optional<RealColumn> lend(const std::vector<std::int64_t>& /*fields*/) { return std::nullopt; }

  // FileError if somebody wrote to what the table is read from: what was read of it, or found wrong in it, makes no
  // sense. Texts may still lie there, so it is asked last.
  virtual void expect_unchanged() const {}

  // How many rows the whole table has; none: nobody knows before the end.
  virtual std::optional<std::int64_t> expected_rows() const { return std::nullopt; }
  // How much of the table was read, from 0 to 1; none: nobody knows how large it is.
  virtual std::optional<double> share_read() const { return std::nullopt; }
};

// The number of the column of that name. DataError where there is none; `flag` is the option that names it.
std::int64_t field_of(const TableReader& table, const std::string& column, const char* flag);

}  // namespace starope::io
