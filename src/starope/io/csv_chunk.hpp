#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "starope/base/offences.hpp"
#include "starope/io/csv_layout.hpp"
#include "starope/io/table_reader.hpp"

namespace starope::io {

// Rows are counted from the first of the table.
struct CsvReading {
  TextRuns text{};
  std::vector<std::int64_t> partial_rows{};  // ascending
  Offences offences{};                       // rows that could not be read; what was stored of them means nothing
  bool lost = false;                         // quotes are wrong in the last of them: nobody knows where rows end
};

// A column list made ready for the inner loop: runs of neighboring fields that are treated alike.
struct CsvStep {
  enum class Action : std::uint8_t { skip, numbers, integer, flag, text };
  Action action = Action::skip;
  bool again = false;       // reads the field of the step before once more: a column may be wanted twice
  char terminator = ',';    // behind the last field of the run
  std::int64_t field = 0;   // the first
  std::int64_t count = 1;   // of neighboring fields
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
  std::vector<WantedColumn> columns{};  // by field
  std::vector<CsvStep> steps{};
  std::string blank_remedy{};  // what to do about an empty cell
};

CsvPlan make_csv_plan(std::string file, const CsvLayout& layout, char delimiter, std::vector<WantedColumn> columns,
                      std::string blank_remedy);

// Parses the rows of a chunk to where the columns say. What is wrong with a row is noted, and the next one is read;
// where quotes are wrong nobody knows where rows end, and the rest of the chunk is not looked at.
CsvReading parse_csv_chunk(const CsvPlan& plan, const CsvChunk& chunk);

// The DataError of the layout's unterminated record: a quote out of place, or one that never closes.
[[noreturn]] void fail_unterminated(const CsvPlan& plan);

}  // namespace starope::io
