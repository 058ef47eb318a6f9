#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "starope/io/csv_layout.hpp"

namespace starope::io {

// What an empty cell of a column means.
enum class Blank {
  never,     // an error
  together,  // empty in all columns of this kind or in none; a row with all of them empty is a partial row
  excused,   // empty in partial rows only
};

// Where the cells of a column go: row r to first[r * stride].
struct NumberCells {
  double* first = nullptr;
  std::int64_t stride = 1;
};
struct IntegerCells {
  std::int64_t* first = nullptr;
};
struct FlagCells {
  std::uint8_t* first = nullptr;
};
struct TextCells {};  // to CsvReading::text; at most one column

// What is wrong with a cell that cannot be read.
struct CellRule {
  std::string code = "bad_number";
  std::string rule = "is not a number";
  std::string remedy = "Write a decimal number with a point, such as 0.25";
};

struct CsvColumn {
  std::int64_t field = 0;
  std::variant<NumberCells, IntegerCells, FlagCells, TextCells> cells{};
  Blank blank = Blank::never;
  CellRule rule{};
};

// A text column in which neighbouring rows mostly repeat: only the changes are kept. Views point into the file.
struct TextRuns {
  std::vector<std::int64_t> first_row{};
  std::vector<std::string_view> text{};
  std::vector<std::unique_ptr<std::string>> unescaped{};  // texts that stand in the file with doubled quotes
};

struct CsvReading {
  TextRuns text{};
  std::vector<std::int64_t> partial_rows{};  // ascending
};

// A column list made ready for the inner loop: runs of neighbouring fields that are treated alike.
struct CsvStep {
  enum class Action : std::uint8_t { skip, numbers, integer, flag, text };
  Action action = Action::skip;
  bool again = false;       // reads the field of the step before once more: a column may be wanted twice
  char terminator = ',';    // behind the last field of the run
  std::int64_t field = 0;   // the first
  std::int64_t count = 1;   // of neighbouring fields
  std::int64_t stride = 1;  // numbers: of the destination
  std::size_t column = 0;   // the first in CsvPlan::columns
  double* numbers = nullptr;
  std::int64_t* integers = nullptr;
  std::uint8_t* flags = nullptr;
};

struct CsvPlan {
  std::string file{};
  const CsvLayout* layout = nullptr;
  char delimiter = ',';
  std::vector<CsvColumn> columns{};  // by field
  std::vector<CsvStep> steps{};
  std::string blank_remedy{};  // what to do about an empty cell
};

CsvPlan make_csv_plan(std::string file, const CsvLayout& layout, char delimiter, std::vector<CsvColumn> columns,
                      std::string blank_remedy);

// Parses the rows of a chunk to where the columns say. DataError at the first cell or row that is wrong.
CsvReading parse_csv_chunk(const CsvPlan& plan, const CsvChunk& chunk);

// The DataError of the layout's unterminated record: a quote out of place, or one that never closes.
[[noreturn]] void fail_unterminated(const CsvPlan& plan);

}  // namespace starope::io
